# corrupted.sh - the test of the tests: with one element of each result changed, by the library CORRUPT,
# every test of the testers fails.
set -eu
. "$DATA/support.inc"
. "$DATA/pblas.inc"

gemm_alone D
test_gemm D 2 "$CORRUPT"
[ "$passed" = 0 ] && [ "$failed" = 8 ] || fail "a wrong element: $passed passed, $failed failed"
own_input D 1.5 -2
test_gemm D 4 "$CORRUPT"
[ "$passed" = 0 ] && [ "$failed" -ge 40 ] || fail "a wrong element: $passed passed, $failed failed"
