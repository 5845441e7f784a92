#!/bin/sh
# engines.sh [HOSTS] - compares the engine `processes` with the engine `mpi`: the same products by both in
# turns, on 2 ranks of this host, or on HOSTS emulated hosts with a rank each. Prints a table in Markdown.
# Nothing else should run on the machine.
#
#   MPI (openmpi)   openmpi or mpich
#   PAIRS (7)       runs of each
#   MBIT (1000)     the network rate of each host in Mbit/s
#   SECTILE         the binary
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=${here%/bench}
hosts=${1:-1}
: "${MPI:=openmpi}" "${PAIRS:=7}" "${MBIT:=1000}" "${SECTILE:=$top/build/release/cli/sectile}"
export SECTILE OPENBLAS_NUM_THREADS=1

# seconds ENGINE ARGUMENT...: of one run.
seconds() {
    engine=$1
    shift
    {
        if [ "$hosts" -gt 1 ]; then
            sh "$top/test/hosts/hosts.sh" mpiexec "$engine" 1 "$SECTILE" run --json "$@"
        elif [ "$engine" = sectile ]; then
            "$SECTILE" launch -n 2 "$SECTILE" run --json "$@"
        else
            sh "$top/test/mpi/launch.sh" "$MPI" "mpiexec.$MPI" 2 "$SECTILE" run --json "$@"
        fi
    } 2>/dev/null | sed -n 's/.*"seconds":\([0-9.e-]*\).*/\1/p'
}

# row SHAPE A B C
row() {
    for pair in $(seq "$PAIRS"); do
        first=$MPI second=sectile
        [ $((pair % 2)) = 0 ] || first=sectile second=$MPI
        one=$(seconds $first --shape "$1" --a "$2" --b "$3" --c "$4" --repeat 3)
        other=$(seconds $second --shape "$1" --a "$2" --b "$3" --c "$4" --repeat 3)
        [ $first = sectile ] && echo "$one $other" || echo "$other $one"
    done | awk '{ print $1 / $2 }' | sort -n | awk -v what="$hosts | $1 | $2 $3 $4" '
        { ratio[NR] = $1 }
        END { printf "| %s | %.3f | %.3f to %.3f |\n", what, ratio[int((NR + 1) / 2)], ratio[1], ratio[NR] }'
}

rows() {
    row 1024x6144x1536 row row row
    row 1024x1536x6144 row col 2d
    row 256x256x65536 row col 2d
}

if [ "$hosts" -gt 1 ] && [ -z "${ENGINES_WITHIN:-}" ]; then
    ENGINES_WITHIN=yes exec sh "$top/test/hosts/hosts.sh" with "$hosts" "$MBIT" sh "$here/engines.sh" "$hosts"
fi
echo "| hosts | m x n x k | layouts | time of processes over that of mpi | from to |"
echo "|---|---|---|---|---|"
rows
