# figure.sh - plans as SVG: what is drawn of which problem.
. "${0%/*}/support.inc"

# draw ARGUMENT...: into the file svg, which is well-formed as far as can be told here.
draw() {
    exits 0 "$SECTILE" plan --svg svg "$@"
    if command -v xmllint >/dev/null; then
        xmllint --noout svg || fail "not well-formed: $*"
    elif command -v python3 >/dev/null; then
        python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("svg")' || fail "not XML: $*"
    fi
    head -n 1 svg | grep -q '^<svg xmlns="http://www.w3.org/2000/svg" .*>$' || fail "begins: $*"
    [ "$(sed -n 2p svg)" = '<rect width="100%" height="100%" fill="white"/>' ] || fail "ground: $*"
    [ "$(tail -n 1 svg)" = '</svg>' ] || fail "ends: $*"
    ! grep -q 'nan\|inf\|="-' svg || fail "numbers: $*"
    ! grep -qi '<script\|href' svg || fail "more than a picture: $*"
}

# has COUNT CLASS: so many elements are of the class, the samples of the legend among them.
has() {
    [ "$(grep -c "class=\"$2\"" svg)" -eq "$1" ] || fail "not $1 of $2: $(grep -c "class=\"$2\"" svg)"
}

# written CLASS: the texts of the class, in the order of the file.
written() {
    sed -n "s/.* class=\"$1\"[^>]*>\(.*\)<\/text>/\1/p" svg | tr '\n' ' '
}

# The example of docs/algorithm.md. Pixels are 440 for 8 indices.
known() {
    draw --ranks 4 --shape 8x8x8 --a cuts:3x5@0,1x0,1 --b row --c 2d --stay c --rank 3
    says svg '>--ranks 4 --shape 8x8x8 --a cuts:3x5@0,1x0,1 --b row --c 2d --stay c --rank 3<'
    has 12 tile
    [ "$(written rank)" = '0 1 2 3 0 1 2 3 0 1 2 3 ' ] || fail "ranks: $(written rank)"
    [ "$(written step)" = '4 5 1 2 3 4 5 1 2 3 ' ] || fail "steps: $(written step)"
    has 11 'used slice'
    has 0 used
    has 2 own
    has 4 swatch
    has 3 replica
    # A's first slice: rows 4 to 8, columns 0 to 2; rank 3's part of C.
    says svg '<rect x="64" y="834" width="110" height="220" class="used slice" stroke-width="1.2"/>'
    says svg '<rect x="784" y="834" width="220" height="220" class="own" stroke-width="3"/>'
    says svg 'slices of A and B read by rank 3 in 5 steps'
    [ "$(written tick)" = '0 3 8 0 5 8 0 2 4 6 8 0 8 0 4 8 0 4 8 ' ] || fail "$(written tick)"
}

# What else plan prints stays as it is.
beside() {
    for how in '' --json --steps --picture '--all --check'; do
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" plan --shape 40x30x20 $how
        cp out plain
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" plan --shape 40x30x20 $how --svg svg
        same plain out
    done
    draw --shape 40x30x20 --per-node 1
    says svg ' --per-node 1 --rank 0<'
    exits 0 "$SECTILE" plan --shape 40x30x20 --svg svg
    cp svg first
    exits 0 "$SECTILE" plan --shape 40x30x20 --svg=svg
    same first svg
}

many_ranks() {
    draw --ranks 64 --shape 4096x4096x4096 --a row --b col --c 2d --stay c --rank 27
    has 192 tile
    has 64 swatch
    [ "$(sed -n 's/.*class="swatch" fill="\(.*\)".*/\1/p' svg | sort -u | wc -l)" -eq 64 ] ||
        fail 'two of 64 ranks have one colour'
    each=$(seq -s ' ' 0 63)
    [ "$(written rank)" = "$each $each $each " ] || fail "$(written rank)"
    [ "$(written step)" = '3 4 1 2 3 4 1 2 ' ] || fail "$(written step)"
    # The numbers of columns are turned; those of their steps would run together.
    [ "$(grep -c 'class="rank" .*rotate(-90' svg)" -eq 64 ] || fail 'numbers that are not turned'
    draw --ranks 64 --shape 8192x8192x8192 --a row --b col --c row --stay c --rank 20
    [ "$(written step)" = '1 2 3 4 5 6 7 8 9 ' ] || fail "$(written step)"
}

# narrowest: how narrow the narrowest tile is, in pixels.
narrowest() {
    sed -n 's/.* width="\([0-9]*\)" height="\([0-9]*\)" class="tile".*/\1 \2/p' svg |
        tr ' ' '\n' | sort -n | head -n 1
}

