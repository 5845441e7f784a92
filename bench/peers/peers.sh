#!/bin/sh
# peers.sh [HOSTSxRANKS...] - times Sectile and other libraries in turns, on one host and on several
# (1x2 2x1 4x1), and prints a table in Markdown. Nothing else should run on the machine.
# `peers.sh table RAW` prints the table of an existing file of measurements.
#
# A peer is a C file in this folder; driver.h says what it must contain. blas.c is computation alone.
#
#   SECTILE      the binary
#   SHAPES MPIS PEERS (scalapack ga)    what is measured
#   LAYOUTS      the layouts of A, B and C that Sectile is given besides the best ones, such as
#                "row row row; col row 2d"
#   ROUNDS (5)   how often each program runs, in new processes each time
#   REPEAT (3)   products in each run
#   MBIT (1000)  the network rate of each host in Mbit/s
#   RAW          a file to which all measurements are appended as lines of JSON
#   PAIRS (0)    above 0: compare, that many times and pair by pair, a product of Sectile, computation
#                alone, computation while plain TCP moves as many bytes, and the product with the work
#                layout that measuring finds. All run in one job in turns, for machines whose speed
#                varies. PEERS, ROUNDS and REPEAT are ignored.
#   LIBRARIES    with PAIRS, the folder of Sectile's libraries
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=${here%/bench/peers}
hosts=$top/test/hosts/hosts.sh
: "${SECTILE:=$top/build/release/cli/sectile}"
: "${SHAPES:=4096x4096x4096 1024x6144x1536 1024x1536x6144 256x256x65536}"
: "${MPIS:=openmpi mpich}"
: "${PEERS:=scalapack ga}"
: "${LAYOUTS=row row row; cyclic:128x128 cyclic:128x128 cyclic:128x128; col row 2d}"
: "${ROUNDS:=5}"
: "${REPEAT:=3}"
: "${PAIRS:=0}"
: "${LIBRARIES:=$top/build/release/src}"
: "${MBIT:=1000}"

say() {
    echo "peers.sh: $*" >&2
}

# about PEER WHAT [MPI]: prints an entry of the comment at the top of the peer's file.
about() {
    sed -n "s/^ \* $2: *//p" "$here/$1.c" | sed "s/ *\*\/$//; s/-MPI/-${3:-MPI}/g"
}

install() {
    packages=$(for mpi in $MPIS; do
        for peer in blas $PEERS; do
            about "$peer" packages "$mpi"
        done
    done | tr ' ' '\n' | sort -u)
    missing=$(for package in $packages; do
        dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok' || echo "$package"
    done)
    [ -n "$missing" ] || return 0
    say "installing $(echo "$missing" | paste -sd " " -)"
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    # shellcheck disable=SC2086
    { $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $missing; } >&2
}

build() {
    for mpi in $MPIS; do
        "mpicc.$mpi" -O2 "$top/test/hosts/network.c" -o "$BUILD/network-$mpi"
        for peer in blas $PEERS; do
            # shellcheck disable=SC2046
            "mpicc.$mpi" -O2 "$here/$peer.c" "$here/driver.c" "$here/problem.c" \
                -o "$BUILD/$peer-$mpi" $(about "$peer" flags "$mpi") -lopenblas
        done
        [ "$PAIRS" -eq 0 ] ||
            "mpicc.$mpi" -O2 "$here/pairs.c" "$here/plain.c" "$here/blas.c" "$here/problem.c" \
                -o "$BUILD/pairs-$mpi" -I "$top/include" -L "$LIBRARIES" \
                -Wl,-rpath,"$LIBRARIES" -l"sectile_mpi_$mpi" -lsectile -lopenblas
    done
}

# best_layouts SHAPE HOSTS: prints the layouts that move the least: only the longest dimension is cut,
# and fetched slices are parts of k, which cost a BLAS less than parts of m or n.
best_layouts() {
    echo "$1" | awk -F x -v hosts="$2" '{
        if ($1 == $2 && $2 == $3)
            print (hosts > 2 ? "2d 2d 2d" : "row row row")
        else if ($1 >= $2 && $1 >= $3)
            print "row row row"
        else if ($2 >= $3)
            print "col col col"
        else
            print "col row row"
    }'
}

# The functions below run on the hosts, with $place, $mpi and $shape set.

# start VARIABLES PROGRAM [WORD...]: runs a program on all ranks, and prints its line of JSON.
start() {
    variables=$1
    shift
    # shellcheck disable=SC2086
    env $variables "$hosts" mpiexec "$mpi" "$ranks" "$@" </dev/null 2>"$BUILD/log" | grep '^{' || :
}

