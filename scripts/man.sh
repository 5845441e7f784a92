#!/bin/sh
# man.sh BINARY - makes the man page of the command line from its help texts, and prints it in troff.
#
# Each line of help is prefixed with its verb ("" for the general help), and one awk program reads
# them all. The section on layouts, which the help of every verb repeats, is printed once.
set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 1 ]; then
    echo "usage: man.sh BINARY" >&2
    exit 2
fi
binary=$1

# If BINARY fails, the script ends before anything is printed.
top=$("$binary" --help)
verbs=$(printf '%s\n' "$top" | awk '
    /^[^ ]/ { listed = /^Verbs:/ }
    listed && /^  [a-z][a-z]*  / { print $1 }')
if [ -z "$verbs" ]; then
    echo "man.sh: the help of $binary lists no verbs" >&2
    exit 1
fi
all=$(printf '%s\n' "$top" | sed 's/^/:/')
for verb in $verbs; do
    help=$("$binary" "$verb" --help)
    all="$all
$(printf '%s\n' "$help" | sed "s/^/$verb:/")"
done

printf '%s\n' "$all" | awk '
BEGIN { last = "none" }

# Escapes the characters that are special to troff.
function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    gsub(/`/, "\\(ga", text)
    gsub(/"/, "\\(dq", text)
    return text
}

# Text that the user types exactly as printed.
function literal(text) {
    text = escape(text)
    gsub(/-/, "\\-", text)
    gsub(/\047/, "\\(aq", text)
    return text
}

# Prose, in which words that begin with a dash are literal. A leading . or quote would be a request.
function prose(text,    words, count, i, line) {
    count = split(text, words, " ")
    for (i = 1; i <= count; i++)
        line = line (i > 1 ? " " : "") (words[i] ~ /^[(]?-/ ? literal(words[i]) : escape(words[i]))
    return (line ~ /^[.\047]/ ? "\\&" : "") line
}

# Ends the item or paragraph being read. An item without a name is a paragraph.
function finish() {
    if (item != "")
        out = out ".TP\n.B " literal(item) "\n" prose(text) "\n"
    else if (text != "")
        out = out ".PP\n" prose(text) "\n"
    item = text = ""
}

# Ends a section: appends what was read to the part of the page where this kind of section is printed.
function close_section() {
    finish()
    if (section == "verbs")
        commands = out
    else if (section == "exit")
        exits = out
    else if (section == "layouts")
        layouts = out
    else
        pages = pages out
    out = ""
}

function open_section(name) {
    close_section()
    section = name
}

# An item is a name, two or more spaces, and its description. A flag too long for the column stands
# alone on its line.
function read_item(line,    gap) {
    gap = match(line, /  +/)
    if (gap == 0 && line ~ /^-/)
        gap = length(line) + 1
    if (gap == 0) {
        if (item != "")
            finish()
        text = text " " line
        return
    }
    finish()
    item = substr(line, 1, gap - 1)
    text = substr(line, gap)
}

{
    colon = index($0, ":")
    verb = substr($0, 1, colon - 1)
    line = substr($0, colon + 1)
}

verb != last {
    open_section("head")
    last = verb
    title = substr(line, index(line, " - ") + 3)
    if (verb == "") {
        split(line, words, " ")
        version = words[2]
    }
    if (verb == "")
        summary = title
    else
        pages = pages ".SS " verb "\n" \
            prose(toupper(substr(title, 1, 1)) substr(title, 2) ".") "\n"
    next
}

line ~ /^Usage: / {
    if (verb != "")
        usages = usages (usages == "" ? "" : ".br\n") ".B " literal(substr(line, 8)) "\n"
    next
}
line == "Verbs:" { open_section("verbs"); next }
line ~ /^Exit: / { open_section("exit"); line = substr(line, 7) }
line ~ /^Flags/ { open_section("flags"); text = line; next }
line == "Layouts:" { open_section("layouts"); next }
line == "Example:" { open_section("example"); next }

line == "" { finish(); next }
section == "example" {
    sub(/^ +/, "", line)
    out = out ".PP\nExample:\n.PP\n.RS\n.nf\n" literal(line) "\n.fi\n.RE\n"
    next
}
section == "flags" && line ~ /^ [^ ]/ { # the heading of a group
    finish()
    out = out ".PP\n" prose(substr(line, 2)) ":\n"
    next
}
line ~ /^  [^ ]/ { read_item(substr(line, 3)); next }
{
    sub(/^ +/, "", line)
    text = text " " line
}

END {
    close_section()
    printf ".\\\" Made from the help of sectile by man.sh.\n"
    printf ".TH SECTILE 1 \"\" \"Sectile %s\" \"User Commands\"\n", literal(version)
    printf ".SH NAME\nsectile \\- %s\n", prose(summary)
    printf ".SH SYNOPSIS\n.nh\n.ad l\n%s.ad\n.hy\n", usages
    printf ".SH VERBS\n%s", commands
    printf ".SH \"VERBS IN DETAIL\"\n%s", pages
    if (layouts != "")
        printf ".SH LAYOUTS\n%s", layouts
    if (exits != "")
        printf ".SH \"EXIT STATUS\"\n%s", exits
}'
