#!/bin/sh
# names.sh - checks that the name of a type has one meaning in the whole library: that no two files define
# types of one name. An opaque type, which a header declares and each engine defines, has one meaning.
set -eu
cd "$(dirname "$0")/.."
find src include -name '*.[ch]' | sort | xargs awk '
# Notes a meaning of a name: the file that defines it, or "" for an opaque type.
function note(name, where) {
    if (name ~ /^sct_/ && !((name, where) in seen)) {
        seen[name, where] = 1
        meanings[name]++
        places[name] = places[name] " " (where == "" ? "(declared without members)" : where)
    }
}

/^typedef (struct|enum|union) sct_[a-z0-9_]+ \{/ { note($3, FILENAME); next }
/^typedef (struct|enum|union) (sct_[a-z0-9_]+) sct_[a-z0-9_]+;/ { note(substr($4, 1, length($4) - 1), ""); next }
/^\} sct_[a-z0-9_]+;/ { note(substr($2, 1, length($2) - 1), FILENAME); next }
/^typedef [^{]*[ *]sct_[a-z0-9_]+;/ { name = $NF; sub(/^\*/, "", name); note(substr(name, 1, length(name) - 1), FILENAME) }

END {
    for (name in meanings)
        if (meanings[name] > 1) {
            print name " has several meanings:" places[name]
            bad = 1
        }
    exit bad
}
'
