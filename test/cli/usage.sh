# usage.sh - help, exit codes, and one line for each bad argument.
. "${0%/*}/support.inc"

# names HELP: the flags that it lists.
names() {
    sed -n '/^  -/{s/^  //; s/ [^-].*//; s/  .*//; p;}' "$1"
}

helps() {
    exits 0 "$SECTILE"
    says out 'Usage: sectile VERB'
    exits 0 "$SECTILE" --help
    exits 0 "$SECTILE" help
    cp out help
    for word in help --help -h; do
        exits 0 "$SECTILE" help $word
        same out help
    done
    exits 0 "$SECTILE" --version
    for verb in multiply copy run plan bench machine simulate choose; do
        exits 0 "$SECTILE" help $verb
        says out "Usage: sectile $verb"
        says out '--json'
        grep -q emulated out && fail "help $verb has what is for tests"
        cp out help
        for flag in --help -h; do
            exits 0 "$SECTILE" $verb $flag
            same out help
        done
        # With --all it has more flags and values.
        for words in "help $verb --all" "$verb --help --all" "$verb -h --all"; do
            # shellcheck disable=SC2086
            exits 0 "$SECTILE" $words
            names help >few
            names out >all
            [ $verb = choose ] || grep -qvxF -f few all || fail "$words lists no more flags"
            grep -vxF -f all few && fail "$words lacks that"
        done
        # Flags are in groups, none of which is empty.
        sed -n '/^Flags/,/^$/p' out | awk '
            /^ [^ ]/ { if (heading) exit 1; heading = 1; groups++ }
            /^  -/ { if (!groups) exit 1; heading = 0 }
            END { exit groups < 2 || heading }' || fail "groups of flags in help $verb: $(cat out)"
        sed '/^Usage/d; /^Example/,$d' out | tail -n +2 | awk 'length > 80' >wide
        [ -s wide ] && fail "help $verb is wide: $(cat wide)"
    done
    # Layouts are explained where they are taken.
    grep -q '^Layouts' help || fail 'help choose explains no layouts'
    exits 0 "$SECTILE" machine -h
    grep -q '^Layouts' out && fail 'help machine explains layouts'
}

# Every flag that help lists, also by its letter or older name, is one that is known. What follows it keeps
# the verb from its work.
flags_known() {
    for verb in multiply copy run plan bench machine simulate choose; do
        "$SECTILE" help $verb --all >out
        for flag in $(names out | tr -d ,) --nodes; do
            "$SECTILE" $verb "$flag" --ranks 0 >out 2>err
            grep -q 'there is no flag' err && fail "$verb does not know $flag"
        done
    done
}

# bad CODE TEXT ARGUMENT...: one line on stderr that has the text, and nothing on stdout; with --json an
# object that has it, too.
bad() {
    code=$1
    text=$2
    shift 2
    exits "$code" "$SECTILE" "$@"
    one_line err
    says err "$text"
    case " $* " in
    *' --json '* | *' --json='*) says out "$text" ;;
    *) [ -s out ] && fail "$* wrote to stdout" ;;
    esac
}

