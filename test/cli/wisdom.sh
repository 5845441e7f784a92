# wisdom.sh - products that are measured, and the file of what was found.
. "${0%/*}/support.inc"

problem='--ranks 3 --shape 24x36x48 --a row --b col --c cyclic:5x7'
head='sectile wisdom 1'
export SECTILE_LOG=info

# measured N: the last command has measured so many candidates.
measured() {
    count=$(grep -c 'measured: ' err)
    [ "$count" -eq "$1" ] || fail "$count candidates were measured, not $1"
}

# What is in the file is not measured again; other products are added.
run_verb() {
    # shellcheck disable=SC2086
    {
        exits 0 "$SECTILE" run $problem --effort measure --check
        measured 4
        exits 0 "$SECTILE" run $problem --effort measure --wisdom wise
        measured 4
        cp wise first
        exits 0 "$SECTILE" run $problem --effort measure --wisdom wise --check
        measured 0
        same wise first
        exits 0 "$SECTILE" run $problem --wisdom wise
        measured 0
        exits 0 "$SECTILE" run $problem --effort measure --wisdom wise --type f32
        measured 4
        [ "$(wc -l <wise)" -eq 3 ] || fail "$(cat wise)"
        exits 0 "$SECTILE" run $problem --effort measure --stay b --wisdom wise
        exits 0 "$SECTILE" run $problem --effort measure --ordered --wisdom wise
        measured 0
        exits 0 "$SECTILE" bench --ranks 3 --shapes 24x36x48 --layouts 'row;col;cyclic:5x7;' --effort measure --wisdom wise
        grep -q 'measured: ' err || fail 'bench has measured nothing'
        lines=$(wc -l <wise)
        [ "$lines" -gt 3 ] || fail "$(cat wise)"
    }
    no_leftovers
}

# Verbs that plan do as the file says.
others() {
    npy '<f8' False '(24, 48)' >A.npy
    npy '<f8' False '(48, 36)' >B.npy
    head -c 9216 /dev/zero >>A.npy
    head -c 13824 /dev/zero >>B.npy
    for stay in a b c; do
        sed "s/^stay=./stay=$stay/; s/work=[^ ]*/work=/" first >told
        # shellcheck disable=SC2086
        exits 0 "$SECTILE" plan $problem --wisdom told --json
        says out "\"stay\":\"$stay\""
        exits 0 "$SECTILE" multiply A.npy B.npy -o C.npy --ranks 3 --a row --b col --c cyclic:5x7 --wisdom told --json
        says out "\"stay\":\"$stay\""
    done
    sed 's/^stay=./stay=c/; s/work=[^ ]*/work=row:1/' first >told
    # shellcheck disable=SC2086
    exits 2 "$SECTILE" plan $problem --wisdom told
    says err '--wisdom: told: layout "row:1"'
    sed 's/^stay=./stay=c/; s/work=[^ ]*/work=2d:1x3/' first >told
    # shellcheck disable=SC2086
    exits 0 "$SECTILE" plan $problem --wisdom told --json
    says out '"work":"2d:1x3"'
}

processes() {
    # shellcheck disable=SC2086
    exits 0 "$SECTILE" launch -n 3 "$SECTILE" run --shape 24x36x48 --a row --b col --c cyclic:5x7 --check --effort measure \
        --wisdom launched
    says launched "$head"
    [ "$(wc -l <launched)" -eq 2 ] || fail "$(cat launched)"
}

refused() {
    echo foreign >foreign
    for verb in plan run; do
        # shellcheck disable=SC2086
        exits 2 "$SECTILE" $verb $problem --wisdom foreign
        says err '--wisdom: foreign: wisdom: the first line is not'
        # shellcheck disable=SC2086
        exits 1 "$SECTILE" $verb $problem --wisdom missing
        says err '--wisdom: missing: cannot be read'
    done
    # What never ends is not kept.
    mkfifo endless
    yes >endless 2>yes.err &
    # shellcheck disable=SC2086
    exits 1 timeout 20 "$SECTILE" plan $problem --wisdom endless
    says err '--wisdom: endless: cannot be read: File too large'
    # shellcheck disable=SC2086
    exits 2 "$SECTILE" run $problem --effort measure --wisdom foreign
    [ "$(cat foreign)" = foreign ] || fail 'the foreign file was changed'
    # shellcheck disable=SC2086
    exits 1 "$SECTILE" run $problem --effort measure --wisdom no/such/folder
    exits 2 "$SECTILE" plan --effort measure
}

run_verb
others
processes
refused
finish
