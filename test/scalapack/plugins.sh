# plugins.sh - hosts that load ScaLAPACK with a plug-in: the drop-in serves them, preloaded or linked to
# the plug-in, and whatever it cannot serve runs as without it. HOST is the program, PLUGINS the folder of
# its plug-ins, OTHER the drop-in for the other MPI, if there is one.
set -eu
. "$DATA/support.inc"
[ -f "$PLUGINS/real.so" ] || exit 77 # libscalapack-$KIND-dev is not installed

# run RANKS NAME=VALUE... PLUGIN...: runs the host; what it prints is in `output`, without what is said of
# the drop-in, which is in `said`.
run() {
    ranks=$1
    shift
    variables=
    while case ${1-} in *=*) true ;; *) false ;; esac do
        variables="$variables $1"
        shift
    done
    plugins=
    for plugin; do
        plugins="$plugins $PLUGINS/$plugin.so"
    done
    # shellcheck disable=SC2086
    sh "$LAUNCH" "$KIND" "$MPIEXEC" "$ranks" env SECTILE_SCALAPACK_STATS=1 $variables "$HOST" $plugins \
        >both 2>&1 || {
        cat both
        fail "$variables $*"
    }
    grep ^sectile: both >said || true
    grep '^[Cp]*d*gem.*:' both >output || true
}

# results NUMBER...: what the plug-ins must have got by pdgemm, pdgemr2d and Cpdgemr2d.
results() {
    for number; do
        case $number in
        product) printf 'pdgemm_: 12\npdgemr2d_: 1\nCpdgemr2d: 12\n' ;;
        *) printf 'pdgemm_: %s\npdgemr2d_: %s\nCpdgemr2d: %s\n' "$number" "$number" "$number" ;;
        esac
    done >wanted
    cmp output wanted || {
        cat both
        fail "wrong results"
    }
}

# says LINES TEXT: the drop-in says so many lines, and one has the text.
says() {
    [ "$(grep -c . said)" = "$1" ] && grep -q -- "$2" said || {
        cat both
        fail "the drop-in does not say: $2"
    }
}

every=SECTILE_SCALAPACK_THRESHOLD=0
preload=LD_PRELOAD=$LIBRARY

for ranks in 1 2 3; do
    run $ranks "$preload" $every real
    results product
    says 1 "3 calls served in .* 0 passed on"
    run $ranks "$preload" $every one two
    results product product
    says 1 "6 calls served in .* 0 passed on"
done

run 2 $every real_linked
results product
says 1 "3 calls served in .* 0 passed on"
run 2 $every one_linked two_linked
results product product
says 1 "6 calls served in .* 0 passed on"

run 2 "$preload" $every group
results product
says 1 "3 calls served in .* 0 passed on"
run 2 "$preload" group
results 1

# Passed on for being small, or since the user wants it: to the ScaLAPACK of the plug-in that calls.
for library in "$preload" "NONE=1"; do
    suffix=
    [ "$library" = "$preload" ] || suffix=_linked
    run 2 "$library" real$suffix
    results product
    says 1 "0 calls served in .* 3 passed on in .* (3 too small; largest 12x12x12: m, n, k too small)"
    run 2 "$library" SECTILE_SCALAPACK=OFF $every two$suffix one$suffix
    results 2 1
    says 1 "0 calls served in .* 6 passed on in .* (6 switched off"
done

# What cannot be served: one line of process 0 says why.
run 2 "$preload" $every wide
results 3
says 2 "^sectile: warning: all calls of wide.so are passed on to ScaLAPACK: .*64-bit integers"
# the calls of another plug-in are served
run 2 "$preload" $every wide one
results 3 product
says 2 "^sectile: warning: all calls of wide.so are passed on to ScaLAPACK: .*64-bit integers"
says 2 "3 calls served in .* 3 passed on"
[ -n "$OTHER" ] || exit 0
for names in one "two one" real; do
    # shellcheck disable=SC2086
    run 2 LD_PRELOAD="$OTHER" $every $names
    says 2 "^sectile: warning: all calls of ${names%% *}.so are passed on to ScaLAPACK: .*use libsectile_scalapack_$KIND.so instead"
    case $names in
    one) results 1 ;;
    real) results product ;;
    *) results 2 1 ;;
    esac
done

# The wrong one also for a program that is linked to ScaLAPACK, and through it to the MPI.
cp "$programs/LU.dat" .
preloaded 2 "$OTHER" "$programs/xdlu"
grep -q " 0 tests completed and failed" output || fail "xdlu on the wrong drop-in: wrong results"
[ "$(grep -c "use libsectile_scalapack_$KIND.so instead of" output)" = 2 ] ||
    fail "xdlu on the wrong drop-in: nothing says so"
