# json.sh - what the verbs print with --json is as docs/schemas/output.json says, and docs/json.md names
# each key. Skipped without jsonschema for Python.
. "${0%/*}/support.inc"

python=/usr/bin/python3
$python -c 'import jsonschema' 2>/dev/null || exit 77
docs=$tests/../../docs
{ npy '<f8' False '(2, 3)'; doubles 1 2 3 4 5 6; } >a.npy
{ npy '<f8' False '(3, 1)'; doubles 1 0 -1; } >b.npy

# prints DEFINITION COMMAND...: each line of what it prints is an object of that kind.
prints() {
    definition=$1
    shift
    "$@" >>"$definition.lines" 2>err || fail "exit $?: $* : $(head -n 3 err)"
}

verbs() {
    shape='--shape 40x30x20 --ranks 3'
    prints multiply "$SECTILE" multiply a.npy b.npy -o c.npy --json --per-node 1
    prints copy "$SECTILE" copy a.npy -o c.npy --json
    prints multiply_dry_run "$SECTILE" multiply a.npy b.npy --json --dry-run
    prints copy_dry_run "$SECTILE" copy a.npy --json --dry-run --memory 1M
    prints run "$SECTILE" run $shape --json
    prints run "$SECTILE" run $shape --json --check --work 2d --c 'row*2' --ranks 4
    prints run "$SECTILE" run $shape --json --reference --pairs 1 --per-node 1
    prints run "$SECTILE" run --shape 0x3x3 --json
    prints run_products "$SECTILE" run --group 'Y = X[9,8] * W[8,7]' --ranks 3 --json
    prints run_products "$SECTILE" run --group 'Y = X[9,8] * W[8,7]' --backward --check --json
    prints plan "$SECTILE" plan $shape --json
    prints plan "$SECTILE" plan $shape --json --all --check --per-node 1 --stay a
    prints plan "$SECTILE" plan --shape 0x0x0 --json --all
    prints step "$SECTILE" plan $shape --steps --a cyclic:3x3
    prints simulate "$SECTILE" simulate $shape --json --machine cluster --c 'row*3'
    prints choose "$SECTILE" choose $shape --json
    prints choose "$SECTILE" choose $shape --json --machine cluster --fix a=row --top 2
    prints choose_products "$SECTILE" choose --group 'Y = X[9,8] * W[8,7]' --json
    prints choose_products "$SECTILE" choose --group 'Y = X[64,80] * W[80,70]' --backward --json \
        --machine h100x8 --type f32 --memory 1M
    prints machines "$SECTILE" machine --json
    prints bench "$SECTILE" bench --shapes 8x8x8 --layouts row --repeat 1 --json --machine node --ranks 2
    prints bench "$SECTILE" bench --shapes 8x8x8 --layouts row --pairs 1 --json --reference --stays best
    "$SECTILE" bench --shapes 9999999x9999999x9999999 --layouts row --json >bench_failed.lines 2>err &&
        fail 'too large a product succeeds'
}

# refuses CODE COMMAND...: instead of a result there is an error, as on stderr.
refuses() {
    exits "$@"
    one_line out
    says out "\"exit\":$1,"
    [ "$($python -c 'import json; print("sectile: " + json.load(open("out"))["error"])')" = "$(cat err)" ] ||
        fail "the error is not that of stderr: $(cat out err)"
    cat out >>error.lines
}

errors() {
    refuses 2 "$SECTILE" run --json --shape 3
    refuses 2 "$SECTILE" run --jsn --json
    refuses 2 "$SECTILE" run --json=yes
    refuses 2 "$SECTILE" fly --json
    refuses 2 "$SECTILE" plan --a "$(printf 'a\nb"\\')" --json
    refuses 1 "$SECTILE" multiply a.npy absent.npy -o c.npy --json
    refuses 1 "$SECTILE" copy a.npy -o absent/c.npy --json
    refuses 1 "$SECTILE" run --shape 9999999x9999999x9999 --json
    refuses 2 "$SECTILE" bench --shapes 8 --json
    refuses 3 "$SECTILE" run --engine processes --json
    refuses 2 "$SECTILE" machine absent --json
    refuses 2 "$SECTILE" --json
    refuses 2 "$SECTILE" --json run --shape 3x3x3
    refuses 2 "$SECTILE" launch --json
    refuses 2 "$SECTILE" launch -n 0 --json "$SECTILE" run
    refuses 2 "$SECTILE" launch -n 2 --bind --json --
    exits 2 "$SECTILE" launch -n 2 "$SECTILE" run --shape 3 --json
    one_line out # of rank 0
    cat out >>error.lines
    # Without it there is none, nor is what a launcher starts its own.
    exits 2 "$SECTILE" run --shape 3
    [ -s out ] && fail "an error on stdout: $(cat out)"
    for words in '' '-n 2' '--bind' '-n=2 --'; do
        # shellcheck disable=SC2086
        exits 127 "$SECTILE" launch $words absent --json
        [ -s out ] && fail "an error on stdout: $(cat out)"
    done
}

check() {
    $python - "$docs/schemas/output.json" "$docs/json.md" <<'END' || fail 'the schema does not hold'
import glob, json, sys
import jsonschema

schema = json.load(open(sys.argv[1]))
page = open(sys.argv[2]).read()
jsonschema.Draft202012Validator.check_schema(schema)
good = True
for name in glob.glob("*.lines"):
    kind = dict(schema, **{"$ref": "#/$defs/" + name[:-len(".lines")]})
    lines = open(name).read().splitlines()
    good = good and bool(lines)
    for line in lines:
        for error in jsonschema.Draft202012Validator(kind).iter_errors(json.loads(line)):
            print(name, "/".join(map(str, error.path)), error.message[:200])
            good = False
for name, definition in schema["$defs"].items():
    for key in definition["properties"]:
        if "`" + key + "`" not in page:
            print("docs/json.md does not name", name, key)
            good = False
sys.exit(not good)
END
}

verbs
errors
says run.lines '"stay":null,"work":"2d","work_of":'
check
finish
