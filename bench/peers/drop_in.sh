#!/bin/sh
# drop_in.sh - times the drop-in for ScaLAPACK beside ScaLAPACK and one BLAS call, in turns in one job,
# and prints lines of JSON (drop_in.c). Nothing else should run on the machine.
#
#   MPI (openmpi)   openmpi or mpich
#   RANKS (2)       processes
#   GRIDS (1x2 2x1) process grids;  BLOCKS (64 128);  TYPES (d s);  SHAPES, as in peers.sh
#   ROUNDS (5)      how often each runs
#   COPY (4096)     the order of the matrix that is copied between contexts, on 4 processes
#   LIBRARIES       the folder of Sectile's libraries
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=${here%/bench/peers}
: "${MPI:=openmpi}" "${RANKS:=2}" "${GRIDS:=1x2 2x1}" "${BLOCKS:=64 128}" "${TYPES:=d s}"
: "${SHAPES:=64x64x64 4096x4096x4096 1024x6144x1536 1024x1536x6144 256x256x65536}"
: "${ROUNDS:=5}" "${COPY:=4096}" "${LIBRARIES:=$top/build/release/src}"

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
"mpicc.$MPI" -O2 -I "$top/include" "$here/drop_in.c" "$here/problem.c" -o "$build/drop_in" \
    "-lscalapack-$MPI" -L "$LIBRARIES" -Wl,-rpath,"$LIBRARIES" "-lsectile_scalapack_$MPI" \
    -lsectile -lopenblas

launch() {
    sh "$top/test/mpi/launch.sh" "$MPI" "mpiexec.$MPI" "$@"
}

for shape in $SHAPES; do
    for type in $TYPES; do
        for grid in $GRIDS; do
            for block in $BLOCKS; do
                launch "$RANKS" "$build/drop_in" "$shape" "$type" "$grid" "$block" "$ROUNDS"
            done
        done
    done
done
[ "$COPY" = 0 ] || launch 4 "$build/drop_in" copy "$COPY" "$ROUNDS"
