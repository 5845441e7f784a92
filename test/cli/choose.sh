# choose.sh - layouts that are chosen, and what plans move beside what has to be moved.
. "${0%/*}/support.inc"

echo '{"name": "slow", "peak": {"f64": 1e-320}, "links": [{}]}' >slow.json

choices() {
    exits 0 "$SECTILE" choose --json --ranks 8 --shape 4096x4096x4096 --by bytes --per-node 1
    one_line out
    # 2 x 2 x 2 ranks: three halves of blocks of 2048 x 2048, as little as can be.
    says out '"bound":50331648,'
    says out '"regime":"3d"'
    says out '"choices":[{"a":"'
    says out '"bytes":50331648,"bytes_made":0,"bytes_reduced":0,'
    says out '"imbalance_flops":1,'
    says out '"times_bound":1,"times_bound_reduced":0}'
    exits 0 "$SECTILE" choose --ranks 2 --shape 600x500x400 --top 2
    says out 'C is 600 x 500, k is 400, f64, on 2 ranks'
    says out 'x bound'
    [ "$(grep -c -e '--a row' -e '--a col' out)" -eq 2 ] || fail "not two choices: $(cat out)"
    # A machine of 12 ranks is not simulated with 6.
    exits 0 "$SECTILE" choose --json --ranks 6 --machine pvc12 --shape 600x600x600
    says out '"simulated_seconds":null,'
    exits 0 "$SECTILE" choose --json --ranks 12 --machine pvc12 --shape 600x600x600
    grep -q '"simulated_seconds":null,' out && fail "not simulated: $(cat out)"
    exits 0 "$SECTILE" choose --ranks 65 --shape 600x500x400 --top 1
    says out 'Only a sample of ranks was planned, 4 or more'
    exits 0 "$SECTILE" choose --ranks 1 --shape 6x5x4
    says out 'n/a'
}

# What moves little is first, and what is faster below it, unless it is time that is asked for.
little_first() {
    set -- --machine cluster --ranks 32 --shape 32768x512x512
    exits 0 "$SECTILE" choose --top 16 "$@"
    says out 'The first choice moves few bytes. Choices below it move more and take less time, at best 0.'
    exits 0 "$SECTILE" choose --json --top 2 "$@"
    # 32 x 1 x 1 ranks: all of B but a share.
    says out '"bytes_each":2031616,'
    exits 0 "$SECTILE" choose --by time --top 16 "$@"
    grep -q 'The first choice moves few bytes' out && fail "by time: $(tail -n 3 out)"
    exits 0 "$SECTILE" choose --json --by time --top 2 "$@"
    grep -q '"bytes_each":2031616,' out && fail "by time: $(cat out)"
}

# number KEY: of the plan or choice in out.
number() {
    sed 's/,"copied":.*//; s/.*"'"$1"'":\([0-9.e+-]*\).*/\1/' out
}

