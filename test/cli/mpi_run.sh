# mpi_run.sh - products of made-up matrices on ranks of an MPI: checked, compared, swept.
. "${0%/*}/mpi.inc"

# holds RANKS ARGUMENT...: checked, and the bytes are those that threads move.
holds() {
    ranks=$1
    shift
    exits 0 "$SECTILE" run --check --json --ranks "$ranks" "$@"
    moved out >expected
    ranks_do "$ranks" run --check --json "$@"
    one_line out
    says out '{"ok":true,"ranks":'"$ranks"','
    case " $* " in
    *" $late"*) says out '"engine":"emulated"' ;;
    *) says out '"engine":"mpi"' ;;
    esac
    moved out >is
    same is expected
}

moved() {
    grep -o '"\(steps\|bytes_[a-z_]*\|checked_[a-z_]*\|parts_memory\|workspace\|stay\)":[^,]*' "$1"
}

products() {
    holds 2 --shape 37x29x43 --a row --b col --c 2d --per-node 1 --path service
    says out '"path":"service"'
    holds 3 --shape 37x29x43 --a col --b row --c cyclic:5x4 --type cf32 --op CT --stay a
    holds 3 --shape 30x3x4 --a row --b row --c 2d --stay a --per-node 1 --path rma
    says out '"path":"rma"'
    holds 3 --shape 0x3x4
    says out '"path":null'
    holds 4 --shape 37x29x43 --a row*2 --b col*4 --c 2d*2 --per-node 2 $late,deferred
    holds 4 --shape 90x80x70 --type f16 --a cyclic:4x4 --b 'row%3,1,2,0' --c row*2 --stay b
    holds 4 --shape 60x50x40 --view-a 70x60+3+4 --result partial --c col*2 --stay c --per-node 1
}

# number FIELD: the field is a number.
number() {
    grep -q "\"$1\":-\{0,1\}[0-9][-+.e0-9]*[,}]" out || fail "$1 is no number in: $(cat out)"
}

reference() {
    ranks_do 3 run --shape 40x30x20 --reference --pairs 3 --json
    one_line out
    for name in blas_seconds ratio ratio_low ratio_high blas_memory peak_memory; do
        number $name
    done
    says out '"pairs":3,'
    crowded=false
    [ 3 -gt "$(getconf _NPROCESSORS_ONLN)" ] && crowded=true
    says out '"oversubscribed":'$crowded
    ranks_do 2 run --shape 40x30x20 --reference --pairs 2 --check --per-node 1 --path sockets
    says out 'path  sockets'
    says out ': time of one BLAS call'
    says out 'check holds'
}

places() {
    sed 's/.*"ranks":\(.*\)"stay":.*/\1/' "$1"
}

sweep() {
    set -- --shapes 20x30x40,10x10x10 --layouts row,cyclic:8x8 --replicas 1,2 --stays auto,best \
        --sample 3 --repeat 1
    exits 0 "$SECTILE" bench --json --ranks 2 "$@"
    places out >expected
    ranks_do 2 bench --json "$@" --svg picture.svg
    [ "$(grep -c '^{"ok":true,"stay_asked":"\(auto\|best\)",.*}$' out)" -eq 12 ] || fail 'lines'
    places out >is
    same is expected
    [ "$(grep -c '</svg>' picture.svg)" -eq 1 ] || fail 'no picture'
    ranks_do 3 bench --shapes 8x8x8 --layouts row --repeat 1 --reference --pairs 1
    [ "$(wc -l <out)" -eq 2 ] || fail "$(wc -l <out) lines, not a head and 1"
}

# What fails is said, and the others are measured: of what one rank lacks all know.
failing() {
    ranks_exit 1 2 "$SECTILE" bench --json --shapes 8x8x8,9999999x9999999x9999999,9x9x9 \
        --layouts row --repeat 1 --stays auto,best
    [ "$(grep -c '^{"ok":true,' out)" -eq 4 ] || fail "not 4 lines of what works: $(cat out)"
    [ "$(grep -c '^{"ok":false,.*,"reason":"no memory: ' out)" -eq 2 ] || fail "failed: $(cat out)"
    one_line said
    says said '2 of 6 combinations failed; the first: no memory: '
}

under_each products reference sweep failing
finish
