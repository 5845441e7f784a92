# hardening.sh - the libraries and the tool have stack canaries, full RELRO, position-independent code and
# no executable stack, and look for libraries in no folder relative to the current one; the tool and the core
# library call the checked functions of the C library, at the level that a distribution sets, if it does.
set -eu
[ "$SECTILE_HARDENING" = ON ] || exit 77

fail() {
    echo "failed: $*" >&2
    exit 1
}

# expect FILE WHAT PATTERN: readelf shows the pattern.
expect() {
    readelf -Wdlhs "$1" 2>/dev/null | grep -q "$3" || fail "$1 has no $2"
}

tool=$SECTILE_BUILD/cli/sectile
core=$SECTILE_BUILD/src/libsectile.so
for file in "$tool" "$SECTILE_BUILD"/src/libsectile*.so "$SECTILE_BUILD"/cli/*.so; do
    [ -e "$file" ] || continue
    expect "$file" 'stack canaries' 'UND __stack_chk_fail'
    expect "$file" 'read-only relocations' GNU_RELRO
    expect "$file" 'binding at the start' BIND_NOW
    expect "$file" 'addresses that can change' 'Type: *DYN'
    ! readelf -Wl "$file" | grep -q 'GNU_STACK.*E' || fail "$file has an executable stack"
    paths=$(readelf -Wd "$file" | sed -n 's/.*R.*PATH.*\[\(.*\)\]/\1/p')
    [ -z "$paths" ] || ! printf '%s\n' "$paths" | tr : '\n' | grep -qv '^[/$]' ||
        fail "$file looks for libraries in the current folder: $paths"
done
for file in "$tool" "$core"; do
    expect "$file" 'checked calls of the C library' 'UND __.*_chk@'
done

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
${CMAKE:-cmake} -S "$(dirname "$0")/../.." -B "$temp" -DCMAKE_C_FLAGS=-D_FORTIFY_SOURCE=3 -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DSECTILE_TESTS=OFF -DSECTILE_MPI= -DSECTILE_OPENCL=OFF \
    -DSECTILE_CUDA=OFF >"$temp/log" 2>&1 || fail "$(cat "$temp/log")"
! grep -q 'FORTIFY_SOURCE=2' "$temp/compile_commands.json" || fail 'a level of _FORTIFY_SOURCE that was set is changed'
