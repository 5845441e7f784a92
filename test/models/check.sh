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

# outcome MODEL FLAG...
outcome() {
    model=$models/$1.pml
    shift
    spin -a "$@" "$model" >spin.log
    cc -DSAFETY -DMEMLIM=1500 -w -o pan pan.c
    ./pan -m10000 >pan.log
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
# expect OUTCOME MODEL FLAG...
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

expect nothing barrier
expect 'ranks wait forever' barrier -DBUG=1
expect 'an assertion is violated' barrier -DBUG=2
expect 'ranks wait forever' barrier -DBUG=4
expect 'an assertion is violated' barrier -DBUG=5
expect nothing barrier -DKILLED
expect 'an assertion is violated' barrier -DKILLED -DBUG=3

expect nothing rounds -DLEAVES
expect 'an assertion is violated' rounds -DBUG=1
expect 'an assertion is violated' rounds -DBUG=2
expect 'ranks wait forever' rounds -DBUG=3
expect 'an assertion is violated' rounds -DBUG=4
expect nothing rounds -DLEAVES -DFAILS
expect 'ranks wait forever' rounds -DFAILS -DBUG=5
expect 'ranks wait forever' rounds -DFAILS -DBUG=6
exit $failed
