# own_input.sh - the PBLAS level-3 testers with input of our own: transposes, sources other than 0 and
# on all processes, first blocks of other sizes than the rest, offsets that straddle blocks, vectors,
# sizes in the hundreds, and alpha and beta of 0, 1 and other: all pairs of factors on Open MPI, one
# on MPICH.
set -eu
. "$DATA/support.inc"
. "$DATA/pblas.inc"

run() {
    for type in S D C Z; do
        own_input $type "$1" "$2"
        must_pass $type 4 41
        must_pass $type 1 5
    done
}

run 1.5 -2
[ "$KIND" != mpich ] || exit 0
run 0 3
run 1 0
run 2 1
run 0 1
run 0 0
