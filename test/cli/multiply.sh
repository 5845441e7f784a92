# multiply.sh - small known products, in all layouts, orders, ops and types.
. "${0%/*}/support.inc"

# A is 2 x 3, B is 3 x 2.
{ npy '<f8' False '(2, 3)'; doubles 1 2 3 4 5 6; } >a.npy
{ npy '<f8' True '(2, 3)'; doubles 1 4 2 5 3 6; } >a_fortran.npy
{ npy '<f8' False '(3, 2)'; doubles 1 4 2 5 3 6; } >a_turned.npy
{ npy '<f8' False '(3, 2)'; doubles 7 8 9 10 11 -12; } >b.npy
{ npy '<f8' False '(2, 2)'; doubles 58 -8 139 10; } >ab.npy
{ npy '<f8' True '(2, 2)'; doubles 58 139 -8 10; } >ab_fortran.npy
{ npy '<f8' False '(2, 2)'; doubles 1 2 3 4; } >c.npy
{ npy '<f8' False '(2, 2)'; doubles 119 -10 287 32; } >ab2_c3.npy

# product EXPECTED ARGUMENT...
product() {
    expected=$1
    shift
    rm -f o.npy
    exits 0 "$SECTILE" multiply "$@" -o o.npy
    same o.npy "$expected"
}

all_layouts() {
    for ranks in 1 2 3 4; do
        for layout in row col 2d cyclic:1x1 cyclic:2x1 row/f row@1 'cuts:1x1@0,0,0,0'; do
            product ab.npy a.npy b.npy --ranks $ranks --a $layout
            product ab.npy a.npy b.npy --ranks $ranks --b $layout --per-node 1
            for stay in a b c; do
                product ab.npy a.npy b.npy --ranks $ranks --c ${layout%/f} --stay $stay
            done
        done
    done
    product ab.npy a.npy b.npy --ranks 4 --a 'row*2' --b 'col*4' --c '2d*2'
    product ab.npy a.npy b.npy --ranks 4 --c 'row%3,1,0,2'
    product ab.npy a.npy b.npy --ranks 2 --slice tile --sync --prefetch 0 --deferred
    product ab.npy a.npy b.npy --workspace 1M
}

# All that is written is of replica 0.
replicas() {
    { npy '<f8' False '(9, 1)'; doubles 1 2 3 4 5 6 7 8 9; } >tall.npy
    { npy '<f8' False '(1, 3)'; doubles 7 -8 9; } >flat.npy
    exits 0 "$SECTILE" multiply tall.npy flat.npy -o expected.npy --ranks 1
    for stay in a b c; do
        product expected.npy tall.npy flat.npy --ranks 4 --c 'row*2' --stay $stay
    done
}

orders() {
    product ab.npy a_fortran.npy b.npy
    product ab_fortran.npy a.npy b.npy --c row/f
    product ab_fortran.npy a_fortran.npy b.npy --c 'cyclic:1x1/f' --ranks 3
}

ops() {
    product ab.npy a_turned.npy b.npy --op TN
    product ab.npy a_turned.npy b.npy --op CN
}

scalars() {
    product ab2_c3.npy a.npy b.npy --alpha 2 --beta 3 -c c.npy
    product ab2_c3.npy a.npy b.npy --alpha 2 --beta 3 -c c.npy --c 'row*2' --ranks 2 --stay a
    product ab.npy a.npy b.npy --beta 0 -c c.npy
}

