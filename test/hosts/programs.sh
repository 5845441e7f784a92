# programs.sh MPI HOSTS RANKS MBIT PROGRAM... - runs tests on several hosts, so many ranks on each,
# whose network is limited as hosts.sh says. A PROGRAM may have arguments of its own:
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
