# mpi_usage.sh - what is wrong is said once by all ranks of an MPI, and so is help.
. "${0%/*}/mpi.inc"

word() {
    ranks_refuse 2 "there is no verb 'fly'; sectile --help lists all verbs" 3 "$SECTILE" fly
}

words() {
    ranks_refuse 2 "run: there is no flag '--fly'" 3 "$SECTILE" run --fly
    ranks_refuse 2 "-o FILE" 2 "$SECTILE" multiply a b
    ranks_refuse 2 "--a: " 2 "$SECTILE" run --a fly
    ranks_refuse 1 'too small by' 2 "$SECTILE" run --shape 64x64x64 --a cyclic:2x2 --per-node 1 --workspace 1
    ranks_refuse 1 'nowhere/x.svg' 2 "$SECTILE" bench --shapes 8x8x8 --svg nowhere/x.svg
}

helps() {
    for words in '' 'run --help' 'run -h' '--version'; do
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" $words
        cp out expected
        # shellcheck disable=SC2086
        ranks_do 2 $words
        same out expected
    done
}

engines() {
    ranks_refuse 2 "--ranks: '4' is not allowed; allowed: 3" 3 "$SECTILE" run --ranks 4
    ranks_refuse 2 "--engine: 'threads' is not allowed under mpiexec" 2 "$SECTILE" run \
        --engine threads
    ranks_refuse 2 'cannot be drawn yet' 2 "$SECTILE" run --svg drawn.svg
    ranks_do 2 run --ranks 2 --engine mpi --shape 9x9x9 --json
    says out '"engine":"mpi"'
    ranks_do 2 run --engine emulated --shape 90x80x70 --a row --b col --c 2d --stay a --check --json \
        --per-node 1
    says out '{"ok":true,"ranks":2,'
    says out '"engine":"emulated","path":"s'
    ranks_refuse 3 'RMA of MPI does not reach memory of devices' 2 "$SECTILE" run \
        --engine emulated --path rma
    ranks_do 1 run --engine threads --ranks 3 --shape 9x9x9 --json
    says out '"ranks":3,'
    says out '"engine":"threads"'
}

plans() {
    set -- plan --json --shape 90x80x70 --a col --rank 4
    exits 0 "$SECTILE" "$@" --ranks 5
    cp out expected
    ranks_do 2 "$@" --ranks 5
    same out expected
    ranks_do 2 plan --json
    says out '"ranks":2,'
    ranks_do 2 plan --json --machine pvc12
    says out '"ranks":12,'
    ranks_do 2 simulate --json --machine pvc12
    one_line out
    ranks_do 2 choose --json --shape 90x80x70
    one_line out
    ranks_do 2 run --json --shape 9x9x9 --machine pvc12
    says out '"ranks":2,'
    ranks_refuse 2 '--ranks: 3 is more than the 2 ranks of node' 3 "$SECTILE" run --machine node
}

# Rank 1 is asked something else.
different='[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ] && set -- "$@" 9; exec "$@"'

differences() {
    ranks_refuse 2 'rank 1 was started with different arguments' 3 sh -c "$different" sh "$SECTILE" \
        run --repeat 3
}

# One rank finds the tool elsewhere.
elsewhere='[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" != "$1" ] || set -- "$1" lonely/sectile run
shift
exec "$@"'

# Where there is no module beside the tool, there is no MPI. Ranks of MPICH's mpiexec meet without.
no_module() {
    mkdir -p lonely
    cp "$SECTILE" lonely/sectile
    if [ "$kind" = mpich ]; then
        ranks_exit 0 3 lonely/sectile run --check --json --shape 37x29x43
        says out '{"ok":true,"ranks":3,'
        says out '"engine":"processes"'
        # shellcheck disable=SC2016
        ranks_refuse 2 'rank 1 was started with different arguments' 3 sh -c "$different" \
            lonely/sectile lonely/sectile run --repeat 3
    else
        ranks_refuse 3 "'mpi' is not available" 3 lonely/sectile run
    fi
    echo nothing >"lonely/sectile_cli_$kind.so"
    ranks_refuse 3 "lonely/sectile_cli_$kind.so" 2 lonely/sectile run
    for lonely in 0 1; do
        began=$(date +%s)
        ranks_refuse 3 "lonely/sectile_cli_$kind.so" 2 sh -c "$elsewhere" sh $lonely "$SECTILE" run
        [ $(($(date +%s) - began)) -lt 10 ] || fail "rank $lonely alone: ended too late"
    done
    cp "$FAULTS/test_faults_engine.so" "lonely/sectile_cli_$kind.so"
    ranks_refuse 3 'belongs to another version' 2 lonely/sectile run
    rm -r lonely
}

# What another MPI has started is several processes that do not find each other.
misled() {
    variables='OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0'
    [ "$kind" = openmpi ] || variables='PMI_SIZE=2 PMI_RANK=0' # which have nobody to ask
    # shellcheck disable=SC2086
    exits 3 env $variables "$SECTILE" run --shape 9x9x9
    says err "${variables%%=*} says that this is one of 2 processes, but it finds no other"
    # shellcheck disable=SC2086
    exits 0 env $variables SECTILE_LAUNCHER=none "$SECTILE" run --shape 9x9x9
}

