# plan.sh - plans without data: of any size, all of them, step by step, drawn.
. "${0%/*}/support.inc"

huge() {
    exits 0 "$SECTILE" plan --json --shape 1000000x1000000x1000000 --ranks 1000 --rank 999
    one_line out
    for field in ok rank ranks shape steps bytes_got bytes_accumulated workspace flops stay; do
        says out "\"$field\":"
    done
    says out '"flops":2e+15'
    exits 0 "$SECTILE" plan --json --all --shape 1000000x1000000x1000000 --ranks 1000 --a 'row*10'
    says out '"sum":{"steps":'
    says out '"busiest":{"rank":'
    says out '"flops":2e+18'
    exits 0 "$SECTILE" plan --json --shape 9x9x9 --ranks 1000000 --rank 999999
}

# Row blocks of A and C, two ranks: each reads the other's half of B, and does half of the work.
known() {
    exits 0 "$SECTILE" plan --json --all --ranks 2 --shape 4x6x8 --a row --b row --c row --stay c
    says out '"bytes_in_place":192,'
    says out '"bytes_accumulated":0'
    says out '"sum":{"steps":4,'
    says out '"flops":384}'
    exits 0 "$SECTILE" plan --json --ranks 2 --shape 4x6x8 --a row --b row --c row --stay c --per-node 1
    says out '"bytes_got":192,'
    set -- --json --ranks 2 --shape 6x4x10 --a col --b 'cuts:4x-@0,1' --c row --stay c
    exits 0 "$SECTILE" plan "$@" --per-node 1 --fetch tile
    says out '"slice":"tile","fetch":"tile",'
    says out '"bytes_got":432,"bytes_gathered":0,"bytes_in_place":0,'
    exits 0 "$SECTILE" plan "$@" --fetch tile
    says out '"bytes_got":0,"bytes_gathered":432,"bytes_in_place":432,'
    exits 0 "$SECTILE" plan "$@" --per-node 1
    says out '"slice":"class","fetch":"slice",'
    says out '"bytes_got":312,'
}

# A plan for one node says so, unless that is what was asked for.
nodes() {
    exits 0 "$SECTILE" plan --ranks 4
    says out 'all ranks share memory; --per-node R plans for R ranks on each node'
    for given in '--ranks 4 --per-node 2' '--ranks 4 --machine cluster' '--ranks 1'; do
        exits 0 "$SECTILE" plan $given
        grep -q 'share memory' out && fail "plan $given is told about --per-node"
    done
}

checks() {
    while read -r arguments; do
        exits 0 "$SECTILE" plan --check --json --shape 60x50x40 $arguments
        says out '"check":"holds"'
    done <<'END'
--ranks 4
--ranks 6 --a row*2 --b col*3 --c cyclic:7x7
--ranks 12 --a cyclic:3x5 --b 2d --c row*4 --stay a
--ranks 5 --a col --b row --c 2d --stay b --slice tile --op TN
--ranks 4 --a cyclic:7x5 --b cuts:9,30x-@3,1,0 --c row*2 --fetch tile --per-node 1
--ranks 4 --a cuts:10x-@0,1 --b row@2 --c 2d --view-c 70x70+1+2
--ranks 6 --a row*2 --b col*3 --c cyclic:7x7 --per-node 2 --order greedy
--ranks 6 --a col --b row --c 2d --stay b --per-node 1 --order cost --slice tile
--ranks 6 --a col --b row --c 2d --stay a --per-node 1 --order exhaustive --start alike
END
}

# The flags take the names that the library has for the values of its options.
names() {
    while read -r key flag names; do
        for name in $names; do
            exits 0 "$SECTILE" plan --json --shape 8x8x8 "$flag" "$name"
            says out "\"$key\":\"$name\""
        done
    done <<'END'
stay --stay a b c
slice --slice class tile
fetch --fetch slice tile
order --order direct greedy cost exhaustive
result --result all origin partial
END
}

