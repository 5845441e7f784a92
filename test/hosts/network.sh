#!/bin/sh
# network.sh - tests hosts.sh: both MPIs see several hosts, messages cross their network at the
# requested rate, each host has its own cores, and nothing is left behind.
set -eu

hosts=$(cd "$(dirname "$0")" && pwd)/hosts.sh
source=${hosts%/*}/network.c
. "${hosts%/*}/support.inc"

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
need_hosts

# crossing MPI HOSTS RANKS: each rank sends 5 MB at 400 Mbit/s.
crossing() {
    mpi=$1 count=$2 ranks=$3
    "$hosts" with "$count" 400 sh -ec '"$0" bytes
        "$0" mpiexec "$@"
        "$0" bytes' "$hosts" "$mpi" "$ranks" "$temp/$mpi" "$ranks" 5000000 >"$temp/out" 2>"$temp/err" ||
        fail "$mpi on $count hosts with $ranks ranks: $(cat "$temp/out" "$temp/err")"
    grep -q "\"nodes\":$count,\"ranks\":$((count * ranks))," "$temp/out" || fail "$(cat "$temp/out")"
    awk -v ranks="$ranks" -v count="$count" '
        function must(holds, what) {
            if (!holds) {
                print what ": " $0
                bad = 1
            }
        }
        { least = 5000000 * ranks }
        sub(/.*"seconds":/, "") { must($1 + 0 >= 0.9 * (least - 131072) * 8 / 400e6, "too fast") }
        /^host/ && $1 in sent {
            must($2 - sent[$1] >= least && $3 - received[$1] >= least, "not all crossed")
            must($2 - sent[$1] < 1.1 * least && $3 - received[$1] < 1.1 * least, "more crossed")
            seen++
        }
        /^host/ { sent[$1] = $2; received[$1] = $3 }
        END { exit bad || seen != count }' "$temp/out" || fail "$mpi: $(cat "$temp/out")"
}

# Two hosts have different hostnames and, if there are two cores, share none.
apart() {
    "$hosts" with 2 - "$hosts" mpiexec "$1" 1 hostname >"$temp/out"
    [ "$(sort "$temp/out" | paste -sd ,)" = host0,host1 ] || fail "$1: hosts: $(cat "$temp/out")"
    [ "$(nproc)" -gt 1 ] || return 0
    "$hosts" with 2 - "$hosts" mpiexec "$1" 1 grep Cpus_allowed_list /proc/self/status >"$temp/out"
    [ "$(sort -u "$temp/out" | wc -l)" -eq 2 ] || fail "$1: cores: $(cat "$temp/out")"
}

# in_use: whether a process runs in the network namespace that the file names.
in_use() {
    find /proc/[0-9]*/ns/net -printf '%l\n' 2>/dev/null | grep -qxFf "$temp/network"
}

# ending SIGNAL STATUS: hosts.sh that is ended by the signal has this exit status and leaves no host.
ending() {
    rm -f "$temp/network"
    "$hosts" with 2 - sh -c 'readlink /proc/self/ns/net >"$0.new"
        mv "$0.new" "$0"
        sleep 60' "$temp/network" &
    pid=$!
    for _ in $(seq 100); do
        [ ! -e "$temp/network" ] || break
        sleep 0.1
    done
    in_use || fail 'a network that is in use is not seen'
    kill -s "$1" $pid
    status=0
    wait $pid 2>/dev/null || status=$?
    [ $status -eq "$2" ] || fail "after $1 the status is $status, not $2"
    for _ in $(seq 50); do
        in_use || return 0
        sleep 0.1
    done
    fail "after $1 hosts are still there"
}

status=0
"$hosts" with 2 - sh -c 'exit 7' || status=$?
[ $status -eq 7 ] || fail "the status of the command is 7, not $status"
ending TERM 143
ending KILL 137
for mpi in $mpis; do
    "mpicc.$mpi" -O2 "$source" -o "$temp/$mpi"
    crossing "$mpi" 4 1
    crossing "$mpi" 2 2
    apart "$mpi"
done
