# printable.sh - names of files and other texts from outside are printed as one line that no terminal acts
# on, in errors and in results; in JSON as they are, if they are UTF-8.
. "${0%/*}/support.inc"

esc=$(printf '\033')
red="$esc[31mred
line"
bytes=$(printf 'b\377')

# clean FILE: lines without control characters, and UTF-8.
clean() {
    tr -d '\n' <"$1" | LC_ALL=C grep -q '[[:cntrl:]]' && fail "$1 has control characters: $(cat -v "$1")"
    iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || fail "$1 is not UTF-8: $(cat -v "$1")"
}

errors() {
    for name in "$red" "$bytes"; do
        for words in "$name" "run --$name" "run --type=$name" "plan --a=$name" "plan --decisions=$name" \
            "plan --ranks=$name" "help $name" "machine $name" "--completion $name"; do
            IFS=' ' # which no name has
            # shellcheck disable=SC2086
            exits 2 "$SECTILE" $words
            unset IFS
            one_line err
            clean err
        done
        exits 1 "$SECTILE" copy "$name" -o new.npy
        one_line err
        clean err
        exits 1 "$SECTILE" copy a.npy -o "absent$name/new.npy"
        one_line err
        clean err
        printf '{"name": "n", "ranks": 1, "%s": 3}' "$name" >"machine$name"
        exits 2 "$SECTILE" plan --machine "machine$name"
        one_line err
        clean err
    done
    exits 127 "$SECTILE" launch "$red"
    clean err
}

results() {
    for name in "$red" "$bytes"; do
        for words in 'copy a.npy' 'multiply a.npy a.npy --op NT'; do
            # shellcheck disable=SC2086
            exits 0 "$SECTILE" $words -o "$name"
            clean out
            # shellcheck disable=SC2086
            exits 0 "$SECTILE" $words -o "$name" --json
            one_line out
            clean out
        done
    done
    says out '"output":"b\ufffd"'
    exits 0 "$SECTILE" copy a.npy -o "$red" --json
    says out '"output":"\u001b[31mred\u000aline"'
    exits 0 "$SECTILE" copy a.npy -o 'é.npy'
    says out 'é.npy: 2 x 3'
    # In JSON, each name that is UTF-8 is that name: e with an accent of its own, Greek, Japanese, an emoji, and
    # unprintable ones, U+0085, U+202E and U+2066.
    for name in 'é.npy' "$(printf 'e\314\201.npy')" 'γ.npy' '行列.npy' "$(printf '\360\237\230\200.npy')"; do
        exits 0 "$SECTILE" copy a.npy -o "$name" --json
        says out "\"output\":\"$name\""
    done
    exits 0 "$SECTILE" copy a.npy -o "$(printf 'n\302\205\342\200\256\342\201\246')" --json
    says out '"output":"n\u0085\u202e\u2066"'
    exits 0 "$SECTILE" copy a.npy -o "$(printf '\342\200_\302')" --json
    says out '"output":"\ufffd\ufffd_\ufffd"'
}

{ npy '<f8' False '(2, 3)'; doubles 1 2 3 4 5 6; } >a.npy
errors
results
finish
