# man.sh - the tool has a man page, and one for each verb, with all that its help has.
. "${0%/*}/support.inc"

sh "$tests/../../scripts/man.sh" "$SECTILE" pages || fail 'no pages'

# plain FILE: the text of a page, in which no character is special to troff.
plain() {
    sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\(ti/~/g; s/\\(dq/"/g' "$1"
}

"$SECTILE" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z][a-z]*\)  .*/\1/p' >verbs
[ "$(wc -l <verbs)" -ge 9 ] || fail "verbs: $(cat verbs)"
plain pages/sectile.1 >tool
while read -r verb; do
    plain "pages/sectile-$verb.1" >page
    says page "sectile-$verb - "
    says page ".B sectile $verb "
    says page 'sectile (1)'
    says tool "sectile-$verb (1)"
    "$SECTILE" help "$verb" --all | sed -n '/^Flags/,/^$/{s/^  \(-.*\)/\1/; s/   *.*//; /^-/p;}' >flags
    [ -s flags ] || fail "help $verb has no flags"
    while read -r flag; do
        grep -qxF -e ".B $flag" page || fail "sectile-$verb.1 lacks $flag"
    done <flags
    says page "$("$SECTILE" help "$verb" | sed -n '/^Example:/{n;s/^  //p;}')"
done <verbs
says tool '.SH LAYOUTS'
says tool '.SH "EXIT STATUS"'
if command -v mandoc >/dev/null; then
    mandoc -T lint -W error pages/*.1 >lint 2>&1 || fail "mandoc finds errors: $(head -n 3 lint)"
fi
finish