bad_words() {
    # The nearest name, if one is near: characters missing, wrong, one too many, or exchanged.
    bad 2 "there is no verb 'multply'; did you mean multiply?" multply
    bad 2 "there is no verb 'paln'; did you mean plan?" help paln
    bad 2 "there is no verb 'helpp'; did you mean help?" helpp
    bad 2 "there is no verb 'fly'; sectile --help lists all verbs" fly
    bad 2 "run: there is no flag '--rank'; did you mean --ranks?" run --rank 4
    bad 2 "run: there is no flag '--shpae'; did you mean --shape?" run --shpae=3x3x3
    bad 2 "run: there is no flag '--chek'; did you mean --check?" run --chek
    bad 2 "copy: there is no flag '-x'; sectile help copy --all lists all flags" copy -x
    bad 2 "plan: there is no flag '--sideways'; sectile help plan --all lists all flags" plan --sideways 2
    bad 2 "run: there is no flag '--$(printf '%0100d' 1)'; sectile help" run "--$(printf '%0100d' 1)"
    bad 2 "too many" run file
    bad 2 "too many; files to read: 2; -o names the one to write" multiply a b c
    bad 2 "too many; files to read: 1; -o names the one to write" copy a b
    bad 2 "too many; names allowed: 1" machine a b
    bad 2 "there is no verb '--version'; sectile --help lists all verbs" help --version
    bad 2 "--help takes no value, but '1' is given" run -h=1
    bad 2 "help: 'more' is one argument too many" help run more
    bad 2 "--version: 'more' is one argument too many" --version more
    bad 2 "'' is not the name of a file" multiply '' b -o c
    bad 2 "'' is not the name of a machine" machine ''
    # Neither standard input nor output is a file, whatever the verb; ./- is one.
    bad 2 'only one of the files can be -' multiply - - -o c
    bad 2 'only one of the files can be -' multiply - b -o c -c - --beta 2
    bad 2 '--json prints on the standard output' multiply a b -o - --json
    bad 2 "'-' is not the name of a machine" machine -
    bad 2 "-o: '-' is not allowed; allowed: a file name (a file called - is ./-)" machine --measure -o -
    bad 2 "-o: '' is not allowed; allowed: a file name, or -" copy a -o ''
    bad 2 "--trace: '-'" simulate --machine node --trace -
    for verb in simulate bench plan; do
        bad 2 "--svg: '-'" "$verb" --svg -
    done
    bad 2 "1 given" multiply a -o d
    bad 2 "0 given" copy -o d
    bad 2 "-o FILE" multiply a b
    bad 2 "needs --beta" multiply a b -o c -c d
    bad 2 "needs -c" multiply a b -o c --beta 2
    bad 2 "takes no value" plan --json=1
    bad 2 "needs a value" plan --shape
}

# The value of a letter may follow at once.
attached() {
    exits 0 "$SECTILE" run -n3 --shape 9x9x9 --json
    says out '"ranks":3,'
    { npy '<f8' False '(1, 1)'; doubles 7; } >one.npy
    exits 0 "$SECTILE" copy one.npy -oattached.npy
    same attached.npy one.npy
    exits 0 "$SECTILE" launch -n2 true
    bad 2 "--ranks: 'x' is not allowed" run -nx
    bad 2 "there is no flag '-hx'" run -hx
    bad 2 "there is no flag '-x3'" run -x3
}

bad_values() {
    while read -r verb flag value; do
        bad 2 "$flag: '$value' is not allowed; allowed: " "$verb" "$flag" "$value"
        bad 2 "$flag: '$value' is not allowed; allowed: " "$verb" "$flag=$value"
    done <<'END'
run --ranks 0
run --ranks 4097
run --ranks -1
plan --ranks 16777217
simulate --ranks 2147483647
plan --ranks 99999999999999999999
plan --ranks 3x
plan --ranks +3
plan --ranks 0x3
plan --shape 3
plan --shape 3x4
plan --shape 3x4x
plan --shape 3x4x5x6
plan --shape -3x4x5
plan --shape 3x4x9223372036854775808
plan --type f7
plan --type f16:f32
plan --type F64
plan --op N
plan --op NNN
plan --op NX
copy --op NN
copy --op x
plan --stay d
plan --stay a|b
plan --slice row
plan --fetch class
plan --order fast
plan --start first
plan --transfers 0
plan --transfers 1025
plan --result some
plan --workspace K
plan --workspace 3KK
plan --workspace 1.5G
plan --workspace 9223372036854775807K
plan --prefetch -1
plan --rank -1
run --seed x
run --repeat 0
run --products 0
plan --products 1025
bench --accumulates x
machine --ranks 1
machine --repeat 26
machine --size 47
multiply --accumulates 1025
run --path wire
run --math f32
bench --accumulation direct
run --alpha x
run --alpha nan
run --alpha inf
run --alpha 1,
run --alpha 1,2,3
run --alpha 1e999
run --alpha 1,2
plan --view-a 3x4
plan --view-a 3x4+1
plan --engine carrier-pigeon
plan --rank 4
END
    bad 2 "--shape: '' is not allowed" plan --shape ''
    bad 2 "--shape: '' is not allowed" plan --shape=
    bad 2 "--alpha: ' 1' is not allowed" run --alpha ' 1'
    bad 2 "--alpha: '1e+300' is not allowed; allowed: numbers in the range of f32" run \
        --alpha 1e300 --type f32
    bad 2 "-o: '' is not allowed" copy a -o ''
    bad 2 "f16|bf16" run --type f7
    bad 2 "--a: " plan --a fly
    bad 2 "--b: " plan --b 'row*3'
    bad 2 "--c: '' is not allowed" plan --c ''
    bad 2 "--view-a: the part at row 0, column 1 of a 4 x 4 matrix cannot be 4 x 4" plan --shape 4x4x4 --view-a 4x4+0+1
    bad 2 "--decisions: '' is not allowed; allowed: decisions as plan prints them, such as nest=kmn" \
        plan --decisions ''
    bad 2 '--decisions: decisions: "nest=xyz": nest= takes m, k and n' plan --shape 3x3x3 --ranks 1 --decisions nest=xyz
    bad 2 "exclude" plan --steps --picture
    bad 2 "exclude" plan --json --picture
}

