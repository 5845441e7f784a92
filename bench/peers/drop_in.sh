#!/bin/sh
# drop_in.sh - times the drop-in for ScaLAPACK beside ScaLAPACK and one BLAS call, in turns in one job,
# and prints lines of JSON (drop_in.c, factors.c). Nothing else should run on the machine.
#
#   MPI (openmpi)   openmpi or mpich
#   RANKS (2)       processes
#   GRIDS (1x2 2x1) process grids;  BLOCKS (64 128);  TYPES (d s);  SHAPES, as in peers.sh
#   ROUNDS (5)      how often each runs; 64x64x64, which takes microseconds, 400 times as often
#   COPY (4096)     the order of the matrix that is copied between contexts, on 4 processes; 0: none
#   FACTORS (4096)  the order of the matrix that is factorized (factors.c); 0: none
#   CLOCK           process: processor time instead of wall time, to compare with BLAS only
#   HOSTS (1)       more: as many emulated hosts, with a process each; RANKS and COPY are ignored
#   MBIT (1000)     the network rate of each host in Mbit/s
#   LIBRARIES       the folder of Sectile's libraries
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=${here%/bench/peers}
: "${MPI:=openmpi}" "${RANKS:=2}" "${GRIDS:=1x2 2x1}" "${BLOCKS:=64 128}" "${TYPES:=d s}"
: "${SHAPES:=64x64x64 4096x4096x4096 1024x6144x1536 1024x1536x6144 256x256x65536}"
: "${ROUNDS:=5}" "${COPY:=4096}" "${FACTORS:=4096}" "${LIBRARIES:=$top/build/release/src}" "${HOSTS:=1}" "${MBIT:=1000}"
[ "$HOSTS" = 1 ] || RANKS=$HOSTS COPY=0 FACTORS=0

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
"mpicc.$MPI" -O2 -I "$top/include" "$here/drop_in.c" "$here/problem.c" -o "$build/drop_in" \
    "-lscalapack-$MPI" -L "$LIBRARIES" -Wl,-rpath,"$LIBRARIES" "-lsectile_scalapack_$MPI" \
    -lsectile -lopenblas

launch() {
    if [ "$HOSTS" = 1 ]; then
        sh "$top/test/mpi/launch.sh" "$MPI" "mpiexec.$MPI" "$@"
    else
        shift
        hosts=$top/test/hosts/hosts.sh
        OPENBLAS_NUM_THREADS=1 sh "$hosts" with "$HOSTS" "$MBIT" sh "$hosts" mpiexec "$MPI" 1 "$@"
    fi
}

for shape in $SHAPES; do
    rounds=$ROUNDS
    [ "$shape" != 64x64x64 ] || rounds=$((400 * ROUNDS))
    for type in $TYPES; do
        for grid in $GRIDS; do
            for block in $BLOCKS; do
                launch "$RANKS" "$build/drop_in" "$shape" "$type" "$grid" "$block" "$rounds"
            done
        done
    done
done
[ "$COPY" = 0 ] || launch 4 "$build/drop_in" copy "$COPY" "$ROUNDS"

[ "$FACTORS" != 0 ] || exit 0
"mpicc.$MPI" -O2 -I "$top/include" "$here/factors.c" "$here/problem.c" -o "$build/factors" \
    -L "$LIBRARIES" -Wl,-rpath,"$LIBRARIES" "-lsectile_scalapack_$MPI" -lsectile \
    "-lscalapack-$MPI" -lopenblas
for grid in $GRIDS; do
    for block in $BLOCKS; do
        launch "$RANKS" "$build/factors" "$FACTORS" "$grid" "$block" "$ROUNDS"
    done
done
