#!/bin/sh
# launch.sh - imitates a launcher: starts a command as several processes, with the environment
# variables that the launcher sets, and no MPI.
#
#     launch.sh KIND HOSTS RANKS COMMAND...    RANKS processes on each of HOSTS hosts
#
# KIND is torchrun; slurm, for `srun --mpi=none`; or pmix, for `srun --mpi=pmix` without a server.
# The hosts are host0, host1 and so on, where the words of the variable AGENT, a host and a command
# run that; without AGENT, it is this host. LATE is a rank that never starts. PORT is MASTER_PORT of
# torchrun, JOB is the job of Slurm. Exits with the code of the lowest rank that failed.
set -eu

kind=$1 hosts=$2 ranks=$3
shift 3
all=$((hosts * ranks))

# A user's environment may come from another launcher.
for name in $(env | sed -n 's/^\(\(SLURM\|PMI\|PMIX\|OMPI\|TORCHELASTIC\|FLUX\|PALS\|MV2\|JSM\)_[A-Z_]*\)=.*/\1/p') RANK \
    WORLD_SIZE MASTER_ADDR MASTER_PORT; do
    unset "$name"
done

torchrun() {
    export RANK="$1" WORLD_SIZE="$all" LOCAL_RANK="$3" LOCAL_WORLD_SIZE="$ranks"
    export GROUP_RANK="$2" GROUP_WORLD_SIZE="$hosts" ROLE_RANK="$1" ROLE_WORLD_SIZE="$all" ROLE_NAME=default
    export MASTER_ADDR="$first" MASTER_PORT="${PORT:-29500}" OMP_NUM_THREADS=1
    export TORCHELASTIC_RUN_ID=none TORCHELASTIC_USE_AGENT_STORE=True TORCHELASTIC_RESTART_COUNT=0
    export TORCHELASTIC_MAX_RESTARTS=0 TORCH_NCCL_ASYNC_ERROR_HANDLING=1
}

slurm() {
    list=$(uname -n)
    [ -z "${AGENT:-}" ] || list="host[0-$((hosts - 1))]"
    export SLURM_JOB_ID="${JOB:-4711}" SLURM_JOBID="${JOB:-4711}" SLURM_STEP_ID=2 SLURM_STEPID=2
    export SLURM_PROCID="$1" SLURM_NODEID="$2" SLURM_LOCALID="$3" SLURM_TASK_PID=$$
    export SLURM_NTASKS="$all" SLURM_NPROCS="$all" SLURM_NNODES="$hosts" SLURM_JOB_NUM_NODES="$hosts"
    export SLURM_JOB_NODELIST="$list" SLURM_NODELIST="$list" SLURM_STEP_NODELIST="$list"
    export SLURM_STEP_NUM_NODES="$hosts" SLURM_STEP_NUM_TASKS="$all"
    export SLURM_STEP_TASKS_PER_NODE="$ranks(x$hosts)" SLURM_TASKS_PER_NODE="$ranks(x$hosts)"
    export SLURM_SRUN_COMM_HOST=127.0.0.1 SLURM_LAUNCH_NODE_IPADDR=127.0.0.1 SLURMD_NODENAME="host$2"
}

pmix() {
    slurm "$@"
    export PMIX_RANK="$1" PMIX_NAMESPACE=slurm.pmix.4711.2 SLURM_PMIX_MAPPING_SERV='(vector,(0,1,1))'
}

first=localhost
[ -z "${AGENT:-}" ] || first=host0
pids=
for rank in $(seq 0 $((all - 1))); do
    host=$((rank / ranks))
    [ "${LATE:-}" != "$rank" ] || continue
    (
        $kind "$rank" $host $((rank % ranks))
        # shellcheck disable=SC2086
        exec ${AGENT:+$AGENT host$host} "$@"
    ) &
    pids="$pids $!"
done
code=0
for pid in $pids; do
    got=0
    wait "$pid" || got=$?
    [ $code -ne 0 ] || code=$got
done
exit $code
