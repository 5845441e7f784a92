# command_line.sh - the tool with devices of CUDA, of which there may be none.
. "${0%/*}/../cli/support.inc"

export OMP_NUM_THREADS=1

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
            --nodes 1 --b cyclic:5x7 --alpha 2 --beta 1 --check
    done
}

wrong_lists() {
    exits 2 "$SECTILE" run --engine cuda --device 0/2
    says err "'0/2' is not a list"
    exits 3 "$SECTILE" run --engine cuda --device 77
    says err 'CUDA has no device 77'
}

no_device
if ! "$SECTILE" run --engine cuda --ranks 1 --shape 2x2x2 >out 2>err; then
    cat err
    [ "$failures" -eq 0 ] || finish
    exit 77
fi
products
wrong_lists
finish
