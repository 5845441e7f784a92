# run.sh - products of made-up matrices, checked, in all sorts of layouts.
. "${0%/*}/support.inc"

# holds ARGUMENT...
holds() {
    exits 0 "$SECTILE" run --check --json --ranks 4 "$@"
    one_line out
    says out '{"ok":true,'
    [ -s err ] && fail "$* wrote to stderr: $(head -n 1 err)"
}

layouts() {
    while read -r ranks a b c; do
        for more in '' '--per-node 1' "--per-node 2 $late,delay_us=20,deferred"; do
            holds --shape 37x29x43 --ranks "$ranks" --a "$a" --b "$b" --c "$c" $more
        done
    done <<'END'
1 row col 2d
2 row row row
3 col row cyclic:5x4
4 2d 2d 2d
4 row*2 col*4 2d*2
4 cyclic:3x3/f 2d/f col
5 row@3 col@2 2d:1x5
6 2d:2x3 2d:3x2 cyclic:4x4@3x2,src=1x1,first=2x3
6 row*3 row*2 col*6
7 cuts:10,20x15@0,1,2x1,0 row col
4 cuts:10,10x15@0,1,2,3,0,1 row col*2
4 row%3,0,2,1 2d%1,0,3,2 col
11 row col 2d
13 cyclic:1x1 cyclic:2x2 cyclic:3x3
END
}

variants() {
    for type in f32 f64 cf32 cf64 f16 bf16 'f16 --sum-c' 'bf16 --sum-c'; do
        for op in NN TN NC CT; do
            # shellcheck disable=SC2086
            holds --type $type --op $op --shape 30x20x25 --a cyclic:4x4 --b row --c col
        done
    done
    for stay in a b c auto; do
        for result in all origin partial; do
            holds --shape 30x20x25 --stay $stay --result $result --c 'row*2' --a 'col*2'
        done
    done
    holds --shape 30x20x25 --slice tile --sync --prefetch 0 --a cyclic:4x4
    holds --shape 30x20x25 --fetch tile --a cyclic:4x4 --b row
    says out '"slice":"tile","fetch":"tile",'
    holds --shape 30x20x25 --fetch tile --per-node 2 --type cf64 --op CN --a cyclic:4x4/f --b 'row*2'
    holds --shape 30x20x25 --fetch tile --per-node 1 --type bf16 --stay a --b cyclic:7x6 $late,deferred
    holds --shape 30x20x25 --products 1 --accumulates 7 --per-node 1 --a cyclic:4x4 --stay a
    # Own sums first or last: by the decisions of a large product, also in small ones.
    set -- --ranks 4 --per-node 1 --a row --b row --c row --stay b
    exits 0 "$SECTILE" plan --shape 1024x192x4096 "$@" --json
    says out '"decisions":"nest=mnk,k=256,begin=own+shifted+shifted,'
    for more in '' --ordered "$late,deferred" '--type f16' "$late,deferred --accumulates 1"; do
        for begin in own behind; do
            holds --shape 64x12x128 "$@" $more \
                --decisions nest=mnk,k=8,begin=$begin+shifted+shifted,ahead=16
            says out '"steps":64'
        done
    done
    for order in direct greedy cost exhaustive; do
        for stay in a b c; do
            holds --shape 30x20x25 --order $order --stay $stay --a row --b col --per-node 1
            holds --shape 30x20x25 --order $order --stay $stay --a col --c row $late,deferred --sync
        done
    done
    holds --shape 30x20x25 --order cost --transfers 3 --products 2 --start alike --per-node 2
    holds --shape 30x20x700 --order greedy --per-node 1 --a row --b row --workspace 20K --ordered
    # Slices that were copied ahead give way, before they are used, to others that are got.
    holds --shape 40x30x60 --type cf64 --op CN --stay c --a cyclic:5x40@4x1/f --b row --c col --per-node 2 \
        --slice tile --order greedy --transfers 8 --workspace 8000 $late,deferred
    holds --shape 30x20x25 --alpha 0 --beta 1
    holds --shape 30x20x25 --alpha -0.37 --beta 0
    holds --shape 30x20x25 --type cf64 --alpha 0.5,-2 --beta 1,1
    holds --shape 30x40x700 --type f16 --stay b --per-node 2 $late,deferred --c 'row*2'
    holds --shape 30x40x700 --type bf16 --stay c --alpha 0.3 --beta 0.7 --a 'row*2' --workspace 300K
    holds --shape 9x8x20000 --type f16 --a col --b row --c 'row*4' --result origin
    says out '"type_c":"f16"'
    holds --shape 30x20x25 --seed 99 --repeat 3
    holds --shape 30x20x25 --view-a 40x50+3+4 --view-b 25x21+0+1 --view-c 60x60+30+40 --a cyclic:8x8
}

