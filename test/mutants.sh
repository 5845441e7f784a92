#!/bin/sh
# mutants.sh - plants one bug at a time in a copy of the sources and lists the tests that catch it. It takes too long
# to be part of the tests. Prints a Markdown table; fails if no test catches a bug, or a bug can no longer be planted.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# One bug to a line: name | file | sed command.
mutants() {
    cat <<'LIST'
axis: a short first block is forgotten | src/layout/axis.c | s/block % axis->coords == 0 && earlier > 0/false/
owner: the source coordinate is forgotten | src/layout/axis.c | s/axis->source + block % axis->coords/block % axis->coords/
owner: the replica is forgotten | src/layout/layout.c | s/int before = replica \* layout->positions/int before = 0 * replica/
stride: the view's width for the leading dimension | src/exec/interpret.c | s/bytes), sct_memory_ld(block, bytes),/bytes), operand->line_size,/
replica share: the shares overlap | src/plan/work.c | s/sct_share(size, replicas, home + 1)/size/
beta: applied in each replica | src/exec/job.c | s/bool counts = .*==.0 *||/bool counts = true ||/
beta: applied by each product | src/exec/interpret.c | s/if (!task->fresh ||/if (/
exclusive rule: every step may write C in place | src/plan/slice.c | s/plan->exclusive = sct_work_one_writer(.*/plan->exclusive = true;/
accumulate lock: not taken | src/fabric/transfer.c | s/^        band_lock(.*/        (void)band_lock;/
entry: ranks do not wait for beta | src/exec/job.c | s/if (sct_work_keeps(&job->plan->work, SCT_MAT_C))/if (job)/
get: a product does not wait for it | src/exec/interpret.c | /slot->landed = true;/{ n; s/sct_slot_await(job, slot)/SCT_OK/; }
event: a product does not follow the copies | src/exec/interpret.c | s/status = device->follow(stream, .*/(void)stream;/
conjugation: forgotten when copying to workspace | src/exec/interpret.c | s/\.conjugate = operand->conjugate}/.conjugate = false}/
bf16: truncated instead of rounded | src/base/half.c | s/bits + 0x7fff + (bits >> 16 & 1)/bits/
sums in f32: do not start from C | src/exec/job.c | s/if (job->c.segment && !sct/if (!job \&\& !sct/
sums in f32: never rounded to C | src/exec/job.c | s/^    return status ? status : round_c(job);/    return status;/
loop order: the local part comes first although contributions travel | src/plan/loop_order.c | /^static bool ends_with_local/s/{$/{\n    return false;/
cost: local and remote are swapped | src/plan/count.c | s/bool near = reaches(/bool near = !reaches(/
tile: a product uses its first lines instead of its own | src/plan/operand.c | s/operand->line = operand->lines.*/operand->line = 0;/
tile: dropped after its first piece | src/plan/tiles.c | s/uses += all\[to\].uses/uses = all[to].uses/
flows: those that others slow down keep their rates | src/sim/network.c | s/while (gather_more(network))/while (gather_more(network) \&\& !network)/
flows: the last of a route ends first | src/sim/routes.c | s/flow\[heap\].end < flow/flow[heap].end > flow/
cpu shares: the first rank of a node is charged for all | src/sim/cpu_share.c | s/pace\[from - route->from\]/pace[0]/
simulated product: does not wait for its operands | src/sim/rank.c | s/if (slot >= 0 && rank->pending/if (slot > 9999 \&\& rank->pending/
simulated accumulate: does not wait for those in flight | src/sim/rank.c | s/rank->sent + 1 - rank->script.accumulates/0/
pieces: lists do not continue each other's numbers | src/plan/operand.c | s/number\[dim\] = list->first + index/number[dim] = index/
pieces: a gap between indices is overlooked | src/layout/pieces.c | s/l->range.hi == r->range.lo && continues/continues/
slicing: gathering into one panel is free | src/plan/slice.c | /^static double gather_cost/s/{$/{\n    return 0;/
order: the products of one sum do not stay together | src/order/fill.c | s/--f->left\[run\] > 0 ? run : -1/--f->left[run] < 0 ? run : -1/
order: data count as arrived when they are requested | src/order/fill.c | s/if (--f->lacks\[graph->user\[u\]\] == 0)/if (--f->lacks[graph->user[u]] >= 0)/
order: the last product of a sum is not known | src/order/arrange.c | s/done\[c\] == into->users/done[c] == 1/
search: the remaining load of a resource counts twice | src/order/exhaustive.c | s/through(s, lacking | sums, i)/2 * &/
channels: all pairs of ranks share one link | src/order/resources.c | s/pairs + 2 \* (int64_t)t->peer/pairs/
sync: a group does not wait for gets of later groups | src/exec/interpret.c | s/status = await_slot(job, &job->slot\[matrix\]\[i\]);/status = SCT_OK;/
simulated sync: a group does not wait for gets of later groups | src/sim/rank.c | s/if (rank->pending\[i\] > 0)/if (rank->pending[i] < 0)/
bound: sums use less memory | src/cost/lower_bound.c | s/- 3 \* memory/- 2 * memory/
estimate: cells without products need operands | src/cost/estimate.c | s/rank, cell) == 0)/rank, cell) < 0)/
estimate: owners are never the bottleneck | src/cost/workload.c | s/return fmax(in, out)/return fmax(in, 0 * out)/
stationary matrix: one rank may do all the work | src/cost/estimate.c | s/if (one.slowest \* time_margin < other.slowest ||.*/if (time_margin < 0)/
choose: making replicas is free | src/choose/score.c | s/sct_score_uses(context, matrix);/1e30;/
choose: blocks lie along others | src/choose/candidates.c | s/copy \* parts +/0 * copy * parts +/
LIST
}

build() {
    cmake -S "$copy" -B "$copy/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSECTILE_MPI= >"$copy/log" 2>&1 &&
        cmake --build "$copy/build" --parallel "$jobs" --target tests >"$copy/log" 2>&1
}

git ls-files -z | xargs -0 cp --parents -t "$copy"
build || { cat "$copy/log"; exit 1; }
echo "| bug | caught by |"
echo "|---|---|"
unseen=0
while IFS='|' read -r name file change; do
    # not echo, which turns the \n of a sed command into a new line
    file=${file# }
    name=${name% } file=${file% } change=${change# }
    cp "$copy/$file" "$copy/healthy"
    sed -i "$change" "$copy/$file"
    if cmp -s "$copy/healthy" "$copy/$file"; then
        caught='NOT PLANTED'
    elif ! build; then
        caught='DOES NOT BUILD'
    else
        caught=$(ctest --test-dir "$copy/build" --parallel "$jobs" -L 'unit|rules|whole' --timeout 60 2>/dev/null |
            sed -n 's/^.*- \([a-z_0-9]*\/[a-z_0-9/]*\) (.*$/\1/p' | sort -u | tr '\n' ' ')
    fi
    case $caught in '' | NOT* | DOES*) unseen=$((unseen + 1)) ;; esac
    caught=${caught% }
    echo "| $name | ${caught:-NOTHING} |"
    cp "$copy/healthy" "$copy/$file"
done <<LIST
$(mutants)
LIST
[ $unseen = 0 ]
