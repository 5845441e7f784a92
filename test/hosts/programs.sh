# programs.sh MPI HOSTS RANKS MBIT PROGRAM... - runs test programs on several hosts with RANKS ranks on
# each; MBIT limits their network, see hosts.sh. A PROGRAM may include arguments:
# "build/test/mpi-mpich/fabric rma".
set -eu

hosts=$(cd "$(dirname "$0")" && pwd)/hosts.sh
mpi=$1 count=$2 ranks=$3 rate=$4
shift 4
export OPENBLAS_NUM_THREADS=1
exec "$hosts" with "$count" "$rate" sh -c 'hosts=$0 mpi=$1 ranks=$2
    shift 2
    for program; do
        echo "$program"
        "$hosts" mpiexec "$mpi" "$ranks" $program || exit
    done' "$hosts" "$mpi" "$ranks" "$@"
