# rank_killed.sh COMMAND... - kills a rank of three in the middle of its work: the job ends soon with a
# failure and leaves no files behind. With SURVIVE=survive, the other ranks go on, each having told
# why it failed. MODES are some of the calls that ranks make, each with the ranks per node.
set -eu
survive=${SURVIVE:-}

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
mkdir "$temp/tmp"
# The MPIs that can be told to put their own files there.
export TMPDIR="$temp/tmp" OMPI_MCA_btl_vader_backing_directory="$temp/tmp"

fail() {
    echo "failed: $*" >&2
    cat "$temp/log" >&2
    exit 1
}

# Lists named shared memory, but for that of Open MPI and of Python's multiprocessing, which other tests use.
list_shared() {
    find /dev/shm -mindepth 1 ! -name 'vader_segment*' ! -name 'sem.mp-*' 2>/dev/null | sort
}

# Lists what was not there before and is still there after a while: other jobs may come and go.
list_left() {
    list_shared | comm -13 "$temp/before" - >"$temp/left"
    [ ! -s "$temp/left" ] || sleep 4
    list_shared | comm -12 "$temp/left" -
}

modes='get/1 add/1 meet/0 multiply/0 multiply/1'
[ -z "$survive" ] || modes="$modes get/0 stay/1 add/0 meet/1"
modes=${MODES:-$modes}
for mode in $modes; do
    list_shared >"$temp/before"
    started=$(date +%s)
    code=0
    # shellcheck disable=SC2086
    timeout 30 "$@" "${mode%/*}" "${mode#*/}" $survive >"$temp/log" 2>&1 || code=$?
    seconds=$(($(date +%s) - started))
    [ $code != 0 ] || fail "$mode: the job succeeds"
    grep -q 'rank 1 is killed' "$temp/log" || fail "$mode: no rank was killed"
    [ $seconds -lt 10 ] || fail "$mode: the job takes $seconds s to end"
    for rank in ${survive:+0 2}; do
        grep -q "rank $rank goes on" "$temp/log" || fail "$mode: rank $rank does not go on"
    done
    left=$(list_left)
    [ -z "$left" ] || fail "$mode: left in /dev/shm: $left"
    left=$(find "$TMPDIR" -mindepth 1)
    [ -z "$left" ] || fail "$mode: left in TMPDIR: $left"
done
echo "rank_killed: all jobs end"
