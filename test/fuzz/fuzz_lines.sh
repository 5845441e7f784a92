# fuzz_lines.sh - the command line accepts every line that the fuzzers print for the corpus. For each
# name, $FUZZERS has a fuzzer and $CORPUS a folder with its inputs.
. "${0%/*}/../cli/support.inc"

for name in layout machine market npy product; do
    SECTILE_TEST_LINES=1 "$FUZZERS/$name" "$CORPUS/$name" >lines 2>err || fail "$name: $(head -n 3 err)"
    [ -s lines ] || fail "$name prints no lines"
    while read -r line; do
        eval "exits 0 \"\$SECTILE\" ${line#sectile }"
    done <lines
done
finish
