# distribution.sh - the PBLAS level-3 testers with the distribution's input, error exits included, on
# 1, 2, 4 and 8 processes. Process 0 takes part in all that run, so that it serves as many calls.
set -eu
. "$DATA/support.inc"
. "$DATA/pblas.inc"

# What the tester says of error exits without the drop-in must be what it says with it.
for type in S D C Z; do
    gemm_alone $type
    lower=$(echo $type | tr SDCZ sdcz)
    sh "$LAUNCH" "$KIND" "$MPIEXEC" 2 "$programs/PBLAS/${lower}pb3tst" >plain 2>&1
    for ranks in 1 2 4 8; do
        case $ranks in
        1) least=0 ;; # all its grids are larger
        2) least=8 ;;
        *) least=16 ;;
        esac
        must_pass $type $ranks $least
        [ "$(count_served)" = "$passed" ] || fail "P${type}GEMM on $ranks: $passed passed; $counts"
        grep -q "Error-exit tests completed" output || fail "P${type}GEMM: no error exits"
        case $counts in
        *" 0 with bad arguments"*) fail "P${type}GEMM: no error exit was served" ;;
        esac
        [ $ranks != 2 ] || {
            grep -v ^sectile: output >served
            cmp plain served || fail "P${type}GEMM says something else without the drop-in"
        }
    done
done
