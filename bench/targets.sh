#!/bin/sh
# targets.sh [SECTION...] - measures what the design targets, and prints tables in Markdown.
#
# Sections: aligned large mixed2 mixed4 cyclic memory overhead steps plan. Without arguments it runs
# them all, which takes hours. Nothing else should run on the machine. `steps` needs a build with the
# engine `cuda`, but no GPU.
#
# LAUNCH starts ranks that are processes, such as LAUNCH="mpiexec.openmpi -n 2"; it applies to the
# sections with 2 ranks, except overhead, steps and plan.
# SECTILE, OVERHEAD and STEPS are the binaries. To save time, lower SIZE (4096), PAIRS (15) or SAMPLE (60), or
# set STAYS=auto, which uses the stationary matrix that the plan selects (best: tries all three).
# The lines of JSON behind the tables are appended to the file RAW.
set -eu

: "${SECTILE:=build/release/cli/sectile}"
: "${OVERHEAD:=build/release/bench/overhead}"
: "${STEPS:=build/release/test/cuda/launch_time}"
: "${LAUNCH:=}"
: "${SIZE:=4096}"
: "${PAIRS:=15}"
: "${SAMPLE:=60}"
: "${STAYS:=best}"
: "${RAW:=/dev/null}"
fields=$(cat "${0%/*}/fields.awk")
cube=${SIZE}x${SIZE}x$SIZE
thin=1024x6144x1536,1024x1536x6144,256x256x65536

say() {
    echo "targets.sh: $*" >&2
}

# ratios ARGUMENT...: runs a sweep against one BLAS call, and prints lines of JSON.
ratios() {
    say "sectile bench $*"
    # shellcheck disable=SC2086
    { $LAUNCH "$SECTILE" bench --json --reference --pairs "$PAIRS" "$@" || say 'failed'; } |
        tee -a "$RAW"
}

# Turns lines of JSON into a table, and adds a summary.
ratio_table() {
    awk "$fields"'
BEGIN {
    print "| shape | type | ranks | A | B | C | slice | stays | ratio | interval | outside GEMM |" \
        " MiB gathered | MiB accumulated |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
}
field("ok") != "true" {
    failed++
    next
}
{
    share = field("cpu_outside_gemm")
    printf "| %s | %s | %s%s | %s | %s | %s | %s | %s | %.3f | %.3f to %.3f | %s | %.1f | %.1f |\n", \
        field("shape"), field("type"), field("ranks"), \
        field("oversubscribed") == "true" ? " (oversubscribed)" : "", field("a"), field("b"), \
        field("c"), field("slice"), field("stay"), field("ratio"), field("ratio_low"), \
        field("ratio_high"), share == "null" ? "?" : sprintf("%.1f %%", 100 * share), \
        field("bytes_gathered") / 1048576, field("bytes_accumulated") / 1048576
    ratio[++count] = field("ratio") + 0
}
END {
    sort(ratio, count)
    if (count > 0)
        printf "\n%d ratios: least %.3f, median %.3f, greatest %.3f.\n", count, ratio[1], \
            ratio[int((count + 1) / 2)], ratio[count]
    if (failed > 0)
        printf "\n%d failed.\n", failed
}'
}

# same_layouts ARGUMENT...: A, B and C all in one layout, for each of three layouts. Blocks of rows
# are best stored by rows, the others by columns.
same_layouts() {
    for layout in row col/f 2d/f; do
        ratios --ranks 2 --layouts "$layout" "$@"
    done
}

aligned() {
    echo "## Aligned layouts, thin shapes"
    for type in f64 f32; do
        same_layouts --type "$type" --shapes "$thin"
    done | ratio_table
}

large() {
    echo "## Aligned layouts, $cube"
    for type in f64 f32; do
        same_layouts --type "$type" --shapes "$cube"
    done | ratio_table
}

