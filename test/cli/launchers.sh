# launchers.sh - ranks that torchrun or Slurm has started, as test/launchers imitates them: they make
# one world without MPI, or say what is wrong; and no process of several works alone.
. "${0%/*}/support.inc"
launch=$(cd "$tests/../launchers" && pwd)/launch.sh
export OPENBLAS_NUM_THREADS=1 HOME="$work"
export PORT=$((10000 + $$ % 20000)) JOB=$$

# A tool without modules for an MPI.
mkdir lonely
cp "$SECTILE" lonely/sectile

joins() {
    { npy '<f8' False '(2, 3)' && doubles 1 2 3 4 5 6; } >a.npy
    exits 0 "$SECTILE" multiply a.npy a.npy -o expected.npy --op NT --ranks 3
    for kind in torchrun slurm pmix; do
        exits 0 "$launch" $kind 1 3 lonely/sectile run --check --json --shape 37x29x43 --a row --b col
        one_line out
        says out '{"ok":true,"ranks":3,'
        says out '"engine":"processes"'
        exits 0 "$launch" $kind 1 3 lonely/sectile multiply a.npy a.npy -o c.npy --op NT
        same c.npy expected.npy
        rm c.npy
        exits 0 "$launch" $kind 1 2 lonely/sectile --version
        one_line out
        # one process has as many ranks as it likes
        exits 0 "$launch" $kind 1 1 lonely/sectile run --json --shape 9x9x9 --ranks 3
        says out '"engine":"threads"'
    done
    [ "$(stat -c %a .sectile)" = 700 ] || fail "others can read .sectile"
    rmdir .sectile || fail "a key is left behind: $(ls .sectile)"
    SECTILE_KEY=$(printf '%032d' 7) exits 0 "$launch" slurm 1 3 "$SECTILE" run --shape 9x9x9
    [ ! -e .sectile ] || fail 'a key is in a file, but SECTILE_KEY is set'
    SECTILE_KEY=7 exits 2 "$launch" slurm 1 2 "$SECTILE" run --shape 9x9x9
    says err 'SECTILE_KEY must be 32 hexadecimal digits'
}

# wrong KIND
wrong() {
    kind=$1
    exits 2 "$launch" $kind 1 2 "$SECTILE" run --ranks 3
    says err "allowed: 2, the number of processes that $kind has started"
    one_line err
    exits 2 "$launch" $kind 1 2 "$SECTILE" run --engine threads
    says err "'threads' is not allowed under $kind: each of its 2"
    exits 2 "$launch" $kind 1 2 "$SECTILE" run --engine mpi
    says err "'mpi' is not allowed under $kind; allowed: processes"
    SECTILE_START_SECONDS=1 LATE=1 exits 1 "$launch" $kind 1 3 "$SECTILE" run --shape 9x9x9
    says err 'the first of them rank 1, have not come to rank 0 at localhost:'
    SECTILE_START_SECONDS=1 LATE=0 exits 1 "$launch" $kind 1 2 "$SECTILE" run --shape 9x9x9
    says err 'rank 1 has not reached rank 0 at localhost:'
    SECTILE_START_SECONDS=soon exits 2 "$launch" $kind 1 2 "$SECTILE" run --shape 9x9x9
    says err "SECTILE_START_SECONDS: 'soon'"
}

# Before the time is over, ranks mention that they wait.
late_rank() {
    SECTILE_START_SECONDS=7 LATE=2 exits 1 "$launch" torchrun 1 3 "$SECTILE" run --shape 9x9x9
    says err 'sectile: warning: rank 0 has waited 5 s at localhost:'
    says err 'for 1 of 3 ranks, the first of them rank 2'
}

late_first_rank() {
    SECTILE_START_SECONDS=7 LATE=0 exits 1 "$launch" torchrun 1 2 "$SECTILE" run --shape 9x9x9
    says err 'sectile: warning: rank 1 has not reached rank 0 at localhost:'
}

