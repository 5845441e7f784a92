# mpi_scarce.sh - a call fails on one rank of two under an MPI: all ranks end, soon, and one says
# what is missing; nothing is left behind.
. "${0%/*}/mpi.inc"
. "$tests/faults.inc"

# Who waits for others sleeps: so many may run at once.
at_once=24

# RANK LIBRARY FAULT REACHED COMMAND...: on that rank the call fails.
on_one='[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = "$1" ] &&
    export LD_PRELOAD="$2" FAULT="$3" FAULT_REACHED="$4"
shift 4
exec "$@"'

# start FAULT RANK ARGUMENT...: in a folder of its own, whose number is $runs. So is that of mpiexec:
# that of Open MPI makes one in it, and takes away what it finds empty, be it of another.
start() {
    fault=$1 rank=$2
    shift 2
    runs=$((runs + 1))
    mkdir "$runs" "mpiexec.$runs"
    echo "$* with FAULT='$fault' on rank $rank of $ranks of $kind" >"$runs/name"
    (
        cd "$runs" || exit 1
        export TMPDIR="$work/mpiexec.${PWD##*/}"
        timeout 40 sh "$launch" "$kind" "$mpiexec" "$ranks" sh -c "$on_one" sh "$rank" \
            "$FAULTS/test_faults_$kind.so" "$fault" "$PWD/reached" "$SECTILE" "$@" >out 2>err
        echo $? >code
    ) &
    [ $((runs % at_once)) -ne 0 ] || wait
}

# judge NUMBER: the run has ended as it should.
judge() {
    cd "$work/$1" || exit 1
    name=$(cat name)
    got=$(cat code)
    if [ ! -e reached ]; then
        [ "$got" -eq 0 ] || fail "$name: not reached, and exit $got: $(head -n 3 err)"
        return
    fi
    name="$name, $(cat reached),"
    grep '^sectile: ' err >said
    if [ "$got" -ge 124 ]; then
        fail "$name: exit $got"
    elif [ "$got" -ne 0 ]; then
        explained said "$name"
    elif [ -s said ]; then
        fail "$name: exit 0, but said: $(head -n 1 said)"
    elif [ ! -e c.npy ]; then
        grep -q 'check holds\|"ok":true' out || fail "$name: exit 0, but no check holds"
    fi
    whole "$name" c.npy ../c.npy
    nothing_left
}

# each RANK FAULT COUNT ARGUMENT...: the first COUNT such calls fail, one in each run.
each() {
    rank=$1 what=$2 count=$3
    shift 3
    for n in $(seq "$count"); do
        start "$what $n" "$rank" "$@"
    done
}

judge_all() {
    wait
    while [ $judged -lt $runs ]; do
        judged=$((judged + 1))
        judge $judged
    done
    cd "$work" || exit 1
}

near='run --shape 37x29x43 --a row --b col --c 2d --check'
far="$near --per-node 1 --path service"
remote="$near --per-node 1 --path rma --c col --stay a"
unwritten='bench --shapes 8x8x8 --svg nowhere/x.svg'
beside="$near --reference --pairs 1"
stored='multiply ../a.npy ../b.npy -o c.npy'

# shellcheck disable=SC2086
calls_of_mpi() {
    for rank in 0 1; do
        each $rank MPI_Init_thread 1 $near
    done
    for call in Comm_test_inter Comm_idup Iallgather Ibcast Test Testsome Isend Irecv \
        Improbe Mrecv; do
        each 1 MPI_$call 1 $far
    done
    for call in Win_create Win_get_attr Win_lock_all Win_flush Get Accumulate Type_create_hvector \
        Type_commit; do
        each 1 MPI_$call 1 $remote
    done
    start 'MPI_Iallreduce 1+' 1 $far
    each 0 MPI_Isend 1 $far
    for n in 1 2; do
        start "MPI_Ibcast $n+" 1 $unwritten
    done
    for n in 2 3 4; do
        start "MPI_Iallgather $n+" 1 $near
    done
}

# shellcheck disable=SC2086
other_calls() {
    each 1 memory 40 $far
    for n in $(seq 50 5 120); do
        start "memory $n" 1 bench --json --shapes 8x8x8,9x8x7 --layouts row --repeat 1
    done
    each 1 realloc 18 $far
    each 1 aligned_alloc 2 $far
    each 0 memory 8 $stored
    for call in freopen memfd_create ftruncate mmap fstat open pwrite fsync; do
        each 1 $call 2 $stored
    done
    for call in pipe2 write posix_spawn rename posix_fallocate; do
        each 0 $call 1 $stored
    done
}

# What one rank does alone: each array that it makes, before MPI has begun or after.
# shellcheck disable=SC2086
alone() {
    ranks=1
    start 'MPI_Init_thread 1' 0 $near
    start 'calloc 1+' 0 $beside
    each 0 calloc 50 $beside
    for call in gethostname sched_getaffinity; do
        each 0 $call 2 $beside
    done
}

runs=0 judged=0 ranks=2
{ npy '<f8' False '(20, 3)'; doubles $(seq 1 60); } >a.npy
{ npy '<f8' False '(3, 20)'; doubles $(seq -9 50); } >b.npy
exits 0 "$SECTILE" multiply a.npy b.npy -o c.npy --ranks 2
under_each calls_of_mpi
under_one other_calls alone
judge_all
finish
