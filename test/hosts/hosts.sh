#!/bin/sh
# hosts.sh - several hosts on this machine, joined by a network of their own.
#
#     hosts.sh with HOSTS MBIT COMMAND...    creates the hosts, runs the command, removes them
# and, for that command:
#     hosts.sh mpiexec MPI RANKS COMMAND...  runs RANKS ranks on each host; MPI: openmpi, mpich, or sectile,
#                                            for `sectile launch` of the tool in the variable SECTILE,
#                                            or torchrun or slurm, imitated by launchers/launch.sh
#     hosts.sh bytes                         prints a line per host: name, bytes sent, bytes received
#     hosts.sh on HOST COMMAND...            runs a command on that host
#
# The hosts are host0, host1 and so on. Each has namespaces of its own (network, processes, shared
# memory, hostname), an address on a bridge, and its share of the cores: with 4 hosts on 2 cores two
# hosts share a core. MBIT limits what each host may send and receive, in megabits per second; - is no
# limit. No route leads out of this network. No file refers to the namespaces, so all of it disappears
# with the process that runs `with`, even if that is killed.
#
# HOSTS_TIMEOUT: seconds after which mpiexec is ended (default 300). HOSTS_FAMILY: 6 gives the hosts
# addresses of IPv6 only, which the MPIs cannot use. NAPS: the library of mpi/naps.c, with a colon; it
# may be unset. Exits 77 if the namespaces cannot be made here; the reason is on stderr.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
state=/dev/shm # a separate file system on the head and on each host; it disappears with them
spaces='--net --uts --ipc --mount --pid --fork --kill-child'
# Other users become root in a user namespace.
[ "$(id -u)" = 0 ] || spaces="--map-root-user $spaces"

fail() {
    echo "hosts.sh: $*" >&2
    exit 2
}

skip() {
    echo "hosts.sh: skipped, $*" >&2
    exit 77
}

# number TEXT LEAST
number() {
    case $1 in
    '' | *[!0-9]*) fail "'$1' must be a number" ;;
    esac
    [ "$1" -ge "$2" ] || fail "'$1' must be $2 or more"
}

check_tools() {
    for tool in awk ip mount nsenter setpriv taskset tc timeout unshare; do
        command -v $tool >/dev/null || skip "there is no $tool"
    done
    # shellcheck disable=SC2086
    said=$(unshare $spaces --mount-proc sh -ec 'mount -t tmpfs hosts /dev/shm
        mount --bind /dev/null /etc/hosts
        ip link add bridge type bridge
        ip link add host0 type veth peer name eth0
        tc qdisc add dev eth0 root tbf rate 1gbit burst 128kb latency 20ms' 2>&1) ||
        skip "namespaces cannot be made: $(echo "$said" | head -n 1)"
}

# The cores that this process may use, one on each line.
cores() {
    taskset -cp $$ | awk '{
        count = split($NF, range, ",")
        for (i = 1; i <= count; i++) {
            split(range[i], end, "-")
            for (core = end[1]; core <= (end[2] == "" ? end[1] : end[2]); core++)
                print core
        }
    }'
}

# cores_of HOST HOSTS: its share of them, as taskset wants it.
cores_of() {
    cores | awk -v host="$1" -v hosts="$2" '
        { core[count++] = $1 }
        END {
            first = int(host * count / hosts)
            last = int((host + 1) * count / hosts) - 1
            list = core[first]
            for (i = first + 1; i <= last; i++)
                list = list "," core[i]
            print list
        }'
}

