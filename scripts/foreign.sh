#!/bin/sh
# foreign.sh [s390x] - builds the library for processors of another kind, with warnings as errors, and runs the unit
# tests on an emulator: s390x has the other byte order. The library does not compile for 32 bits. The cross compiler and
# qemu-user are Debian's; jansson, zlib and a cblas.h are fetched into build/foreign-KIND, not installed. Exit code 77
# means that they cannot be fetched.
set -eu
cd "$(dirname "$0")/.."

kind=${1:-s390x}
case $kind in
s390x) tools=s390x-linux-gnu include=s390x-linux-gnu ;;
*)
    echo "foreign.sh: $kind: must be s390x" >&2
    exit 2
    ;;
esac
build=$PWD/build/foreign-$kind
root=$build/root
mkdir -p "$build"

# Packages of another architecture, by lists of their own: the system's are not touched.
fetch_packages() {
    mkdir -p "$build/apt/lists/partial" "$build/apt/archives/partial"
    : >"$build/apt/status"
    options="-q -o Dir::State::lists=$build/apt/lists -o Dir::State::status=$build/apt/status -o Dir::Cache=$build/apt
        -o APT::Architecture=$kind -o APT::Architectures=$kind -o APT::Sandbox::User=$(id -un)"
    # An index that is missing does no harm if the packages are in others.
    # shellcheck disable=SC2086
    (cd "$build/apt" && { apt-get $options update || true; } &&
        apt-get $options download libjansson-dev libblas-dev zlib1g-dev) || return 1
    for package in "$build"/apt/*.deb; do
        dpkg -x "$package" "$root"
    done
    cp "$root/usr/include/$include/cblas_mangling.h" "$root/usr/include"
    cp "$root/usr/include/$include/cblas-netlib.h" "$root/usr/include/cblas.h"
}

log=$build/log
if ! [ -e "$root/usr/include/cblas.h" ] && ! fetch_packages >"$log" 2>&1; then
    cat "$log"
    echo "foreign.sh: skipped: the packages for $kind cannot be fetched"
    exit 77
fi

# Linked statically, the tests need no library of that processor.
cmake -S . -B "$build" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$kind" \
    -DCMAKE_C_COMPILER="$tools-gcc" -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-$kind" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_EXE_LINKER_FLAGS="-static -L$root/usr/lib/$include" -DSECTILE_WERROR=ON -DSECTILE_BLAS=plain \
    -DSECTILE_MPI= -DSECTILE_OPENCL=OFF -DSECTILE_CUDA=OFF \
    -DCMAKE_INCLUDE_PATH="$root/usr/include" -DCMAKE_LIBRARY_PATH="$root/usr/lib/$include" \
    -DCMAKE_FIND_LIBRARY_SUFFIXES=.a >"$log" 2>&1 || { cat "$log" && exit 1; }
# Those of sockets and processes count on the system, those that search and simulate take minutes on an emulator.
tests='^unit/(api|base|cost|exec|layout|machine|order|plan)/'
slow='_large|exhaustive|plan/(owners|plan|plan_cases|proof|whole_tiles|work)$'
targets=$(ctest --test-dir "$build" -N -R "$tests" -E "$slow" | sed -n 's/^ *Test *#[0-9]*: //p' |
    sed 's/[/]/_/g; s/^/test_/')
# shellcheck disable=SC2086
cmake --build "$build" --parallel "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" --target sectile_static $targets \
    >"$log" 2>&1 || { cat "$log" && exit 1; }
ctest --test-dir "$build" --parallel "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" -R "$tests" -E "$slow" --output-on-failure
