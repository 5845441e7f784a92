# bench.sh - the ratio to one BLAS call, sweeps, their lines and pictures. No speed is asserted.
compare=$(cd "${0%/*}/../../bench" && pwd)/compare
. "${0%/*}/support.inc"

# number FILE FIELD: the field is a number.
number() {
    grep -q "\"$2\":-\{0,1\}[0-9][-+.e0-9]*[,}]" "$1" || fail "$2 is no number in: $(cat "$1")"
}

reference() {
    exits 0 "$SECTILE" run --shape 40x30x20 --ranks 2 --reference --pairs 2 --json
    one_line out
    for field in blas_seconds ratio ratio_low ratio_high pairs blas_memory peak_memory \
        parts_memory bytes_gathered; do
        number out $field
    done
    says out '"pairs":2,'
    says out '"repeat":2'
    says out '"parts_memory":20800,'
    grep -q '"oversubscribed":\(true\|false\),"cpu_outside_gemm":' out || fail "$(cat out)"
    exits 0 env OPENBLAS_NUM_THREADS=2 "$SECTILE" run --shape 40x30x20 --reference --pairs 1
    [ -s err ] && fail "--reference wrote to stderr: $(cat err)"
    exits 0 "$SECTILE" run --shape 40x30x20 --ranks 3 --reference --pairs 2 --check --type cf32 \
        --op CT --a col/f --c 'row*3'
    says out ': time of one BLAS call'
    says out 'check holds'
    exits 0 "$SECTILE" run --shape 40x30x20 --type f16 --sum-c --json
    says out '"parts_memory":7600,'
    # No matrix is counted, but copies of f16 and bf16 are: of C, which is 36 MB in f32.
    for case in f32:0 f16:36000000 'bf16 --sum-c:0'; do
        type=${case%:*} copies=${case#*:}
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" run --ranks 4 --shape 3000x3000x8 --type $type --reference --pairs 1 --json
        memory=$(sed 's/.*"blas_memory":\([0-9]*\),.*/\1/' out)
        [ "$memory" -gt "$copies" ] || fail "the BLAS alone takes $memory in $type"
        [ "$memory" -lt $((copies + 30000000)) ] || fail "the BLAS alone takes $memory in $type"
    done
    # On devices, that of rank 0 makes the call.
    for case in f64:2 f16:1; do
        exits 0 "$SECTILE" run --shape 40x30x20 --type ${case%:*} --ranks ${case#*:} \
            --engine emulated --reference --pairs 1 --op CT --beta 2 --a row/f
        says out 'time of one BLAS call on the device of rank 0'
        grep -q 'outside GEMM' out && fail 'processor time of devices'
    done
    exits 0 "$SECTILE" bench --shapes 40x30x20 --layouts row --ranks 1 --engine emulated --reference --pairs 2
    grep -q nan out && fail "an unknown number: $(cat out)"
    exits 0 "$SECTILE" run --shape 40x30x20 --json
    grep -q '"ratio"' out && fail 'a ratio without --reference'
    number out peak_memory
}

# Nobody is left behind: a process that is stopped would keep the pipe open.
alone() {
    "$SECTILE" run --shape 30x30x30 --ranks 1 --reference --pairs 1 --json | cat >out
    exits 2 "$SECTILE" reference
    one_line err
    # In what takes so long the process is stopped.
    mkfifo held
    for signal in TERM KILL; do
        timeout 20 cat held >drained &
        reader=$!
        "$SECTILE" run --ranks 4 --shape 90x90x90 --per-node 1 $late,delay_us=100000 --reference --json >held &
        sleep 1.5
        kill -$signal $!
        wait $reader || fail "the process that only calls the BLAS outlives the tool, after $signal"
        wait
    done
}

sweep() {
    exits 0 "$SECTILE" bench --json --ranks 2 --shapes 20x30x40,10x10x10 --layouts row,cyclic:8x8 \
        --replicas 1,2 --stays auto,best --sample 5 --repeat 1 --svg picture.svg
    [ "$(wc -l <out)" -eq 20 ] || fail "$(wc -l <out) lines, not 20"
    [ "$(grep -c '^{"ok":true,"stay_asked":"\(auto\|best\)",.*}$' out)" -eq 20 ] || fail 'lines'
    [ "$(sort -u out | wc -l)" -eq 20 ] || fail 'a combination came twice'
    [ -s err ] && fail "bench wrote to stderr: $(cat err)"
    for place in a b c; do
        for layout in row cyclic:8x8 '[^"]*\*2'; do
            grep -q "\"$place\":\"$layout" out || fail "no $layout for $place"
        done
    done
    picture picture.svg
    cp out first
    exits 0 "$SECTILE" bench --json --ranks 2 --shapes 20x30x40,10x10x10 --layouts row,cyclic:8x8 \
        --replicas 1,2 --stays auto,best --sample 5 --repeat 1
    for file in first out; do
        sed 's/.*"a":\("[^"]*","b":"[^"]*","c":"[^"]*"\).*/\1/' $file >$file.places
    done
    same first.places out.places
}

# What fails gets its line, and no point; the rest is measured, drawn and compared.
failing() {
    set -- --ranks 2 --layouts row --repeat 1 --replicas 1,2
    huge=9999999x9999999x9999999
    exits 1 "$SECTILE" bench "$@" --json --sample 2 --shapes 8x8x8,$huge,9x9x9 --stays auto,best \
        --svg lines.svg
    # A sanitizer has something to say of such sizes, too.
    grep '^sectile: ' err >said
    one_line said
    says said 'sectile: 4 of 12 combinations failed; the first: no memory'
    [ "$(wc -l <out)" -eq 12 ] || fail "$(wc -l <out) lines, not 12"
    [ "$(grep -c '^{"ok":true,' out)" -eq 8 ] || fail "not 8 lines of what works: $(cat out)"
    grep '^{"ok":false,"stay_asked":"[a-z]*","ranks":2,"shape":"'$huge'",' out >failed
    [ "$(grep -c ',"reason":"no memory: [^"]*",' failed)" -eq 4 ] || fail "failed: $(cat failed)"
    picture lines.svg
    [ "$(grep -c '<circle' lines.svg)" -eq 8 ] || fail 'not 8 dots'
    cp out some
    exits 0 "$compare" some some
    says out '8 combinations; geometric mean of new over old 1.000'
    exits 1 "$SECTILE" bench "$@" --shapes $huge --sample 2 --svg dots.svg
    [ "$(grep -c ' failed: no memory: ' out)" -eq 2 ] || fail "not 2 rows: $(cat out)"
    picture dots.svg
    [ "$(grep -c '>failed<' dots.svg)" -eq 2 ] || fail 'dots.svg does not say what failed'
    exits 1 "$SECTILE" bench --ranks 2 --layouts row --shapes 40x40x40 --per-node 1 --workspace 4
    says err 'sectile: 1 of 1 combination failed; the first: '
}

# picture FILE: as far as can be told without a reader of XML.
picture() {
    head -n 1 "$1" | grep -q '^<svg xmlns="http://www.w3.org/2000/svg" .*>$' || fail "$1 begins"
    [ "$(tail -n 1 "$1")" = '</svg>' ] || fail "$1 ends"
    grep -q 'nan\|inf' "$1" && fail "$1 has what is no number"
    [ "$(grep -c '<text' "$1")" -eq "$(grep -c '</text>$' "$1")" ] || fail "$1: texts"
    awk -F '"' '
        /^<svg/ { right = $4 }
        /^<text .*text-anchor/ && !/rotate/ {
            wide = 5.5 * length(substr($0, index($0, ">") + 1, length($0) - index($0, ">") - 7))
            from = $2 - (/="end"/ ? wide : /="middle"/ ? wide / 2 : 0)
            if (from < 0 || from + wide > right) { print; bad = 1 }
        }
        END { exit bad }' "$1" || fail "$1: texts go beyond the edge"
    [ "$(grep -vc '^<\(svg\|rect\|text\|line\|circle\|/svg\) \{0,1\}.*>$' "$1")" -eq 0 ] ||
        fail "$1 has other lines"
}

# layouts_of: those of A in out, in order.
layouts_of() {
    sed 's/.*"a":"\([^"]*\)".*/\1/' out | uniq | tr '\n' ' '
}

# Layouts may have commas in them, and what is named twice is swept once.
lists() {
    set -- --json --ranks 2 --shapes '8x9x10,8x9x10' --repeat 1 --stays auto,auto
    exits 0 "$SECTILE" bench "$@" --replicas 1,1 --sample 27 \
        --layouts 'cyclic:3x2@1x2,src=0x1;row%1,0;cuts:3,5x-@0,1,0x0;row%1,0'
    [ "$(wc -l <out)" -eq 27 ] || fail "$(wc -l <out) lines, not 27"
    [ "$(layouts_of)" = 'cyclic:3x2@1x2,src=0x1 row%1,0 cuts:3,5x-@0,1,0x0 ' ] ||
        fail "layouts: $(layouts_of)"
    exits 0 "$SECTILE" bench "$@" --layouts 'row%1,0;'
    [ "$(layouts_of)" = 'row%1,0 ' ] || fail "layouts: $(layouts_of)"
    exits 0 "$SECTILE" bench "$@" --layouts row,row
    [ "$(wc -l <out)" -eq 1 ] || fail "$(wc -l <out) lines, not 1"
}

table() {
    exits 0 "$SECTILE" bench --ranks 3 --shapes 9x9x9 --layouts 'row;cuts:3,5x-@0,1,2x0' --repeat 1
    awk 'NR == 1 { c = index($0, "  C "); work = index($0, "  work ") }
        substr($0, c + 1, 1) != " " || substr($0, c + 2, 1) == " " { bad = 1 }
        substr($0, work + 1, 1) != " " || substr($0, work + 2, 1) == " " { bad = 1 }
        END { exit bad || NR != 9 }' out || fail "columns are out of line: $(cat out)"
    exits 0 "$SECTILE" bench --ranks 1 --shapes 12x12x12 --layouts row --stays a,b \
        --repeat 1 --reference --pairs 1 --svg dots.svg
    [ "$(wc -l <out)" -eq 3 ] || fail "$(wc -l <out) lines, not a head and 2"
    says out 'ratio (low to high)'
    says out 'row              stationary b '
    picture dots.svg
    says dots.svg 'row, row, row; stationary B'
    says dots.svg '>one BLAS call<'
    exits 0 "$SECTILE" bench --ranks 4 --shapes 12x12x12 --layouts row --stays c --repeat 1 \
        --work '2d:1x2*2:8'
    says out 'row              2d:1x2*2:8 of c '
}

lines() {
    exits 0 "$SECTILE" bench --ranks 1 --shapes 4x4x4,8x8x8 --layouts row --json --reference \
        --pairs 12 --svg lines.svg
    picture lines.svg
    says lines.svg '>one BLAS call<'
    sed 's/.*"ratio":\([^,]*\),"ratio_low":\([^,]*\),"ratio_high":\([^,]*\),.*/\1 \2 \3/' out |
        awk '!($2 <= $1 && $1 <= $3) { exit 1 }' || fail "no interval about the ratio: $(cat out)"
}

# Nothing of them is cut off, and names of shapes that would meet stand at different heights.
long_names() {
    set -- --ranks 2 --layouts cyclic:64x64/f --replicas 2 --stays a,b --repeat 1
    exits 0 "$SECTILE" bench "$@" --shapes 8x8x8 --svg dots.svg
    picture dots.svg
    exits 0 "$SECTILE" bench "$@" --shapes 8x8x8,4x4x4 --svg lines.svg
    picture lines.svg
    [ "$(grep '>[48]x[48]x[48]<' lines.svg | cut -d '"' -f 4 | sort -u | wc -l)" -eq 1 ] || fail heights
    exits 0 "$SECTILE" bench "$@" --svg lines.svg \
        --shapes 1000x100x1,100x1000x1,1x1000x100,1000x1x100,100x1x1000,1x100x1000,10x10x10,1x1x1
    picture lines.svg
    [ "$(grep '>10*x10*x10*<' lines.svg | cut -d '"' -f 4 | sort -u | wc -l)" -eq 2 ] || fail heights
}

# Of two ranks whose peak is 5 GFLOP/s each, or of another type is not known.
percent() {
    echo '{"name": "a <five>", "peak": {"f64": 5e9}, "links": [{"pair": 1e9}]}' >five.json
    set -- --machine five.json --layouts row --ranks 2 --repeat 1
    exits 0 "$SECTILE" bench "$@" --json --shapes 64x64x64,16x16x16,640x640x640 --svg percent.svg
    sed 's/.*"gflops":\([^,]*\),.*"percent_of_peak":\([^,]*\),.*}$/\1 \2/' out |
        awk 'NF != 2 || $1 * 10 / $2 < 0.999 || $1 * 10 / $2 > 1.001 { exit 1 }' ||
        fail "no percent of the peak: $(cat out)"
    picture percent.svg
    says percent.svg '>f64 on 2 ranks of a &lt;five>, with a peak of 10 GFLOP/s'
    says percent.svg '>% of the peak of all ranks<'
    says percent.svg 'on a logarithmic axis<'
    # The middle one of them is as far from both as is 64 from 16 and from 640.
    grep '>[0-9]*x[0-9]*x[0-9]*<' percent.svg | cut -d '"' -f 2 | sort -n | tr '\n' ' ' >places
    awk '{ exit !(($2 - $1) / ($3 - $1) > 0.37 && ($2 - $1) / ($3 - $1) < 0.38) }' places ||
        fail "places: $(cat places)"
    exits 0 "$SECTILE" bench "$@" --shapes 16x16x16
    says out '% of peak'
    exits 0 "$SECTILE" bench "$@" --shapes 16x16x16 --type f32 --json --svg percent.svg
    says out '"percent_of_peak":null,'
    says percent.svg '>GFLOP/s<'
    exits 0 "$SECTILE" bench --shapes 16x16x16 --layouts row --repeat 1
    grep -q peak out && fail 'of whose peak?'
}

# Who looks at a terminal is told how far it is, and nothing of it stays.
progress() {
    command -v script >/dev/null || return 0
    exits 0 script -qec "'$SECTILE' bench --shapes 8x8x8,9x9x9 --layouts row --repeat 1" /dev/null
    says out '] 0 of 2 combinations'
    says out '[###############               ] 1 of 2 combinations'
    says out "$(printf '\r\033[K')8x8x8"
}

comparing() {
    exits 0 "$compare" first first
    says out '20 combinations; geometric mean of new over old 1.000'
    exits 2 "$compare" first
    exits 2 "$compare" first nothing
    : >empty
    exits 1 "$compare" first empty
    exits 1 "$compare" empty first
    says out 'only in the old file: 0; only in the new one: 20'
    cp first a=b
    exits 0 "$compare" a=b first
    sed 's/"ratio":[0-9.]*,//; s/"gflops":[0-9.e+-]*/"gflops":2/' first >without
    exits 0 "$compare" without without
    exits 0 "$compare" without first
    says out ' 2.000 '
    sed 's/"op":"NN"/"op":"TT"/; s/"nodes":0/"nodes":1/' first >other
    exits 1 "$compare" first other
    says out 'only in the old file: 20; only in the new one: 20'
    cat first first >twice
    exits 0 "$compare" twice twice
    says out '40 combinations; geometric mean of new over old 1.000'
    exits 0 "$compare" twice first
    says out 'only in the old file: 20; only in the new one: 0'
    ln -s "$compare" linked
    exits 0 ./linked first first
    says out '20 combinations; geometric mean of new over old 1.000'
    sed 's/"ok":true/"ok":false/' first >failed
    exits 1 "$compare" first failed
}

# bad TEXT ARGUMENT...
bad() {
    text=$1
    shift
    exits 2 "$SECTILE" "$@"
    one_line err
    says err "$text"
    [ -s out ] && fail "$* wrote to stdout"
}

refusals() {
    bad "--shapes: '1x2' is not allowed" bench --shapes 1x2
    bad "--shapes: '1x2x3,' is not allowed" bench --shapes 1x2x3,
    bad "--replicas: '1,0' is not allowed" bench --replicas 1,0
    bad "--stays: 'best,d' is not allowed" bench --stays best,d
    bad "--layouts: ',row' is not allowed" bench --layouts ,row
    bad "--sample: '-1' is not allowed" bench --sample -1
    bad "needs --reference" run --pairs 3
    bad "needs --reference" bench --pairs 3
    bad "exclude" run --reference --repeat 3
    bad "there is no flag '--shape'" bench --shape 1x1x1
    bad '--layouts and --replicas make 1124864 combinations; allowed: 1000000' \
        bench --layouts "$(seq -f 'cyclic:%gx1' -s , 13)" --replicas 1,2,3,4,5,6,7,8
    bad '"fly"' bench --layouts row,fly
    for list in 'cuts:3,5x-@0,1,0x0' 'cyclic:2x2@1x2,src=0x1' 'row,cyclic:2x2,first=1x1' 'row%1,0'; do
        bad "--layouts: '$list' is not allowed; allowed: up to 32 layouts" bench --layouts "$list"
        says err 'or each ended by a semicolon if one has commas in it'
    done
    bad '32x32x32: --work: layout "cuts:40x-@0,1x0"' bench --shapes 64x48x80,32x32x32 --ranks 2 \
        --work cuts:40x-@0,1x0
    bad "--layouts: ';' is not allowed" bench --layouts ';'
    long=$(printf '%0256d' 1)
    bad "--layouts: 'row,$long' is not allowed; allowed: up to 32 layouts of up to 255 characters" \
        bench --layouts "row,$long"
    bad '32,33'"' is not allowed; allowed: up to 32 whole numbers from 1 to 4096" bench --replicas "$(seq -s , 33)"
    bad "--layouts: 'row;;col' is not allowed" bench --layouts 'row;;col'
    bad 'result: C is f16, which is not a type for partial sums' bench --type f16 --result partial
    bad '--layouts: layout "row*3": 3 replicas' bench --replicas 1,3 --ranks 4
    bad '--layouts: layout "row*2*2"' bench --layouts 'row*2' --replicas 2 --ranks 4
    exits 1 "$SECTILE" bench --shapes 8x8x8 --svg nowhere/x.svg
    one_line err
    says err 'nowhere/x.svg'
    [ -s out ] && fail 'work was done for a picture that cannot be'
    exits 1 "$SECTILE" bench --shapes 8x8x8 --layouts row --svg /dev/full
    one_line err
    says err '/dev/full: cannot be written: No space'
}

reference
alone
sweep
lists
table
lines
long_names
percent
progress
comparing
failing
refusals
finish
