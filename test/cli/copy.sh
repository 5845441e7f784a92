# copy.sh - copies that transpose and reorder, and round trips that change nothing.
. "${0%/*}/support.inc"

{ npy '<f8' False '(2, 3)'; doubles 1 2 3 4 5 6; } >a.npy
{ npy '<f8' True '(2, 3)'; doubles 1 4 2 5 3 6; } >a_fortran.npy
{ npy '<f8' False '(3, 2)'; doubles 1 4 2 5 3 6; } >turned.npy
{ npy '<c16' False '(2, 1)'; doubles 1 2 3 -4; } >z.npy
{ npy '<c16' False '(1, 2)'; doubles 1 -2 3 4; } >z_conjugate.npy

# copied EXPECTED ARGUMENT...
copied() {
    expected=$1
    shift
    exits 0 "$SECTILE" copy "$@" -o o.npy
    same o.npy "$expected"
}

known() {
    copied a.npy a.npy
    copied a.npy a_fortran.npy
    copied a_fortran.npy a.npy --b row/f
    copied turned.npy a.npy --op T
    copied turned.npy a_fortran.npy --op C --ranks 3 --a col --b cyclic:1x1
    copied z_conjugate.npy z.npy --op C
    copied z.npy z_conjugate.npy --op C --per-node 1 --ranks 2
}

# A larger matrix: the product of a column and a row.
make_large() {
    numbers=$(seq 1 40)
    { npy '<f8' False '(40, 1)'; doubles $numbers; } >column.npy
    { npy '<f8' False '(1, 40)'; doubles $numbers; } >row.npy
    exits 0 "$SECTILE" multiply column.npy row.npy -o large.npy
}

round_trips() {
    while read -r ranks first second; do
        exits 0 "$SECTILE" copy large.npy -o t.npy --op T --ranks "$ranks" --a "$first" --b "$second"
        exits 0 "$SECTILE" copy t.npy -o back.npy --op T --ranks "$ranks" --a "$second"
        same back.npy large.npy
    done <<'END'
1 2d 2d
2 row col/f
3 cyclic:7x3 row
4 2d*2/f cyclic:16x16@2x2
5 col row@3/f
7 cyclic:1x1 2d
6 cuts:5,6x20@0,1,2x1,0 cuts:11x-@3,2
END
}

# Version 2.0 of the format, other spellings, and the mark of the machine's own order.
variants() {
    {
        printf '\223NUMPY\002\000\164\000\000\000%-115s\n' \
            "{ \"shape\":(2,3),'fortran_order':False , \"descr\": \"=f8\"}"
        doubles 1 2 3 4 5 6
    } >variant.npy
    copied a.npy variant.npy
    {
        printf '\223NUMPY\003\000\164\000\000\000%-115s\n' \
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L,)}"
        doubles 1 2 3 4 5 6
    } >variant.npy
    copied a.npy variant.npy
}

# Of which a rank cannot have a whole one in a piece of the file.
long_lines() {
    { npy '<f8' False '(2, 700000)'; head -c 11200000 /dev/urandom; } >long.npy
    exits 0 "$SECTILE" copy long.npy -o t.npy --op T --ranks 3 --b cyclic:1000x1
    exits 0 "$SECTILE" copy t.npy -o back.npy --op T --ranks 1
    same back.npy long.npy
    exits 0 "$SECTILE" copy t.npy -o back.npy --op T --ranks 2 --b col/f
    exits 0 "$SECTILE" copy back.npy -o back.npy --ranks 5 --force
    same back.npy long.npy
}

empty() {
    npy '<f8' False '(0, 5)' >empty.npy
    npy '<f8' False '(5, 0)' >empty_turned.npy
    copied empty_turned.npy empty.npy --op T
    copied empty.npy empty.npy --a row --b cyclic:2x2
    npy '<f8' False '(100000000000000000, 0, 1)' >empty.npy
    npy '<f8' False '(100000000000000000, 1, 0)' >empty_turned.npy
    copied empty_turned.npy empty.npy --op T
}

# A name that starts with a dash, and names that JSON has to write in another way.
odd_names() {
    cp a.npy -- -a.npy
    exits 0 "$SECTILE" copy --json -o 'a"\.npy' -- -a.npy
    same a.npy 'a"\.npy'
    one_line out
    says out '"output":"a\"\\.npy","ranks":'
    says out '"rows":2,"cols":3,"type":"f64","order":"C",'
    exits 0 "$SECTILE" copy --json a_fortran.npy -o "$(printf 'a\tb.npy')"
    says out '"output":"a\u0009b.npy"'
}

# In pieces, in matrices of a stack, and with a conversion.
pieces() {
    for flags in '' '--op T' '--b row/f' '--a col --b cyclic:7x5' '--op T --b col/f --per-node 1'; do
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" copy large.npy -o whole.npy --ranks 3 $flags
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" copy large.npy -o o.npy --ranks 3 $flags --memory 3K --json
        grep -Eq '"pieces":[0-9][0-9]' out || fail "not many pieces: $(cat out)"
        same o.npy whole.npy
    done
    { npy '<i2' False '(2, 2, 3)'; printf '\1\0\2\0\3\0\4\0\5\0\6\0\377\377\0\0\1\0\0\1\0\0\7\0'; } >i2.npy
    { npy '<f8' False '(2, 3, 2)'; doubles 1 4 2 5 3 6 -1 256 0 0 1 7; } >i2_turned.npy
    copied i2_turned.npy i2.npy --op T --type f64
    copied i2_turned.npy i2.npy --op T --type f64 --memory 30 --ranks 1
    { npy '>i2' False '(2, 2, 3)'; printf '\0\1\0\2\0\3\0\4\0\5\0\6\377\377\0\0\0\1\1\0\0\0\0\7'; } >i2.npy
    copied i2_turned.npy i2.npy --op T --type f64 --ranks 2
    exits 2 "$SECTILE" copy i2.npy -o none.npy --type f64 --b 2d/f
    says err "--b: '2d/f' is not allowed; allowed: a layout without /f, as a stack"
    exits 1 "$SECTILE" copy large.npy -o none.npy --memory 5K --ranks 2 --b cuts:7x-@0,1
    one_line err
    says err 'no memory for the matrix of large.npy, 40 x 40 elements of f64, which takes 12.5 KiB: '
    exits 0 "$SECTILE" copy large.npy --dry-run --memory 5K
    says out '40 x 40, f64, in C order'
}

known
odd_names
make_large
pieces
round_trips
long_lines
variants
empty
no_leftovers
finish
