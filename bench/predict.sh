#!/bin/sh
# predict.sh node|hosts|opencl - compares predicted with measured times, on a machine that it measures first.
#
# node: two threads. hosts: four network namespaces of this machine, as hosts of 1 Gbit/s. opencl: two
# ranks on the devices DEVICES (0/2), NODES (1) of them on a node.
# It makes COUNT (100) random problems from SEED (the commit). For each, with A, B and C stationary,
# it compares the time that `sectile simulate` predicts with the median of REPEAT (5) products. If
# the stationary matrix that the plan selects was not the fastest, the two are measured again in
# PAIRS (5), to see whether it is within 5 %. Prints a table in Markdown.
#
# SECTILE is the binary. All measurements are appended to the file RAW as lines of JSON. Nothing else
# should run on the machine.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
hosts=${here%/bench}/test/hosts/hosts.sh
: "${SECTILE:=${here%/bench}/build/release/cli/sectile}"
: "${COUNT:=100}"
: "${SEED:=$(git -C "$here" rev-parse --short=7 HEAD)}"
: "${REPEAT:=5}"
: "${PAIRS:=5}"
: "${RAW:=/dev/null}"
: "${DEVICES:=0/2}"
: "${NODES:=1}"
: "${BUILD:=}"
fields=$(cat "$here/fields.awk")
place=${1:-}

say() {
    echo "predict.sh: $*" >&2
}

engine=
case $place in
node) ranks=2 ;;
hosts) ranks=4 ;;
opencl)
    ranks=2
    engine="--engine opencl --device $DEVICES --per-node $NODES"
    ;;
*)
    echo "usage: predict.sh node|hosts|opencl" >&2
    exit 2
    ;;
esac

# Prints one problem a line: M, N and K between 256 and 4096, with M N K at most 2^34, and three
# layouts, some replicated, up to once on each rank.
problems() {
    awk -v count="$COUNT" -v seed="$((0x$SEED))" -v ranks="$ranks" '
function size() {
    return int(2 ^ (8 + 4 * rand()))
}
function layout(    copies) {
    copies = rand() < 0.7 ? 1 : rand() < 0.5 ? 2 : ranks
    return kind[1 + int(4 * rand())] (copies > 1 ? "*" copies : "")
}
BEGIN {
    split("row col 2d cyclic:64x64", kind, " ")
    srand(seed)
    while (made < count) {
        m = size(); n = size(); k = size()
        if (m * n * k > 2 ^ 34)
            continue
        print m "x" n "x" k, layout(), layout(), layout()
        made++
    }
}'
}

# launch WORD...: runs sectile on all ranks.
launch() {
    if [ "$place" = hosts ]; then
        "$hosts" mpiexec openmpi 1 "$SECTILE" "$@" </dev/null
    else
        # shellcheck disable=SC2086
        "$SECTILE" "$@" $engine </dev/null
    fi 2>"$BUILD/log" || say "failed: $* $(tail -n 1 "$BUILD/log")"
}

# seconds VERB STAY [WORD...]: prints the time of the problem $shape $a $b $c, and the stationary
# matrix.
seconds() {
    verb=$1
    stay=$2
    shift 2
    set -- "$verb" --json --shape "$shape" --a "$a" --b "$b" --c "$c" --stay "$stay" "$@"
    if [ "$verb" = simulate ]; then
        "$SECTILE" "$@" --ranks "$ranks" --machine "$BUILD/machine"
    elif [ "$place" = opencl ]; then # which the plan by default suits less
        launch "$@" --ranks "$ranks" --machine "$BUILD/machine"
    elif [ "$place" = hosts ]; then
        launch "$@"
    else
        launch "$@" --ranks "$ranks"
    fi | awk "$fields"'{ print field("seconds"), field("stay") }'
}

# Measures one problem, and prints a line of JSON: {"place":.., "shape":.., .., "predicted_a":..,
# "measured_a":.., .., "chosen":.., "fastest":.., "behind":..}
measure_problem() {
    line="\"place\":\"$place\",\"shape\":\"$shape\",\"a\":\"$a\",\"b\":\"$b\",\"c\":\"$c\""
    chosen=$(seconds simulate auto)
    chosen=${chosen#* }
    [ "$chosen" != null ] || chosen=auto # a work layout that is none of the three
    for stay in a b c; do
        predicted=$(seconds simulate "$stay")
        measured=$(seconds run "$stay" --repeat "$REPEAT")
        line="$line,\"predicted_$stay\":${predicted% *},\"measured_$stay\":${measured% *}"
    done
    fastest=$(echo "{$line}" | awk "$fields"'{
        best = "a"
        for (i = 2; i <= 3; i++)
            if (field("measured_" substr("abc", i, 1)) + 0 < field("measured_" best) + 0)
                best = substr("abc", i, 1)
        print best
    }')
    behind=1
    [ "$fastest" = "$chosen" ] || behind=$(compare "$chosen" "$fastest")
    echo "{$line,\"chosen\":\"$chosen\",\"fastest\":\"$fastest\",\"behind\":$behind}" |
        tee -a "$RAW"
}

# compare STAY STAY: prints the median over pairs of the first time over the second.
compare() {
    for _ in $(seq "$PAIRS"); do
        echo "$(seconds run "$1" --repeat 1) $(seconds run "$2" --repeat 1)"
    done | awk '{ print $1 / $3 }' | sort -n | awk '{ value[NR] = $1 }
        END { print value[int((NR + 1) / 2)] }'
}

measure() {
    if [ "$place" = hosts ]; then
        launch machine --measure
    else
        launch machine --measure --ranks "$ranks"
    fi >"$BUILD/machine"
    problems | while read -r shape a b c; do
        say "$shape $a $b $c"
        measure_problem
    done | table
}

table() {
    awk "$fields"'
BEGIN {
    print "| shape | A | B | C | predicted a, b, c in ms | measured | chosen | fastest | behind |"
    print "|---|---|---|---|---|---|---|---|---|"
}
{
    text[1] = text[2] = ""
    for (i = 1; i <= 3; i++) {
        stay = substr("abc", i, 1)
        predicted = field("predicted_" stay)
        measured = field("measured_" stay)
        text[1] = text[1] sprintf(" %.2f", 1e3 * predicted)
        text[2] = text[2] sprintf(" %.2f", 1e3 * measured)
        error[++errors] = measured > 0 ? sqrt((predicted / measured - 1) ^ 2) : 1
    }
    good += field("behind") <= 1.05
    printf "| %s | %s | %s | %s |%s |%s | %s | %s | %.3f |\n", field("shape"), field("a"), \
        field("b"), field("c"), text[1], text[2], field("chosen"), field("fastest"), field("behind")
}
END {
    sort(error, errors)
    if (errors)
        printf "\n%d times: median error %.1f %%, nine in ten below %.1f %%. The chosen stationary matrix is within 5 %% of the fastest in %d of %d.\n", \
            errors, 50 * (error[int((errors + 1) / 2)] + error[int(errors / 2) + 1]), \
            100 * error[int(0.9 * errors)], good, NR
}'
}

if [ -n "$BUILD" ]; then
    measure
    exit
fi
BUILD=$(mktemp -d)
trap 'rm -rf "$BUILD"' EXIT
export BUILD SECTILE COUNT SEED REPEAT PAIRS RAW
if [ "$place" = hosts ]; then
    "$hosts" with 4 1000 "$0" hosts
else
    measure
fi
