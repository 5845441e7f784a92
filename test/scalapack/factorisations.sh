# factorisations.sh - the LU and Cholesky testers of the distribution on the drop-in. LU calls pdgemm;
# Cholesky, as ScaLAPACK 2.2 writes it, does not, and must run as without the drop-in. On more
# processes than cores xdllt of the distribution may hang by itself, and MPICH takes long.
set -eu
. "$DATA/support.inc"

# residuals NAME: checks the summary of a tester.
residuals() {
    grep -Eq " [1-9][0-9]* tests completed and passed" output || fail "$1: nothing passed"
    grep -q " 0 tests completed and failed" output || fail "$1: wrong results"
}

# lu RANKS LEAST
lu() {
    served "$1" "$LIBRARY" "$programs/xdlu"
    residuals "xdlu on $1 processes"
    [ "$(count_served)" -ge "$2" ] || fail "xdlu on $1 processes: $counts"
}

cp "$programs/LU.dat" "$programs/LLT.dat" .
lu 2 65
[ "$KIND" = mpich ] || lu 4 260
preloaded 2 "$LIBRARY" "$programs/xdllt"
residuals "xdllt on 2 processes"
