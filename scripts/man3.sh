#!/bin/sh
# man3.sh FOLDER - makes a man page of each group of public functions, from the public headers: a group is
# a section of a header, or the whole of one without sections. Comments become text, declarations code.
set -eu
if [ $# -ne 1 ]; then
    echo 'usage: man3.sh FOLDER' >&2
    exit 2
fi
out=$1
cd "$(dirname "$0")/.."
mkdir -p "$out"
for header in include/sectile/*.h; do
    awk -v out="$out" -v header="${header##*/}" '
function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\047/, "\\(aq", text)
    return (text ~ /^\./ ? "\\&" : "") text
}

# Begins the page of a group, if it has a function.
function finish() {
    if (body ~ /SCT_API/) {
        file = out "/" name ".3"
        sub(/SCT_API /, "", body)
        gsub(/SCT_API /, "", body)
        printf ".\\\" Made from %s by man3.sh.\n.TH %s 3 \"\" \"Sectile\" \"Library Functions\"\n", header, toupper(name) >file
        sub(/^\.PP\n/, "", body)
        printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n#include <sectile/%s>\n.fi\n.SH DESCRIPTION\n%s", name, title, header, body >file
        printf ".SH SEE ALSO\nsectile(1); the rules for all functions are at the top of sectile.h\n" >file
        close(file)
    }
    body = ""
}

function begin(text) {
    finish()
    title = tolower(text)
    name = title
    sub(/[,\047].*/, "", name)
    gsub(/[^a-z]+/, "_", name)
    name = "sectile_" name
    title = escape(title)
}

BEGIN {
    text = header
    sub(/^sectile_?/, "", text)
    sub(/\.h$/, "", text)
    begin(text == "" ? "first" : text)
}
/^\/\* ---- / { text = $0; sub(/^\/\* ---- /, "", text); sub(/ ---- \*\/$/, "", text); begin(text); next }
/^#/ || /^extern "C"/ { next }
/^}$/ { next }
!comment && /^\/\*/ { comment = 1; body = body ".PP\n" }
comment {
    line = $0
    last = line ~ /\*\/ *$/
    sub(/^ *\/?\*+ ?/, "", line)
    sub(/ *\*\/ *$/, "", line)
    if (line != "")
        body = body escape(line) "\n"
    comment = !last
    next
}
/^$/ { if (code) { body = body ".fi\n"; code = 0 }; next }
{
    if (!code) {
        body = body ".PP\n.nf\n"
        code = 1
    }
    body = body escape($0) "\n"
    if ($0 ~ /;$/ && $0 !~ /^ /) {
        body = body ".fi\n"
        code = 0
    }
}
END { finish() }' "$header"
done
