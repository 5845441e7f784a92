# cp2k.sh - a real program on the drop-in: CP2K computes the energy of eight water molecules on 2 and 4
# processes, with every pdgemm served, and gets the same as without. It leaves nothing behind.
set -eu
. "$DATA/support.inc"
command -v cp2k.psmp >/dev/null || {
    echo "cp2k is not installed"
    exit 77
}
[ "$KIND" = openmpi ] || exit 77 # the distribution's CP2K is built for Open MPI

export OMP_NUM_THREADS=1
echo "exec cp2k.psmp -i $DATA/water.inp" >run

energy() {
    sed -n 's/.*ENERGY| Total FORCE_EVAL.*: *//p' "$1"
}

sh "$LAUNCH" "$KIND" "$MPIEXEC" 2 sh run >plain 2>&1 || fail "CP2K does not run without the drop-in"
for ranks in 2 4; do
    served $ranks "$LIBRARY" "sh run"
    [ "$(count_served)" -ge 20 ] || fail "CP2K on $ranks processes: $counts"
    echo "$(energy plain) $(energy output)" | awk -v ranks=$ranks '
        { off = $1 - $2; exit NF != 2 || off > 1e-10 || off < -1e-10 }' ||
        fail "CP2K on $ranks processes: $(energy output) instead of $(energy plain)"
done
! pgrep -x cp2k.psmp || fail "processes of CP2K are left behind"
! ls /dev/shm | grep -i sectile || fail "shared memory is left behind"
