# nwchem.sh - NWChem on the drop-in. It calls no routine that is served: ScaLAPACK's eigensolvers do. All
# calls are served, and the energy is as without.
set -eu
. "$DATA/support.inc"
command -v nwchem.openmpi >/dev/null || {
    echo "nwchem-openmpi is not installed"
    exit 77
}
[ "$KIND" = openmpi ] || exit 77 # the distribution's NWChem for MPICH fails by itself on 2 processes

export OMP_NUM_THREADS=1
energy() {
    sed -n 's/.*Total DFT energy = *//p' "$1"
}

sh "$LAUNCH" "$KIND" "$MPIEXEC" 2 nwchem.openmpi "$DATA/water.nw" >plain 2>&1 || {
    tail -n 50 plain
    fail "NWChem does not run without the drop-in"
}
served 2 "$LIBRARY" "nwchem.openmpi $DATA/water.nw"
[ "$(count_served)" -ge 20 ] || fail "NWChem: $counts"
echo "$(energy plain) $(energy output)" | awk '
    { off = $1 - $2; exit NF != 2 || off > 1e-7 || off < -1e-7 }' ||
    fail "NWChem: $(energy output) instead of $(energy plain)"
