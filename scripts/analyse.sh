#!/bin/sh
# analyse.sh [tidy|cppcheck|gcc|clang]... - looks for bugs without running anything; all of these if none is named:
#     tidy      clang-tidy, with the checks of .clang-tidy
#     cppcheck  with the suppressions below
#     gcc       GCC's -fanalyzer, without the warnings below
#     clang     builds library, tool and tests with clang, warnings as errors (preset clang)
# Fails if one of them finds anything. The first three take from build/analyse how each file of library and tool is
# compiled: for one MPI, and for OpenCL and CUDA if these are found. analysed.h tells them more.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
build=$PWD/build/analyse
database=build/analyse/compile_commands.json
log=$build/log
mkdir -p "$build"
[ $# -gt 0 ] || set -- tidy cppcheck gcc clang

# Assertions are compiled, since they tell what is known. These four files define what analysed.h describes.
configure() {
    env -u CMAKE_C_COMPILER_LAUNCHER cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_C_FLAGS="-O1 -I$PWD/include -I$PWD/src -include $PWD/scripts/analysed.h" -DSECTILE_TESTS=OFF \
        -DSECTILE_HARDENING=OFF -DSECTILE_MPI=openmpi -DCMAKE_EXPORT_COMPILE_COMMANDS=ON &&
        sed -i '/\/\(base\/status\|fabric\/agree\|fabric\/bootstrap\|api\/agreement\)\.c"/s/-include [^ ]* //' "$database"
}

# entries KEY: of each file, its name ("file") or how it is compiled ("command").
entries() {
    sed -n 's/^ *"'"$1"'": "\(.*\)",*$/\1/p' "$database" | sed 's/\\\(["\\]\)/\1/g' |
        grep -E "$PWD/(src|cli|pictures)/[^ ]*\.c$"
}

# One file at a time: in a second one, clang-tidy 14 takes every va_list for uninitialized.
tidy() {
    entries file | xargs -P "$jobs" -n 1 clang-tidy -p "$build" --quiet 2>/dev/null
}

# Suppressed: pointers to elements are cast to their type, which is meant; a minimum and a maximum begin equal. cppcheck
# does not see what loops and calls set or change; clang-tidy looks for what is not set. This version has one level of
# depth, so that there is none to choose.
cppcheck_all() {
    cppcheck --project="$database" --file-filter='src/*' --file-filter='cli/*' --file-filter='pictures/*' -j "$jobs" \
        --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 --suppress=missingIncludeSystem \
        --suppress=invalidPointerCast --suppress=duplicateAssignExpression \
        --suppress=uninitvar --suppress=legacyUninitvar --suppress=arrayIndexThenCheck:src/sim/routes.c \
        --suppress=identicalInnerCondition:src/order/exhaustive.c 2>&1
}

# GCC 12 believes that memory leaks whose address is kept in an element or inside a struct, and that elements which a loop
# or another function sets are uninitialized. clang-tidy looks for both kinds of bug.
gcc_all() {
    entries command | xargs -P "$jobs" -d '\n' -I '{}' sh -c '{} -o /dev/null -Werror -fanalyzer \
        -Wno-analyzer-malloc-leak -Wno-analyzer-use-of-uninitialized-value' 2>&1
}

clang_all() {
    cmake --preset clang && cmake --build --preset clang --parallel "$jobs"
}

if ! configure >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
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