# What is cut is as long as its tiles need, in whatever shape; tiles have numbers, which differ in
# nothing but their place.
layers() {
    while read -r shape ranks layouts; do
        # shellcheck disable=SC2086
        draw --shape "$shape" --ranks "$ranks" $layouts
        [ "$(narrowest)" -ge 8 ] || fail "a tile of $(narrowest) pixels: $shape $layouts"
        [ "$(written rank | wc -w)" -eq "$(grep -c 'class="tile"' svg)" ] || fail "numbers: $shape"
        says svg 'Not to scale: m is stretched '
        ! grep -q ' [0-9]*e[+]' svg || fail 'a number that is hard to read'
    done <<'END'
1024x49152x12288 64 --a row --b col --c 2d --rank 63
1024x49152x12288 32 --a col --b row --c row --rank 3
320x100000x640 32 --a row --b col --c 2d --rank 3
1000000x64x64 64 --a row --b 2d --c row*4
END
    draw --shape 1024x49152x12288 --ranks 64 --a row --b col --c 2d --rank 63
    says svg 'Not to scale: m is stretched 63 times.'
    says svg 'Not to scale: n is stretched 1.31 times.'
    ! grep -q 'scale: k' svg || fail 'k is in scale'
}

# Of 1563 blocks each way those are drawn that keep the owners in their order, rank 6's among them.
many_tiles() {
    draw --ranks 16 --shape 100000x100000x100000 --a cyclic:64x64 --b row --c 2d --rank 6 --stay c
    says svg 'Of the 38 blocks of rows of A, a sample is drawn, all of one size.'
    says svg 'Of the 38 blocks of columns of A, a sample is drawn, all of one size.'
    has $((38 * 38 + 16 + 16)) tile
    case $(written rank) in
    '15 12 13 14 15 12 13 14 '*) ;;
    *) fail "not dealt round: $(written rank | cut -c 1-40)" ;;
    esac
    # No common divisor of what is left out and of the grid hides an owner.
    draw --ranks 64 --shape 8320x8x8 --a cyclic:128x8@64x1 --b row --c row --stay c
    says svg 'Of the 22 blocks of rows of A, a sample is drawn, all of one size.'
    draw --ranks 1000 --shape 1000000x1000000x1000000 --a cyclic:64x64 --rank 999
    draw --ranks 1000000 --shape 1000000x1000000x1000000 --rank 999999 --a row
    draw --ranks 1 --shape 512x256x4 --a cyclic:1x4 --b cyclic:4x1 --c cyclic:1x1 --slice tile
    says svg 'Only the first 100000 steps are marked.'
}

# As they are stored, A is cut by rows: op(A) by columns. B's view begins in the second of its rows'
# blocks, which are of 25.
ops_and_views() {
    draw --ranks 4 --shape 60x50x40 --op TN --a row --b row --c row --view-b 100x50+30+0 --stay c
    says svg '>op(A), m x k<'
    says svg '>B, k x n<'
    says svg '--op TN --a row --b row --c row --view-b 100x50+30+0 --stay c --rank 0<'
    [ "$(written tick)" = '0 60 0 10 20 30 40 0 20 40 0 50 0 15 30 45 60 0 50 ' ] ||
        fail "$(written tick)"
    [ "$(written rank)" = '0 1 2 3 1 2 0 1 2 3 ' ] || fail "$(written rank)"
}

stays() {
    draw --ranks 4 --shape 40x40x40 --stay a
    says svg "rank 0's part of A, the stationary matrix"
    says svg 'slices of B read and of C updated by rank 0 in 2 steps'
    draw --ranks 4 --shape 40x40x40 --stay b
    says svg 'slices of A read and of C updated by rank 0 in 2 steps'
    # Each slice of C is of two steps, of which the first counts.
    draw --ranks 8 --shape 2000x1500x1000 --op TT --a row --b 'col*2' --c 2d --rank 3 --stay b
    [ "$(written step)" = '2 1 2 1 ' ] || fail "$(written step)"
}

# cuts COUNT: so many cuts of the work layout, beside the sample in the legend.
cuts() {
    [ "$(grep -c 'stroke-dasharray' svg)" -eq $((1 + $1)) ] || fail "not $1 cuts of work"
}

