# multiply.sh - small known products, in all layouts, orders, ops and types.
. "${0%/*}/support.inc"

# A is 2 x 3, B is 3 x 2.
{ npy '<f8' False '(2, 3)'; doubles 1 2 3 4 5 6; } >a.npy
{ npy '<f8' True '(2, 3)'; doubles 1 4 2 5 3 6; } >a_fortran.npy
{ npy '<f8' False '(3, 2)'; doubles 1 4 2 5 3 6; } >a_turned.npy
{ npy '<f8' False '(3, 2)'; doubles 7 8 9 10 11 -12; } >b.npy
{ npy '<f4' False '(3, 2)'; printf '\0\0\340\100\0\0\0\101\0\0\020\101\0\0\040\101\0\0\060\101\0\0\100\301'; } >b4.npy
{ npy '>f8' False '(2, 3)'; doubles 1 2 3 4 5 6 | od -An -v -tx1 -w8 | awk '{
    for (i = 8; i > 0; i--) printf "\\x" $i }' >a_big.bytes; /usr/bin/printf "$(cat a_big.bytes)"; } >a_big.npy
{ npy '|i1' False '(2, 3)'; printf '\1\2\3\4\5\6'; } >a1.npy
{ npy '<i8' False '(3, 2)'; printf '\7\0\0\0\0\0\0\0\10\0\0\0\0\0\0\0\11\0\0\0\0\0\0\0\12\0\0\0\0\0\0\0\13\0\0\0\0\0\0\0\364\377\377\377\377\377\377\377'; } >b8.npy
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
    product ab.npy a.npy b.npy --ranks 2 --slice tile --sync --prefetch 0 $late,deferred
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

# Files of other types are promoted as by NumPy, or converted to --type.
mixed_types() {
    product ab.npy a.npy b4.npy
    product ab.npy a_big.npy b.npy
    product ab.npy a1.npy b.npy --ranks 3
    for type in f64 float64 f8; do
        product ab.npy a1.npy b8.npy --type $type
    done
    product sx.npy s.npy x2.npy
    product sx.npy s2.npy x2.npy --type f32
    { npy '<u8' False '(2, 3)'; printf '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0'; } >a8.npy
    product ab.npy a8.npy b8.npy # uint64 and int64 have only f64 in common
    misfit 'a8.npy holds uint64; --type f64' a8.npy a8.npy --op NT
    misfit 'a1.npy holds int8; --type f64' a1.npy b8.npy
}

# What NumPy's matmul makes of stacks, of a stack and a matrix, and of a stack of one.
stacks() {
    { npy '<f8' False '(3, 2, 3)'; doubles 1 2 3 4 5 6 0 0 1 0 1 0 -1 -2 -3 -4 -5 -6; } >s3.npy
    { npy '<f8' False '(3, 3, 2)'; doubles 7 8 9 10 11 -12 1 2 3 4 5 6 7 8 9 10 11 -12; } >t3.npy
    { npy '<f8' False '(3, 2, 2)'; doubles 58 -8 139 10 5 6 3 4 -58 8 -139 -10; } >st3.npy
    { npy '<f8' False '(3, 2, 2)'; doubles 58 -8 139 10 11 -12 9 10 -58 8 -139 -10; } >sb3.npy
    { npy '<f8' False '(1, 3, 2)'; doubles 7 8 9 10 11 -12; } >b1.npy
    { npy '<f8' False '(1, 2, 2)'; doubles 58 -8 139 10; } >ab1.npy
    { npy '<f8' False '(2, 3, 2)'; doubles 1 2 3 4 5 6 7 8 9 10 11 12; } >s2x.npy
    npy '<f8' False '(0, 3, 2)' >none3.npy
    npy '<f8' False '(0, 2, 2)' >none2.npy
    product st3.npy s3.npy t3.npy --ranks 2 --a row --c cyclic:1x1
    product sb3.npy s3.npy b.npy
    product sb3.npy s3.npy b1.npy --per-node 1 --ranks 3
    product ab1.npy a.npy b1.npy
    product none2.npy a.npy none3.npy
    exits 0 "$SECTILE" copy t3.npy -o t3_turned.npy --op T
    product st3.npy s3.npy t3_turned.npy --op NT
    product st3.npy s3.npy t3.npy -c st3.npy --beta 2 --alpha -1
    exits 0 "$SECTILE" multiply s3.npy t3.npy -o o.npy --json
    says out '"shape":"2x2x3"'
    says out '"matrices":3'
}

