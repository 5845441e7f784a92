# gpaw.sh - GPAW on the drop-in, for the energy of water.py on 2 processes. Python loads ScaLAPACK with an
# extension, so that the program itself has none. Every product and copy is served, and the energy is as without.
set -eu
. "$DATA/support.inc"
[ "$KIND" = openmpi ] || exit 77 # the distribution's GPAW is built for Open MPI
python=/usr/bin/python3 # that of the distribution, as is its GPAW
$python -c "import gpaw" 2>/dev/null || {
    echo "gpaw is not installed"
    exit 77
}

export OMP_NUM_THREADS=1
energy() {
    sed -n 's/^energy: *//p' "$1"
}

sh "$LAUNCH" "$KIND" "$MPIEXEC" 2 $python "$DATA/water.py" >plain 2>&1 || {
    tail -n 50 plain
    fail "GPAW does not run without the drop-in"
}
served 2 "$LIBRARY" "$python $DATA/water.py"
[ "$(count_served)" -ge 50 ] || fail "GPAW: $counts"
echo "$(energy plain) $(energy output)" | awk '
    { off = $1 - $2; exit NF != 2 || off > 1e-8 || off < -1e-8 }' ||
    fail "GPAW: $(energy output) instead of $(energy plain)"