# mixed RANKS: random combinations of layouts and replicas.
mixed() {
    echo "## $SAMPLE combinations of layouts and replication, $cube, $1 ranks"
    ratios --ranks "$1" --shapes "$cube" --replicas 1,2 --sample "$SAMPLE" --seed 1 \
        --stays "$STAYS" --repeat 1 | ratio_table
}

cyclic() {
    echo "## Block-cyclic compared with 2d, slices by class and by tile, $cube"
    {
        ratios --ranks 2 --shapes "$cube" --layouts 2d
        ratios --ranks 2 --shapes "$cube" --layouts cyclic:64x64
        ratios --ranks 2 --shapes "$cube" --layouts cyclic:64x64 --slice tile
    } | ratio_table
}

# memory_of ARGUMENT...: runs one product, and prints a line of JSON.
memory_of() {
    say "sectile run $*"
    # shellcheck disable=SC2086
    { $LAUNCH "$SECTILE" run --json --reference --pairs 1 --shape "$cube" --ranks 2 "$@" ||
        say 'failed'; } | tee -a "$RAW"
}

memory() {
    echo "## Peak memory in MiB, $cube"
    {
        memory_of --a row --b row --c row
        memory_of --a cyclic:64x64 --b cyclic:64x64 --c cyclic:64x64
        memory_of --a row --b row --c cyclic:64x64
        memory_of --a 'row*2' --b col --c '2d*2'
        memory_of --a col --b row --c 2d --stay a
        memory_of --a row --b col --c 2d --per-node 1
    } | awk "$fields"'
BEGIN {
    print "| A | B | C | stays | parts of the matrices | the BLAS alone | peak | allowed | holds |"
    print "|---|---|---|---|---|---|---|---|---|"
}
{
    parts = field("parts_memory") / 1048576
    blas = field("blas_memory") / 1048576
    peak = field("peak_memory") / 1048576
    allowed = 1.1 * parts + 32 + blas
    printf "| %s | %s | %s | %s | %.1f | %.1f | %.1f | %.1f | %s |\n", field("a"), field("b"), \
        field("c"), field("stay"), parts, blas, peak, allowed, peak <= allowed ? "yes" : "no"
}'
}

overhead() {
    echo "## Overhead of 64^3: a job, sct_multiply again, sct_multiply planned"
    for ranks in 2 4; do
        OPENBLAS_NUM_THREADS=1 "$OVERHEAD" "$ranks" 64 | sed "s/^/- $ranks ranks: /"
    done
}

steps() {
    echo "## Host time to launch a step with the engine cuda, on stand-ins that run nothing"
    "$STEPS" | sed -n 's/^stationary/- &/p'
}

# seconds_of COMMAND...: prints how long the command takes.
seconds_of() {
    start=$(date +%s%N)
    "$@" >/dev/null
    echo "$start $(date +%s%N)" | awk '{ printf "%.3f", ($2 - $1) * 1e-9 }'
}

plan() {
    echo "## Planning for one rank of 1,000,000, shape 1000000x1000000x1000000"
    echo "- starting the program alone: $(seconds_of "$SECTILE" --version) s"
    for layouts in 'row row row' 'col col col' '2d 2d 2d' 'row col 2d' \
        'cyclic:64x64 cyclic:64x64 cyclic:64x64' 'row col cyclic:64x64' '2d*10 2d*100 2d'; do
        # shellcheck disable=SC2086
        set -- $layouts
        say "sectile plan, $layouts"
        echo "- $layouts: $(seconds_of "$SECTILE" plan --json --ranks 1000000 --rank 567890 \
            --shape 1000000x1000000x1000000 --a "$1" --b "$2" --c "$3") s"
    done
}

[ $# -gt 0 ] || set -- aligned large mixed2 mixed4 cyclic memory overhead steps plan
for section in "$@"; do
    case $section in
    mixed2 | mixed4) mixed "${section#mixed}" ;;
    aligned | large | cyclic | memory | overhead | steps | plan) $section ;;
    *)
        say "$section: must be aligned, large, mixed2, mixed4, cyclic, memory, overhead, steps or plan"
        exit 2
        ;;
    esac
    echo
done
