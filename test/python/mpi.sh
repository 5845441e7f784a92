# mpi.sh - worlds of the processes of an MPI job, by mpi4py, under the MPI $KIND.
set -eu
cd "$(dirname "$0")/../.."

"$VENV/bin/python" -c 'import mpi4py' 2>/dev/null || {
    echo 'skipped: there is no mpi4py'
    exit 77
}
export MPI4PY_MPIABI="$KIND"
# The wheel of mpi4py knows MPICH by the name of its common ABI, which Debian's library lacks.
if [ "$KIND" = mpich ]; then
    names=$VENV/names
    mkdir -p "$names"
    ln -sf "$(ldconfig -p | sed -n 's/.*libmpich\.so\.12 .*=> //p' | head -n 1)" "$names/libmpi.so.12"
    export LD_LIBRARY_PATH="$names"
fi
for how in 'mpi auto 0' 'mpi service 1' 'emulated auto 0'; do
    # shellcheck disable=SC2086
    said=$(sh test/mpi/launch.sh "$KIND" "$MPIEXEC" 3 "$VENV/bin/python" \
        python/tests/mpi_program.py $how)
    [ "$said" = ok ] || {
        echo "failed: $how: $said" >&2
        exit 1
    }
done