steps() {
    exits 0 "$SECTILE" plan --steps --ranks 4 --shape 8x8x8
    [ "$(wc -l <out)" -eq 2 ] || fail "not two steps: $(cat out)"
    says out '{"step":0,"m":[[0,4]],"n":[[0,4]],"k":[[0,4]],"a":{"owner":0,"how":"in place"}'
    cp out lines
    exits 0 "$SECTILE" plan --steps --json --ranks 4 --shape 8x8x8
    same out lines
}

# The steps of rank 0 in the order in which they are done: k, and the group.
done_in() {
    expected=$1
    shift
    exits 0 "$SECTILE" plan --steps --per-node 1 --shape 64x64x64 --rank 3 "$@"
    order=$(sed 's/.*"k":\[\[\([0-9]*\),.*"group":\([0-9]*\),.*}/\1@\2/' out | tr '\n' ' ')
    [ "$order" = "$expected " ] || fail "not $expected but $order"
}

# Rank 3 has the second half of the k of A, and the last quarter of that of B.
orders() {
    set -- --a 2d --b row --c 2d --stay c --products 1
    done_in '32@0 48@1 0@2 16@3' "$@"
    done_in '0@0 16@1 32@2 48@3' "$@" --start alike
    done_in '48@0 32@1 0@2 16@3' "$@" --order greedy
    done_in '48@0 32@1 0@3 16@5' "$@" --order greedy --transfers 1
    done_in '48@0 32@1 0@3 16@5' "$@" --order cost --transfers 1
    done_in '48@0 32@1 0@3 16@5' "$@" --order exhaustive --transfers 1
    exits 0 "$SECTILE" plan --json "$@" --order cost
    says out '"order":"cost"'
    exits 2 "$SECTILE" plan "$@" --ranks 64 --a col --order exhaustive --slice tile
    one_line err
    says err 'an exhaustive search takes at most 12'
    exits 2 "$SECTILE" plan "$@" --ranks 64 --a col --order exhaustive --slice tile --check
    one_line err
    says err 'sectile: the plan of rank 0 cannot be made: schedule: '
    exits 2 "$SECTILE" plan --start alike --decisions nest=kmn
    says err 'start: alike is given, but decisions say where loops begin'
}

several_owners() {
    set -- --ranks 4 --shape 64x64x64 --a cyclic:3x1 --b row --c cyclic:1x1 --stay c
    exits 0 "$SECTILE" plan --steps "$@"
    says out '"a":{"owner":null,"how":"copy"}'
    exits 0 "$SECTILE" plan --picture "$@"
    says out 'C[0:1 and 31 more, 0:1 and 31 more] of rank 0'
}

# Rank 0 has all that it needs, rank 1 nothing.
no_workspace() {
    set -- --ranks 2 --shape 16x16x16 --per-node 1 --a row@1 --b row@1 --c row --stay c --workspace 1
    exits 0 "$SECTILE" plan "$@"
    for how in --check --all '--rank 1' '--steps --rank 1' '--picture --rank 1'; do
        # shellcheck disable=SC2086
        exits 1 "$SECTILE" plan "$@" $how
        one_line err
        says err 'too small by'
    done
}

# What no limit on workspace would gain, and none where nothing limits.
unlimited() {
    set -- --ranks 64 --per-node 1 --shape 1000000x1000000x1000000
    exits 0 "$SECTILE" plan "$@"
    says out 'With --workspace none, rank 0 moves 0.818 times the bytes'
    exits 0 "$SECTILE" plan "$@" --json
    says out '"unlimited_bytes":1125000000000,'
    exits 0 "$SECTILE" plan "$@" --workspace none
    grep -q 'With --workspace none' out && fail 'no limit is better than none'
    exits 0 "$SECTILE" plan "$@" --workspace none --json
    says out '"bytes_got":750000000000,'
    says out '"workspace_limit":null,'
}

