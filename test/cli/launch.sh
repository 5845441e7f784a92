# launch.sh - sectile launch: ranks without MPI, here and through a stand-in for ssh; exit codes,
# signals, output, and that nothing is left running.
. "${0%/*}/support.inc"
export OPENBLAS_NUM_THREADS=1
unset SECTILE_SSH

# What the tests start sleeps this long, a number by which it is found.
export nap=97.$$

# apart FUNCTION...: each beside the others, as all wait for seconds, and with a nap of its own.
apart() {
    for function in "$@"; do
        nap=$((98 + part)).$$
        beside "$function"
    done
}

# running: the number of processes that the tests have started and that still run.
running() {
    pgrep -fc "^sleep $nap\$" || :
}

# ends_soon CODE COMMAND...: within 8 seconds, and leaves nothing running.
ends_soon() {
    began=$(date +%s)
    exits "$@"
    [ $(($(date +%s) - began)) -lt 8 ] || fail "$* ended too late"
    left=$(running)
    [ "$left" -gt 0 ] && sleep 1 && left=$(running)
    [ "$left" -eq 0 ] || fail "$* left $left processes running"
}

verbs() {
    for nodes in 0 1 2; do
        exits 0 "$SECTILE" launch -n 4 "$SECTILE" run --check --json --shape 37x29x43 --a row --b col \
            --per-node $nodes
        one_line out
        says out '"engine":"processes"'
        says out '{"ok":true,"ranks":4,'
        [ $nodes -eq 0 ] || says out '"path":"sockets"'
    done
    exits 0 "$SECTILE" launch "$SECTILE" run --json --shape 9x9x9
    says out '"ranks":1,'
    { npy '<f8' False '(2, 3)' && doubles 1 2 3 4 5 6; } >a.npy
    exits 0 "$SECTILE" multiply a.npy a.npy -o expected.npy --op NT --ranks 3
    exits 0 "$SECTILE" launch -n 3 "$SECTILE" multiply a.npy a.npy -o c.npy --op NT
    same c.npy expected.npy
    exits 0 "$SECTILE" launch -n 3 "$SECTILE" multiply a.npy a.npy -o d.npy --op NT --engine emulated
    same d.npy expected.npy
    for nodes in 1 3; do
        exits 0 "$SECTILE" launch -n 3 "$SECTILE" run --engine emulated --shape 300x200x250 \
            --a row --b col --c 2d --stay a --check --json --per-node $nodes
        says out '{"ok":true,"ranks":3,'
        [ $nodes -eq 3 ] || says out '"engine":"emulated","path":"sockets"'
        [ $nodes -eq 1 ] || says out '"engine":"emulated","path":null' # devices share memory
    done
    no_leftovers
}

# A rank that never comes: the other gives up, and the launcher ends the job.
limit() {
    # shellcheck disable=SC2016
    SECTILE_START_SECONDS=1 ends_soon 1 "$SECTILE" launch -n 2 sh -c \
        '[ "$SECTILE_RANK" = 0 ] || exec sleep $nap; exec "$0" run --shape 9x9x9' "$SECTILE"
    says err 'later than SECTILE_START_SECONDS allows'
    SECTILE_START_SECONDS=0 exits 0 "$SECTILE" launch -n 2 "$SECTILE" run --shape 9x9x9 --json
    SECTILE_START_SECONDS='' exits 0 "$SECTILE" run --shape 9x9x9
    for seconds in abc -1 1e99 nan 2147484 ' 1' 1s; do
        SECTILE_START_SECONDS=$seconds exits 2 "$SECTILE" run --shape 9x9x9
        says err "SECTILE_START_SECONDS: '$seconds' is not a whole number from 0 to 2147483"
        one_line err
    done
    # one rank tells the other
    # shellcheck disable=SC2016
    exits 2 "$SECTILE" launch -n 2 sh -c '[ $SECTILE_RANK = 0 ] || export SECTILE_START_SECONDS=x
        exec "$0" run --shape 9x9x9' "$SECTILE"
    says err "SECTILE_START_SECONDS: 'x' is not a whole number"
}

