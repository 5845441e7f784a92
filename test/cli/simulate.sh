# simulate.sh - simulations on machines that come with the tool, and on one of a file.
. "${0%/*}/support.inc"

# Each of two ranks makes 32 of 64 rows, and gets half of B in as long as half its work takes.
cat >two.json <<'END'
{"name": "two", "ranks": 2, "peak": {"f64": 1073741824}, "memory": 1e30,
 "links": [{"pair": 134217728}]}
END

known() {
    set -- --machine two.json --shape 64x64x64 --a row --b row --c row --stay c
    exits 0 "$SECTILE" simulate --json "$@"
    one_line out
    says out '"machine":"two","ranks":2,'
    says out '"seconds":0.000244140625,"reducing":0,"share_of_peak":1,'
    says out '"mean":{"computing":1,"moving":0.5,"overlap":1}'
    says out '"critical":{"rank":0,"computing":1,'
    says out '"bytes_moved":32768,"sum":{"steps":4,"bytes_got":32768,'
    exits 0 "$SECTILE" simulate "$@"
    says out 'seconds                      0.000244141'
    says out 'Critical rank: 0, the last to finish its steps.'
    # Nothing follows the name of a machine that has no description.
    grep -qx '  on two' out || fail "$(grep '  on ' out)"
}

# All ranks of the machine, if nobody says otherwise.
shipped() {
    for machine in pvc12 h100x8 node cluster; do
        exits 0 "$SECTILE" simulate --json --machine $machine --type f32 --shape 2000x1000x3000 \
            --a row --b 2d --c col
        says out "\"machine\":\"$machine\""
        says out '"overlap":'
    done
    says out '"ranks":4,'
    exits 0 "$SECTILE" simulate --json --machine pvc12 --type f32
    says out '"ranks":12,'
    exits 0 "$SECTILE" simulate --json --machine cluster --ranks 64 --stay a --c 'row*2' --sync
    says out '"ranks":64,'
    exits 0 "$SECTILE" simulate --machine cluster --ranks 4 --c 'row*2'
    says out 'reducing replicas'
}

# What has a file's name stays until there is something to write, and is no input.
kept() {
    echo old >old.svg
    exits 2 "$SECTILE" simulate --machine pvc12 --ranks 13 --svg old.svg
    exits 1 "$SECTILE" simulate --machine two.json --svg old.svg --trace nowhere/trace
    says err 'nowhere/trace: cannot be written: No such file or directory'
    exits 1 "$SECTILE" simulate --machine two.json --svg .
    [ "$(cat old.svg)" = old ] || fail 'a file is lost'
    for files in '--svg both --trace ./both' '--svg two.json' '--trace ./two.json'; do
        # shellcheck disable=SC2086
        exits 2 "$SECTILE" simulate --machine two.json $files
        says err '--svg, --trace and --machine need different files'
    done
    [ ! -e both ] || fail 'a file is left'
    exits 0 "$SECTILE" simulate --machine two.json --svg old.svg
    [ "$(tail -n 1 old.svg)" = '</svg>' ] || fail 'the picture does not end'
    exits 1 "$SECTILE" simulate --machine two.json --svg /dev/full
}

# The same bytes each time: numbers, picture and trace.
repeated() {
    for run in 1 2; do
        exits 0 "$SECTILE" simulate --json --machine cluster --ranks 9 --shape 900x700x800 \
            --a cyclic:64x64 --b col --c 'row' --stay a --svg $run.svg --trace $run.trace
        cp out $run.json
    done
    for kind in json svg trace; do
        same 1.$kind 2.$kind
    done
    says 1.svg '>rank 8<'
    for name in multiply get accumulate ms; do
        says 1.svg ">$name<"
    done
    [ "$(tail -n 1 1.svg)" = '</svg>' ] || fail 'the picture does not end'
    says 1.trace '{"ph":"M","name":"process_name","pid":8,"tid":0,"args":{"name":"rank 8"}}'
    says 1.trace '{"ph":"X","name":"accumulate","cat":"accumulate","pid":3,'
    if command -v python3 >python; then
        exits 0 python3 -m json.tool 1.trace
        exits 0 python3 -m json.tool 1.json
    fi
}

# What is drawn has an end, however little there is, and however many ranks.
pictures() {
    exits 0 "$SECTILE" simulate --machine cluster --ranks 300 --shape 300x8x8 --a row --b 'row*300' \
        --c row --svg many.svg
    says many.svg '>0-4<'
    says many.svg '>Each row is a group of 5 ranks: the darker, the more of them are active.<'
    # However much there is to draw: wide events of few ranks, narrow ones of many.
    for much in '64 --c col --stay a' '512 --c row --stay c'; do
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" simulate --machine cluster --shape 8192x8192x8192 --a row --b row \
            --svg many.svg --ranks $much
        [ "$(wc -c <many.svg)" -lt 1000000 ] || fail "$(wc -c <many.svg) bytes for $much"
        [ "$(grep -c '^<path' many.svg)" -gt 64 ] || fail "no shades for $much"
    done
    exits 0 "$SECTILE" simulate --machine two.json --shape 0x4x4 --svg none.svg --trace none
    says none.svg '</svg>'
    sed 's/"two"/"<1 \& 2>"/' two.json >named.json
    exits 0 "$SECTILE" simulate --machine named.json --shape 40x40x40 --svg named.svg
    says named.svg 'on 2 ranks of &lt;1 &amp; 2>: '
}

wrong() {
    exits 2 "$SECTILE" simulate
    one_line err
    says err 'simulate needs --machine NAME'
    exits 2 "$SECTILE" simulate --machine pvc12 --ranks 8 --type f32
    one_line err
    says err 'machine pvc12 has 12 ranks, but the problem has 8'
    exits 2 "$SECTILE" simulate --machine two.json --type f32
    says err 'machine two: its peak for f32 is not known'
    exits 1 "$SECTILE" simulate --machine two.json --svg none/there.svg
    one_line err
    says err 'none/there.svg: cannot be written'
    exits 1 "$SECTILE" simulate --machine two.json --trace none/there
    says err 'none/there: cannot be written'
    exits 1 "$SECTILE" simulate --machine two.json --svg /dev/full
    says err '/dev/full: cannot be written'
    exits 1 "$SECTILE" simulate --machine two.json --a row --b row --workspace 1 --per-node 1 \
        --shape 64x64x64
    says err 'too small by'
    # A sanitizer takes more address space than that.
    if [ -n "${FAULTS:-}" ]; then
        exits 1 sh -c 'ulimit -v 4000000; exec "$@"' sh timeout 20 "$SECTILE" simulate --machine cluster --ranks 1000000
        says err 'the plans of 1000000 ranks take more than 15.3 GiB of memory, and '
    fi
    ! "$SECTILE" simulate --machine nowhere >out 2>err || fail 'a machine that is nowhere'
    says err 'nowhere'
}

known
shipped
repeated
kept
pictures
wrong
finish
