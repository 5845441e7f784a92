#!/bin/sh
# abi.sh [renew] - compares the binary interface of libsectile with that of the last release, which is kept
# in src/symbols/libsectile.abi, and prints what changed: symbols that are gone, and types of which the
# size, the order of members or the values are others. New symbols are no change. `abi.sh renew`, when a
# release is made or a change is meant, keeps today's interface instead. Exit code 77 means that abidiff is
# not installed, or that the interface is not kept for this processor.
set -eu
cd "$(dirname "$0")/.."

kept=src/symbols/libsectile.abi
build=build/abi
command -v abidiff >/dev/null || exit 77
[ "$(uname -m)" = x86_64 ] || exit 77
case ${1:-compare} in
compare | renew) ;;
*)
    echo "abi.sh: $1: must be renew or omitted" >&2
    exit 2
    ;;
esac

mkdir -p build
if ! { cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSECTILE_TESTS=OFF -DSECTILE_MPI= \
    -DSECTILE_OPENCL=OFF -DSECTILE_CUDA=OFF && cmake --build $build --target sectile; } >$build.log 2>&1; then
    cat $build.log
    exit 1
fi

# What only the libraries of the same release use is no part of the interface.
names=$(sed -n 's/@@SECTILE_PRIVATE$//p' src/symbols/libsectile.txt | paste -s -d '|' -)
cat >$build/private.txt <<END
[suppress_function]
  symbol_name_regexp = ^($names)\$
  drop = yes
END
abidw --headers-dir include/sectile --drop-private-types --exported-interfaces-only --no-show-locs \
    --no-elf-needed --no-parameter-names --no-comp-dir-path --no-corpus-path \
    --suppressions $build/private.txt $build/src/libsectile.so >$build/made.abi
# A path leads from the top of the repository, wherever that lies.
sed "s|path='[^']*/src/|path='src/|" $build/made.abi >$build/libsectile.abi
if [ "${1:-}" = renew ]; then
    cp $build/libsectile.abi $kept
else
    abidiff --no-added-syms $kept $build/libsectile.abi
fi
