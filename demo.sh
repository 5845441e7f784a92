#!/bin/sh
# demo.sh - builds Sectile, multiplies two matrices (A, B and C each in a layout of its own), checks
# the result, and draws what one rank does. Arguments are passed to both commands; try
#     ./demo.sh --ranks 6 --a 'row*2' --c col
set -eu
cd "$(dirname "$0")"

scripts/setup.sh build

mkdir -p build
log=build/demo.log
echo "Building (build/demo.log) ..."
if ! { cmake --preset release && cmake --build --preset release --target sectile_cli; } >$log 2>&1; then
    cat $log >&2
    exit 1
fi

sectile=build/release/cli/sectile
set -- --ranks 4 --shape 1000x800x1200 --type f64 --a row --b cyclic:64x48 --c 2d "$@"

# Prints a command and runs it.
show() {
    echo
    echo "\$ $*"
    "$@"
}
show $sectile run "$@" --check
show $sectile plan "$@" --rank 0 --picture