# Without a stationary matrix, the work layout is drawn over the matrix whose shape it has, and the rank's part framed.
work_grids() {
    draw --ranks 8 --shape 4096x4096x4096 --a row --b row --c row --per-node 1 --rank 5 --work '2d:2x2*2'
    says svg '>cuts of the work layout, which has the shape of C<'
    says svg ">rank 5's part of the work, in replica 1 of 2, which divide k<"
    says svg 'slices of A and B read and of C updated by rank 5 in '
    # Its upper right quarter of C, which is drawn at (564, 632) with 440 pixels each way; and the sample.
    says svg '<rect x="784" y="632" width="220" height="220" class="own" stroke-width="3"/>'
    has 2 own
    cuts 2
    # The middles of the rows and of the columns.
    says svg '<line x1="564.0" y1="852.0" x2="1004.0" y2="852.0" stroke="#555555" stroke-dasharray="6 4"/>'
    says svg '<line x1="784.0" y1="632.0" x2="784.0" y2="1072.0" stroke="#555555" stroke-dasharray="6 4"/>'
    draw --ranks 8 --shape 400x600x800 --a row --b row --c row --stay a --work '2d:1x4*2'
    says svg 'which has the shape of A<'
    says svg "rank 0's part of the work, in replica 0 of 2, which divide n<"
    cuts 3
    draw --ranks 8 --shape 400x600x800 --a row --b row --c row --stay b --work 'col'
    says svg 'which has the shape of B<'
    says svg ">rank 0's part of the work<"
    cuts 7
    draw --ranks 4 --shape 400x400x400 --a row --b row --c row --stay c --work 'cyclic:1x200@2x2'
    cuts 1
    has 0 own
    draw --ranks 4 --shape 0x400x400 --a row --b row --c row --stay c --work '2d'
    # A sample of blocks has no places for cuts.
    draw --ranks 4 --shape 400x400x400 --c cyclic:1x400@4x1 --stay c --work 'row'
    cuts 0
    has 0 own
}

replicas() {
    draw --ranks 16 --shape 400x100x200 --a '2d*4' --b 'row*2' --c '2d*8' --rank 9
    has $((4 + 2 + 4)) replica
    says svg 'A has 4 replicas; replica 2 is drawn.'
    says svg 'B has 2 replicas; replica 1 is drawn.'
    says svg 'C has 8 replicas; replica 4 is drawn.'
    [ "$(written rank)" = '8 9 10 11 8 9 10 11 12 13 14 15 8 9 ' ] || fail "$(written rank)"
}

odd_sizes() {
    draw --shape 0x5x5
    has 4 tile
    draw --shape 0x0x0
    has 0 tile
    has 0 'used slice'
    ! grep -q 'scale:' svg || fail 'a scale of nothing'
    says svg "Rank 0 owns nothing that is drawn of C, the stationary matrix."
    says svg 'Rank 0 has no steps.'
    draw --shape 5x5x0 --op TC --a 'row*2'
    draw --ranks 1 --shape 1x1x1
    draw --ranks 8 --shape 3x3x3 --a row --b col --c row --stay c --rank 7
    says svg 'Rank 7 has no steps.'
    has 0 own
    draw --ranks 16 --shape 65536x256x256 --a row --b col --c row --rank 3
    says svg 'Not to scale: k is stretched 47 times.'
    # Cuts far apart and close together, of which not all are drawn.
    draw --ranks 1 --shape 1000x9x9 --a "cuts:1,$(seq -s , 901 999)x-@$(seq 101 | sed 's/.*/0/' | paste -sd ,)"
    says svg 'Of the 5 blocks of rows of A, a sample is drawn, all of one size.'
    # Layouts that are longer than a line.
    draw --ranks 2 --shape 99x99x99 --a "cuts:$(seq -s , 98)x-@$(seq 99 | sed 's/.*/1/' | paste -sd ,)"
    grep -q '^<text .*>--a cuts:1,2,3,[0-9,]*\.\.\.</text>$' svg || fail 'a layout is not cut short'
    [ "$(awk 'length > 300' svg | grep -vc '^<style\|^<defs')" -eq 0 ] || fail 'lines too long'
}

refusals() {
    rm -f svg
    exits 2 "$SECTILE" plan --svg svg --ranks 4 --rank 4
    one_line err
    says err "--rank: '4' is not allowed; allowed: 0 to 3"
    exits 1 "$SECTILE" plan --svg svg --ranks 2 --shape 16x16x16 --per-node 1 --a row@1 --b row@1 \
        --c row --stay c --workspace 1 --rank 1
    one_line err
    [ ! -e svg ] || fail 'a picture of a plan that cannot be'
    exits 1 "$SECTILE" plan --svg nowhere/x.svg
    one_line err
    says err 'nowhere/x.svg: cannot be written: No such file'
    [ ! -s out ] || fail 'a plan was printed in spite of it'
    exits 1 "$SECTILE" plan --svg /dev/full
    one_line err
    says err '/dev/full: cannot be written: No space'
    exits 2 "$SECTILE" plan --svg ''
    one_line err
}

known
beside
many_ranks
layers
many_tiles
ops_and_views
stays
work_grids
replicas
odd_sizes
refusals
finish
