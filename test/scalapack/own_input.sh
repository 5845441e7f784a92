# own_input.sh - the PBLAS level-3 testers with input of our own: transposes, sources other than 0 and
# on all processes, first blocks of other sizes than the rest, offsets that straddle blocks, vectors,
# sizes in the hundreds, and alpha and beta of 0, 1 and other. The first pair of factors runs with every
# type; the others, on Open MPI alone, with a real and a complex one: random_calls draws them for all.
set -eu
. "$DATA/support.inc"
. "$DATA/pblas.inc"

for type in S D C Z; do
    own_input $type 1.5 -2
    must_pass $type 4 41
    must_pass $type 1 5
done
[ "$KIND" != mpich ] || exit 0

# run REAL COMPLEX ALPHA BETA
run() {
    for type in "$1" "$2"; do
        own_input "$type" "$3" "$4"
        must_pass "$type" 4 41
    done
}

run S Z 0 3
run D C 1 0
run S Z 2 1
run D C 0 1
run S C 0 0