wrong_variables() {
    # one rank fails after they have met
    # shellcheck disable=SC2016
    exits 2 "$launch" torchrun 1 3 sh -c '[ $RANK = 1 ] && set -- --repeat 4; exec "$0" run "$@"' \
        "$SECTILE"
    says err 'rank 1 was started with different arguments'
    one_line err
    for variables in 'RANK=x WORLD_SIZE=2' SLURM_NTASKS=x \
        'SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NODELIST=n1 SLURM_NTASKS=x'; do
        for words in 'run --shape 9x9x9' 'copy a.npy -o b.npy' "launch -n 2 $SECTILE run"; do
            # shellcheck disable=SC2086
            exits 3 env $variables "$SECTILE" $words
            one_line err
            says err ": 'x' is not a whole number from "
            says err '; correct or unset this variable of a launcher, or set SECTILE_LAUNCHER=none'
        done
        # shellcheck disable=SC2086
        exits 0 env $variables SECTILE_LAUNCHER=none "$SECTILE" run --shape 9x9x9
        # which does not matter where no ranks are needed
        for words in --version --help 'help run' 'run --help' 'launch --help' 'plan --shape 9x9x9' \
            'choose --shape 9x9x9' 'simulate --shape 9x9x9 --machine node' 'machine node'; do
            # shellcheck disable=SC2086
            exits 0 env $variables "$SECTILE" $words
            [ ! -s err ] || fail "$words: says $(cat err)"
        done
        # shellcheck disable=SC2086
        exits 2 env $variables "$SECTILE" fly
        one_line err
        says err "there is no verb 'fly'"
    done
    [ ! -e b.npy ] || fail 'a process has worked alone'
    exits 0 env RANK=x "$SECTILE" run --shape 9x9x9
    RANK=0 WORLD_SIZE=2 exits 2 "$SECTILE" run
    says err 'MASTER_ADDR: '
    SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=2 exits 2 "$SECTILE" run
    says err 'SLURM_STEP_NODELIST is not set, so that the ranks cannot meet at the first node'
}

# Of several processes none works alone, unless that is meant. Ranks other than 0 report after some seconds, so
# that one is enough.
several() {
    for variables in WORLD_SIZE=4 'PMI_RANK=0 PMI_SIZE=4' 'PMIX_RANK=1' \
        'OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0' 'FLUX_JOB_SIZE=4 FLUX_TASK_RANK=0' 'PALS_RANKID=0' \
        'PALS_RANKID=3' 'MV2_COMM_WORLD_SIZE=4 MV2_COMM_WORLD_RANK=0' 'JSM_NAMESPACE_SIZE=4 JSM_NAMESPACE_RANK=0'; do
        # shellcheck disable=SC2086
        exits 3 env $variables lonely/sectile run --shape 9x9x9
        one_line err
        # shellcheck disable=SC2086
        exits 0 env $variables SECTILE_LAUNCHER=None lonely/sectile run --shape 9x9x9 --ranks 2 --json
        says out '"engine":"threads"'
    done
    WORLD_SIZE=4 exits 3 lonely/sectile copy a.npy -o b.npy
    says err 'WORLD_SIZE says that this is one of 4 processes, but it finds no other'
    [ ! -e b.npy ] || fail 'a process has worked alone'
    WORLD_SIZE=4 exits 0 lonely/sectile plan --shape 9x9x9
    exits 3 env -u SECTILE_LAUNCHER OMPI_COMM_WORLD_SIZE=4 lonely/sectile run
    says err "'mpi' is not available for the MPI that started this process, openmpi; start it by sectile launch"
    FLUX_JOB_SIZE=4 FLUX_TASK_RANK=3 exits 3 "$SECTILE" run
    says err 'FLUX_JOB_SIZE says that this is one of 4 processes, but it finds no other'
    PALS_RANKID=0 exits 3 "$SECTILE" run
    says err 'PALS_RANKID says that this is one of several processes, but it finds no other'
    FLUX_JOB_SIZE=1 FLUX_TASK_RANK=0 exits 0 "$SECTILE" run --shape 9x9x9
    # PMIx does not say of how many
    exits 3 env PMIX_RANK=0 "$SECTILE" run --shape 9x9x9
    one_line err
    exits 3 env PMI_PORT=node:4711 PMI_ID=0 lonely/sectile run
    says err 'PMI_ID: its ranks can meet by MPI only'
}

# What Slurm and Flux set where one process of a job runs: in a batch script, in the shell of an allocation.
alone() {
    for variables in 'SLURM_NTASKS=8 SLURM_PROCID=0 SLURM_NODEID=0 SLURM_LOCALID=0' 'SLURM_NTASKS=8' \
        'SLURM_NTASKS=8 SLURM_PROCID=0 SLURM_STEP_ID=4294967290 SLURM_STEP_NODELIST=n1
        SLURM_STEP_NUM_TASKS=1 PMIX_RANK=0' \
        'SLURM_NTASKS=1 SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NODELIST=n1 SLURM_STEP_NUM_TASKS=1
        PMI_RANK=0 PMI_SIZE=1' 'FLUX_JOB_SIZE=1 FLUX_TASK_RANK=0'; do
        # shellcheck disable=SC2086
        exits 0 env SLURM_JOB_ID=1 $variables "$SECTILE" run --ranks 4 --shape 9x9x9 --json
        says out '"ranks":4,'
        says out '"engine":"threads"'
        # and starts ranks
        # shellcheck disable=SC2086
        exits 0 env SLURM_JOB_ID=1 $variables "$SECTILE" launch -n 2 "$SECTILE" run --shape 9x9x9 --json
        says out '"ranks":2,'
        says out '"engine":"processes"'
    done
}

