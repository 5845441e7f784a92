#!/bin/sh
# processes.sh [SHAPE TYPE A B C] - times products on two halves of device 0 of OpenCL, with two ranks: threads,
# threads that are far from each other, and processes, in turns. Prints a row of a table in Markdown, or all.
# Nothing else should run on the machine.
#
#   PAIRS (7)       runs of each, of which each is the median of 3 products
#   SECTILE         the binary
set -eu

here=$(cd "$(dirname "$0")" && pwd)
: "${PAIRS:=7}" "${SECTILE:=${here%/bench/opencl}/build/release/cli/sectile}"

# seconds COMMAND...: of a run.
seconds() {
    "$@" --engine opencl --device 0/2 --shape "$shape" --type "$type" --a "$a" --b "$b" --c "$c" --json |
        sed -n 's/.*"seconds":\([0-9.e-]*\).*/\1/p'
}

row() {
    shape=$1 type=$2 a=$3 b=$4 c=$5
    for _ in $(seq "$PAIRS"); do
        near=$(seconds "$SECTILE" run --ranks 2)
        far=$(seconds "$SECTILE" run --ranks 2 --per-node 1)
        apart=$(seconds "$SECTILE" launch -n 2 "$SECTILE" run)
        echo "$near $far $apart"
    done | awk -v what="$shape | $type | $a $b $c" '
        function median(of, n,    i, j, x) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && of[j] < of[j - 1]; j--) {
                    x = of[j]; of[j] = of[j - 1]; of[j - 1] = x
                }
            return of[int((n + 1) / 2)]
        }
        { near[NR] = $1; far[NR] = $2; apart[NR] = $3; ratio[NR] = $1 / $3 }
        END {
            printf "| %s | %.4f | %.4f | %.4f |", what, median(near, NR), median(far, NR), median(apart, NR)
            middle = median(ratio, NR)
            printf " %.2f | %.2f to %.2f |\n", middle, ratio[1], ratio[NR]
        }'
}

if [ $# -eq 5 ]; then
    row "$@"
    exit
fi
echo '| shape | type | A B C | threads, s | threads, far, s | processes, s | threads / processes | least and greatest |'
echo '|---|---|---|---|---|---|---|---|'
for type in f64 f32; do
    for shape in 1024x1024x1024 512x3072x768 512x768x3072 256x256x8192; do
        row $shape $type row row row
        row $shape $type row col 2d
    done
done
