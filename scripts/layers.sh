#!/bin/sh
# layers.sh - checks that includes point only to where the layers allow; names those that do not.
set -eu
cd "$(dirname "$0")/.."

find src cli bench examples -name '*.[ch]' 2>/dev/null | sort | xargs awk '
BEGIN {
    # A layer, and what it may include beside itself, the public headers and the system.
    allowed["base"] = ""
    allowed["layout"] = "base"
    allowed["plan"] = "base layout"
    allowed["sim"] = "base layout plan"
    allowed["fabric"] = "base"
    allowed["device"] = "base"
    allowed["exec"] = "base layout plan fabric/fabric.h device/device.h"
    allowed["api"] = "base layout plan sim fabric device exec"
    allowed["compat"] = allowed["cli"] = allowed["bench"] = allowed["examples"] = ""
}

function is_there(file,    line, found) {
    found = (getline line < file) >= 0
    close(file)
    return found
}

function may(layer, path,    words, count, i) {
    count = split(layer " " allowed[layer], words, " ")
    for (i = 1; i <= count; i++)
        if (path == words[i] || index(path, words[i] "/") == 1)
            return 1
    return 0
}

function is_fine(path, quoted,    part, count, layer, folder) {
    count = split(FILENAME, part, "/")
    layer = part[1] == "src" ? part[2] : part[1]
    folder = substr(FILENAME, 1, length(FILENAME) - length(part[count]))
    if (!(layer in allowed) || path ~ /\.\.\//)
        return 0
    if (path ~ /^sectile\//)
        return 1
    split(path, part, "/")
    if (part[1] in allowed)
        return may(layer, path)
    return !quoted || is_there(folder path)
}

/^[ \t]*#[ \t]*include/ {
    path = $0
    sub(/^[^<"]*[<"]/, "", path)
    sub(/[>"].*/, "", path)
    if (!is_fine(path, $0 ~ /include[ \t]*"/)) {
        print FILENAME ":" FNR ": must not include " path
        bad = 1
    }
}

END { exit bad }
'
