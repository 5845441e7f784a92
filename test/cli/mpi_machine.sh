# mpi_machine.sh - machines that are measured on ranks of an MPI.
. "${0%/*}/mpi.inc"

lists() {
    exits 0 "$SECTILE" machine
    cp out expected
    ranks_do 2 machine
    same out expected
    ranks_refuse 2 'none: neither a file' 2 "$SECTILE" machine none
}

measures() {
    ranks_refuse 2 '--measure needs 2 ranks or more' 1 "$SECTILE" machine --measure
    ranks_refuse 1 'none/file: cannot be written' 2 "$SECTILE" machine --measure -o none/file
    ranks_do 2 machine --measure --per-node 1 --repeat 2 -o measured
    exits 0 "$SECTILE" machine ./measured
    same out measured
    says out '"about": "2 ranks of the engine mpi, 1 to a node, on '
    says out ', the medians of 2 rounds"'
    says out 'as they grow beyond 768 in each dimension'
    [ "$(grep -c '"\(pair\|uplink\|latency\)": [0-9]' out)" -eq 3 ] || fail "links: $(cat out)"
}

under_one lists measures
finish
