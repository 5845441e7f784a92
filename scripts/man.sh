#!/bin/sh
# man.sh BINARY - prints the manual page of the command line, in troff, made from its own help.
#
# The help of BINARY and of each verb that it lists is marked with the verb's name and read by one
# awk program. The layouts, which the help of every verb repeats, are printed once.
set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 1 ]; then
    echo "usage: man.sh BINARY" >&2
    exit 2
fi
binary=$1

# A failure of BINARY ends the script before anything is printed.
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

# What troff would take for its own.
function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    gsub(/`/, "\\(ga", text)
    gsub(/"/, "\\(dq", text)
    return text
}

# Text to be typed as it stands.
function literal(text) {
    text = escape(text)
    gsub(/-/, "\\-", text)
    gsub(/\047/, "\\(aq", text)
    return text
}

# Prose; words that begin with a dash are typed as they stand. Never begins like a request.
function prose(text,    words, count, i, line) {
    count = split(text, words, " ")
    for (i = 1; i <= count; i++)
        line = line (i > 1 ? " " : "") (words[i] ~ /^[(]?-/ ? literal(words[i]) : escape(words[i]))
    return (line ~ /^[.\047]/ ? "\\&" : "") line
}

# Ends the item or paragraph that is being read. Items without a name are paragraphs.
function finish() {
    if (item != "")
        out = out ".TP\n.B " literal(item) "\n" prose(text) "\n"
    else if (text != "")
        out = out ".PP\n" prose(text) "\n"
    item = text = ""
}

# Closes a section: what was read goes to where its kind is printed.
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

# An item is a name, two spaces or more, and what it does; the name of a flag that fills its column
# is alone on its line.
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
