# choose_products.sh - layouts that are chosen for groups of products.
. "${0%/*}/support.inc"

mlp='Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X'
sizes='--size m=512,h=256,f=1024'

tables() {
    exits 0 "$SECTILE" choose --group "$mlp" $sizes --machine h100x8 --type f32 --backward
    says out '6 products of f32 on 8 ranks of h100x8: '
    [ "$(grep -c '^d[VWXYZ]  ' out)" -eq 5 ] || fail "not five gradients: $(cat out)"
    says out "dX = dY * V'"
    for style in 'Megatron-LM  ' 'Megatron-LM, sequence parallel' 'fully sharded (FSDP)' \
        'copied weights, sharded gradients' 'data parallel'; do
        says out "$style"
    done
    says out 'combinations of candidates none takes less than'
    exits 0 "$SECTILE" choose --group "$mlp" $sizes --ranks 4
    says out '2 products of f64 on 4 ranks of small nodes on a slow network: '
    ! grep -q 'copied weights' out || fail 'sharded gradients, where there are none'
    exits 0 "$SECTILE" choose --group 'Y = X[100,100] * X' --ranks 70
    ! grep -q 'Megatron' out || fail 'a square is no linear layer'
    says out 'One rank was simulated alone, since simulating all would take long.'
}

layouts() {
    exits 0 "$SECTILE" choose --group "$mlp" $sizes --ranks 4 --layout X=col --layout 'V=row|2d' --json
    one_line out
    says out '"name":"Z","rows":512,"columns":256,"layout":"col"'
    grep -q '"name":"V","rows":256,"columns":1024,"layout":"\(row\|2d\)"' out || fail "V: $(cat out)"
    exits 0 "$SECTILE" choose --group "$mlp" $sizes --ranks 4 --memory 8M --json
    memory=$(sed 's/.*"memory":\([0-9]*\).*/\1/' out)
    [ "$memory" -le 8388608 ] || fail "$memory bytes are more than 8 MiB"
}

# The layouts and the work of a product are those of other verbs, and take as long.
as_simulated() {
    machine='--machine cluster --ranks 4'
    # shellcheck disable=SC2086
    exits 0 "$SECTILE" choose --group 'Y = X[512,256] * V[256,1024]' $machine --type f32 --json
    sed 's/"name"/\n&/g; s/"product"/\n&/g' out >parts
    for name in X V Y; do
        sed -n "s/^\"name\":\"$name\".*\"layout\":\"\([^\"]*\)\".*/\1/p" parts >$name
    done
    stay=$(sed -n 's/^"product".*"stay":"\([abc]\)".*/\1/p; s/^"product".*"work_of":"\([abc]\)".*/\1/p' parts)
    work=$(sed -n 's/^"product".*"work":"\([^"]*\)".*/--work \1/p' parts)
    seconds=$(sed -n 's/^"product".*"simulated_seconds":\([^,]*\),.*/\1/p' parts)
    # shellcheck disable=SC2086
    exits 0 "$SECTILE" simulate --shape 512x1024x256 $machine --type f32 --json \
        --a "$(cat X)" --b "$(cat V)" --c "$(cat Y)" --stay "$stay" $work
    says out "\"seconds\":$seconds,"
}

refused() {
    exits 2 "$SECTILE" choose --group "$mlp" --size m=512,h=256
    says err '--group: there is no size f'
    exits 2 "$SECTILE" choose --group 'Y = X[2,3] * V[4,5]'
    says err '--group: X has 3 columns (a number), but V has 4 rows (a number)'
    exits 2 "$SECTILE" choose --group "$mlp" $sizes --layout Q=row
    says err '--layout: there is no matrix Q'
    exits 2 "$SECTILE" choose --group "$mlp" $sizes --layout X
    says err "--layout: 'X' is not allowed; allowed: NAME=LAYOUT|LAYOUT..."
    exits 2 "$SECTILE" choose --group "$mlp" $sizes --layout 'X=|'
    says err "--layout: 'X=|' is not allowed; allowed: NAME=LAYOUT|LAYOUT..."
    exits 2 "$SECTILE" choose --group "$mlp" $sizes --layout X=rows
    says err 'expected row, col, 2d'
    exits 2 "$SECTILE" choose --group "$mlp" $sizes --uses 3
    says err '--group and --uses exclude each other'
    exits 2 "$SECTILE" choose --backward
    says err '--backward needs --group, to which it adds gradients'
    exits 1 "$SECTILE" choose --group "$mlp" $sizes --memory 1000
    says err 'memory: the matrices that are there at once need about'
}

# A style takes as long as its layouts do when they are fixed.
styles() {
    exits 0 "$SECTILE" choose --group "$mlp" $sizes --machine h100x8 --type f32 --json
    was=$(sed 's/.*"name":"Megatron-LM, sequence parallel",\("seconds":[^,]*,"memory":[0-9]*\)}.*/\1/' out)
    exits 0 "$SECTILE" choose --group "$mlp" $sizes --machine h100x8 --type f32 --json \
        --layout X=row --layout V=col --layout Y=col --layout W=row
    is=$(sed 's/.*\("seconds":[^,]*,\)"bound.*\("memory":[0-9]*\),"comb.*/\1\2/' out)
    [ "$was" = "$is" ] || fail "$was is not $is"
    exits 0 "$SECTILE" choose --group "$mlp" $sizes --ranks 1 --json
    says out '"styles":[],'
}

# The picture has a box for each tile, and a dot for each choice and style, of which the legend repeats
# those with a name.
pictures() {
    exits 0 "$SECTILE" choose --group 'Y = X[64,32] * V[32,64]; Z = Y * W[64,32]' --ranks 4 \
        --layout X=row --layout V=col --layout Y=col --layout W=row --layout Z='row*4' --svg svg
    cp out with
    exits 0 "$SECTILE" choose --group 'Y = X[64,32] * V[32,64]; Z = Y * W[64,32]' --ranks 4 \
        --layout X=row --layout V=col --layout Y=col --layout W=row --layout Z='row*4'
    same out with
    [ "$(tail -n 1 svg)" = '</svg>' ] || fail 'the picture has no end'
    ! grep -q 'nan\|inf\|="-' svg || fail "numbers: $(grep 'nan\|inf\|="-' svg)"
    [ "$(grep -c 'class="tile"' svg)" -eq 17 ] || fail "tiles: $(grep -c 'class="tile"' svg)"
    [ "$(grep -c 'class="replica"' svg)" -eq 3 ] || fail "replicas: $(grep -c 'class="replica"' svg)"
    [ "$(sed -n 's/.*class="layout">\(.*\)<.text>/\1/p' svg | tr '\n' ' ')" = 'row col row col row*4 ' ] ||
        fail "layouts: $(grep 'class="layout"' svg)"
    [ "$(grep -c '^<circle' svg)" -ge 6 ] || fail "points: $(grep -c '^<circle' svg)"
    says svg '>Megatron-LM, sequence parallel: '
    exits 2 "$SECTILE" choose --shape 30x20x10 --svg svg
    says err '--svg needs --group, which it draws'
}

tables
layouts
styles
pictures
as_simulated
refused
finish
