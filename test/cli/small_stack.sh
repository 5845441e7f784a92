# small_stack.sh - the tool and its ranks work where stacks are small.
. "${0%/*}/support.inc"

# The words of a command and its environment lie on the same stack.
small() {
    exits 0 timeout 60 env -i PATH="$PATH" LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" sh -c 'ulimit -s 64 && exec "$@"' - "$@"
}

{ npy '<f8' False '(2, 3)'; doubles 1 2 3 4 5 6; } >a.npy
small "$SECTILE" help run
small "$SECTILE" multiply a.npy a.npy --op TN -o b.npy
small "$SECTILE" copy a.npy -o b.npy --op T
small "$SECTILE" run --check --ranks 3 --shape 90x80x70 --per-node 1 $late,deferred --c 'row*3'
small "$SECTILE" plan --all --check --svg plan.svg --shape 90x80x70
small "$SECTILE" simulate --machine cluster --shape 90x80x70 --svg times.svg
small "$SECTILE" choose --machine cluster --shape 900x800x700
small "$SECTILE" bench --ranks 2 --shapes 9x9x9 --layouts row,col --repeat 1 --svg chart.svg
small "$SECTILE" machine --measure --ranks 2 --size 48 --repeat 1
small "$SECTILE" launch -n 2 "$SECTILE" run --check --shape 90x80x70 --per-node 1
# What the launcher waits for are signals.
small "$SECTILE" launch -n 2 sleep 0.3
finish
