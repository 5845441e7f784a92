#!/bin/sh
# test.sh - builds and tests the presets release, asan (address and undefined-behaviour sanitizers)
# and tsan (thread sanitizer).
#     ./test.sh quick    the release preset only
#     ./test.sh hosts    only the tests that need several hosts, in network namespaces of this one
#     ./test.sh torch    only the tests of the Python package with PyTorch, which is installed in
#                        build/torch-venv and takes 4 GB
# JOBS is the number of parallel compilations. Twice as many tests run at once, since tests spend much
# of their time waiting; with more, those on an MPI take longer, as its ranks poll. Tests that only sleep
# run beside them: ctest counts slots, of which most tests take 4 and these 1.
set -eu
cd "$(dirname "$0")"

case ${1:-all} in
all) presets='release asan tsan' labels='-LE hosts' ;;
quick) presets=release labels='-LE hosts' ;;
hosts) presets=release labels='-L hosts' ;;
torch)
    scripts/setup.sh test
    exec test/torch/run.sh
    ;;
*)
    echo "test.sh: $1: must be quick, hosts, torch or omitted" >&2
    exit 2
    ;;
esac
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}

scripts/setup.sh test

# count PRESET WORD: prints a count (tests, failures or skipped) from the preset's test report.
count() {
    sed -n "s/.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p" "build/$1/results.xml" | head -n 1
}

# Older thread sanitizers fail under the address randomization of newer kernels: switch it off.
no_aslr=
! setarch "$(uname -m)" -R true 2>/dev/null || no_aslr="setarch $(uname -m) -R"

# All presets are built at the same time; those after the first have low priority, so that they do
# not slow down its build and its tests.
low_priority=
build() {
    $low_priority cmake --preset "$1" -DSECTILE_WERROR=ON -DSECTILE_TESTS=ON &&
        $low_priority cmake --build --preset "$1" --parallel "$jobs"
}

passed=0
failed=0
skipped=0
good=true
mkdir -p build
set --
for preset in $presets; do
    build "$preset" >"build/$preset.log" 2>&1 &
    set -- "$@" "$preset" $!
    low_priority='nice -n 19'
done
while [ $# -gt 0 ]; do
    preset=$1 builder=$2
    shift 2
    echo "== $preset: building (build/$preset.log)"
    if ! wait "$builder"; then
        cat "build/$preset.log"
        failed=$((failed + 1))
        good=false
        continue
    fi
    echo "== $preset: testing"
    rm -f "build/$preset/results.xml"
    # shellcheck disable=SC2086
    $no_aslr ctest --preset "$preset" $labels --parallel $((8 * jobs)) --output-junit results.xml || good=false
    failures=$(count "$preset" failures)
    skips=$(count "$preset" skipped)
    failed=$((failed + failures))
    skipped=$((skipped + skips))
    passed=$((passed + $(count "$preset" tests) - failures - skips))
done

[ $skipped = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
$good && [ $((passed + skipped)) -gt 0 ]
