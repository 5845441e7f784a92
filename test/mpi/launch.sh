# launch.sh - starts a program under an MPI: launch.sh KIND MPIEXEC RANKS PROGRAM [ARGUMENT...]
# More ranks than cores are allowed, and so is running as root, as in a container. NAPS is the library of
# naps.c, with a colon; it may be unset.
set -eu
kind=$1 mpiexec=$2 ranks=$3
shift 3

export OPENBLAS_NUM_THREADS=1
export LD_PRELOAD="${NAPS-}${LD_PRELOAD-}"
# Without this, hwloc, which MPIs use, loads each OpenCL platform, and ranks grow by the size of a compiler.
export HWLOC_COMPONENTS=-opencl
case $kind in
openmpi)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # A job removes on exit the session folder of its user, which another may be about to use.
    sessions=$(mktemp -d)
    trap 'rm -rf "$sessions"' EXIT
    "$mpiexec" --oversubscribe --mca mpi_yield_when_idle 1 --mca orte_tmpdir_base "$sessions" -n "$ranks" "$@"
    ;;
mpich)
    # It is killed by SIGPIPE if it reads the end of its input just when the ranks have ended. So it gets one without
    # an end, unless there is something to read.
    if [ /dev/stdin -ef /dev/null ]; then
        folder=$(mktemp -d)
        mkfifo "$folder/input"
        exec <>"$folder/input"
        rm -r "$folder"
    fi
    exec "$mpiexec" -n "$ranks" "$@"
    ;;
*)
    echo "launch.sh: $kind: must be openmpi or mpich" >&2
    exit 2
    ;;
esac