sizes() {
    for shape in 0x3x4 3x0x4 3x4x0 1x1x1 1x200x1 200x1x1 1x1x200; do
        holds --shape $shape --ranks 5 --a row --b cyclic:3x3
    done
    # Sums that are cut, the own ones last.
    holds --shape 8x4096x4 --type cf64 --ranks 4 --per-node 1 --stay b --a row --b row --c row \
        --decisions nest=mnk,n=2048,begin=behind+shifted+shifted,ahead=2
    says out '"steps":32'
    holds --shape 500x500x500
    says out '"checked_exactly":250000'
    says out '"checked_by_bound":4100'
}

fields() {
    holds --shape 30x20x25
    for field in ok ranks shape type type_c op a b c stay slice engine path steps gflops seconds \
        bytes_got bytes_accumulated bytes_in_place bytes_planned workspace max_error_over_bound seed \
        blas_threads peak_memory peak_memory_process; do
        says out "\"$field\":"
    done
    exits 0 env -u OPENBLAS_NUM_THREADS -u OMP_NUM_THREADS "$SECTILE" run --shape 30x20x25 --json
    says out '"blas_threads":1,'
    says out '"max_error_over_bound":null'
    exits 0 "$SECTILE" run --shape 30x20x25 --check
    says out 'check holds'
}

# What becomes infinite, or so small that it loses bits, is right if it is that.
beyond() {
    set -- --shape 32x32x32 --ranks 3
    for type in f16 bf16 f32 f64 cf32 cf64; do
        # shellcheck disable=SC2086
        for scalars in '1e38' '3e38 --beta 3e38' '1e-45 --beta 0' '1e-41 --beta 0'; do
            holds "$@" --type $type --c 'row*3' --alpha $scalars
        done
    done
    holds "$@" --type f16 --alpha 20000 --beta 0
    holds "$@" --alpha 1e308 --stay a
    holds "$@" --alpha 1e-320 --beta 0
    exits 2 "$SECTILE" run --check --type f16 --alpha 1e39
    says err "--alpha: '1e+39' is not allowed; allowed: numbers in the range of f32"
}

# Products, gets and accumulates are drawn, on each rank.
timelines() {
    for engine in threads emulated; do
        exits 0 "$SECTILE" run --engine $engine --ranks 3 --per-node 1 --shape 90x80x70 --a row --b col \
            --c cyclic:9x9 --stay a --check --svg drawn.svg --trace drawn.json
        [ "$(tail -n 1 drawn.svg)" = '</svg>' ] || fail 'the picture does not end'
        for word in 'rank 2' multiply get accumulate '90x80x70 f64 on 3 ranks: '; do
            says drawn.svg ">$word"
        done
        python3 -m json.tool drawn.json >out || fail 'the events are no JSON'
    done
    exits 1 "$SECTILE" run --svg nowhere/drawn.svg
    exits 2 "$SECTILE" run --svg drawn.svg --trace drawn.svg
    exits 0 "$SECTILE" run --ranks 2 --reference --pairs 1 --shape 8x8x8 --trace one.json
    [ "$(tr ',' '\n' <one.json | grep -c '"step":0')" = 2 ] || fail 'not one product is drawn'
}

one_element() {
    exits 0 "$SECTILE" run --shape 1x1x1 --ranks 1 --check
    says out 'check holds: 1 element compared exactly, '
}

refusals() {
    # A sanitizer ends the program for an allocation of that size.
    if [ -n "${FAULTS:-}" ]; then
        exits 1 "$SECTILE" run --ranks 2 --shape 1000000x1000000x2000000
        one_line err
        says err 'no memory: A of 1000000 x 2000000 elements of f64 takes 14.6 TiB on all ranks'
    fi
    exits 1 "$SECTILE" run --ranks 4 --shape 64x64x64 --a cyclic:2x2 --per-node 1 --workspace 1
    one_line err
    exits 2 "$SECTILE" run --type bf16 --result partial
    says err 'C is bf16, which is not a type for partial sums'
    exits 2 "$SECTILE" run --check --type f32 --shape 1x1x99999999
    says err 'exact in f32'
}

layouts
variants
sizes
fields
beyond
timelines
one_element
refusals
finish
