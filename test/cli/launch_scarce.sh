# launch_scarce.sh - sectile launch where calls fail, in the launcher, in the supervisor of a host or in a
# rank: it says why, ends soon, and leaves nothing running.
. "${0%/*}/support.inc"
. "$tests/faults.inc"
export OPENBLAS_NUM_THREADS=1
unset SECTILE_SSH

# What the tests start sleeps this long, a number by which it is found.
export nap=98.$$
printf 'shift\nexec sh -c "$*"\n' >remote
echo 'one 2' >hosts

# run VERB FAULT ARGUMENT...: launches, while the call FAULT fails in processes whose verb is VERB. `got` is
# the exit code; false if there is no such call.
run() {
    verb=$1 fault=$2
    shift 2
    rm -f reached
    LD_PRELOAD="$FAULTS/test_faults.so" FAULT="$fault" FAULT_VERB="$verb" \
        FAULT_REACHED="$work/reached" timeout 20 "$SECTILE" launch "$@" >out 2>err
    got=$?
    name="launch $* with FAULT='$fault' of $verb"
    [ "$got" -ne 124 ] || fail "$name does not end"
    left=$(pgrep -fc "^sleep $nap")
    [ "$left" -eq 0 ] || sleep 0.2
    [ "$left" -eq 0 ] || left=$(pgrep -fc "^sleep $nap")
    [ "$left" -eq 0 ] || fail "$name leaves $left processes"
    [ -e reached ]
}

# with CODE TEXT VERB FAULT ARGUMENT...
with() {
    wanted=$1 text=$2
    shift 2
    run "$@" || fail "$name is not reached"
    [ "$got" -eq "$wanted" ] || fail "$name: exit $got, not $wanted"
    says err "$text"
}

# each VERB KIND ARGUMENT...: one call after the other; what does not do without it says so.
each() {
    verb=$1 kind=$2
    shift 2
    n=1
    while run "$verb" "$kind $n" "$@"; do
        if [ "$got" -eq 0 ]; then
            same out right
            [ ! -s err ] || fail "$name: exit 0, but said: $(head -n 1 err)"
        else
            [ -s err ] && ! grep -v '^sectile: ' err || fail "$name: exit $got, and says nothing"
        fi
        n=$((n + 1))
    done
    [ $n -gt 1 ] || fail "$name is not reached"
}

local_ranks() {
    with 1 'launch: no memory for the ranks' launch 'calloc 1' -n 2 true
    with 1 'launch: signals cannot be received: Input/output error' launch 'signalfd 1' -n 2 true
    with 1 'launch: a rank cannot be started: Input/output error' launch 'socketpair 1' -n 2 true
    # what has been started ends
    with 1 'launch: a rank cannot be started: Resource temp' launch 'fork 2' -n 2 sh -c "sleep $nap; true"
    with 1 'launch: the ranks cannot be watched' launch 'poll 1' -n 2 sh -c "sleep $nap; true"
    with 127 'launch: rank 0 ended with code 127' launch 'getppid 1' -n 1 true
    # the rank is gone from the launcher's sight before it ends
    with 0 '' launch 'read 2' -n 1 sh -c 'eval "exec $SECTILE_LAUNCHER>&-"; sleep 0.3'
    printf 'here\nhere\n' >right
    for kind in memory launch; do
        each launch $kind -n 2 echo here
    done
}

on_hosts() {
    set -- --hosts hosts --ssh 'sh ./remote'
    with 1 'no memory for the hosts' launch 'realloc 1' "$@" true
    with 1 'no memory for the hosts' launch 'strdup 1' "$@" true
    with 1 'launch: the remote shell cannot be started: Resource temp' launch 'fork 1' "$@" true
    with 1 'the current folder cannot be passed to host' launch 'open_memstream 1' "$@" true
    with 1 'no memory for the order to host one' launch 'fclose 2' "$@" true
    with 255 'launch: the output of ranks cannot be passed on' keep-host 'pipe2 1' "$@" true
    with 255 'launch: a rank cannot be started' keep-host 'fork 2' "$@" sh -c "sleep $nap; true"
    with 255 'launch: the ranks cannot be watched' keep-host 'poll 1' "$@" sh -c "sleep $nap; true"
    for verb in launch keep-host; do
        each $verb memory "$@" echo here
    done
}

# Ranks whose arguments are wrong, which they tell each other.
in_ranks() {
    for kind in memory pthread_create send recv; do
        each run $kind -n 2 "$SECTILE" run --shape bad
    done
    # The other rank tells a wrong hash of its arguments and no longer listens, so that the error of this
    # one is never heard.
    # shellcheck disable=SC2016
    with 2 'rank 1 was started with different arguments' run 'pthread_timedjoin_np 1' -n 2 sh -c '
        [ "$SECTILE_RANK" != 0 ] || exec "$0" run
        for octal in 4 4 10; do
            printf "\\1\\0\\0\\0\\0\\0\\0\\0\\$octal\\0\\0\\0\\0\\0\\0\\0"
            head -c $((0$octal)) /dev/zero
            head -c $((16 + 2 * 0$octal)) <&"$SECTILE_LAUNCHER" >/dev/null
        done >&"$SECTILE_LAUNCHER"
        exec sleep "$nap"' "$SECTILE"
}

local_ranks
on_hosts
in_ranks
nothing_left
finish
