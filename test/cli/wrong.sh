# wrong.sh - what the library says of a failure, and what it or the BLAS does wrong, does not go
# unsaid: each call of a few fails, or does something else, once.
. "${0%/*}/support.inc"
. "$tests/faults.inc"

{ npy '<f8' False '(20, 3)'; doubles $(seq 1 60); } >a.npy
problem='--shape 30x20x25 --ranks 2 --a row --b cyclic:4x9 --c col*2 --decisions nest=kmn'
alone='--shape 30x20x25 --ranks 1' # where nobody else can find out first that something is wrong

# with FAULT CODE ARGUMENT...: a call is another than it should be, and so ends the tool.
with() {
    fault=$1 wanted=$2
    shift 2
    rm -f reached
    LD_PRELOAD="$FAULTS/test_faults.so" FAULT="$fault" FAULT_REACHED="$work/reached" \
        timeout 20 "$SECTILE" "$@" >out 2>err
    got=$?
    [ "$got" -eq "$wanted" ] || fail "$* with $fault: exit $got, not $wanted: $(head -n 3 err)"
    [ -e reached ] || fail "$* has no $fault"
    [ "$wanted" -eq 0 ] || grep -q '^sectile: ' err || fail "$* with $fault says nothing"
}


# shellcheck disable=SC2086
library() {
    for n in 1 2; do
        with "sct_plan_step $n" 2 plan $problem --steps
        with "sct_plan_step $n" 2 plan $problem --svg p.svg
        with "sct_plan_step $n" 1 run $problem --reference --pairs 1
        with "sct_matrix_tile $n" 2 run $alone --check
        with "sct_matrix_view $n" 2 copy a.npy -o c.npy --ranks 1
    done
    with 'sct_plan_cost 1' 2 plan $problem --svg p.svg
    for n in 1 3 5; do
        with "sct_plan_step $n" 2 plan $problem --picture
    done
    with 'sct_plan_cost 1' 2 plan $problem --picture
    with 'sct_lower_bound_find 1' 2 plan $problem
    with 'sct_matrix_overlapping_tiles 1' 2 run --ranks 1 --shape 500x500x500 --check
    with 'sct_matrix_reduce_replicas 1' 2 run $alone --check --result partial
    with 'sct_gemm_local 1' 1 run $problem --reference --pairs 1
}

# shellcheck disable=SC2086
wrong() {
    for more in '' +; do
        with "cblas_dgemm 1$more" 1 run $problem --check
        says err 'exact check: C['
    done
    # Eight products, and two that they are compared with, come before those of random numbers.
    with 'cblas_dgemm 11' 1 run $problem --check --json
    says err 'bound check: C['
    says err ' of 1200 elements are wrong'
    says out '{"ok":false,'
    one_line out
    with 'cblas_dgemm 12' 1 run $problem --check
    says out 'check does not hold: 1200 elements compared exactly'
    with 'sct_world_traffic 2' 1 run $problem --json
    says err 'the bytes moved are not those of the plan'
    with 'sct_world_traffic 2' 1 bench --ranks 2 --shapes 9x8x7 --layouts row --repeat 1
    says err '1 of 1 combination failed; the first: the bytes moved are not those of the plan'
    says out ' failed: the bytes moved are not those of the plan'
    with 'openblas_get_num_threads 1+' 0 run $problem --json
    says out '"blas_threads":null'
}

system() {
    with 'malloc 4' 1 machine --measure
    with 'open_memstream 1' 1 machine --measure
    with 'sct_layout_create_cyclic 1' 2 machine --measure
    with 'sct_layout_create_cyclic 7' 2 machine --measure # the first operand, on one of two ranks
    with 'calloc 9' 1 machine --measure
    says err 'no memory to measure with'
    # shellcheck disable=SC2086
    for n in 1 2; do
        FAULT_VERB=reference with "malloc $n" 1 run $problem --type f16 --reference --pairs 1
        says err 'no memory for the operands of the BLAS call of --reference'
    done
    "$SECTILE" plan <&- >out 2>err || fail "plan without an input: $(head -n 1 err)"
    LD_PRELOAD="$FAULTS/test_faults.so" FAULT='open 1' "$SECTILE" plan <&- >out 2>err
    [ $? -eq 1 ] || fail "plan without an input, nor another in its place: exit $?"
}

library
wrong
system
nothing_left
finish