# A launcher in each of several processes of another would make several worlds.
nested() {
    ranks_exit 3 2 "$SECTILE" launch -n 2 "$SECTILE" run --shape 9x9x9
    says said 'says that this is one of 2 processes; each would start ranks of its own'
    ranks_do 1 launch -n 3 "$SECTILE" run --shape 9x9x9 --json
    one_line out
    says out '"ranks":3,'
    exits 0 "$SECTILE" launch -n 1 sh "$launch" "$kind" "$mpiexec" 2 "$SECTILE" run --shape 9x9x9 --json
    one_line out
    says out '"ranks":2,'
    exits 3 timeout 60 "$SECTILE" launch -n 2 sh "$launch" "$kind" "$mpiexec" 2 "$SECTILE" run --shape 9x9x9
    says err 'and SECTILE_RANK that each of 2 processes of another launcher'
    # a single process of Open MPI can only meet by it, and has variables of PMIx from it
    [ "$kind" = openmpi ] || return 0
    exits 3 env SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_NUM_NODES=1 timeout 60 \
        sh "$launch" "$kind" "$mpiexec" 2 "$SECTILE" run --shape 9x9x9
    says err 'SLURM_PROCID that each of 2 processes of another launcher'
    exits 3 timeout 60 "$SECTILE" launch -n 2 sh "$launch" "$kind" "$mpiexec" 1 "$SECTILE" run --shape 9x9x9
    says err 'says that this world has 1 process, and SECTILE_RANK that each of 2 processes'
}

# Rank 0 waits for ever for somebody who writes to its file.
stuck() {
    mkfifo mute
    ranks_exit 1 2 env SECTILE_WAIT_SECONDS=1 "$SECTILE" run --shape 9x9x9 --wisdom ./mute
    says said 'rank 0 did not respond for 1 s'
    cat "$tests/../../machines/cluster.json" >mute &
    ranks_do 2 run --shape 9x9x9 --machine ./mute
    rm mute
}

# MPICH inside one process of Open MPI, whose variables remain.
inside() {
    [ "$kind" = mpich ] || return
    exits 0 env OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 timeout 60 sh "$launch" "$kind" "$mpiexec" 2 \
        "$SECTILE" run --shape 9x9x9 --json
    one_line out
    says out '"ranks":2,'
    # and each of several, whose own connection tells it from what a shell has left
    for processes in 1 2; do
        exits 3 env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 timeout 60 sh "$launch" "$kind" "$mpiexec" \
            $processes "$SECTILE" run --shape 9x9x9
        says err 'and OMPI_COMM_WORLD_RANK that each of 2 processes of another launcher'
    done
}

# What is left of an mpiexec is named, before MPICH ends the process with messages of its own.
left() {
    [ "$kind" = mpich ] || return
    for variables in 'PMI_FD=9 PMI_RANK=0 PMI_SIZE=2' 'PMI_FD=9 PMI_PORT=x:1' 'PMI_FD=x PMI_RANK=0' \
        'PMI_PORT=no.such.host.invalid:1 PMI_ID=0' 'PMI_PORT=localhost:1' \
        'PMI_PORT=localhost PMI_ID=0' 'PMI_PORT=localhost:x PMI_ID=0' 'PMI_PORT=localhost:15999 PMI_ID=0'; do
        # shellcheck disable=SC2086
        exits 3 env $variables "$SECTILE" run --shape 9x9x9
        one_line err
        says err "' leads to no mpiexec"
        # shellcheck disable=SC2086
        exits 3 env $variables "$SECTILE" plan --engine mpi
        one_line err
        # shellcheck disable=SC2086
        exits 0 env $variables "$SECTILE" plan --shape 9x9x9
        # shellcheck disable=SC2086
        exits 0 env $variables "$SECTILE" --version
        # shellcheck disable=SC2086
        exits 0 env $variables SECTILE_LAUNCHER=none "$SECTILE" run --shape 9x9x9
    done
    exits 3 timeout 60 sh "$launch" "$kind" "$mpiexec" 2 env -u PMI_RANK "$SECTILE" run --shape 9x9x9
    says err 'PMI_FD is set, but PMI_RANK is not'
    exits 0 timeout 60 "$mpiexec" -pmi-port -n 2 "$SECTILE" run --shape 9x9x9 --json
    one_line out
    says out '"ranks":2,'
}

# What listens at PMI_PORT, and is no mpiexec.
listener='
import socket, sys
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
print(server.getsockname()[1], flush=True)
while True:
    client = server.accept()[0]
    if sys.argv[1] == "mute":
        client.recv(1 << 20)
        client.recv(1)
    client.close()
'

# A listener that does not answer is given up after a time, and of one that is gone MPICH says so. What
# needs no ranks does not ask it.
foreign() {
    [ "$kind" = mpich ] && command -v python3 >python || return 0
    for way in mute gone; do
        timeout 60 python3 -c "$listener" $way >port &
        set -- env PMI_ID=0 PMI_RANK=0 PMI_SIZE=2
        while [ ! -s port ]; do sleep 0.05; done
        "$@" PMI_PORT="localhost:$(cat port)" SECTILE_START_SECONDS=1 timeout 30 "$SECTILE" run --shape 9x9x9 2>said
        code=$?
        exits 0 "$@" PMI_PORT="localhost:$(cat port)" timeout 30 "$SECTILE" --version
        exits 0 "$@" PMI_PORT="localhost:$(cat port)" timeout 30 "$SECTILE" plan --shape 9x9x9
        case $way$code in
        mute3) says said 'MPI_Init has waited 1 s for the mpiexec at PMI_PORT' ;;
        gone15) says said 'Fatal error in internal_Init' ;;
        *) fail "a listener that is $way: $code, $(cat said)" ;;
        esac
        kill $!
        rm port
    done
}

# A process that no mpiexec has started is a rank by itself.
single() {
    exits 0 "$SECTILE" run --engine mpi --shape 9x9x9 --json
    says out '"ranks":1,'
    says out '"engine":"mpi"'
}

under_each word differences no_module misled nested inside stuck left foreign
under_one words helps engines plans
single
finish