# order WORD...: what a launcher tells a host.
order() {
    bytes=0
    for word; do bytes=$((bytes + ${#word} + 1)); done
    printf '\4\0\0\0\0\0\0\0'
    # shellcheck disable=SC2059
    printf "\\$(printf %03o "$bytes")\0\0\0\0\0\0\0"
    printf '%s\0' "$@"
}

# The numbers: the first rank, how many here, of how many; whether to bind; how many variables and words
# there are after the folder.
orders() {
    exits 2 "$SECTILE" keep-host </dev/null
    one_line err
    printf '\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >told
    for words in '0 1 1 0 0' '0 1 1 0 0 1' '0 0 1 0 0 1|.|true' '0 1 1 0 1 1|.' '0 1 1 0 0 2|.|true' \
        other; do
        IFS='|'
        # shellcheck disable=SC2086
        [ "$words" = other ] || order $words >told
        unset IFS
        exits 2 "$SECTILE" keep-host <told
        says err 'keep-host: a launcher has to say what to start'
    done
    order '0 1 1 0 0 1' ./nowhere true >told
    exits 1 "$SECTILE" keep-host <told
    says err 'launch: ./nowhere: No such file or directory'
    one_line err
}

wrong() {
    exits 2 "$SECTILE" launch -n 2
    says err 'launch needs a command'
    exits 2 "$SECTILE" launch -n 0 true
    exits 2 "$SECTILE" launch --fly true
    orders
    exits 3 "$SECTILE" run --engine processes
    says err 'needs sectile launch'
    exits 2 "$SECTILE" launch -n 2 "$SECTILE" run --engine mpi
    says err "'mpi' is not allowed under sectile launch"
    exits 2 "$SECTILE" launch -n 2 "$SECTILE" run --engine threads
    says err "'threads' is not allowed under sectile launch: each of its 2"
    exits 2 "$SECTILE" launch -n 2 "$SECTILE" run --ranks 3
    says err 'allowed: 2, the number of processes that sectile launch has started'
    exits 3 "$SECTILE" launch -n 2 "$SECTILE" run --path rma
    says err 'without MPI there are sockets only'
    # shellcheck disable=SC2016
    exits 2 "$SECTILE" launch -n 3 sh -c '[ $SECTILE_RANK = 1 ] && set -- --repeat 4
        exec "$0" run "$@"' "$SECTILE"
    says err 'rank 1 was started with different arguments'
    # a rank without its connection does not work alone
    exits 1 "$SECTILE" launch -n 2 env SECTILE_LAUNCHER=1000 "$SECTILE" run --shape 9x9x9
    says err 'SECTILE_LAUNCHER is set, but this process has no connection to sectile launch'
    [ ! -s out ] || fail "a rank has worked alone: $(cat out)"
    SECTILE_RANK=0 exits 1 "$SECTILE" run --shape 9x9x9
    says err 'SECTILE_RANK is set'
    exits 0 "$SECTILE" launch --help
    cp out expected
    exits 0 "$SECTILE" help launch
    same out expected
}

# shellcheck disable=SC2016
codes() {
    exits 0 "$SECTILE" launch -n 3 -- sh -c 'echo "$SECTILE_RANK of $SECTILE_RANKS"'
    sort out | paste -sd , >list
    says list '0 of 3,1 of 3,2 of 3'
    exits 127 "$SECTILE" launch -n 2 ./nowhere
    says err 'launch: ./nowhere: No such file'
    ends_soon 7 "$SECTILE" launch -n 3 sh -c '[ $SECTILE_RANK != 1 ] || exit 7; sleep '$nap'; true'
    says err 'launch: rank 1 ended with code 7'
    ends_soon 137 "$SECTILE" launch -n 3 sh -c '[ $SECTILE_RANK != 1 ] || kill -9 $$; sleep '$nap'; true'
    says err 'launch: rank 1 was ended by signal 9'
    # the others have time to notice and to say it
    ends_soon 137 "$SECTILE" launch -n 2 sh -c '[ $SECTILE_RANK = 0 ] || kill -9 $$
        sleep 2; echo "rank 1 is lost" >&2; exit 1'
    says err 'launch: rank 1 was ended by signal 9'
    says err 'rank 1 is lost'
    # also where they end before it does
    ends_soon 1 "$SECTILE" launch -n 2 sh -c '[ $SECTILE_RANK = 0 ] && exit 1; sleep 0.5; kill -9 $$'
    says err 'launch: rank 0 ended with code 1'
    says err 'launch: rank 1 was ended by signal 9'
    # one that does not want to end
    ends_soon 7 "$SECTILE" launch -n 2 sh -c 'trap "" TERM
        [ $SECTILE_RANK = 0 ] || exit 7; sleep '$nap'; sleep '$nap
    # ranks that say more than others do not meet
    ends_soon 0 "$SECTILE" launch -n 2 sh -c '
        { printf "\\1\\0\\0\\0\\0\\0\\0\\0\\$((SECTILE_RANK + 1))\\0\\0\\0\\0\\0\\0\\0"
        head -c $((SECTILE_RANK + 1)) /dev/zero; } >&"$SECTILE_LAUNCHER"
        head -c 16 <&"$SECTILE_LAUNCHER" | od -An -v -td8 | tr -s " "'
    [ "$(cat out)" = "$(printf ' 3 0\n 3 0')" ] || fail "ranks that say more than others: $(cat out)"
    # a rank that leaves early keeps nobody waiting
    ends_soon 1 "$SECTILE" launch -n 2 sh -c '[ $SECTILE_RANK = 1 ] || exec "$0" run' "$SECTILE"
}

# Signals to the launcher are passed on; if it is killed, its ranks end.
signals() {
    ends_soon 143 timeout --preserve-status -s TERM 1 "$SECTILE" launch -n 2 sleep $nap
    ends_soon 130 timeout --preserve-status -s INT 1 "$SECTILE" launch -n 2 sleep $nap
    # shellcheck disable=SC2016
    ends_soon 5 timeout --preserve-status -s TERM 1 "$SECTILE" launch -n 2 sh -c 'trap "exit 5" TERM
        sleep '$nap' & wait'
    ends_soon 137 timeout --preserve-status -s KILL 1 "$SECTILE" launch -n 2 sleep $nap
    # a rank that meets the others, and does not read the 8 MiB that they have said
    # shellcheck disable=SC2016
    ends_soon 143 timeout --preserve-status -k 6 -s TERM 1 "$SECTILE" launch -n 2 sh -c '
        { printf "\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\100\\0\\0\\0\\0\\0"
        head -c 4194304 /dev/zero; } >&"$SECTILE_LAUNCHER"
        exec sleep '$nap
}

# A signal that is ignored stays so; USR1 is passed on, and ends nothing by itself.
# shellcheck disable=SC2016
other_signals() {
    stand_in
    for hosts in '-n 2' '--hosts hosts --ssh ./remote'; do
        # shellcheck disable=SC2086
        exits 0 timeout --preserve-status -s HUP 0.5 sh -c 'trap "" HUP; exec "$0" "$@"' \
            "$SECTILE" launch $hosts sleep 4.5
        [ ! -s err ] || fail "nohup: $(cat err)"
        ranks=3
        [ "$hosts" != '-n 2' ] || ranks=2
        rm -f told up
        # shellcheck disable=SC2086
        "$SECTILE" launch $hosts sh -c '
            trap "echo \$SECTILE_RANK >>told; exit 0" USR1
            echo >>up
            sleep '$nap' & wait' >out 2>err &
        for _ in $(seq 100); do
            [ "$(cat up 2>/dev/null | wc -l)" -lt "$ranks" ] || break
            sleep 0.1
        done
        kill -USR1 $!
        wait $! || fail "USR1 with $hosts: code $?: $(cat err)"
        pkill -f "^sleep $nap\$" || :
        [ "$(wc -l <told)" -eq "$ranks" ] || fail "USR1 with $hosts: $(cat told)"
    done
    echo late >some
    exits 0 timeout --foreground --preserve-status -s USR1 0.6 "$SECTILE" launch --hosts some --ssh ./remote true
}

# all STATE LAUNCHER: waits until the launcher and its two ranks sleep (S) or are stopped (T).
all() {
    for _ in $(seq 100); do
        states=$(ps -o state= -p "$2" $(pgrep -f "^sleep $nap\$") | tr -d '\n ')
        [ "$states" != "$1$1$1" ] || return 0
        sleep 0.1
    done
    fail "states of the launcher and its ranks: $states, not $1$1$1"
    kill -KILL "$2"
}

stopped() {
    stand_in
    for hosts in '' '--hosts hosts --ssh ./remote'; do
        # shellcheck disable=SC2086
        "$SECTILE" launch $hosts -n 2 sleep $nap 2>err &
        all S $!
        kill -TSTP $!
        all T $!
        kill -CONT $!
        all S $!
        kill $!
        wait $!
        [ $? -eq 143 ] || fail "the launcher has not ended by a signal: $hosts"
    done
    rm reached
}

# A rank that waits for ever is named, with a limit on waiting: here it reads from a pipe that nobody
# writes to.
stuck() {
    mkfifo mute
    exits 1 env SECTILE_WAIT_SECONDS=1 "$SECTILE" launch -n 2 "$SECTILE" run --shape 9x9x9 --wisdom mute
    says err 'rank 0 did not respond for 1 s'
}

# Rank 0 reads these files for all, also from pipes.
one_reader() {
    set -- "$SECTILE" launch -n 3 "$SECTILE" run --shape 90x80x70 --json
    mkfifo pipe
    cat "$tests/../../machines/cluster.json" >pipe &
    exits 0 timeout 60 "$@" --machine pipe
    exits 0 "$@" --effort measure --wisdom measured
    cat measured >pipe &
    exits 0 timeout 60 "$@" --wisdom pipe
    exits 2 "$@" --machine none.json
    says err "--machine: none.json: neither a file"
    exits 1 "$@" --wisdom none
    says err "--wisdom: none: cannot be read"
}

# With --bind each rank has cores of its own, if there are enough.
bound() {
    cores=$(nproc)
    set -- grep Cpus_allowed_list /proc/self/status
    exits 0 "$SECTILE" launch --bind -n "$cores" "$@"
    [ "$(sort -u out | wc -l)" -eq "$cores" ] || fail "--bind: $(cat out)"
    "$@" >expected
    for flags in "-n $cores" "--bind -n $((cores + 1))" '--bind -n 1'; do
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" launch $flags "$@"
        sort -u out | same - expected
    done
    last=$(sed -n 's/^Cpus_allowed_list:.*[-,\t]//p' expected)
    exits 0 taskset -c "$last" "$SECTILE" launch --bind -n 1 "$@"
    says out "	$last"
    stand_in
    echo "one $cores" >hosts
    exits 0 "$SECTILE" launch --bind --hosts hosts --ssh ./remote "$@"
    [ "$(sort -u out | wc -l)" -eq "$cores" ] || fail "--bind on a host: $(cat out)"
    rm reached
}

# Rank 0 reads the input, and output is passed on whole.
streams() {
    echo hello | "$SECTILE" launch -n 3 cat >out
    echo hello >expected
    same out expected
    exits 0 "$SECTILE" launch -n 2 seq 20000
    [ "$(wc -l <out)" -eq 40000 ] || fail "$(wc -l <out) lines, not 40000"
}

# A shell on the "host", which tells its name.
stand_in() {
    cat >remote <<'END'
#!/bin/sh
host=$1
shift
echo "$host" >>reached
[ "${host#*@}" != down ] || exit 255
[ "$host" != motd ] || echo Welcome to this host
[ "$host" != hi ] || { echo hi; exec sleep "$nap"; }
[ "$host" != late ] || sleep 1
[ "$host" != slow ] || sleep 6
[ "$host" != zeros ] || exec cat /dev/zero
# ready, and then rank 0 ends three times
[ "$host" != liar ] || {
    printf '\010\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    for _ in 1 2 3; do printf '\6\0\0\0\0\0\0\0\010\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; done
    exec sleep "$nap"
}
export HOST="$host"
# the supervisor is no child of the launcher here, as with ssh
[ "$host" != apart ] || { setsid sh -c "$*"; exit; }
exec sh -c "$*"
END
    chmod +x remote
    printf '# hosts\none 2\n\n  two # takes one\n' >hosts
}

# shellcheck disable=SC2016
hosts() {
    stand_in
    set -- "$SECTILE" launch --hosts hosts --ssh ./remote
    exits 0 "$@" sh -c 'echo "$SECTILE_RANK of $SECTILE_RANKS on $HOST"; echo noise >&2; cat'
    sort out | paste -sd , >list
    says list '0 of 3 on one,1 of 3 on one,2 of 3 on two'
    [ "$(grep -c noise err)" -eq 3 ] || fail 'the errors of hosts are not passed on'
    sort reached | paste -sd , >list
    says list 'one,two'
    exits 0 "$@" -n 2 sh -c 'echo "$SECTILE_RANKS on $HOST"'
    [ "$(grep -c '^2 on one$' out)" -eq 2 ] || fail "-n 2: $(cat out)"
    exits 0 "$@" "$SECTILE" run --check --json --shape 37x29x43 --per-node 1
    says out '{"ok":true,"ranks":3,'
    # What a rank has printed comes before its end, also where ranks end at the same time.
    for _ in $(seq 20); do
        exits 0 "$@" echo here
        [ "$(wc -l <out)" -eq 3 ] || fail "$(wc -l <out) lines, not 3"
    done
    exits 0 "$@" seq 20000
    [ "$(wc -l <out)" -eq 60000 ] || fail "$(wc -l <out) lines, not 60000"
    SECTILE_SSH="env X=3 ./remote" exits 0 "$SECTILE" launch --hosts hosts sh -c 'echo $X'
    [ "$(paste -sd , out)" = 3,3,3 ] || fail "SECTILE_SSH: $(cat out)"
    SECTILE_SSH='' exits 2 "$SECTILE" launch --hosts hosts true
    says err "SECTILE_SSH: '' is not a command"
}

# The ways to write how many ranks a host takes: as MPICH, and as the files of batch systems.
# shellcheck disable=SC2016
hosts_files() {
    stand_in
    rm -f reached
    printf 'one:2\ntwo\ntwo\nu@two:1\n::1:2\n[::1]:2\nssh://one:22\none\n' >many
    printf 'two slots=2 max_slots=4\none:1 ifhn=ib0\n' >>many
    exits 0 "$SECTILE" launch --hosts many --ssh ./remote sh -c 'echo "$SECTILE_RANK $HOST"'
    sort -n out | paste -sd , >list
    says list '0 one,1 one,2 two,3 two,4 u@two,5 ::1:2,6 ::1,7 ::1,8 ssh://one:22,9 one,10 two,11 two,12 one'
    [ "$(grep -c '^two$' reached)" -eq 2 ] || fail 'a host that is named twice is reached twice'
    rm reached
    for line in one:0 one:x one: :2 'one:2 3' '[::1]:' 'one 2 3' 'one slots=' 'one slots=2 3' \
        'one:2 slots=3' 'one =3'; do
        echo "$line" >wrong
        exits 2 "$SECTILE" launch --hosts wrong --ssh ./remote true
        says err "wrong: line 1: must be the name of a host, and optionally its number of ranks, as 'node 2'"
        one_line err
    done
    [ ! -e reached ] || fail 'a wrong file has been used'
}

# What a host, which has an environment of its own, gets of this one.
# shellcheck disable=SC2016
exported() {
    printf '#!/bin/sh\nshift\nexec env -i sh -c "$*"\n' >alone
    chmod +x alone
    echo one >hosts
    export MKL_NUM_THREADS=1 BLIS_NUM_THREADS=2 UCX_TLS=3 CUDA_VISIBLE_DEVICES=4 OMP_PROC_BIND=5
    export ONE=6 TWO=7 CUDA_VISIBLE=8
    show='echo $MKL_NUM_THREADS$BLIS_NUM_THREADS$UCX_TLS$CUDA_VISIBLE_DEVICES$OMP_PROC_BIND-$ONE-$TWO$CUDA_VISIBLE'
    for case in '12345--' 'ONE 12345-6-' 'ONE,TWO 12345-6-7'; do
        names=${case% *}
        [ "$names" != "$case" ] || names=PATH
        exits 0 "$SECTILE" launch --export "$names" --hosts hosts --ssh ./alone sh -c "$show"
        [ "$(cat out)" = "${case#* }" ] || fail "--export $names: $(cat out)"
    done
    exits 0 "$SECTILE" launch --export ONE --export TWO --hosts hosts --ssh ./alone sh -c "$show"
    [ "$(cat out)" = 12345-6-7 ] || fail "--export, repeated: $(cat out)"
    exits 0 "$SECTILE" launch --export ONE sh -c 'echo $ONE'
    unset MKL_NUM_THREADS BLIS_NUM_THREADS UCX_TLS CUDA_VISIBLE_DEVICES OMP_PROC_BIND ONE TWO CUDA_VISIBLE
    for names in NOT_SET '' 'PATH,' HOME=x ','; do
        exits 2 "$SECTILE" launch --export "$names" true
        says err '--export: '
        one_line err
    done
}

# Ranks that meet with 4 MiB each, while they print as much (rank 0), or print before they read (rank 1).
# Other shells know descriptors up to 9 only.
# shellcheck disable=SC2016
meeting_while_printing() {
    command -v bash >/dev/null || return
    stand_in
    exits 0 timeout -k 1 30 "$SECTILE" launch --hosts hosts --ssh ./remote -n 2 bash -c '
        print() { head -c 4000000 /dev/zero; }
        [ "$SECTILE_RANK" = 1 ] || print &
        { printf "\1\0\0\0\0\0\0\0\0\0\100\0\0\0\0\0"; head -c 4194304 /dev/zero; } >&"$SECTILE_LAUNCHER"
        [ "$SECTILE_RANK" = 0 ] || print
        head -c 8388624 <&"$SECTILE_LAUNCHER" | wc -c >&2
        wait'
    [ "$(wc -c <out)" -eq 8000000 ] || fail "ranks that print while they meet: $(wc -c <out) bytes"
    [ "$(grep -c '^8388624$' err)" -eq 2 ] || fail "ranks that meet while they print: $(cat err)"
}

# Output that nobody reads for a while makes ranks wait, not fail; signals are heard meanwhile, also when
# the ranks have ended.
# shellcheck disable=SC2016
stalled_output() {
    stand_in
    mkfifo stalled
    exec 9<>stalled
    set -- "$SECTILE" launch --hosts hosts --ssh ./remote
    "$@" -n 2 sh -c 'head -c 1000000 /dev/zero; echo "$SECTILE_RANK" >&2' >stalled 2>err &
    sleep 1
    [ ! -s err ] || fail "output that is not read, and yet: $(cat err)"
    head -c 2000000 <&9 >out
    wait $! || fail "output that is read late: code $?"
    [ "$(sort err | paste -sd ,)" = 0,1 ] || fail "output that is read late: $(cat err)"
    for bytes in 1000000 100000; do
        began=$(date +%s)
        timeout --preserve-status -k 6 -s TERM 1 "$@" -n 1 head -c $bytes /dev/zero >stalled 2>err
        got=$?
        [ $got -eq 143 ] || fail "a signal while $bytes bytes are not read: code $got: $(cat err)"
        [ $(($(date +%s) - began)) -lt 8 ] || fail "a signal while $bytes bytes are not read is heard late"
    done
    exec 9>&-
}

# Output that cannot be written ends the ranks.
lost_output() {
    stand_in
    for to in /dev/full broken; do
        [ $to = /dev/full ] || mkfifo broken
        [ $to = /dev/full ] || true <broken &
        timeout 8 "$SECTILE" launch --hosts hosts --ssh ./remote yes >$to 2>err
        got=$?
        [ $got -eq 1 ] || fail "output to $to: $got"
        says err 'launch: the output cannot be written'
    done
    wait
}

# shellcheck disable=SC2016
failing_hosts() {
    stand_in
    set -- "$SECTILE" launch --ssh ./remote --hosts
    ends_soon 7 "$@" hosts sh -c '[ $SECTILE_RANK != 1 ] || exit 7; sleep '$nap'; true'
    says err 'launch: rank 1 ended with code 7'
    ends_soon 143 timeout --preserve-status -s TERM 1 "$@" hosts sleep $nap
    ends_soon 137 timeout --preserve-status -s KILL 1 "$@" hosts sleep $nap
    echo apart >some
    ends_soon 137 timeout --preserve-status -s KILL 1 "$@" some sleep $nap
    printf 'one\ndown\n' >some
    ends_soon 255 "$@" some sleep $nap
    says err 'host down is gone'
    # of two that are gone one is the cause
    printf 'down\nu@down\n' >some
    ends_soon 255 "$@" some true
    says err 'down is gone'
    one_line err
    # one that ends before it has read what it is told
    echo down >some
    long=$(printf '%0120000d' 0)
    SECTILE_A=$long SECTILE_B=$long ends_soon 255 "$@" some true
    says err 'host down is gone'
    ends_soon 1 "$@" hosts sh -c '[ $SECTILE_RANK = 1 ] || exec "$0" run' "$SECTILE"
    exits 2 "$@" hosts -n 4 true
    says err 'the hosts take 3 ranks, fewer than 4'
    exits 1 "$@" nowhere true
    echo one >some
    exits 2 "$@" some -n 2 true
    says err 'the hosts take 1 rank, fewer than 2'
    exits 2 "$SECTILE" launch --hosts /dev/null true
    says err '/dev/null: it names no host: each line must have the name of one'
    exits 2 timeout 20 "$SECTILE" launch --hosts /dev/zero true
    says err '/dev/zero: line 1: must be the name of a host'
    head -c 9999 /dev/zero | tr '\0' ' ' >long
    exits 2 "$SECTILE" launch --hosts long true
    says err 'long: line 1: must be the name of a host'
    for line in '-oProxyCommand=x' 'one x' 'one 0' 'one 2 3' 'one -1' 'me@-oX=y' 'ssh://-oX=y' 'a$(id)' \
        'a;b' "a'b" 'a\b'; do
        echo "$line" >bad
        exits 2 "$@" bad true
        says err 'bad: line 1'
    done
    echo motd >some
    ends_soon 255 "$@" some sleep $nap
    says err 'host motd has answered something else'
    echo zeros >some
    ends_soon 255 "$@" some true
    says err 'host zeros is gone'
    printf 'liar\none\n' >some
    ends_soon 0 "$@" some sh -c 'sleep 0.5; echo here'
    says out here
    echo 'me_2@[fe80::1%eth0]' >some
    exits 0 "$@" some true
    exits 255 "$SECTILE" launch --ssh "./remote $(printf '%5000s' x)" --hosts some true
    says err 'too long a command'
    mkdir gone "it's"
    exits 1 sh -c 'cd gone && rmdir ../gone && exec "$0" launch --ssh ../x --hosts ../some true' \
        "$SECTILE"
    says err 'launch: the current folder cannot be passed to host me_2@fe80::1%eth0: No such file'
    cp "$SECTILE" "it's/sectile"
    exits 255 "it's/sectile" launch --ssh ./remote --hosts some true
    says err "launch: the path of this tool cannot be passed to a shell: $(pwd -P)/it's/sectile"
    : >bad
    exits 2 "$@" bad true
    printf 'one\0x 3\n' >bad
    exits 2 "$@" bad true
    says err 'bad: line 1'
    printf 'one 4096\ntwo 1\n' >bad
    exits 2 "$@" bad true
    says err 'bad: line 2: the hosts take more than 4096 ranks'
    exits 1 "$@" . true
    says err '.: Is a directory'
    printf '# hosts\r\none 2\r\n\r\ntwo\r\n' >windows
    exits 0 "$@" windows echo here
    [ "$(wc -l <out)" -eq 3 ] || fail "lines that end as on Windows: $(cat out err)"
}

# A host that greets and then says nothing is waited for; signals are heard meanwhile.
silent_host() {
    stand_in
    set -- "$SECTILE" launch --ssh ./remote --hosts
    echo hi >some
    ends_soon 255 timeout --preserve-status -s TERM 1 "$@" some true
    says err 'host hi has answered something else'
    exits 255 timeout --preserve-status -s TERM 6 "$@" some true
    says err 'still waiting for host hi'
}

slow_host() {
    stand_in
    set -- "$SECTILE" launch --ssh ./remote --hosts
    echo slow >some
    exits 0 "$@" some true
    says err 'still waiting for host slow'
    one_line err
}

apart limit wrong codes stuck one_reader
verbs
bound
streams
hosts
hosts_files
exported
# From here on launchers are sent signals. If one comes while the leak checker looks at the process, it
# can wait for ever.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
apart signals other_signals stopped meeting_while_printing stalled_output lost_output failing_hosts \
    silent_host slow_host
finish
