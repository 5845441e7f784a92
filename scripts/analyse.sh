#!/bin/sh
# analyse.sh [tidy|cppcheck|gcc|clang]... - looks for bugs without running anything; all of these if none is named:
#     tidy      clang-tidy, with the checks of .clang-tidy
#     cppcheck  with the suppressions below
#     gcc       GCC's -fanalyzer
#     clang     builds library, tool and tests with clang, warnings as errors (preset clang)
# Fails if one of them finds anything. The first two read build/release/compile_commands.json.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
mkdir -p build
log=$PWD/build/analyse.log
[ $# -gt 0 ] || set -- tidy cppcheck gcc clang

# What needs an MPI or a device has headers of its own, which only the build knows.
sources() {
    git ls-files 'src/*.c' 'cli/*.c' 'pictures/*.c' | grep -Ev '/(cuda|opencl|mpi|scalapack)/'
}

tidy() {
    [ -e build/release/compile_commands.json ] || cmake --preset release >/dev/null
    sources | xargs -P "$jobs" -n 8 clang-tidy -p build/release --quiet 2>/dev/null
}

# uninitvar, memleak: as for .clang-tidy, they follow paths on which a failure is none.
# Two are limits of its parser. The others are style, or meant: pointers to elements are cast to their type.
cppcheck_all() {
    sources | cppcheck -j "$jobs" --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
        --suppress=missingIncludeSystem --suppress=uninitvar --suppress=memleak --suppress=invalidPointerCast \
        --suppress=internalAstError --suppress=syntaxError --suppress=identicalInnerCondition \
        --suppress=duplicateAssignExpression --suppress=arrayIndexThenCheck \
        -I. -Iinclude -Isrc -Icli -Ipictures --file-list=- 2>&1
}

# Each file with status.c before it, so that GCC sees what sct_fail returns. Even so it finds paths on which a
# failure is none: the warnings left out are those that all come from such paths.
gcc_all() {
    sources | grep -v base/status.c | xargs -P "$jobs" -n 1 gcc -std=gnu11 -O1 -fanalyzer -Werror -c -o /dev/null \
        -Wno-analyzer-null-dereference -Wno-analyzer-possible-null-dereference -Wno-analyzer-possible-null-argument \
        -Wno-analyzer-null-argument -Wno-analyzer-use-of-uninitialized-value -Wno-analyzer-malloc-leak \
        -DSECTILE_MODULES='""' -D_GNU_SOURCE -I. -Iinclude -Isrc -Icli -Ipictures -include src/base/status.c 2>&1
}

clang_all() {
    cmake --preset clang && cmake --build --preset clang --parallel "$jobs"
}

failed=0
for tool in "$@"; do
    case $tool in
    tidy) check=tidy ;;
    cppcheck | gcc | clang) check=${tool}_all ;;
    *)
        echo "analyse.sh: $tool: must be tidy, cppcheck, gcc or clang" >&2
        exit 2
        ;;
    esac
    echo "== $tool"
    if ! $check >"$log"; then
        cat "$log"
        failed=1
    fi
done
exit $failed
