#!/bin/sh
# predict_groups.sh node|hosts - compares predicted with measured times of groups of products, on a machine that it
# measures first.
#
# node: two threads. hosts: two network namespaces of this machine, as hosts of 1 Gbit/s. Of each of ten groups, the
# layout of the first matrix is given, in turns row, col and row*2; `sectile run --group` chooses the others, and measures
# the median of REPEAT (7) runs. Prints a table in Markdown, and the median errors. Nothing else should run on the
# machine. SECTILE is the binary.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
hosts=${here%/bench}/test/hosts/hosts.sh
: "${SECTILE:=${here%/bench}/build/release/cli/sectile}"
: "${REPEAT:=7}"
: "${BUILD:=}"
fields=$(cat "$here/fields.awk")
place=${1:-}
ranks=2

# Lines of: the first matrix | sizes | flags | products
groups() {
    cat <<'END'
X|m=1024,h=768,f=3072||Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X
X|m=1024,h=768,f=3072|--backward|Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X
A|m=2048,k=512,n=2048||Y = A[m,k] * B[k,n]; Z = Y * C[n,k]
X|m=4096,n=768||S = X[m,n]' * X; Y = X * S
X|m=1024,h=768||Q = X[m,h] * A[h,h]; K = X * B[h,h]; S = Q * K'
X|m=2048,h=768||A = X[m,h] * U[h,h]; B = A * V[h,h]; C = B * W[h,h]; C ~ X
X|m=2048,n=2048,r=64||Y = X[m,n] * U[n,r]; Z = Y * V[r,n]; Z ~ X
X|m=1536,k=1024,n=1536|--backward|Y = X[m,k] * W[k,n]
X|n=1024||Y = X[n,n] * X; Z = Y * X
X|m=512,h=1024,f=2048|--backward|Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X
END
}

launch() {
    if [ "$place" = hosts ]; then
        "$hosts" mpiexec openmpi 1 "$SECTILE" "$@" </dev/null
    else
        "$SECTILE" "$@" --ranks "$ranks" </dev/null
    fi
}

measure() {
    launch machine --measure >"$BUILD/machine"
    groups | while IFS='|' read -r first sizes flags text; do
        for layout in row col "row*2"; do
            # shellcheck disable=SC2086
            launch run --group "$text" --size "$sizes" $flags --layout "$first=$layout" --machine "$BUILD/machine" \
                --type f32 --repeat "$REPEAT" --json >"$BUILD/result"
            awk "$fields"'{ print field("simulated_seconds"), field("seconds") }' "$BUILD/result" | tr '\n' ' '
        done
        echo "|${text}${flags:+, backward}, $sizes"
    done | table
}

# Each line has three pairs of a predicted and a measured time, and the text.
table() {
    awk -F '|' "$fields"'
function order(list,    i, best) {
    best = 1
    for (i = 2; i <= 3; i++)
        if (list[i] < list[best])
            best = i
    return best
}
BEGIN {
    print "| products | predicted with row, col, row*2 in ms | measured | fastest of the three |"
    print "|---|---|---|---|"
}
{
    split($1, time, " ")
    text[1] = text[2] = ""
    for (i = 1; i <= 3; i++) {
        predicted[i] = time[2 * i - 1]
        measured[i] = time[2 * i]
        text[1] = text[1] sprintf(" %.2f", 1e3 * predicted[i])
        text[2] = text[2] sprintf(" %.2f", 1e3 * measured[i])
        error[++errors] = sqrt((predicted[i] / measured[i] - 1) ^ 2)
    }
    behind = measured[order(predicted)] / measured[order(measured)]
    good += behind <= 1.05
    printf "| %s |%s |%s | %.3f behind |\n", $2, text[1], text[2], behind
}
END {
    sort(error, errors)
    printf "\n%d times: median error %.1f %%, nine in ten below %.1f %%. What is predicted to be the fastest of three is within 5 %% of it in %d of %d.\n", \
        errors, 50 * (error[int((errors + 1) / 2)] + error[int(errors / 2) + 1]), 100 * error[int(0.9 * errors)], good, NR
}'
}

case $place in
node | hosts) ;;
*)
    echo "usage: predict_groups.sh node|hosts" >&2
    exit 2
    ;;
esac
if [ -n "$BUILD" ]; then
    measure
    exit
fi
BUILD=$(mktemp -d)
trap 'rm -rf "$BUILD"' EXIT
export BUILD SECTILE REPEAT
if [ "$place" = hosts ]; then
    "$hosts" with 2 1000 "$0" hosts
else
    measure
fi
