#!/bin/sh
# man.sh BINARY FOLDER - makes man pages of the command line from its help texts: sectile.1, and one for
# each verb, such as sectile-multiply.1.
#
# Each line of help is prefixed with its verb ("" for the general help), and one awk program reads
# them all.
set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 2 ]; then
    echo "usage: man.sh BINARY FOLDER" >&2
    exit 2
fi
binary=$1
out=$2
mkdir -p "$out"

# If BINARY fails, the script ends before anything is written.
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
    help=$("$binary" help "$verb" --all)
    all="$all
$(printf '%s\n' "$help" | sed "s/^/$verb:/")"
done

printf '%s\n' "$all" | awk -v folder="$out" '
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

# Ends a section of the page being read.
function open_section(name) {
    finish()
    sub(/^\.PP\n/, "", out)
    parts[section] = out
    out = ""
    section = name
}

function put_section(file, heading, name) {
    if (parts[name] != "")
        printf ".SH %s\n%s", heading, parts[name] >file
}

# Writes the page of a verb, or of the tool.
function write_page(page, see,    file) {
    file = folder "/" page ".1"
    printf ".\\\" Made from the help of sectile by man.sh.\n" >file
    printf ".TH %s 1 \"\" \"Sectile %s\" \"User Commands\"\n", toupper(literal(page)), literal(version) >file
    printf ".SH NAME\n%s \\- %s\n", literal(page), prose(title) >file
    printf ".SH SYNOPSIS\n.nh\n.ad l\n%s.ad\n.hy\n", usages >file
    put_section(file, "DESCRIPTION", "head")
    put_section(file, "VERBS", "verbs")
    put_section(file, "OPTIONS", "flags")
    put_section(file, "LAYOUTS", "layouts")
    put_section(file, "EXAMPLE", "example")
    put_section(file, "\"EXIT STATUS\"", "exit")
    printf ".SH \"SEE ALSO\"\n%s\n", see >file
    close(file)
}

# Ends the page of a verb. The page of the tool comes first, and has the layouts of the verbs.
function end_page() {
    open_section("")
    if (last == "") {
        for (part in parts)
            tool[part] = parts[part]
        summary = title
    } else if (last != "none") {
        write_page("sectile-" last, ".BR sectile (1)")
        pages = pages (pages == "" ? "" : " ,\n") ".BR " literal("sectile-" last) " (1)"
        synopsis = synopsis (synopsis == "" ? "" : ".br\n") usages
        if (parts["layouts"] != "")
            tool["layouts"] = parts["layouts"]
    }
    split("", parts)
    usages = ""
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
    end_page()
    section = "head"
    last = verb
    title = substr(line, index(line, " - ") + 3)
    if (verb == "") {
        split(line, words, " ")
        version = words[2]
    }
    next
}

line ~ /^Usage: / {
    usages = ".B " literal(substr(line, 8)) "\n"
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
    out = out ".nf\n" literal(line) "\n.fi\n"
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
    end_page()
    for (part in tool)
        parts[part] = tool[part]
    title = summary
    usages = synopsis
    write_page("sectile", pages)
}'