# pieces EXPECTED COUNT ARGUMENT...: the same result in more than so many pieces, in that memory.
pieces() {
    expected=$1 count=$2
    shift 2
    product "$expected" "$@" --json
    sed -n 's/.*"pieces":\([0-9]*\),"memory":\([0-9]*\),"memory_limit":\([0-9]*\),.*/\1 \2 \3/p' out >is
    read -r made memory limit <is
    [ "$made" -gt "$count" ] || fail "$made pieces: $*"
    [ "$memory" -le "$limit" ] || fail "$memory bytes: $*"
}

# A limit on memory changes the way, but not the result; nor does a type that makes k indivisible.
little_memory() {
    numbers=$(seq -30 29)
    { npy '<f8' False '(60, 1)'; doubles $numbers; } >u.npy
    { npy '<f8' False '(1, 60)'; doubles $numbers; } >v.npy
    exits 0 "$SECTILE" multiply u.npy v.npy -o square.npy --ranks 1
    exits 0 "$SECTILE" multiply square.npy square.npy -o square2.npy --ranks 1
    exits 0 "$SECTILE" multiply square.npy square.npy -o square2_c.npy --beta 2 -c square.npy --ranks 1
    exits 0 "$SECTILE" copy square2.npy -o square2_fortran.npy --b row/f
    exits 0 "$SECTILE" copy square.npy -o square_fortran.npy --b row/f
    pieces square2.npy 2 square.npy square.npy --ranks 2 --memory 100K
    pieces square2.npy 8 square.npy square.npy --ranks 3 --memory 30K --a row --b cyclic:7x7 --c col
    pieces square2_c.npy 8 square.npy square.npy --beta 2 -c square.npy --ranks 2 --memory 30K
    pieces square2_c.npy 8 square_fortran.npy square.npy --op TN --beta 2 -c square.npy --memory 30K \
        --ranks 4 --c 'row*2'
    pieces square2_fortran.npy 8 square.npy square.npy --c 2d/f --ranks 2 --memory 30K
    pieces square2.npy 2 square.npy square_fortran.npy --ranks 3 --memory 60K --per-node 1
    pieces square2.npy 2 square.npy square.npy --ranks 2 --memory 60K --engine emulated
    exits 0 "$SECTILE" copy square.npy -o half.npy --type f16
    exits 0 "$SECTILE" multiply half.npy half.npy -o half2.npy --ranks 1 --alpha 0.01
    pieces half2.npy 8 half.npy half.npy --ranks 2 --memory 20K --alpha 0.01
    exits 1 "$SECTILE" multiply square.npy square.npy -o none.npy --memory 30K --ranks 2 \
        --b cuts:7x-@0,1
    one_line err
    says err 'sectile: no memory for A of square.npy, 60 x 60 elements of f64, which takes 28.1 KiB: '
    says err '--memory is 30 KiB; it could be worked on in pieces, but not with these cuts; allow'
    says err 'another layout for --b'
    # What the system allows is a limit, too. A sanitizer takes more address space than that.
    if [ -n "${FAULTS:-}" ]; then
        { npy '<f8' False '(20000, 20000)'; } >large.npy
        truncate -s 3200000128 large.npy
        exits 0 sh -c 'ulimit -v 1000000; exec "$@"' sh "$SECTILE" multiply large.npy large.npy --dry-run \
            --ranks 1 --json
        sed -n 's/.*"pieces":\([0-9]*\),.*"memory_limit":\([0-9]*\),.*/\1 \2/p' out >is
        read -r made limit <is
        [ "$made" -gt 9 ] && [ "$limit" -lt 1000000000 ] || fail "limit of the system: $(cat is)"
        # OpenBLAS would wait for memory without end.
        for limit in -v -d; do
            exits 1 timeout 60 sh -c "ulimit $limit 400000; exec \"\$@\"" sh "$SECTILE" multiply square.npy \
                square.npy -o none.npy --ranks 4
            one_line err
            says err 'too low for the products of 4 ranks; raise it, or use fewer ranks'
        done
        exits 1 timeout 60 sh -c 'ulimit -v 400000; exec "$@"' sh "$SECTILE" run --shape 60x60x60 --ranks 4
        says err 'too low for the products of 4 ranks'
        for words in 'bench --shapes 60x60x60 --layouts row' 'machine --measure'; do
            # shellcheck disable=SC2086
            exits 1 timeout 60 sh -c 'ulimit -v 400000; exec "$@"' sh "$SECTILE" $words --ranks 4
            says err 'too low for the products of 4 ranks'
        done
        exits 0 sh -c 'ulimit -v 1000000; exec "$@"' sh "$SECTILE" copy square.npy -o copied.npy --ranks 4
    fi
    exits 1 "$SECTILE" multiply square.npy square.npy -o none.npy --memory 20 --ranks 2
    one_line err
    says err 'no piece is small enough'
    for size in 4GB:4000000000 4GiB:4294967296 4G:4294967296 30KB:30000 30KiB:30720; do
        exits 0 "$SECTILE" multiply square.npy square.npy -o o.npy --ranks 1 --memory "${size%:*}" --json
        says out "\"memory_limit\":${size#*:},"
    done
    for size in 4B 4GBB 4Gi 4gb 9223372036TB; do
        exits 2 "$SECTILE" multiply square.npy square.npy -o o.npy --memory $size
    done
    rm o.npy
    { npy '<f8' False '(1000, 1000)'; head -c 8000000 /dev/zero; } >wide.npy
    exits 1 timeout 60 "$SECTILE" multiply wide.npy wide.npy -o none.npy --memory 1K --ranks 2
    says err 'pieces would be too many; allow about '
    for words in 'multiply wide.npy wide.npy --ranks 2' 'multiply square.npy square.npy --ranks 1' 'copy square.npy' \
        'copy wide.npy --ranks 3'; do
        # shellcheck disable=SC2086
        advised $words
    done
    rm wide.npy
}

