# control_group.sh - a product is worked on in pieces where a control group limits the memory, as in a container or a
# job of Slurm, or it is refused. Without permission to make such a group, the test is skipped.
. "${0%/*}/support.inc"

set_limit() {
    for file in memory.limit_in_bytes memory.max; do
        [ ! -e "$group/$file" ] || echo "$1" >"$group/$file"
    done
}

# limited MIB CODE COMMAND...: runs it in the group.
limited() {
    set_limit $(($1 << 20)) || fail "no limit of $1 MiB"
    shift
    # shellcheck disable=SC2016
    exits "$1" sh -c 'echo $$ >"$0/cgroup.procs" && shift && exec "$@"' "$group" "$@"
}

for folder in /sys/fs/cgroup/memory /sys/fs/cgroup; do
    group=$folder/sectile.$$
    mkdir "$group" 2>/dev/null && { set_limit 100000000; } 2>/dev/null &&
        { [ -e "$group/memory.max" ] || [ -e "$group/memory.limit_in_bytes" ]; } &&
        sh -c 'echo $$ >"$0/cgroup.procs"' "$group" 2>/dev/null && break
    rmdir "$group" 2>/dev/null
    group=
done
[ -n "$group" ] || exit 77
trap 'rmdir "$group"; rm -rf "$work"' EXIT

{ npy '<f8' False '(1600, 1600)'; head -c 20480000 /dev/zero; } >a.npy
# Three matrices of 20 MiB do not fit.
for ranks in 1 2; do
    limited 56 0 "$SECTILE" multiply a.npy a.npy --op NT -o c.npy -n $ranks --json
    says out '"ok":true'
    [ "$(sed -n 's/.*"pieces":\([0-9]*\),.*/\1/p' out)" -gt 1 ] || fail "one piece with $ranks ranks: $(cat out)"
done
# What ranks take beside matrices counts.
limited 56 1 "$SECTILE" multiply a.npy a.npy --op NT -o c.npy -n 16
one_line err
says err 'the control group has 5'
least=$(sed -n 's/.*allow about \([0-9]*\).* MiB.*/\1/p' err)
limited $((least + 16)) 0 "$SECTILE" multiply a.npy a.npy --op NT -o c.npy -n 16
limited 30 0 "$SECTILE" copy a.npy --op T -o c.npy
finish
