# mpi_large.sh - a file larger than what any rank of an MPI has memory for; ranks that fail, or are
# killed, while they are at work on it.
. "${0%/*}/mpi.inc"

bytes=102400000
rows=3200
cols=4000

# field NAME: that number of the object in out.
field() {
    sed -n "s/.*\"$1\":\([0-9]*\)[,}].*/\1/p" out
}

# Of emulated nodes, as what a node shares is no rank's own.
larger_than_memory() {
    ranks_do 4 copy large.npy -o o.npy --op T --per-node 1 --json
    same o.npy expected.npy
    most=$(field peak_memory_process)
    [ "${most:-$bytes}" -lt "$bytes" ] || fail "a rank took $most bytes for a file of $bytes"
    [ "$(field peak_memory)" -gt "$bytes" ] || fail "all took $(field peak_memory) bytes"
    rm -f o.npy
}

# A limit on the size of files stands for a disk that is full for rank 1 alone.
limited='[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ] && ulimit -f 100000; exec "$@"'

full_for_one() {
    ranks_refuse 1 'rank 1: none.npy: cannot be written: File too large' 3 sh -c "$limited" sh \
        "$SECTILE" copy large.npy -o none.npy
    [ -e none.npy ] && fail 'there is output'
}

# killed RANK: in the middle of the work.
killed() {
    rm -f pid.*
    started 3 sh -c 'echo $$ >"pid.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"; exec "$@"' sh \
        "$SECTILE" multiply large.npy expected.npy -o late.npy --per-node 1 &
    child=$!
    tries=0
    until { [ -s pid.0 ] && writes "$(cat pid.0)" late.npy; } || [ $tries -eq 500 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    [ $tries -lt 500 ] || fail 'no temporary file seen'
    kill -9 "$(cat "pid.$1")"
    since=$(date +%s)
    wait $child
    [ $(($(date +%s) - since)) -lt 10 ] || fail 'the other ranks went on'
    left_by_kill
    [ -e late.npy ] && fail 'output of ranks that were killed'
}

deaths() {
    killed 0
    killed 1
}

{ npy '<f8' False "($rows, $cols)"; head -c $bytes /dev/urandom; } >large.npy
exits 0 "$SECTILE" copy large.npy -o expected.npy --op T
under_each larger_than_memory full_for_one deaths
no_leftovers
finish
