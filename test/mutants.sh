#!/bin/sh
# mutants.sh - plants one bug at a time in a copy of the sources and lists the tests that catch it. Not part of the
# test run: it takes some minutes. Prints a Markdown table; fails if a bug goes unseen.
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
replica share: the shares overlap | src/plan/product.c | s/sct_share(size, replicas, replica + 1)/size/
beta: applied in each replica | src/exec/job.c | s/bool counts = .*==.0 *||/bool counts = true ||/
beta: applied by each product | src/exec/interpret.c | s/if (!task->fresh ||/if (/
exclusive rule: every step may write C in place | src/plan/slice.c | s/plan->exclusive = one_writer(plan)/plan->exclusive = true/
accumulate lock: not taken | src/fabric/transfer.c | s/^        band_lock(.*/        (void)band_lock;/
entry: ranks do not wait for beta | src/exec/job.c | s/if (job->plan->stay == SCT_MAT_C)/if (job)/
get: a product does not wait for it | src/exec/interpret.c | s/sct_status status = sct_slot_await(job, slot);/sct_status status = SCT_OK;/
event: a product does not follow the copies | src/exec/interpret.c | s/status = device->follow(stream, .*/(void)stream;/
conjugation: forgotten on the way into workspace | src/exec/interpret.c | s/\.conjugate = operand->conjugate}/.conjugate = false}/
bf16: cut off, not rounded | src/base/half.c | s/bits + 0x7fff + (bits >> 16 & 1)/bits/
sums: do not begin with C | src/exec/job.c | s/if (job->c.segment && !sct/if (!job \&\& !sct/
sums: never rounded to C | src/exec/job.c | s/^    return status ? status : round_c(job);/    return status;/
own part last: it is first where others are added to | src/plan/slice.c | s/(plan->stay != SCT_MAT_C && .*)/0/
cost: near and far are exchanged | src/plan/count.c | s/bool near = reaches(/bool near = !reaches(/
tile: a product uses its first lines | src/plan/operand.c | s/operand->line = operand->lines.*/operand->line = 0;/
tile: it is given up after one piece | src/plan/tiles.c | s/uses += all\[to\].uses/uses = all[to].uses/
flows: those that lose to others keep their rates | src/sim/network.c | s/while (gather_more(network))/while (gather_more(network) \&\& !network)/
flows: the last of a route ends first | src/sim/routes.c | s/flow\[heap\].end < flow/flow[heap].end > flow/
fees: the first rank of a node pays for all | src/sim/cpu_share.c | s/pace\[from - route->from\]/pace[0]/
simulated product: does not wait for its operands | src/sim/rank.c | s/if (slot >= 0 && runner/if (slot > 9999 \&\& runner/
simulated result: leaves before others have arrived | src/sim/rank.c | s/runner->sent + 1 - runner->script.accumulates/0/
pieces: lists number theirs alike | src/plan/operand.c | s/number\[dim\] = list->first + index/number[dim] = index/
pieces: a gap is overlooked | src/layout/pieces.c | s/l->range.hi == r->range.lo && continues/continues/
merging: it costs nothing | src/plan/slice.c | /^static double merging/,/^}/s/return .*/return 0;/
order: products that are summed are parted | src/order/fill.c | s/--f->left\[run\] > 0 ? run : -1/--f->left[run] < 0 ? run : -1/
order: data are there as soon as they are asked for | src/order/fill.c | s/if (--f->lacks\[graph->user\[u\]\] == 0)/if (--f->lacks[graph->user[u]] >= 0)/
order: the last product of a sum is not known | src/order/arrange.c | s/done\[c\] == into->users/done[c] == 1/
search: what is left to go through a channel counts twice | src/order/exhaustive.c | s/through(s, lacking | sums, i)/2 * &/
channels: all pairs of ranks share one link | src/order/resources.c | s/pairs + 2 \* (int64_t)t->peer/pairs/
sync: gets for later groups are not waited for | src/exec/interpret.c | s/status = await_slot(job, &job->slot\[matrix\]\[i\]);/status = SCT_OK;/
simulated sync: gets for later groups are not waited for | src/sim/rank.c | s/if (runner->pending\[i\] > 0)/if (runner->pending[i] < 0)/
bound: fewer sums are kept | src/cost/lower_bound.c | s/- 3 \* memory/- 2 * memory/
estimate: cells without products want operands | src/cost/estimate.c | s/rank, cell) == 0)/rank, cell) < 0)/
estimate: owners are never too busy | src/cost/workload.c | s/return fmax(in, out)/return fmax(in, 0 * out)/
stay: one rank may do it all | src/cost/estimate.c | s/if (one.slowest \* sure < other.slowest ||.*/if (sure < 0)/
choose: replicas are made for nothing | src/choose/score.c | s/sct_seek_uses(seeker, matrix);/1e30;/
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
    name=$(echo "$name" | sed 's/ *$//') file=$(echo "$file" | tr -d ' ') change=$(echo "$change" | sed 's/^ *//')
    cp "$copy/$file" "$copy/healthy"
    sed -i "$change" "$copy/$file"
    if cmp -s "$copy/healthy" "$copy/$file"; then
        caught='NOT PLANTED'
    elif ! build; then
        caught='DOES NOT BUILD'
    else
        caught=$(ctest --test-dir "$copy/build" --parallel "$jobs" -L 'unit|rules|whole' --timeout 60 2>/dev/null |
            sed -n 's/^.*- \([a-z_]*\/[a-z_]*\) (.*$/\1/p' | sort -u | tr '\n' ' ')
    fi
    case $caught in '' | NOT* | DOES*) unseen=$((unseen + 1)) ;; esac
    caught=${caught% }
    echo "| $name | ${caught:-NOTHING} |"
    cp "$copy/healthy" "$copy/$file"
done <<LIST
$(mutants)
LIST
[ $unseen = 0 ]
