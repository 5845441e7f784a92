# paper.sh - the paper's claims are all judged: each has its yes or no. $PAPER is the program,
# $PAGE is docs/results/paper.md.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAIL: $*"
    exit 1
}

# answers CLAIMS: so many rows have a name, a text, and yes or no, with at how many batches not.
answers() {
    count=$(grep -cE '^\| [0-9][a-z]? .* \| (yes|no \([0-9]\)) \|$' "$work/out")
    [ "$count" -eq "$1" ] || fail "$count claims have an answer, not $1"
}

"$PAPER" --quick >"$work/out" || fail "exit $?"
answers 24
# The numbers behind them: at two batches, but for a claim that is about one.
count=$(grep -cE '^  - [18]K: .*; \*\*(yes|no)\*\*$' "$work/out")
[ "$count" -eq 47 ] || fail "$count lines of numbers, not 47"

# The page shows the same shares: of its four batches the first and the last are these two.
shares() {
    awk -F ' [|] ' '/^##/ { wanted = /tiles$/ } wanted && /^[|] [^-]/ { sub(/ [|]$/, ""); print $1, $2, $NF }' "$1"
}
shares "$work/out" >"$work/made"
shares "$PAGE" >"$work/kept"
[ "$(wc -l <"$work/made")" -eq 32 ] || fail "not the shares of four tables: $(cat "$work/made")"
diff "$work/kept" "$work/made" || fail "docs/results/paper.md is not what the program prints"

"$PAPER" --quick 4a 2 >"$work/out" || fail "exit $?"
answers 3
"$PAPER" --quick 0 2>"$work/err"
[ $? -eq 2 ] || fail "a claim that is not there is no mistake"
grep -q "0 is neither" "$work/err" || fail "$(cat "$work/err")"
