# mpi_hosts.sh - ranks on several hosts, as far as such can be made here: what they reach, the files
# that they share, the BLAS alone.
. "${0%/*}/mpi.inc"
hosts=$(cd "$tests/../hosts" && pwd)/hosts.sh
"$hosts" with 1 - true || exit $?
export HOSTS_TIMEOUT=60

# on_hosts COUNT RANKS ARGUMENT...: as ranks_do, with so many ranks on each host.
on_hosts() {
    count=$1 ranks=$2
    shift 2
    "$hosts" with "$count" - "$hosts" mpiexec "$kind" "$ranks" "$SECTILE" "$@" >out 2>err ||
        fail "exit $? on $count hosts of $ranks ranks: $*: $(cat err)"
    one_line out
}

# Plans for what ranks really reach: as with threads that pretend so.
reach() {
    set -- --check --json --shape 60x70x50 --a row --b col --c cyclic:16x16
    exits 0 "$SECTILE" run --ranks 4 --per-node 2 "$@"
    grep -o '"bytes_[a-z_]*":[0-9]*' out >expected
    on_hosts 2 2 run "$@"
    says out '{"ok":true,"ranks":4,'
    grep -o '"bytes_[a-z_]*":[0-9]*' out >is
    same is expected
}

files() {
    on_hosts 3 1 multiply --json "$work/a.npy" "$work/b.npy" -o "$work/o.npy" --c cyclic:2x2 \
        --stay a
    same o.npy c.npy
}

reference() {
    on_hosts 2 2 run --shape 30x30x30 --reference --pairs 1 --json
    crowded=false
    [ 2 -gt "$(getconf _NPROCESSORS_ONLN)" ] && crowded=true
    says out '"oversubscribed":'$crowded
}

{ npy '<f8' False '(7, 2)'; doubles $(seq 1 14); } >a.npy
{ npy '<f8' False '(2, 9)'; doubles $(seq 1 18); } >b.npy
exits 0 "$SECTILE" multiply a.npy b.npy -o c.npy --ranks 1
under_each reach
under_one files reference
finish
