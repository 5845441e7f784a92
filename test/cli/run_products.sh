# run_products.sh - groups of products that run in the layouts chosen for them.
. "${0%/*}/support.inc"

mlp='Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X'
sizes='--size m=64,h=32,f=128'

runs() {
    exits 0 "$SECTILE" run --group "$mlp" $sizes --backward --ranks 4 --type f32 --check --repeat 1
    says out '6 products of f32 on 4 ranks, engine threads: '
    [ "$(grep -c '^d[VWXYZ]  ' out)" -eq 5 ] || fail "not five gradients: $(cat out)"
    says out "dX = dY * V'"
    says out 'check holds: '
    exits 0 "$SECTILE" run --group "$mlp" $sizes --ranks 3 --per-node 1 --layout 'Y=2d:3x1' --check --json
    one_line out
    says out '"name":"Y","rows":64,"columns":128,"layout":"2d:3x1"'
    bytes=$(sed 's/.*"bytes":\([0-9]*\),"bytes_planned":\([0-9]*\),.*/\1 \2/' out)
    [ "${bytes% *}" = "${bytes#* }" ] || fail "other bytes than planned: $bytes"
    exits 0 "$SECTILE" launch -n 3 "$SECTILE" run --group "$mlp" $sizes --backward --type bf16 --check
    says out 'engine processes: '
    says out 'check holds: '
    # Matrices that are added to keep what they have.
    exits 0 "$SECTILE" run --group 'S[20,30] += A[20,9] * B[9,30]; T = S * B^H' --type cf64 --ranks 2 --check
    says out 'check holds: '
}

refused() {
    exits 2 "$SECTILE" run --group "$mlp" $sizes --shape 3x3x3
    says err '--group and --shape exclude each other'
    exits 2 "$SECTILE" run --group "$mlp" $sizes --reference
    says err '--group and --reference exclude each other'
    exits 2 "$SECTILE" run --backward
    says err '--backward needs --group'
    exits 2 "$SECTILE" run --group "$mlp" --size m=2
    says err '--group: there is no size h'
    exits 2 "$SECTILE" launch -n 2 "$SECTILE" run --group "$mlp" --size m=2
    says err '--group: there is no size h'
    exits 2 "$SECTILE" run --group 'Y = X[1,20000000] * W[20000000,1]' --type f32 --check
    says err '--check: the sums of Y are not exact in f32; --type f64 has more bits'
}

runs
refused
finish
