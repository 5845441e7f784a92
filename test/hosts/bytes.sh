# bytes.sh - on several hosts, the bytes that Sectile reports as moved are those that the network
# carried, apart from protocol overhead; and the results are right.
set -eu

hosts=$(cd "$(dirname "$0")" && pwd)/hosts.sh
. "${hosts%/*}/support.inc"
fields=$(cat "${hosts%/*}/../../bench/fields.awk")

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
export OPENBLAS_NUM_THREADS=1
need_hosts

# carried MPI HOSTS RANKS ARGUMENT...: checks one `sectile run`, which computes a product once to warm
# up and 5 times for timing.
carried() {
    mpi=$1 count=$2 ranks=$3
    shift 3
    "$hosts" with "$count" - sh -ec 'hosts=$0
        "$hosts" bytes
        "$hosts" mpiexec "$@"
        "$hosts" bytes' "$hosts" "$mpi" "$ranks" "$SECTILE" run --json --repeat 5 "$@" \
        >"$temp/out" 2>"$temp/err" || fail "$mpi $count x $ranks $*: $(cat "$temp/out" "$temp/err")"
    # Each byte is sent by one host and received by another.
    awk "$fields"'
        /^host/ {
            way = seen++ < '"$count"' ? -1 : 1
            sent += way * $2
            received += way * $3
        }
        /^\{/ {
            ok = field("ok") == "true"
            planned = field("bytes_planned")
            moved = field("bytes_got") + field("bytes_accumulated")
            ok = ok && moved + field("bytes_in_place") == planned
            moved *= 6
        }
        END {
            printf "counted %d in all, planned %d for each, sent %d, received %d\n", moved,
                planned, sent, received
            exit !(ok && moved > 2e7 && sent >= moved && received >= moved &&
                sent < 1.1 * moved && received < 1.1 * moved)
        }' "$temp/out" >"$temp/sums" ||
        fail "$mpi $count x $ranks $*: $(cat "$temp/sums" "$temp/out")"
}

for mpi in $mpis; do
    carried "$mpi" 2 1 --shape 768x768x768 --a row --b row --c row
    carried "$mpi" 4 1 --shape 768x768x768 --a col --b row --c row --stay a
    carried "$mpi" 2 2 --shape 768x768x768 --a row --b row --c row --stay c
    "$hosts" with 4 - "$hosts" mpiexec "$mpi" 1 "$SECTILE" run --check --shape 150x200x250 \
        --a col --b cyclic:32x32 --c '2d*2' >"$temp/out" 2>&1 || fail "$(cat "$temp/out")"
done