# record PROGRAM ROUND LINE: appends a measurement to RAW.
record() {
    case $3 in
    '{"ok":true,'*) fields=${3#?} ;;
    *)
        say "$place $mpi $shape: $1 failed: $3 $(tail -n 3 "$BUILD/log" | paste -sd ' ' -)"
        fields='"ok":false}'
        ;;
    esac
    echo "{\"place\":\"$place\",\"mpi\":\"$mpi\",\"of\":\"$shape\",\"program\":\"$1\",\"round\":$2,$fields" >>"$RAW"
}

# run PEER REPEAT [WORD...]: runs a peer with the environment that its file asks for.
run() {
    peer=$1
    shift
    several=several
    [ "$count" -gt 1 ] || several=one
    start "$(about "$peer" "set $mpi $several")" "$BUILD/$peer-$mpi" "$shape" "$@"
}

# tune PEER: prints the arguments with which the peer is fastest.
tune() {
    about "$1" "words $((count * ranks))" | tr , '\n' | while read -r words; do
        # shellcheck disable=SC2086
        echo "$(run "$1" 1 $words) $words"
    done | awk "$(cat "$top/bench/fields.awk")"'
        /^\{"ok":true,/ && (least == "" || field("seconds") + 0 < least) {
            least = field("seconds") + 0
            words = $0
            sub(/^[^}]*} /, "", words)
        }
        END { print words }'
}

measure_network() {
    shape=network
    for round in 1 2 3; do
        record network $round "$(start '' "$BUILD/network-$mpi" "$ranks" 50000000)"
    done
}

list_layouts() {
    { best_layouts "$shape" "$count" && echo "$LAYOUTS"; } | tr ';' '\n' |
        awk 'NF == 3 && !seen[$1 " " $2 " " $3]++ { print $1, $2, $3 }' >"$BUILD/layouts"
}

measure_pairs() {
    rate=$(awk "$(cat "$top/bench/fields.awk" "$here/wire.awk" "$here/rate.awk")" place="$place" mpi="$mpi" "$RAW")
    while read -r a b c; do
        record pairs 1 "$(start '' "$BUILD/pairs-$mpi" "$shape" "$PAIRS" "$rate" "$a" "$b" "$c")"
    done <"$BUILD/layouts"
}

measure_shape() {
    for peer in $PEERS; do
        tune "$peer" >"$BUILD/$peer.words"
    done
    for round in $(seq "$ROUNDS"); do
        record blas "$round" "$(run blas "$REPEAT")"
        while read -r a b c; do
            record "sectile $a $b $c" "$round" "$(start '' "$SECTILE" run --json --shape "$shape" \
                --a "$a" --b "$b" --c "$c" --repeat "$REPEAT")"
        done <"$BUILD/layouts"
        for peer in $PEERS; do
            words=$(cat "$BUILD/$peer.words")
            # shellcheck disable=SC2086
            record "$peer $words" "$round" "$(run "$peer" "$REPEAT" $words)"
        done
    done
}

# measure PLACE: all measurements on the hosts.
measure() {
    place=$1
    count=${place%x*}
    ranks=${place#*x}
    for mpi in $MPIS; do
        shape=-
        [ "$count" -lt 2 ] || measure_network
        for shape in $SHAPES; do
            say "$place $mpi $shape"
            list_layouts
            if [ "$PAIRS" -gt 0 ]; then
                measure_pairs
            else
                measure_shape
            fi
        done
    done
}

table() {
    rows=table
    ! grep -q '"program":"pairs"' "$1" || rows=pairs
    awk "$(cat "$top/bench/fields.awk" "$here/wire.awk" "$here/$rows.awk")" "$1"
}

case ${1:-} in
table)
    table "$2"
    exit
    ;;
measure)
    measure "$2"
    exit
    ;;
esac
[ $# -gt 0 ] || set -- 1x2 2x1 4x1
for place; do
    case $place in
    [1-9]x[1-9]) ;;
    *)
        say "'$place' must be like 2x1"
        exit 2
        ;;
    esac
done
case $PAIRS in
'' | *[!0-9]*)
    say "PAIRS must be a number, not '$PAIRS'"
    exit 2
    ;;
esac
BUILD=$(mktemp -d)
trap 'rm -rf "$BUILD"' EXIT
: "${RAW:=$BUILD/raw}"
[ "$PAIRS" -eq 0 ] || PEERS=
export BUILD RAW SECTILE SHAPES MPIS PEERS LAYOUTS ROUNDS REPEAT PAIRS OPENBLAS_NUM_THREADS=1
install
build
for place; do
    rate=$MBIT
    [ "${place%x*}" -gt 1 ] || rate=-
    "$hosts" with "${place%x*}" "$rate" sh "$0" measure "$place" || say "$place: skipped"
done
table "$RAW"
