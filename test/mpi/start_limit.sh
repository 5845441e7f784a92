# start_limit.sh COMMAND... - the job of start_limit.c says why it ends, and does so soon.
set -eu
log=$(mktemp)
trap 'rm -f "$log"' EXIT
started=$(date +%s)
code=0
timeout 50 "$@" >"$log" 2>&1 || code=$?
seconds=$(($(date +%s) - started))
cat "$log"
[ $code != 0 ] || { echo 'failed: the job succeeds' && exit 1; }
grep -q 'rank 0: .*not all ranks have come within 1 s, as SECTILE_START_SECONDS' "$log"
[ $seconds -lt 30 ]
