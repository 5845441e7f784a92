# machine.sh - machines that come with the tool, those of files, and the one at hand.
. "${0%/*}/support.inc"

names='pvc12 h100x8 node cluster'

lists() {
    exits 0 "$SECTILE" machine
    # shellcheck disable=SC2086
    printf '%s\n' $names >expected
    cut -d ' ' -f 1 out >is
    same is expected
    says out 'pvc12       12 ranks  6 Intel'
    says out 'cluster    any ranks  any number'
    exits 0 "$SECTILE" machine --json
    one_line out
    says out '{"ok":true,"machines":[{"name":"pvc12","ranks":12,"about":"6 Intel'
    [ "$(grep -o '"name"' out | wc -l)" -eq 4 ] || fail "not 4 machines: $(cat out)"
}

# What is printed of a machine is a file that describes it.
prints() {
    for name in $names; do
        exits 0 "$SECTILE" machine "$name"
        says out "\"name\": \"$name\""
        cp out "$name"
        exits 0 "$SECTILE" machine "./$name"
        same out "$name"
    done
    # The names are taken first.
    exits 0 "$SECTILE" machine node
    cp node right
    cp cluster node
    exits 0 "$SECTILE" machine node
    same out right
}

# A pipe can be read once only.
piped() {
    exits 0 "$SECTILE" machine node
    mv out text
    { npy '<f8' False '(2, 2)'; doubles 1 2 3 4; } >square.npy
    mkfifo pipe
    for words in 'plan --shape 9x9x9' 'simulate --shape 9x9x9' 'choose --shape 9x9x9' 'run --shape 9x9x9' \
        'bench --shapes 9x9x9 --layouts row --repeat 1' 'multiply square.npy square.npy -o product.npy' \
        'multiply square.npy square.npy -o product.npy --memory 64K'; do
        cat text >pipe &
        # shellcheck disable=SC2086
        exits 0 timeout 20 "$SECTILE" $words --machine pipe
    done
}

# refuses TEXT ARGUMENT...: one line that is the text, and nothing on stdout.
refuses() {
    text=$1
    shift
    exits 2 "$SECTILE" machine "$@"
    one_line err
    says err "sectile: $text"
    [ -s out ] && fail "$* wrote to stdout"
}

refuses_all() {
    exits 2 "$SECTILE" plan --machine .
    says err '--machine: .: cannot be read: Is a directory'
    refuses 'none: neither a file (No such file or directory) nor one of the machines pvc12' none
    echo '{"name": "x",' >bad
    refuses "bad:2:0: string or '}' expected near end of file" bad
    echo '{"name": "x", "peak": {"f64": 1}, "links": [{"pair": "x"}]}' >bad
    refuses 'bad: links[0].pair: "x" is not a number above 0' bad
    head -c 1048576 /dev/zero | tr '\000' ' ' >bad
    refuses 'bad: it has 1048576 bytes or more, too many for a machine' bad
    refuses "--measure and the name of a machine exclude each other" --measure node
    refuses "-o needs --measure" -o file
    exits 1 "$SECTILE" machine --measure -o none/file
    one_line err
    says err 'none/file: cannot be written: No such file or directory'
}

# What has the name stays as it is until there is something to write.
interrupted() {
    echo old >old
    "$SECTILE" machine --measure -o old >out 2>err &
    sleep 0.3
    kill -TERM $!
    wait $!
    [ $? -eq 143 ] || fail 'it could not be interrupted'
    [ "$(cat old)" = old ] || fail 'a file is lost'
}

# Two nodes, of two ranks and of one.
measures() {
    exits 0 "$SECTILE" machine --measure --ranks 3 --per-node 2 --repeat 1 --size 96 -o measured
    [ -s out ] && fail '--measure -o wrote to stdout'
    [ -s err ] && fail "--measure said: $(cat err)"
    exits 0 "$SECTILE" machine ./measured
    same out measured
    says out '"about": "3 ranks of the engine threads, 2 to a node, on '
    says out ', the medians of 1 round"'
    says out 'as they grow beyond 96 in each dimension'
    says out '"ranks": 3,'
    [ "$(grep -c '"\(pair\|latency\|accumulate\)": [0-9]' out)" -ge 4 ] || fail "links: $(cat out)"
    for key in memory product barrier total uplink; do
        grep -q "\"$key\": [0-9]" out || fail "$key is not in: $(cat out)"
    done
    grep -q '"peak": {"f32": [0-9.e]*, "f64": [0-9.e]*, "cf32"' out || fail "peak: $(cat out)"
    [ "$(grep -c '"in_place": true' out)" -eq 1 ] || fail "in place: $(cat out)"
}

# On devices whose memory the host may not touch. By chance, beside other load, an addition may take no longer
# than a get. That is the default, which is not printed, so it is measured again.
measures_devices() {
    attempt=0
    while [ $((attempt += 1)) -le 20 ]; do
        exits 0 "$SECTILE" machine --measure --engine emulated --ranks 2 --per-node 1 --repeat 1 --size 96 \
            -o measured
        exits 0 "$SECTILE" machine ./measured
        ! grep -q '"accumulate": [0-9]' out || break
        echo "attempt $attempt: additions are as fast as gets" >&2
    done
    says out '"about": "2 ranks of the engine emulated, 1 to a node, on '
    says out 'copies from devices to the host: '
    for key in memory product uplink accumulate; do
        grep -q "\"$key\": [0-9]" out || fail "$key is not in: $(cat out)"
    done
}

lists
prints
piped
refuses_all
interrupted
measures
measures_devices
finish
