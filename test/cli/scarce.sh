# scarce.sh - the first, second, third, ... request for memory fails, or call of the system, until
# there is no such one: the tool says what is missing, or does without, and leaves nothing behind.
. "${0%/*}/support.inc"
. "$tests/faults.inc"

{ npy '<f8' False '(20, 3)'; doubles $(seq 1 60); } >a.npy
{ npy '<f8' False '(3, 20)'; doubles $(seq -9 50); } >b.npy
printf '%%%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n' >m.mtx
! command -v python3 >python || python3 -m zipfile -c packed.npz a.npy
mkdir right
mkfifo asked answered

# What depends on the clock, or may be unknown.
steady() {
    sed -E '/^(  (time|memory)|read) /d
        s/"(gflops|seconds|read_seconds|write_seconds|memory_limit|cpu_[a-z_]*|peak_memory[a-z_]*|blas_[a-z]*|ratio[a-z_]*)":[^,}]*//g' "$1"
}

# The tool waits, loaded, for what is to fail, and runs in copies of itself: there are thousands of runs.
begin_serving() {
    LD_PRELOAD="$FAULTS/test_faults.so" FAULT_SERVED=1 FAULT_REACHED="$work/reached" FAULT_SECONDS=20 \
        "$SECTILE" "$@" <asked >answered &
    exec 3>asked 4<answered
}

end_serving() {
    exec 3>&- 4<&-
    wait $!
}

# One call fails; false if there is no such one. What the shell can do takes less time than a process,
# of timeout, cat or rm.
fails() {
    : >reached
    # shellcheck disable=SC2086
    [ -z "$files" ] || rm -f $files
    echo "$fault" >&3
    read -r got <&4
    read -r call <reached || return 1
    name="$* with FAULT='$fault', $call,"
    if [ "$got" -gt 4 ]; then
        fail "$name: exit $got"
    elif [ "$got" -ne 0 ]; then
        explained err "$name"
    else
        steady out >is
        cmp -s is right/out || fail "$name: exit 0, $(diff is right/out | head -n 3)"
        [ -s err ] && fail "$name: exit 0, but said: $(head -n 1 err)"
    fi
    for file in $files; do
        whole "$name" "$file" "right/$file"
    done
}

# fail_each KIND SPARSE MORE ARGUMENT...: first one by one, then every so many.
fail_each() {
    kind=$1 sparse=$2 more=$3
    shift 3
    n=1
    fault="$kind 1$more"
    while fails "$@"; do
        n=$((n + 1 + n / sparse))
        fault="$kind $n$more"
    done
}

# fail_places KIND ARGUMENT...: of the calls that the same calls led to, the first and the last.
fail_places() {
    kind=$1
    shift
    fault="$kind 0"
    fails "$@"
    awk '!($2 in last) { print $1 } { last[$2] = $1 } END { for (place in last) print last[place] }' \
        reached | sort -nu >places
    [ -s places ] || fail "$* has no call of $kind"
    while read -r n; do
        fault="$kind $n"
        fails "$@"
    done <places
}

# right FILES ARGUMENT...: what it does if nothing fails, and that it makes these files.
right() {
    files=$1
    shift
    # shellcheck disable=SC2086
    [ -z "$files" ] || rm -f $files
    exits 0 "$SECTILE" "$@"
    steady out >right/out
    for file in $files; do
        cp "$file" "right/$file" || fail "$* makes no $file"
    done
}

# each FILES ARGUMENT...
each() {
    right "$@"
    shift
    begin_serving "$@"
    fail_places memory "$@"
    fail_each memory 8 + "$@"
    fail_each system 60 '' "$@"
    end_serving
}

# every CALL FILES ARGUMENT...: of such calls of one rank there are few, and none is left out.
every() {
    call=$1
    shift
    right "$@"
    shift
    begin_serving "$@"
    fail_each "$call" 1000 '' "$@"
    end_serving
}

problem='--shape 30x20x25 --ranks 2 --a row --b cyclic:4x9 --c col*2'

# shellcheck disable=SC2086
verbs() {
    each p.svg plan $problem --check --svg p.svg
    each '' plan $problem --picture
    each '' plan $problem --all --json --machine node
    each '' plan $problem --steps
    each '' run $problem --check --json
    each '' run $problem --check --json --per-node 1 $late,deferred --order cost --type f16
    each '' run --shape 3x2x3 --ranks 2 --json --reference --pairs 1
    each '' bench --ranks 2 --shapes 9x8x7 --layouts row --repeat 1 --svg x.svg --json
    each c.npy copy a.npy -o c.npy --op T --ranks 2 --json
    each c.npy copy m.mtx -o c.npy
    [ ! -e packed.npz ] || each c.npy copy packed.npz:a -o c.npy
    each '' run $problem --json --svg x.svg --trace x.json
    each c.npy multiply a.npy b.npy -o c.npy --ranks 2 --per-node 1
    each '' choose --machine node --shape 200x300x400 --fix a=row
    each '' choose --machine cluster --ranks 4 --shape 20x30x40
    each 's.svg s.json' simulate --machine pvc12 --shape 300x300x300 --type f32 --svg s.svg \
        --trace s.json
    every calloc '' run --shape 3x2x3 --ranks 1 --json --type f16
    every calloc '' bench --ranks 1 --shapes 9x8x7 --layouts row --stays c --repeat 1 --svg x.svg \
        --json
    every calloc p.svg plan --shape 3x2x3 --ranks 1 --svg p.svg
    every malloc '' run --shape 3x2x3 --ranks 1 --json --reference --pairs 1
    every calloc '' run --shape 3x2x3 --ranks 1 --json --reference --pairs 1 --engine emulated
    every realloc s.svg simulate --machine cluster --shape 3x2x3 --ranks 1 --svg s.svg
    each '' machine
    each '' machine node
}

verbs
nothing_left
finish