# What contradicts another flag, or would do nothing beside it.
together() {
    while read -r said arguments; do
        # shellcheck disable=SC2086
        bad 2 "$(echo "$said" | tr _ ' ')" $arguments
    done <<'END'
--transfers_needs_an_--order plan --transfers 2
--transfers_needs_an_--order bench --order direct --transfers 2
--prefetch_needs_--order_direct run --order greedy --prefetch 0
--prefetch_needs_--order_direct simulate --machine node --prefetch 1 --order cost
--slice_class_and_--fetch_tile_exclude run --fetch tile --slice class
--all_and_--steps_exclude plan --steps --all
--all_and_--picture_exclude plan --all --picture
--engine_is_one_in_a_library_of_its_own plan --engine emulated
--engine-options_needs_an_--engine_in_a_library_of_its_own run --engine-options host --engine opencl
--engine-options_needs_--measure machine --engine-options host --engine emulated
--ranks_needs_--measure machine --ranks 3
--per-node_needs_--measure machine --nodes 3 node
--path_needs_--measure machine --path rma
--repeat_needs_--measure machine --repeat 3
--size_needs_--measure machine --size 100
--path_nvshmem_needs_--engine_cuda run --path nvshmem
--path_nvshmem_needs_--engine_cuda copy a -o b --path nvshmem --engine opencl
--device_needs_--measure machine --device 0
--device_needs_--engine_opencl_or_cuda run --device 0/2
--device_needs_--engine_opencl_or_cuda machine --measure --device 0 --engine threads
--math_needs_--measure machine --math tf32
--math_needs_--engine_cuda run --type f32 --math tf32
--math_needs_--engine_cuda multiply a b -o c --math ieee --engine emulated
--math_tf32_needs_--type_f32_or_cf32 bench --engine cuda --math tf32
--accumulation_needs_--engine_cuda run --accumulation mailbox
--accumulation_needs_--engine_cuda machine --measure --accumulation auto --engine emulated
END
    exits 0 "$SECTILE" plan --fetch tile --slice tile --order cost --transfers 2
    exits 0 "$SECTILE" plan --slice class --order direct --prefetch 0
    exits 0 "$SECTILE" run --shape 9x9x9 --engine emulated --engine-options host,deferred,delay_us=3
    bad 3 'engine "emulate" does not exist; engines: threads, processes, mpi, opencl, cuda' run --engine emulate
    bad 2 "options of the engine emulated: 'apart' is none" run --engine emulated --engine-options apart
}

# has RANKS VERB ARGUMENT...: so many ranks are there.
has() {
    ranks=$1
    shift
    exits 0 "$SECTILE" "$@" --json
    says out "\"ranks\":$ranks,"
}

