# command_line.sh - the tool on devices of OpenCL, of which there may be none.
. "${0%/*}/../cli/support.inc"

export OMP_NUM_THREADS=1
two='--engine opencl --device 0/2'

# Without a device the tool says so in one line.
no_device() {
    exits 3 env OCL_ICD_VENDORS="$work" "$SECTILE" run --engine opencl
    one_line err
    says err 'OpenCL has no device here'
}

# shellcheck disable=SC2086
products() {
    exits 0 "$SECTILE" run $two --ranks 3 --shape 60x50x40 --a row --b col --c 2d:1x3/f --stay a \
        --check --json
    says out '"engine":"opencl"'
    says out '"ok":true'
    for type in f32 cf64 f16 bf16; do
        exits 0 "$SECTILE" run $two --ranks 2 --shape 33x20x17 --type $type --op CN --per-node 1 \
            --b cyclic:5x7 --alpha 2 --beta 1 --check
    done
}

# Files, also with pieces smaller than the matrix, give the same as threads do.
# shellcheck disable=SC2086
files() {
    { npy '<f8' False '(2, 3)'; doubles 1 2 3 4 5 6; } >a.npy
    { npy '<f8' True '(3, 2)'; doubles 7 9 11 8 10 -12; } >b.npy
    exits 0 "$SECTILE" multiply a.npy b.npy -o want.npy --ranks 1
    for layout in row col 2d cyclic:1x1; do
        exits 0 "$SECTILE" multiply a.npy b.npy -o is.npy --ranks 2 $two --a $layout --c $layout
        same is.npy want.npy
    done
    exits 0 "$SECTILE" copy a.npy -o want.npy --op T
    exits 0 "$SECTILE" copy a.npy -o is.npy --op T --ranks 2 $two
    same is.npy want.npy
}

# Each process has a part of the device, by its place.
# shellcheck disable=SC2086
processes() {
    exits 0 "$SECTILE" launch -n 2 "$SECTILE" run $two --shape 130x250x170 --a row --b col --c 2d \
        --stay a --check --json
    says out '{"ok":true,"ranks":2,'
    says out '"engine":"opencl","path":"sockets"'
    exits 0 "$SECTILE" launch -n 2 "$SECTILE" multiply a.npy b.npy -o is.npy $two --a row --c col
    exits 0 "$SECTILE" multiply a.npy b.npy -o want.npy --ranks 1
    same is.npy want.npy
    exits 0 "$SECTILE" launch -n 1 "$SECTILE" run $two --shape 5x6x7 --json
    says out '{"ok":true,"ranks":1,'
    exits 0 "$SECTILE" launch -n 1 "$SECTILE" run $two --shape 5x6x7 --ranks 3 --json
    says out '{"ok":true,"ranks":3,'
    exits 3 "$SECTILE" launch -n 2 "$SECTILE" run --engine opencl --device 77
    says err 'OpenCL has no device 77'
}

# A measured device is a machine to plan for.
# shellcheck disable=SC2086
measures() {
    exits 0 "$SECTILE" machine --measure $two --ranks 2 --per-node 1 --repeat 1 --size 192 -o measured
    grep -q '"about": "2 ranks of the engine opencl on devices 0/2, 1 to a node' measured ||
        fail "about: $(cat measured)"
    grep -q 'copies from devices to the host: ' measured || fail "notes: $(cat measured)"
    exits 0 "$SECTILE" simulate --machine ./measured --shape 300x300x300 --a row --b col
    exits 0 "$SECTILE" run $two --ranks 2 --machine ./measured --per-node 1 --shape 60x50x40 --a row --check
}

wrong_lists() {
    exits 2 "$SECTILE" run --engine opencl --device 0/x
    says err "sectile: --device: '0/x' is not a list"
    exits 3 "$SECTILE" run --engine opencl --device 77
    says err 'sectile: --device: OpenCL has no device 77: '
}

# fault CALL N: runs a product in which the Nth call fails, once, or (N+) from then on. The tool ends with a
# line that says so. Fails if there are fewer calls.
# shellcheck disable=SC2086
fault() {
    rm -f reached
    FAULT="$1 $2" FAULT_REACHED=$work/reached LD_PRELOAD=$FAULTS/test_faults_opencl.so \
        "$SECTILE" run $two --ranks 2 --shape 30x20x10 --a row --b col --stay a --per-node 1 \
        --check >out 2>err
    got=$?
    [ -e reached ] || return 1
    [ $got -eq 1 ] || fail "exit $got where $1 fails"
    one_line err
    grep -q -e OpenCL -e 'no memory' err || fail "$1: $(cat err)"
}

# Each call of OpenCL fails in turn: buffers cannot be allocated, kernels do not compile, the device is
# lost.
failing_calls() {
    [ -n "${FAULTS:-}" ] || return
    for call in clCreateContext clBuildProgram clCreateBuffer clEnqueueNDRangeKernel \
        clEnqueueMarkerWithWaitList clWaitForEvents; do
        fault $call 1 || fail "$call is never called"
        for n in 2 3 5 8; do
            fault $call $n || break
        done
        for n in 1+ 2+ 5+; do
            fault $call $n || break
        done
    done
}

no_device
# shellcheck disable=SC2086
"$SECTILE" run $two --ranks 1 --shape 2x2x2 >out 2>err
if grep -e 'OpenCL has no device' -e 'cannot be divided' err; then
    [ "$failures" -eq 0 ] || finish
    exit 77
fi
products
files
processes
measures
wrong_lists
failing_calls
finish