# advised WORDS...: with hardly any memory, the advice is one by which the work is soon done.
advised() {
    exits 1 "$SECTILE" "$@" --dry-run --memory 1
    says err '--memory is 1 byte; '
    says err ', with which pieces are few (less may do, with more of them), or use fewer ranks on each host'
    least=$(sed -n 's/.*allow about \([0-9.e+]*\) \([KM]\{0,1\}\).*/\1\2/p' err)
    # the next whole number of those units
    whole=${least%%[.KM]*}
    exits 0 "$SECTILE" "$@" --dry-run --json --memory "$((whole + 1))$(echo "$least" | tr -d '0-9.')"
    pieces=$(sed -n 's/.*"pieces":\([0-9]*\),.*/\1/p' out)
    [ "$pieces" -gt 1 ] && [ "$pieces" -le 256 ] || fail "$pieces pieces by the advice of $least: $*"
}

# The default is two lines; --verbose adds the layouts, and --dry-run writes nothing.
reports() {
    rm -f o.npy
    exits 0 "$SECTILE" multiply a.npy b.npy -o o.npy --ranks 2
    [ "$(wc -l <out)" -eq 2 ] || fail "not two lines: $(cat out)"
    says out 'o.npy: 2 x 2, f64, k 3, 2 ranks'
    sed -n 2p out | grep -Eqx 'read [0-9.]+ s, multiplied [0-9.]+ s \([0-9.e+-]+ GFLOP/s\), wrote [0-9.]+ s' ||
        fail "the second line: $(cat out)"
    exits 0 "$SECTILE" multiply a.npy b.npy -o o.npy --ranks 2 --verbose
    says out 'o.npy (replaced): 2 x 2'
    says out '  a 2d'
    says out ' read in place; '
    says err ': engine threads, 2 ranks'
    says err 'sectile: plan for 2x2x3 f64, A 2d'
    exits 0 "$SECTILE" multiply a.npy b.npy --dry-run
    says out 'C is 2 x 2, k is 3, f64'
    says out '  1 piece, '
    rm -f o.npy
    exits 0 "$SECTILE" multiply a.npy b.npy -o o.npy --dry-run --memory 5K --ranks 2
    [ -e o.npy ] && fail '--dry-run wrote the output'
    misfit '2 x 3' a.npy a.npy --dry-run
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
    misfit 'ab.npy holds f64, but C is of f32 with --sum-c; --type converts it' s2.npy x2.npy \
        -c ab.npy --beta 1 --sum-c
    misfit 'z.npy holds cf64, whose imaginary parts would be lost in f64; --type cf64 keeps them' \
        z.npy z.npy --type f64
    misfit 'the product is 2 x 2' a.npy b.npy --beta 1 -c a.npy
    misfit 's3.npy is a stack of 3 matrices, and s2x.npy one of 2' s3.npy s2x.npy
    exits 2 "$SECTILE" multiply s3.npy s3.npy -o none.npy --op NT --c row/f
    says err "--c: 'row/f' is not allowed; allowed: a layout without /f"
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
mixed_types
stacks
little_memory
reports
misfits
json
no_leftovers
finish
