#!/bin/sh
# fuzz.sh [SECONDS] - runs each fuzzer for that long (60), and adds inputs that reach new code to its
# corpus. An input that fails is kept in build/fuzz, and the equivalent command line is printed.
set -eu
cd "$(dirname "$0")/.."
root=$PWD

seconds=${1:-60}
case $seconds in
'' | *[!0-9]*)
    echo "fuzz.sh: $seconds: must be a number of seconds" >&2
    exit 2
    ;;
esac

build=build/fuzz
mkdir -p $build
if ! { cmake --preset fuzz && cmake --build --preset fuzz; } >$build.log 2>&1; then
    cat $build.log
    exit 1
fi

failed=0
for name in archive descriptor layout machine market npy peer product products wisdom; do
    corpus=test/fuzz/corpus/$name
    found=$build/found/$name
    fuzzer=$build/test/fuzz/$name
    mkdir -p "$found"
    echo "== $name: $seconds s ($build/$name.log)"
    if "$fuzzer" -max_total_time="$seconds" -timeout=20 -max_len=1000 -print_final_stats=1 \
        -artifact_prefix="$build/$name-" "$found" "$corpus" >$build/$name.log 2>&1; then
        sed -n 's/^stat::number_of_executed_units: */inputs run: /p' $build/$name.log
        # Ignoring how often code ran keeps the corpus small: an input must reach new code.
        "$fuzzer" -set_cover_merge=1 -use_counters=0 "$corpus" "$found" >$build/merge.log 2>&1
        continue
    fi
    failed=1
    tail -n 40 $build/$name.log
    input=$(sed -n 's/.*Test unit written to //p' $build/$name.log)
    [ -z "$input" ] || (cd $build && SECTILE_TEST_LINES=1 timeout 20 "$root/$fuzzer" "$root/$input") \
        2>/dev/null || true
done
exit $failed