with() {
    number "$1" 1
    [ "$1" -le 200 ] || fail "'$1' hosts are too many"
    [ "$2" = - ] || number "$2" 1
    [ $# -gt 2 ] || fail 'with: there is no command'
    check_tools
    exec 3<&0 # background processes get another stdin
    # shellcheck disable=SC2086
    setpriv --pdeathsig KILL unshare $spaces --mount-proc sh "$0" head "$@" <&3 3<&- &
    wait $!
}

# limit_rate MBIT DEVICE
limit_rate() {
    [ "$1" = - ] || tc qdisc add dev "$2" root tbf rate "$1mbit" burst 128kb limit 4mb
}

# Guards what follows, which must never change the machine itself.
inside() {
    [ $$ -eq 1 ] || fail 'only its own first processes make hosts'
}

# head HOSTS MBIT COMMAND...: the first process of the outer namespaces.
be_head() {
    inside
    HOSTS=$1
    rate=$2
    shift 2
    mount -t tmpfs hosts $state
    mkfifo $state/ready
    hostname head
    {
        echo 127.0.0.1 localhost
        echo 10.77.0.254 head
        for i in $(seq 0 $((HOSTS - 1))); do
            echo "10.77.0.$((i + 1)) host$i"
        done
    } >$state/hosts
    mount --bind $state/hosts /etc/hosts
    ip link set lo up
    ip link add bridge type bridge
    ip address add 10.77.0.254/24 dev bridge
    ip link set bridge up
    for file in /proc/sys/net/bridge/bridge-nf-call-*; do # a bridge must not filter like a firewall
        [ ! -w "$file" ] || echo 0 >"$file"
    done
    write_agent
    cc -shared -fPIC "$here/mpich_finalize.c" -o $state/mpich_finalize.so 2>/dev/null || :
    for i in $(seq 0 $((HOSTS - 1))); do
        add_host "$i"
    done
    export HOSTS
    unset DISPLAY
    "$@"
}

add_host() {
    name=host$1
    # shellcheck disable=SC2086
    { unshare $spaces sh "$0" host "$name" || echo failed >$state/ready; } &
    read -r pid <$state/ready
    [ "$pid" != failed ] || fail "$name cannot be made"
    echo "$pid" >"$state/$name".pid
    cores_of "$1" "$HOSTS" >"$state/$name".cores
    ip link add "$name" type veth peer name eth0 netns "$pid"
    ip link set "$name" master bridge up
    # BBR paces packets with timers, which take processor time from the ranks; reno does not.
    address=10.77.0.$(($1 + 1))/24 option=
    [ "${HOSTS_FAMILY:-4}" = 4 ] || address=fd77::$(($1 + 1))/64 option=nodad
    nsenter -t "$pid" -n sh -ec "ip address add $address dev eth0 $option
        ip link set eth0 up
        ip link set lo up
        echo reno >/proc/sys/net/ipv4/tcp_congestion_control"
    limit_rate "$rate" "$name"
    nsenter -t "$pid" -n sh "$0" limit "$rate" eth0
}

# host NAME: the first process of a host. It reports its process number as seen from outside.
be_host() {
    inside
    read -r pid rest </proc/self/stat
    exec 3>$state/ready 4<$state
    mount -t proc proc /proc
    mount -t tmpfs hosts $state
    cp /proc/self/fd/4/agent $state # Open MPI looks for it here too
    cp /proc/self/fd/4/mpich_finalize.so $state 2>/dev/null || :
    hostname "$1"
    echo "$pid" >&3
    exec 3>&- 4<&-
    while :; do # and reap processes that end here
        sleep 1000
    done
}

# Both MPIs call this instead of ssh.
write_agent() {
    cat >$state/agent <<'END'
#!/bin/sh
# agent [-OPTION...] HOST COMMAND...
while [ "${1#-}" != "$1" ]; do
    shift
done
host=/dev/shm/$1
shift
read -r pid <"$host.pid"
read -r cores <"$host.cores"
exec taskset -c "$cores" nsenter -t "$pid" -m -u -i -n -p sh -c "$*"
END
    chmod +x $state/agent
}

# names SUFFIX: host0SUFFIX,host1SUFFIX,...
names() {
    seq 0 $((HOSTS - 1)) | sed "s/.*/host&$1/" | paste -sd , -
}

# run_mpi MPI RANKS COMMAND...
run_mpi() {
    mpi=$1
    ranks=$2
    number "$ranks" 1
    shift 2
    all=$((HOSTS * ranks))
    case $mpi in
    openmpi)
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        export OMPI_MCA_orte_tmpdir_base=/dev/shm # removed with the host
        [ $all -le "$(cores | wc -l)" ] || set -- --mca mpi_yield_when_idle 1 "$@"
        [ -z "${NAPS-}" ] || set -- -x LD_PRELOAD="$NAPS" "$@"
        set -- mpiexec.openmpi --mca plm_rsh_agent $state/agent --mca plm_rsh_no_tree_spawn 1 \
            --mca pml ob1 --mca btl vader,tcp,self --mca btl_tcp_if_include eth0 \
            --bind-to none --host "$(names ":$ranks")" -n $all "$@"
        ;;
    mpich)
        export UCX_TLS=tcp,self UCX_NET_DEVICES=eth0
        export LD_PRELOAD="${NAPS-}"
        [ ! -e $state/mpich_finalize.so ] || LD_PRELOAD=$LD_PRELOAD$state/mpich_finalize.so
        set -- mpiexec.mpich -launcher ssh -launcher-exec $state/agent -hosts "$(names '')" \
            -ppn "$ranks" -n $all "$@"
        ;;
    sectile)
        for i in $(seq 0 $((HOSTS - 1))); do
            echo "host$i $ranks"
        done >$state/launched
        set -- "$SECTILE" launch --hosts $state/launched --ssh $state/agent "$@"
        ;;
    torchrun | slurm)
        export AGENT=$state/agent
        set -- "$here/../launchers/launch.sh" $mpi $HOSTS "$ranks" "$@"
        ;;
    *) fail "'$mpi' must be openmpi, mpich, sectile, torchrun or slurm" ;;
    esac
    exec timeout -k 5 "${HOSTS_TIMEOUT:-300}" "$@"
}

bytes() {
    awk '{ sub(":", "") } $1 ~ /^host[0-9]+$/ { print $1, $2, $10 }' /proc/net/dev | sort -V
}

verb=${1:-nothing}
[ $# -eq 0 ] || shift
case $verb in
with) with "$@" ;;
mpiexec | bytes | on)
    [ -x $state/agent ] || fail "$verb works in what 'hosts.sh with' runs"
    case $verb in
    mpiexec) run_mpi "$@" ;;
    bytes) bytes ;;
    on) exec $state/agent "$@" ;;
    esac
    ;;
head) be_head "$@" ;;
host) be_host "$@" ;;
limit) limit_rate "$@" ;;
*) fail "'$verb' must be with, mpiexec, bytes or on" ;;
esac
