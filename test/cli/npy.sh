# npy.sh - files that are refused, each with one line that says why (edge case 46).
. "${0%/*}/support.inc"

# refused TEXT: the file x.npy, without output or a crash.
refused() {
    exits 1 "$SECTILE" copy x.npy -o none.npy
    one_line err
    says err 'sectile: x.npy: '
    says err "$1"
    [ -e none.npy ] && fail "output in spite of: $1"
}

# header TEXT DESCR ORDER SHAPE, with no elements behind
header() {
    npy "$2" "$3" "$4" >x.npy
    refused "$1"
}

types() {
    { npy '<i8' False '(1, 1)'; doubles 1; } >x.npy
    exits 1 "$SECTILE" copy x.npy -o none.npy
    says err 'sectile: x.npy holds int64; --type f64 reads it as floating-point numbers'
    header "'<f1', not f2" '<f1' False '(1, 1)'
    header "'<c32', not f2" '<c32' False '(1, 1)'
    says err 'astype("<c16")'
    says err 'numpy.load("x.npy").astype("<c16")'
    header 'cut short: 128 bytes, but its header says 129' '|b1' False '(1, 1)'
    header 'cut short: 128 bytes, but its header says 136' '>f8' False '(1, 1)'
    header 'objects' '|O' False '(1, 1)'
    header "'', not" '' False '(1, 1)'
    header "'<U1': texts, records or times, not numbers" '<U1' False '(1, 1)'
    header 'its type is unknown' '<f8<f8<f8<f8<f8<f8<f8<f8<f8<f8' False '(1, 1)'
    printf "\\223NUMPY\\001\\000\\166\\000%-117s\\n" \
        "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1, 1)}" >x.npy
    refused 'records'
}

shapes() {
    header '0 dimensions' '<f8' False '()'
    header 'it has 1 dimension, not 2' '<f8' False '(3,)'
    header '4 dimensions' '<f8' False '(1, 1, 1, 1)'
    says err '.reshape(-1, rows, cols))'
    header 'a stack of matrices in Fortran order' '<f8' True '(1, 1, 1)'
    says err 'ascontiguousarray(numpy.load("x.npy"))'
    header 'too large' '<f8' False '(4294967296, 4294967296, 0)'
    header 'cut short' '<f8' False '(2, 3, 4)'
    header 'too large' '<f8' False '(4294967296, 4294967296)'
    header 'too large' '<f8' False '(2147483648, 1073741824)'
    header 'too large' '<f8' False '(99999999999999999999, 1)'
    header 'whole numbers' '<f8' False '(-1, 1)'
    header 'whole numbers' '<f8' False '(1.0, 1)'
    header 'whole numbers' '<f8' False '(1 1)'
    header 'whole numbers' '<f8' False '(3)'
    header 'not a tuple' '<f8' False '[1, 1]'
    printf "\\223NUMPY\\001\\000\\366\\000%-245s\\n" \
        "{'descr': '<f8', 'fortran_order': False, 'shape': ($(printf '1,%.0s' $(seq 65)))}" >x.npy
    refused 'too many dimensions'
    header 'neither True nor False' '<f8' Maybe '(1, 1)'
}

dictionaries() {
    for text in "" "{" "{'descr'" "{'descr': " "{'descr': '<f8'" "{'descr': '<f8', " "'descr'" \
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1" "[]" "{}" "{,}" "}" \
        "{'descr': '<f8', 'descr': '<f8'}" "{'color': 'red'}" \
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} more"; do
        { printf '\223NUMPY\001\000\166\000%-117s\n' "$text"; doubles 1; } >x.npy
        refused ': its '
    done
}

lengths() {
    { npy '<f8' False '(2, 2)'; doubles 1 2 3 4; } >whole.npy
    for bytes in 1 5 6 7 8 9 10 11 60 127; do
        head -c $bytes whole.npy >x.npy
        refused 'it '
    done
    for bytes in 128 136 159; do
        head -c $bytes whole.npy >x.npy
        refused 'cut short'
    done
    { cat whole.npy; printf x; } >x.npy
    refused 'too long'
    : >x.npy
    refused 'empty'
    printf 'PK\003\004 not a matrix at all' >x.npy
    refused 'a damaged .npz archive'
    printf 'not a matrix at all' >x.npy
    refused 'not a .npy file'
    printf '\223NUMPY\004\000\166\000' >x.npy
    refused 'version 4.0'
    printf '\223NUMPY\002\000\377\377\377\377' >x.npy
    refused 'within its header'
    printf '\223NUMPY\001\000\072\000%-57s\n' \
        "{'descr':'<f8','fortran_order':False,'shape':(0,1)}" >x.npy
    refused 'aligned'
}

not_files() {
    mkdir x.npy.d
    exits 1 "$SECTILE" copy x.npy.d -o none.npy
    exits 1 "$SECTILE" copy /dev/null -o none.npy
    says err 'not a regular file'
    exits 1 "$SECTILE" copy nothing.npy -o none.npy
    says err 'No such file'
}

types
shapes
dictionaries
lengths
not_files
no_leftovers
finish
