#!/bin/sh
# test.sh - builds and tests everything: as released, then under the address, undefined-behaviour
# and thread sanitizers. `./test.sh quick`: as released only; `./test.sh hosts`: what needs several
# hosts, on pretended ones, as released, and nothing else. JOBS: how much is built at once; tests
# wait a good deal, so that there are twice as many of them.
set -eu
cd "$(dirname "$0")"

case ${1:-all} in
all) presets='release asan tsan' labels='-LE hosts' ;;
quick) presets=release labels='-LE hosts' ;;
hosts) presets=release labels='-L hosts' ;;
*)
    echo "test.sh: $1: must be quick or hosts, or nothing" >&2
    exit 2
    ;;
esac
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}

scripts/setup.sh test

# count PRESET WORD: that number of the preset's test run.
count() {
    sed -n "s/.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p" "build/$1/results.xml" | head -n 1
}

# Older thread sanitizers cannot live with as much address randomization as newer kernels have.
fixed=
! setarch "$(uname -m)" -R true 2>/dev/null || fixed="setarch $(uname -m) -R"

# The first is built at once, the others meanwhile and while it is tested, in what that leaves of the
# processors.
gently=
build() {
    $gently cmake --preset "$1" -DSECTILE_WERROR=ON &&
        $gently cmake --build --preset "$1" --parallel "$jobs"
}

passed=0
failed=0
skipped=0
fine=true
mkdir -p build
set --
for preset in $presets; do
    build "$preset" >"build/$preset.log" 2>&1 &
    set -- "$@" "$preset" $!
    gently='nice -n 19'
done
while [ $# -gt 0 ]; do
    preset=$1 builder=$2
    shift 2
    echo "== $preset: building (build/$preset.log)"
    if ! wait "$builder"; then
        cat "build/$preset.log"
        failed=$((failed + 1))
        fine=false
        continue
    fi
    echo "== $preset: testing"
    rm -f "build/$preset/results.xml"
    # shellcheck disable=SC2086
    $fixed ctest --preset "$preset" $labels --parallel $((2 * jobs)) --output-junit results.xml || fine=false
    bad=$(count "$preset" failures)
    idle=$(count "$preset" skipped)
    failed=$((failed + bad))
    skipped=$((skipped + idle))
    passed=$((passed + $(count "$preset" tests) - bad - idle))
done

[ $skipped = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
$fine && [ $((passed + skipped)) -gt 0 ]
