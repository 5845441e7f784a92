#!/bin/sh
# check.sh - checks the models of the two protocols that tests cannot show to be right, and that each bug
# planted in them is found. Of spin's outcomes it distinguishes: nothing found, after all states have been
# visited; an assertion violated; ranks that wait forever.
set -eu
models=$(cd "$(dirname "$0")" && pwd)
command -v spin >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# compile MODEL OPTIMIZATION: the variant of a model and its bug are chosen by the environment, so that it is
# compiled once: that takes longer than most searches. The larger model takes longer to optimize than to search.
compile() {
    spin -a "$models/$1.pml" >spin.log
    cc "$2" -DSAFETY -DMEMLIM=1500 -w -o "$1" pan.c
}

# outcome MODEL NAME=VALUE...
outcome() {
    model=$1
    shift
    env BUG=0 KILLED=0 LIMITED=0 LEAVES=0 FAILS=0 "$@" "./$model" -m10000 -w20 >pan.log
    if grep -q 'assertion violated' pan.log; then
        echo 'an assertion is violated'
    elif grep -q 'invalid end state (at' pan.log; then
        echo 'ranks wait forever'
    elif grep -q 'errors: 0' pan.log && ! grep -q 'MEMLIM\|search depth too small\|not completed' pan.log; then
        echo nothing
    else
        cat pan.log
    fi
}

failed=0
# expect OUTCOME MODEL NAME=VALUE...
expect() {
    wanted=$1
    shift
    found=$(outcome "$@")
    echo "$*: $found"
    [ "$found" = "$wanted" ] || {
        echo "  instead of: $wanted"
        failed=1
    }
}

compile barrier -O1
expect nothing barrier
expect 'ranks wait forever' barrier BUG=1
expect 'an assertion is violated' barrier BUG=2
expect 'ranks wait forever' barrier BUG=4
expect 'an assertion is violated' barrier BUG=5
expect nothing barrier KILLED=1
expect 'an assertion is violated' barrier KILLED=1 BUG=3
expect nothing barrier LIMITED=1
expect 'an assertion is violated' barrier LIMITED=1 BUG=3

compile rounds -O0
expect nothing rounds LEAVES=1
expect 'an assertion is violated' rounds BUG=1
expect 'an assertion is violated' rounds BUG=2
expect 'ranks wait forever' rounds BUG=3
expect 'an assertion is violated' rounds BUG=4
expect nothing rounds LEAVES=1 FAILS=1
expect 'ranks wait forever' rounds FAILS=1 BUG=5
expect 'ranks wait forever' rounds FAILS=1 BUG=6
exit $failed
