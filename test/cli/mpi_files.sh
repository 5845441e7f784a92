# mpi_files.sh - files that ranks of an MPI read and write: the same bytes as with threads.
. "${0%/*}/mpi.inc"

# Products of thin matrices are larger ones.
make_inputs() {
    { npy '<f8' False '(29, 2)'; doubles $(seq -29 28); } >u.npy
    { npy '<f8' False '(2, 31)'; doubles $(seq -20 41); } >v.npy
    exits 0 "$SECTILE" multiply u.npy v.npy -o a.npy
    exits 0 "$SECTILE" copy a.npy -o b.npy --op T --b row/f
    exits 0 "$SECTILE" copy a.npy -o a_turned.npy --op T --ranks 1
    exits 0 "$SECTILE" copy a.npy -o a_fortran.npy --ranks 1 --b row/f
    exits 0 "$SECTILE" multiply a.npy b.npy -o c.npy --ranks 1
    exits 0 "$SECTILE" multiply a.npy b.npy -o c_fortran.npy --ranks 1 --c row/f
    exits 0 "$SECTILE" multiply a.npy b.npy -o c_sum.npy --ranks 1 --beta 3 --alpha -2 -c c.npy
}

# same_product EXPECTED RANKS ARGUMENT...
same_product() {
    expected=$1 ranks=$2
    shift 2
    rm -f o.npy
    ranks_do "$ranks" multiply a.npy b.npy -o o.npy --json "$@"
    one_line out
    says out '{"ok":true,"output":"o.npy","ranks":'"$ranks"','
    says out '"engine":"mpi"'
    same o.npy "$expected"
}

products() {
    same_product c_fortran.npy 2 --a row --b cyclic:3x5 --c col/f --per-node 1
    same_product c.npy 3 --a col --b row*3 --c row*3 --stay a
    same_product c_sum.npy 3 --beta 3 --alpha -2 -c c.npy --c cyclic:1x1 --per-node 1 --stay b
    same_product c.npy 4 --a cyclic:7x7/f --b 2d --c 'row*2%3,1,0,2' --per-node 2
    same_product c_sum.npy 3 --beta 3 --alpha -2 -c c.npy --memory 20K --per-node 1
    grep -Eq '"pieces":[0-9]*[2-9],' out || fail "not in pieces: $(cat out)"
}

# Nothing at all, tiles of any ranks, and what is written where it was read.
odd() {
    same_product c.npy 4 --a cuts:10x-@3,1 --products 3 --accumulates 3 --per-node 1 --stay a
    npy '<c8' False '(0, 3)' >empty.npy
    ranks_do 3 copy empty.npy -o o.npy
    same o.npy empty.npy
    cp a.npy own.npy
    ranks_do 2 copy own.npy -o own.npy --force
    same own.npy a.npy
}

# same_copy EXPECTED RANKS ARGUMENT...
same_copy() {
    expected=$1 ranks=$2
    shift 2
    ranks_do "$ranks" copy a.npy -o o.npy "$@"
    says out 'o.npy'
    [ "$(wc -l <out)" -eq 2 ] || fail "not two lines: $(cat out)"
    same o.npy "$expected"
}

copies() {
    same_copy a_turned.npy 2 --op T
    same_copy a_fortran.npy 3 --b cyclic:2x3/f
    same_copy a_turned.npy 4 --op T --a cyclic:4x4 --b col*2 --per-node 1
}

misfits() {
    ranks_refuse 1 'nothing.npy: No such file' 3 "$SECTILE" multiply a.npy nothing.npy -o none.npy
    ranks_refuse 1 'as many columns as op(B) has rows' 2 "$SECTILE" multiply a.npy a.npy -o none.npy
    ranks_refuse 1 'nowhere/c.npy: cannot be written' 3 "$SECTILE" copy a.npy -o nowhere/c.npy
    ranks_refuse 2 '--b: ' 2 "$SECTILE" copy a.npy -o none.npy --b fly
    ranks_refuse 2 'would replace the input a.npy' 2 "$SECTILE" copy a.npy -o ./a.npy
    [ -e none.npy ] && fail 'there is output'
}

# What rank 1 does before: it goes where it finds other files than rank 0.
elsewhere='[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ] && cd elsewhere; exec "$@"'

# elsewhere_too COMMAND...: on one host, rank 1 writes to the file that rank 0 has opened, if that has no name yet.
# Otherwise it looks for the name.
elsewhere_too() {
    rm -f o.npy
    case $(stat -f -c %T .) in
    ext2/ext3 | tmpfs | xfs | btrfs)
        ranks_exit 0 3 "$@" -o o.npy
        same o.npy a.npy
        [ -e elsewhere/o.npy ] && fail 'there is a second output'
        ;;
    *) ranks_refuse 1 'rank 1: none.npy: cannot be written' 3 "$@" -o none.npy ;;
    esac
}

alone() {
    rm -rf elsewhere
    mkdir elsewhere
    set -- sh -c "$elsewhere" sh "$SECTILE" copy
    ranks_refuse 1 'rank 1: a.npy: No such file' 3 "$@" a.npy -o none.npy
    elsewhere_too "$@" "$work/a.npy"
    cp b.npy elsewhere/a.npy
    ranks_refuse 1 'ranks disagree: rank 1' 3 "$@" a.npy -o "$work/none.npy"
    [ -e none.npy ] && fail 'there is output'
}

make_inputs
under_each products copies alone
under_one odd misfits
no_leftovers
finish