# f2, f4 and c8: 1 2 ; 3 4 times 0 1 ; 1 0 exchanges columns; i times i is -1.
other_types() {
    { npy '<f4' False '(2, 2)'; printf '\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100'; } >s.npy
    { npy '<f4' False '(2, 2)'; printf '\0\0\0\0\0\0\200\77\0\0\200\77\0\0\0\0'; } >x.npy
    { npy '<f4' False '(2, 2)'; printf '\0\0\0\100\0\0\200\77\0\0\200\100\0\0\100\100'; } >sx.npy
    product sx.npy s.npy x.npy --ranks 2
    { npy '<f2' False '(2, 2)'; printf '\0\74\0\100\0\102\0\104'; } >s2.npy
    { npy '<f2' False '(2, 2)'; printf '\0\0\0\74\0\74\0\0'; } >x2.npy
    { npy '<f2' False '(2, 2)'; printf '\0\100\0\74\0\104\0\102'; } >sx2.npy
    product sx2.npy s2.npy x2.npy --ranks 2
    product sx2.npy s2.npy x2.npy --ranks 3 --alpha 0.5 --beta 0.5 -c sx2.npy
    product sx.npy s2.npy x2.npy --ranks 2 --sum-c
    product sx.npy s2.npy x2.npy --sum-c --alpha 0.5 --beta 0.5 -c sx.npy
    { npy '<c8' False '(1, 1)'; printf '\0\0\0\0\0\0\200\77'; } >i.npy
    { npy '<c8' False '(1, 1)'; printf '\0\0\200\277\0\0\0\0'; } >ii.npy
    { npy '<c8' False '(1, 1)'; printf '\0\0\200\77\0\0\0\0'; } >conjugate.npy
    product ii.npy i.npy i.npy
    product conjugate.npy i.npy i.npy --op CN
    product ii.npy i.npy conjugate.npy --alpha 0,1
    { npy '<c16' False '(1, 1)'; doubles 3 4; } >z.npy
    { npy '<c16' False '(1, 1)'; doubles 25 0; } >zz.npy
    product zz.npy z.npy z.npy --op NC
}

# An input is replaced with --force only, under whatever name; a link is followed; an old file is
# replaced, with the usual mode.
names() {
    cp c.npy own.npy
    ln -s own.npy other.npy
    ln own.npy third.npy
    for name in own ./own other third; do
        exits 2 "$SECTILE" multiply own.npy own.npy -o $name.npy
        one_line err
        says err "-o $name.npy would replace the input own.npy"
        exits 2 "$SECTILE" copy own.npy -o $name.npy
        exits 2 "$SECTILE" multiply a.npy b.npy --beta 1 -c own.npy -o $name.npy
    done
    same own.npy c.npy
    exits 0 "$SECTILE" copy own.npy -o own.npy --op T --force
    exits 0 "$SECTILE" copy own.npy -o own.npy --op T --force
    exits 0 "$SECTILE" multiply own.npy own.npy -o own.npy --force
    { npy '<f8' False '(2, 2)'; doubles 7 10 15 22; } >squared.npy
    same own.npy squared.npy
    echo old >target.npy
    ln -s target.npy link.npy
    exits 0 "$SECTILE" multiply a.npy b.npy -o link.npy
    [ -L link.npy ] || fail 'the link was replaced'
    same target.npy ab.npy
    (umask 027 && "$SECTILE" multiply a.npy b.npy -o mode.npy >out)
    [ "$(ls -l mode.npy | cut -c1-10)" = -rw-r----- ] || fail "mode $(ls -l mode.npy)"
}

# misfit TEXT ARGUMENT...: one line, and no output.
misfit() {
    text=$1
    shift
    exits 1 "$SECTILE" multiply "$@" -o none.npy
    one_line err
    says err "$text"
    [ -e none.npy ] && fail "output of: $*"
}

misfits() {
    misfit '2 x 3' a.npy a.npy
    misfit "same type; NumPy's astype converts one" a.npy s.npy
    misfit 'same type' s2.npy x2.npy -c sx.npy --beta 1
    misfit 'same type, except C with --sum-c' s2.npy x2.npy -c sx2.npy --beta 1 --sum-c
    misfit 'the product is 2 x 2' a.npy b.npy --beta 1 -c a.npy
    misfit 'No such file' a.npy nothing.npy
    exits 2 "$SECTILE" multiply a.npy b.npy -o none.npy --alpha 1,2
    says err 'real number'
    exits 2 "$SECTILE" multiply a.npy b.npy -o none.npy --c row*5 --ranks 4
    exits 1 "$SECTILE" multiply a.npy b.npy -o nowhere/c.npy
    exits 1 "$SECTILE" multiply a.npy b.npy -o .
}

json() {
    exits 0 "$SECTILE" multiply a.npy b.npy -o o.npy --json
    one_line out
    says out '{"ok":true,'
    says out '"shape":"2x2x3"'
    says out '"type":"f64"'
    [ -s err ] && fail "--json wrote to stderr"
}

all_layouts
replicas
orders
ops
scalars
other_types
names
misfits
json
no_leftovers
finish
