# paper.sh - every claim of the paper gets a verdict, yes or no. $PAPER is the program, $PAGE is
# docs/results/paper.md.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAIL: $*"
    exit 1
}

# answers CLAIMS: the table has that many rows with a name, a text and a verdict; "no" is followed by
# the number of batches for which the claim fails.
answers() {
    count=$(grep -cE '^\| [0-9][a-z]? .* \| (yes|no \([0-9]\)) \|$' "$work/out")
    [ "$count" -eq "$1" ] || fail "$count claims have an answer, not $1"
}

"$PAPER" --quick >"$work/out" || fail "exit $?"
answers 24
# The numbers behind the verdicts: for two batches, except for a claim about one batch.
count=$(grep -cE '^  - [18]K: .*; \*\*(yes|no)\*\*$' "$work/out")
[ "$count" -eq 47 ] || fail "$count lines of numbers, not 47"

# The page shows the same shares; the first and the last of its four batches are these two.
shares() {
    awk -F ' [|] ' '/^##/ { wanted = /tiles$/ } wanted && /^[|] [^-]/ { sub(/ [|]$/, ""); print $1, $2, $NF }' "$1"
}
shares "$work/out" >"$work/made"
shares "$PAGE" >"$work/kept"
[ "$(wc -l <"$work/made")" -eq 32 ] || fail "not the shares of four tables: $(cat "$work/made")"
diff "$work/kept" "$work/made" || fail "docs/results/paper.md is not what the program prints"

# Work layouts of no matrix: 10 cases of each product on each machine, with copies and without.
"$PAPER" --quick --work >"$work/out" || fail "exit $?"
[ "$(grep -c '^| all 10; alike: ' "$work/out")" -eq 8 ] || fail "not eight tables: $(cat "$work/out")"
grep -q '^| outer product | 8K | .*, S-B) | .*, grid) |' "$work/out" || fail "no grid: $(cat "$work/out")"

"$PAPER" --quick 4a 2 >"$work/out" || fail "exit $?"
answers 3
"$PAPER" --quick 0 2>"$work/err"
[ $? -eq 2 ] || fail "an unknown claim is accepted"
grep -q "0 is neither" "$work/err" || fail "$(cat "$work/err")"
