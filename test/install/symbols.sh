# symbols.sh - each library exports what its list in src/symbols/ says, with these versions, and nothing
# else; each function of a public header has a version that is not private; each that can fail is tested
# with missing arguments.
set -eu
cd "$(dirname "$0")/../.."

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
LC_ALL=C
export LC_ALL
lists=$PWD/src/symbols

fail() {
    echo "failed: $*" >&2
    exit 1
}

# Sanitizers add symbols of their own.
grep -q 'CMAKE_C_FLAGS:.*=.*sanitize' "$SECTILE_BUILD/CMakeCache.txt" && exit 77

checked=0
for library in "$SECTILE_BUILD"/src/libsectile*.so; do
    name=${library##*/}
    name=${name%.so}
    [ "$name" != libsectile_emulated ] || continue # the engine for tests
    list=$lists/$(echo "$name" | sed 's/_openmpi$//; s/_mpich$//').txt
    nm -D --defined-only "$library" | awk '$2 != "A" { print $NF }' |
        sed 's/@@SECTILE_PRIVATE_.*/@@SECTILE_PRIVATE/' | sort >"$temp/exported"
    diff "$list" "$temp/exported" >"$temp/difference" ||
        fail "$name: $list and what it exports (>) differ:" "$(cat "$temp/difference")"
    checked=$((checked + 1))
done
[ $checked -gt 0 ] || fail "there is no library in $SECTILE_BUILD/src"

# The names declared in public headers, without comments and directives.
for header in include/sectile/*.h; do
    awk '!/^#/ {
        text = text $0 "\n"
    }
    END {
        while (match(text, /\/\*([^*]|\*+[^*\/])*\*+\//))
            text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
        gsub(/\n/, " ", text)
        count = split(text, parts, /;/)
        for (i = 1; i <= count; i++)
            if (sub(/^.*SCT_API /, "", parts[i])) {
                sub(/\(.*/, "", parts[i])
                names = split(parts[i], words, /,/)
                for (j = 1; j <= names; j++) {
                    sub(/ *$/, "", words[j])
                    sub(/^.*[ *]/, "", words[j])
                    print words[j]
                }
            }
    }' "$header"
done | grep '^s' | sort >"$temp/public"
[ -s "$temp/public" ] || fail 'no function is public'
sed -n 's/@@SECTILE_[0-9].*//p' "$lists"/*.txt | sort >"$temp/listed"
diff "$temp/public" "$temp/listed" >"$temp/difference" ||
    fail 'public headers (<) and lists (>) differ:' "$(cat "$temp/difference")"

# Those of other libraries are tested with these.
for function in $(sed -n 's/^SCT_API sct_status \(sct_[a-z0-9_]*\)(.*/\1/p' include/sectile/sectile*.h); do
    case $function in sct_cuda_* | *_mpi | *_scalapack) continue ;; esac
    grep -q " $function(" test/whole/null_arguments.c ||
        fail "test/whole/null_arguments.c does not test $function"
done