# planned ARGUMENTS...: what plan says of the first choice printed, by the flags that are.
planned() {
    exits 0 "$SECTILE" choose --top 1 "$@"
    flags=$(sed -n 's/.*  \(--a .*\)/\1/p' out | head -n 1)
    exits 0 "$SECTILE" choose --json --top 1 "$@"
    bytes=$(number bytes)
    made=$(number bytes_made)
    bound="$(number times_bound) $(number times_bound_reduced)"
    while [ "$1" = --fix ] || [ "$1" = --by ]; do
        shift 2
    done
    # shellcheck disable=SC2086
    exits 0 "$SECTILE" plan --json --all --check $flags "$@"
    says out '"check":"holds"'
    moved=$(sed 's/.*"busiest"[^}]*"bytes_got":\([0-9]*\).*"bytes_accumulated":\([0-9]*\).*/\1 \2/' out)
    [ $((${moved% *} + ${moved#* })) -eq "$bytes" ] || fail "$bytes bytes are not $moved"
    # With replicas of A or B, which plan takes for given, only choose knows a number.
    [ "$made" -gt 0 ] || [ "$bound" = "$(number times_bound) $(number times_bound_reduced)" ] ||
        fail "$bound times the bound are not $(number times_bound) $(number times_bound_reduced)"
}

# What is chosen is what plan says of it: layouts long and short, C with replicas, uneven work.
as_planned() {
    planned --ranks 8 --shape 50x36x70 --per-node 1
    planned --fix 'b=cyclic:5x5' --ranks 7 --shape 50x36x70 --per-node 1
    planned --fix 'c=row*8' --by bytes --ranks 8 --shape 50x36x70 --per-node 1
}

# A work layout is chosen, and the flags printed repeat it; or it is given, and the layouts suit it.
works() {
    set -- --ranks 8 --shape 4096x4096x4096 --per-node 1
    exits 0 "$SECTILE" choose --top 1 "$@"
    says out ' --stay c --work 2d:2x2*2 --slice '
    planned "$@"
    exits 0 "$SECTILE" choose --json --top 1 --work 'col*2' "$@"
    says out '"stay":null,"work":"col*2","work_of":"c",'
    # 1 x 4 x 2 ranks: three quarters of half of A, half of a quarter of C.
    says out '"bytes":67108864,"bytes_made":0,'
    exits 0 "$SECTILE" choose --json --top 1 --work row --stay b "$@"
    says out '"stay":"b",'
    # Beside a C that lies as the work does, C is stationary.
    exits 0 "$SECTILE" choose --json --top 1 --work 'cyclic:64x64' --fix 'c=cyclic:64x64' "$@"
    says out '"c":"cyclic:64x64","stay":"c","work":null,"work_of":null,'
    exits 0 "$SECTILE" choose --json --top 1 --work 'cyclic:64x64' --fix 'c=row' "$@"
    says out '"c":"row","stay":null,"work":"cyclic:64x64","work_of":"c",'
}

fixed() {
    exits 0 "$SECTILE" choose --ranks 4 --per-node 1 --shape 4096x4096x4096 --fix a=row@1,b=col \
        --fix c=row
    says out 'Copying fixed matrices to other layouts first pays:'
    says out 'Without copies, the fastest choice takes'
    exits 0 "$SECTILE" choose --by bytes --uses 100 --ranks 8 --shape 2000x200x2000 \
        --fix a=col,b=row
    says out 'Without copies, the first choice takes'
    exits 0 "$SECTILE" choose --ranks 4 --shape 4096x4096x4096 --fix a=2d,b=2d,c=2d
    says out 'Copying fixed matrices to other layouts first does not pay.'
    exits 0 "$SECTILE" choose --json --ranks 4 --per-node 1 --top 1 \
        --fix 'a=cuts:10,20x-@0,1,0x0@4x1'
    says out '"a":"cuts:10,20x-@0,1,0x0@4x1"'
    says out '"copying_pays":true'
    # Replicas that are there cost nothing, and the bound does not know them.
    exits 0 "$SECTILE" choose --json --ranks 4 --fix 'b=row*4' --top 1
    says out '"bytes":0,"bytes_made":0,'
    says out '"times_bound":null'
}

machines() {
    exits 0 "$SECTILE" choose --json --machine pvc12 --type f32 --ranks 12 --shape 8192x49152x12288
    says out '"machine":"pvc12"'
    exits 0 "$SECTILE" choose --machine cluster --ranks 16 --memory 64M --uses 100
    says out 'on 16 ranks of cluster'
    # What stays goes by the machine: products read what is in place, or wait for a network.
    set -- --json --ranks 2 --shape 512x512x512 --a 2d --b 2d --c row
    exits 0 "$SECTILE" plan "$@" --machine node
    says out '"bytes_got":0,'
    exits 0 "$SECTILE" plan "$@" --machine pvc12
    says out '"bytes_in_place":0,'
    exits 2 "$SECTILE" plan "$@" --machine nowhere
    one_line err
}

refused() {
    while read -r code said arguments; do
        # shellcheck disable=SC2086
        exits "$code" "$SECTILE" choose $arguments
        one_line err
        says err "$(echo "$said" | tr _ ' ')"
    done <<'END'
2 allowed:_a=LAYOUT,_b=LAYOUT_or_c=LAYOUT --fix d=row
2 --fix:_'a=' --fix a=
2 --fix_a:_layout_"row," --fix a=row,
2 --fix_b:_layout_"rox" --fix a=row,b=rox
2 at_least_9_ranks_are_needed --fix a=row@9
2 neither_a_file --machine nowhere
2 13_is_more_than_the_12_ranks_of_pvc12 --machine pvc12 --ranks 13 --type f32
2 --by:_'speed' --by speed
2 --work:_layout_"rox" --work rox
2 at_least_9_ranks_are_needed --work row@9
2 --uses:_'0' --uses 0
2 --memory:_'1x' --memory 1x
2 below_8388608T --memory 8388608T
2 m,_n_and_k_must_be_at_least_1 --shape 0x1x1
2 ranks:_1048577_is_not_between_1_and_1048576 --ranks 1048577
2 each_at_most_once --fix a=row --fix a=col
1 the_product_would_never_finish --machine slow.json --fix a=row
1 memory:_1000_bytes_are_too_few_for_any_layouts_and_their_workspace; --memory 1000
END
}

enough() {
    exits 1 "$SECTILE" choose --memory 1000
    bytes=$(sed 's/.*; \([0-9]*\) suffice$/\1/' err)
    exits 0 "$SECTILE" choose --memory "$bytes"
    exits 1 "$SECTILE" choose --memory 1000 --per-node 1
    bytes=$(sed 's/.*; \([0-9]*\) suffice$/\1/' err)
    exits 0 "$SECTILE" choose --memory "$bytes" --per-node 1
}

# Beside what has to be moved: by hand, 2 x 2 ranks on a cube of 64.
bounds() {
    set -- --json --all --shape 64x64x64 --ranks 4 --a 2d --b 2d --per-node 1 --stay c
    exits 0 "$SECTILE" plan "$@" --c 2d
    says out '"bound":14435.'
    says out '"regime":"3d","times_bound":1.13'
    says out '"times_bound_reduced":0,"imbalance_flops":1,"imbalance_bytes":1,'
    exits 0 "$SECTILE" plan "$@" --c '2d:1x2*2'
    says out '"bytes_reduced":16384,'
    exits 0 "$SECTILE" plan "$@" --c 2d --a 'row*2'
    says out '"times_bound":null,"times_bound_reduced":null'
    exits 0 "$SECTILE" plan --all --shape 64x64x64 --c '2d*2' --ranks 8
    says out 'to reduce the replicas of C'
    exits 0 "$SECTILE" plan --shape 64x64x64 --a 'row*2'
    says out 'n/a'
}

choices
little_first
as_planned
works
fixed
machines
refused
enough
bounds
finish
