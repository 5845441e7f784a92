# lines.sh - the command lines that the fuzzers print are lines that the command line accepts: those
# of the whole corpus. $FUZZERS and $CORPUS have a fuzzer and a folder of the same name.
. "${0%/*}/../cli/support.inc"

for name in layout machine npy product; do
    SECTILE_TEST_LINES=1 "$FUZZERS/$name" "$CORPUS/$name" >lines 2>err || fail "$name: $(head -n 3 err)"
    [ -s lines ] || fail "$name prints no lines"
    while read -r line; do
        eval "exits 0 \"\$SECTILE\" ${line#sectile }"
    done <lines
done
finish
