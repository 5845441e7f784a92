# command_line.sh - the tool with devices of CUDA, of which there may be none. EMULATED is a library of
# stand-ins, with which there are three.
. "${0%/*}/../cli/support.inc"

export OMP_NUM_THREADS=1
if [ -n "${EMULATED:-}" ]; then
    export CUDA_VISIBLE_DEVICES=0,1,2
    printf '#!/bin/sh\nLD_PRELOAD=%s exec %s "$@"\n' "$EMULATED" "$SECTILE" >sectile
    chmod +x sectile
    SECTILE=$work/sectile
fi

# Without a device, also where there is one that is hidden, the tool says so in one line.
no_device() {
    for verb in run bench; do
        exits 3 env CUDA_VISIBLE_DEVICES= "$SECTILE" $verb --engine cuda
        one_line err
        says err 'CUDA has no device here'
    done
}

products() {
    for ranks in 1 2 3 8; do
        exits 0 "$SECTILE" run --engine cuda --ranks $ranks --shape 60x50x40 --a row --b col \
            --c 2d --stay a --check --json
        says out '"engine":"cuda"'
        says out '"ok":true'
    done
    for type in f32 cf64 f16 bf16; do
        exits 0 "$SECTILE" run --engine cuda --ranks 2 --shape 33x20x17 --type $type --op CN \
            --per-node 1 --b cyclic:5x7 --alpha 2 --beta 1 --check
    done
}

# Without two devices, contributions reach no other device, but the flags hold.
choices() {
    for how in auto atomic mailbox; do
        exits 0 "$SECTILE" run --engine cuda --ranks 3 --shape 60x50x40 --a col --b row --stay a \
            --accumulation $how --check --json
        says out "\"math\":\"ieee\",\"accumulation\":\"$how\""
    done
    for type in f32 cf32; do
        exits 0 "$SECTILE" run --engine cuda --ranks 2 --shape 60x50x40 --type $type --math tf32 \
            --check --json
        says out '"math":"tf32"'
    done
    exits 0 "$SECTILE" bench --engine cuda --ranks 2 --shapes 60x50x40 --layouts row --type f32 \
        --math tf32 --accumulation mailbox
}

# One call of cuBLAS on the device of rank 0.
reference() {
    for type in cf32 bf16; do
        exits 0 "$SECTILE" run --engine cuda --ranks 2 --shape 60x50x40 --type $type --op TN \
            --c col/f --reference --pairs 2
        says out 'time of one BLAS call on the device of rank 0'
    done
    [ -n "${EMULATED:-}" ] || return
    # The product is made 3 times, and the call at least 4 times.
    exits 0 env PRODUCTS= "$SECTILE" run --engine cuda --ranks 1 --shape 60x50x40 --reference \
        --pairs 2 --check
    [ "$(sed -n 's/ products$//p' err)" -ge 7 ] || fail "too few products: $(cat err)"
}

# Measured GPUs are a machine to plan for. How the speed of products grows with their size is found on a GPU
# only by products that take much longer than a launch. Stand-ins may add as fast as they copy: accumulate is then
# 1, which is not written.
measures() {
    size=2048 rounds=5 slower=accumulate
    [ -z "${EMULATED:-}" ] || size=192 rounds=1 slower=
    exits 0 "$SECTILE" machine --measure --engine cuda --ranks 2 --per-node 1 --repeat $rounds --size $size \
        -o measured
    grep -q '"about": "2 ranks of the engine cuda' measured || fail "about: $(cat measured)"
    grep -q 'memory and links: by copies of [1-9]' measured || fail "no copies: $(cat measured)"
    for key in peak half memory links pair latency $slower; do
        grep -q "\"$key\": " measured || fail "no $key: $(cat measured)"
    done
    exits 0 "$SECTILE" simulate --machine ./measured --shape 300x300x300 --a row --b col
    exits 0 "$SECTILE" run --engine cuda --ranks 2 --machine ./measured --per-node 1 --shape 60x50x40 --a row --check
}

# Threads share memory without NVSHMEM.
wrong_path() {
    exits 2 "$SECTILE" run --engine cuda --path nvshmem
    says err 'sectile: --path: NVSHMEM is for ranks that are processes; these are threads'
}

wrong_lists() {
    exits 2 "$SECTILE" run --engine cuda --device 0/2
    says err "sectile: --device: '0/2' is not a list"
    exits 3 "$SECTILE" run --engine cuda --device 77
    says err 'sectile: --device: CUDA has no device 77: '
}

no_device
if ! "$SECTILE" run --engine cuda --ranks 1 --shape 2x2x2 >out 2>err; then
    cat err
    [ "$failures" -eq 0 ] || finish
    exit 77
fi
products
choices
reference
measures
wrong_path
wrong_lists
finish