# As many as the machine has where ranks are planned, and as there are cores where they run, but not more than
# the machine has.
ranks() {
    echo '{"name": "three", "ranks": 3, "peak": {"f64": 1}, "links": [{"pair": 1}]}' >three
    echo '{"name": "many", "ranks": 5000, "peak": {"f64": 1}, "links": [{"pair": 1}]}' >many
    cores=$(nproc)
    few=$((cores < 3 ? cores : 3))
    for verb in run plan choose simulate bench; do
        shape='--shape 9x9x9'
        [ $verb = bench ] && shape='--shapes 9x9x9 --layouts row'
        # shellcheck disable=SC2086
        set -- $verb $shape --machine
        case $verb in
        run | bench)
            has $few "$@" three
            has "$cores" "$@" cluster
            ;;
        *)
            has 3 "$@" three
            has 4 "$@" cluster
            ;;
        esac
        has 5 "$@" cluster --ranks 5
        has 5 "$@" cluster -n 5
        has 5 "$@" cluster -n=5
        bad 2 '--ranks: 4 is more than the 3 ranks of three' "$@" three --ranks 4
    done
    has 2 plan --machine three --ranks 2
    has 5000 plan --machine many --shape 9x9x9
    has "$cores" run --shape 9x9x9 --machine many
    has 1 run --shape 9x9x9 -n 1
    command -v taskset >/dev/null && exits 0 taskset -c "$(taskset -cp $$ | sed 's/.*[: ]\([0-9]*\).*/\1/')" \
        "$SECTILE" run --shape 9x9x9 --json && says out '"ranks":1,'
}

# Where there is no module beside the tool, there is no MPI.
engines() {
    mkdir lonely
    cp "$SECTILE" lonely/sectile
    exits 3 lonely/sectile run --engine mpi
    one_line err
    says err "'mpi' is not available"
    exits 0 "$SECTILE" plan --engine threads --json
}

# Devices need a library beside that of the tool, and what it is linked to.
no_devices() {
    mkdir bare
    library=$(ldd "$SECTILE" | awk '/libsectile.so/ { print $3 }')
    suffix=${library##*/libsectile}
    cp "$library" bare
    echo nothing >"bare/libsectile_cuda$suffix"
    for engine in opencl cuda; do
        exits 3 env LD_LIBRARY_PATH="$work/bare" "$SECTILE" run --engine $engine
        one_line err
        says err "engine \"$engine\" is not available: "
        says err "libsectile_$engine$suffix: "
    done
    says err "bare/libsectile_cuda$suffix: "
}

# What cannot be written is said once, and why.
full_output() {
    [ -c /dev/full ] || return 0
    for words in 'help run' 'plan --steps' 'bench --shapes 8x8x8 --repeat 1' 'machine node'; do
        # shellcheck disable=SC2086
        "$SECTILE" $words >/dev/full 2>err && fail "$words: wrote to a full device"
        one_line err
        says err 'cannot write to standard output: No space left'
    done
    # nothing is left to be written at the end, which would fail again
    [ -n "${FAULTS:-}" ] && command -v stdbuf >/dev/null || return 0
    exits 1 sh -c 'exec stdbuf -o0 "$0" help run >/dev/full' "$SECTILE"
    one_line err
    says err 'cannot write to standard output: No space left'
}

# A reader that goes away is no failure worth a word.
short_reader() {
    "$SECTILE" help run 2>err | head -n 1 >out
    [ -s err ] && fail "help into head: $(cat err)"
    says out 'sectile run'
}

# A text does not take the place of a matrix.
texts() {
    echo data >keep.npy
    cp keep.npy kept
    for words in 'plan --ranks 2 --svg keep.npy' 'simulate --ranks 2 --machine node --trace keep.NPY' \
        'machine --measure --size 48 -o keep.npz' 'plan --svg x.safetensors'; do
        # shellcheck disable=SC2086
        exits 2 "$SECTILE" $words
        one_line err
        says err 'file is not what is written, but a text'
    done
    same keep.npy kept
}

helps
flags_known
bad_words
bad_values
attached
together
ranks
engines
no_devices
full_output
short_reader
texts
finish