# Each product under way at once has workspace of its own.
in_flight() {
    set -- --json --per-node 1 --shape 512x512x512 --a col --b row --c 2d --ranks 8 --prefetch 1 --stay c
    exits 0 "$SECTILE" plan "$@" --products 1
    says out '"workspace":393216,'
    exits 0 "$SECTILE" plan "$@" --products 8 --accumulates 3
    says out '"workspace":1376256,'
    exits 0 "$SECTILE" plan "$@"
    says out '"workspace":589824,'
}

# Why there is no ratio to the bound: replicas, or nothing to move.
no_ratio() {
    for how in '--shape 0x5x5 --a row' '--shape 0x0x0 --all' '--ranks 1'; do
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" plan --ranks 8 $how
        says out 'n/a, as nothing has to move.'
    done
    for how in '--a row*2' '--b col*8 --all' '--shape 0x5x5 --a row*2'; do
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" plan --ranks 8 $how
        says out 'n/a, as A or B is replicated.'
    done
}

tables() {
    exits 0 "$SECTILE" plan --all --check
    says out 'all ranks'
    says out 'The check holds'
}

picture() {
    exits 0 "$SECTILE" plan --picture --shape 4x4x4 --a row --b col --c 2d --rank 3 --stay c \
        --decisions nest=kmn,gather=am+bn
    # B, then A beside C: rank 3 reads the lower half of A, the right half of B.
    says out '0 1[2 3]'
    says out '[2 2 2 2]          2 2[3 3]'
    says out 'Rank 3 does 1 step:'
    grep -q "$(printf '\033')" out && fail 'colours in a file'
    exits 0 "$SECTILE" plan --picture --shape 1000000x1000000x1000000 --ranks 1000 --a cyclic:64x64
    says out 'm is scaled: a cell stands for 1/16 of 1000000 indices and shows the owner of the first.'
    # Cyclic blocks with more cuts than cells: all of each matrix is drawn, to its last row and column.
    exits 0 "$SECTILE" plan --picture --shape 1000x800x1200 --a row --b cyclic:64x48 --c 2d
    [ "$(grep -c '^ *\[[0-3 ]*\][0-3 ]*$' out)" = 16 ] || fail 'B is not drawn in 16 rows'
    says out '[0 0 0 0 0 0 0 0]1 1 1 1 1 1 1 1'
    says out '2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 3'
    # The parts that the rank uses are bright if colours are asked for.
    bright=$(printf '\033[7m')
    exits 0 "$SECTILE" plan --picture --shape 4x4x4 --color always
    says out "$bright"
    for how in auto never; do
        exits 0 "$SECTILE" plan --picture --shape 4x4x4 --color $how
        grep -qF "$bright" out && fail "--color $how is bright"
    done
    exits 0 "$SECTILE" plan --picture --shape 0x5x5
    exits 0 "$SECTILE" plan --picture --shape 5x5x0 --op TC --a 'row*2'
    # More cuts than there is room for cells of one width.
    exits 0 "$SECTILE" plan --picture --shape 100x5x5 --ranks 2 --c 'cuts:1,2,3,4,5,6,7,8,9,10,11,12x-@0,1,0,1,0,1,0,1,0,1,0,1,0'
    [ "$(awk 'length > 100' out)" = '' ] || fail 'lines too long'
}

# Plans for the engine cuda are for GPUs, also without any.
gpus() {
    flags='--ranks 8 --per-node 1 --shape 8192x8192x8192 --type bf16 --a row --b col --c 2d --json'
    # shellcheck disable=SC2086
    for engine in threads cuda; do
        exits 0 "$SECTILE" plan $flags --engine $engine
        mv out $engine
    done
    cmp -s threads cuda && fail 'a plan for GPUs is that for cores'
}

huge
known
gpus
nodes
checks
steps
orders
names
several_owners
no_workspace
unlimited
in_flight
no_ratio
tables
picture
finish