# Several processes of a launcher that each start a world.
# shellcheck disable=SC2016
worlds() {
    for kind in torchrun slurm pmix; do
        exits 3 "$launch" $kind 1 2 "$SECTILE" launch -n 2 "$SECTILE" copy a.npy -o b.npy
        says err 'says that this is one of 2 processes; each would start ranks of its own'
        [ ! -e b.npy ] || fail "several worlds write under $kind"
        SECTILE_LAUNCHER=none exits 0 "$launch" $kind 1 2 "$SECTILE" launch -n 3 "$SECTILE" run --shape 9x9x9 --json
        [ "$(grep -c '"ranks":3,' out)" = 2 ] || fail "not two worlds of 3 ranks: $(head -n 3 out)"
    done
    exits 3 "$SECTILE" launch -n 2 "$SECTILE" launch -n 2 "$SECTILE" copy a.npy -o b.npy
    says err 'launch: SECTILE_RANKS says that this is one of 2 processes'
    # each process of the outer launcher has ports of its own for the inner one
    set -- sh -c 'PORT=$((PORT + 20 * SECTILE_RANK)) exec "$@"' sh "$launch" torchrun 1 2
    exits 3 "$SECTILE" launch -n 2 "$@" "$SECTILE" copy a.npy -o b.npy
    says err 'WORLD_SIZE says that this world has 2 processes, and SECTILE_RANK that each of 2 processes'
    [ ! -e b.npy ] || fail "several worlds write"
    exits 0 "$SECTILE" launch -n 2 "$@" env -u SECTILE_RANK "$SECTILE" run --shape 9x9x9 --json
    [ "$(grep -c '"ranks":2,' out)" = 2 ] || fail "not two worlds of 2 ranks: $(head -n 3 out)"
    exits 0 "$SECTILE" launch -n 2 "$@" "$SECTILE" plan --shape 9x9x9
    # agents of torchrun, one on each node
    exits 0 "$SECTILE" launch -n 2 sh -c 'RANK=$SECTILE_RANK WORLD_SIZE=2 GROUP_WORLD_SIZE=2 exec "$@"' sh \
        env MASTER_ADDR=localhost MASTER_PORT="$PORT" TORCHELASTIC_RUN_ID=none "$SECTILE" run --shape 9x9x9 --json
    one_line out
    says out '"ranks":2,'
}

# A launcher in another: the inner one counts.
# shellcheck disable=SC2016
nested() {
    exits 0 "$launch" slurm 1 1 "$launch" torchrun 1 2 "$SECTILE" run --shape 9x9x9 --json
    says out '"ranks":2,'
    # what an earlier shell has left
    for left in 'RANK=0 WORLD_SIZE=1' 'PMI_RANK=0 PMI_SIZE=1'; do
        # shellcheck disable=SC2086
        exits 0 "$launch" slurm 1 3 env $left "$SECTILE" run --shape 9x9x9 --json
        one_line out
        says out '"ranks":3,'
    done
    exits 0 "$launch" torchrun 1 1 "$SECTILE" launch -n 3 "$SECTILE" run --shape 9x9x9 --json
    says out '"ranks":3,'
    says out '"engine":"processes"'
    # srun in a rank of sectile launch
    exits 0 "$SECTILE" launch -n 1 env -u SECTILE_LAUNCHER -u SECTILE_RANK -u SECTILE_RANKS \
        "$launch" slurm 1 2 "$SECTILE" run --shape 9x9x9 --json
    says out '"ranks":2,'
    # srun is no remote shell: it starts programs, so that it needs one
    printf '#!/bin/sh\nwhile [ "$1" != -w ]; do shift; done\nexport HOST=$2\nshift 2\nexec "$@"\n' >srun
    chmod +x srun
    printf 'one:2\ntwo\n' >nodes
    exits 0 "$SECTILE" launch --hosts nodes \
        --ssh "sh -c './srun -u -N1 -n1 --overlap -w \"\$0\" sh -c \"\$1\"'" sh -c 'echo $SECTILE_RANK $HOST'
    sort out | paste -sd , >list
    says list '0 one,1 one,2 two'
}

# apart FUNCTION [ARGUMENT]: beside the others, as it waits for seconds, with a home and ports of its own.
apart() {
    PORT=$((PORT + 100)) JOB=$((JOB + 100))
    beside at_home "$@"
}

at_home() {
    HOME=$PWD
    "$@"
}

apart wrong torchrun
apart wrong slurm
apart late_rank
apart late_first_rank
joins
wrong_variables
several
alone
worlds
nested
finish
