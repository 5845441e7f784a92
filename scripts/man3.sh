#!/bin/sh
# man3.sh FOLDER - makes a man page of each group of public functions, from the public headers: a group is
# a section of a header, or the whole of one without sections. Comments become text, declarations code;
# those of functions are all in the synopsis, too. `man FUNCTION` shows the page of its group.
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

# Writes the page of a group, if it has a function.
function finish() {
    if (functions) {
        file = out "/" name ".3"
        printf ".\\\" Made from %s by man3.sh.\n.TH %s 3 \"\" \"Sectile\" \"Library Functions\"\n", header, toupper(name) >file
        sub(/^\.PP\n/, "", body)
        list = name
        for (i = 1; i <= functions; i++) {
            list = list ", " names[i]
            printf ".so man3/%s.3\n", name >(out "/" names[i] ".3")
            close(out "/" names[i] ".3")
        }
        printf ".SH NAME\n%s \\- Sectile: %s\n.SH SYNOPSIS\n.nf\n#include <sectile/%s>\n\n%s.fi\n.SH DESCRIPTION\n%s", list, title, header, prototypes, body >file
        printf ".SH SEE ALSO\nsectile(1); the rules for all functions are at the top of sectile.h\n" >file
        close(file)
    }
    body = prototypes = ""
    functions = 0
}

function begin(text) {
    finish()
    name = tolower(text)
    sub(/[,\047].*/, "", name)
    gsub(/[^a-z]+/, "_", name)
    name = "sectile_" name
    title = escape(text ~ /^ScaLAPACK/ ? text : tolower(text))
}

# What the comment at the top of a header says first, without the name of the header.
function summarize(text) {
    sub(/^[^ ]* - /, "", text)
    sub(/[.:;]( .*)?$/, "", text)
    return escape(text)
}

BEGIN {
    text = header
    sub(/^sectile_?/, "", text)
    sub(/\.h$/, "", text)
    begin(text == "" ? "first" : text)
    top = 1
}
/^\/\* ---- / { text = $0; sub(/^\/\* ---- /, "", text); sub(/ ---- \*\/$/, "", text); begin(text); next }
/^#define SCT_/ && !/SCT_API/ { body = body ".PP\n.nf\n" escape($0) "\n.fi\n"; next }
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
    summary = summary (summary == "" ? "" : " ") line
    if (last && top)
        title = summarize(summary)
    top = top && !last
    comment = !last
    next
}
/^$/ { if (code) { body = body ".fi\n"; code = 0 }; next }
# A declaration ends with a semicolon outside of braces. Without SCT_API, its lines move to the left.
{
    line = $0
    if (!code) {
        body = body ".PP\n.nf\n"
        code = 1
        shift = sub(/^SCT_API /, "", line) ? length("SCT_API ") : 0
    } else if (match(line, /^ +/) && RLENGTH > shift)
        line = substr(line, shift + 1)
    body = body escape(line) "\n"
    if (shift)
        prototypes = prototypes escape(line) "\n"
    # Fortran calls those that end in an underscore, which share their declarations.
    rest = line
    while (shift && match(rest, /(sct_[a-z0-9_]*\(|sectile_[a-z0-9_]*_[,;])/)) {
        names[++functions] = substr(rest, RSTART, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
    }
    gsub(/\/\*.*\*\//, "", line)
    depth += gsub(/{/, "", line) - gsub(/}/, "", line)
    if (depth == 0 && line ~ /; *$/) {
        body = body ".fi\n"
        code = 0
    }
}
END { finish() }' "$header"
done
