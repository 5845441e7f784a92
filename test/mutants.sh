#!/bin/sh
# mutants.sh [REGEX] - plants one bug at a time in a copy of the sources, or of the bugs those whose line matches, and lists
# the tests that catch it. It takes too long to be part of the tests. Prints a Markdown table; fails if no test catches
# a bug, or a bug can no longer be planted. To save time, a bug names the tests that may catch it, and no others are
# built and run.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# One bug to a line: name | file | expression for the names of tests | sed command.
mutants() {
    cat <<'LIST'
axis: a short first block is forgotten | src/layout/axis.c | unit/(layout|plan)/|whole/tiles | s/block % axis->coords == 0 && earlier > 0/false/
owner: the source coordinate is forgotten | src/layout/axis.c | unit/(layout|plan)/|whole/tiles | s/axis->source + block % axis->coords/block % axis->coords/
owner: the replica is forgotten | src/layout/layout.c | unit/(layout|plan)/|whole/tiles | s/int before = replica \* layout->positions/int before = 0 * replica/
stride: the view's width for the leading dimension | src/exec/interpret.c | whole/(covering_products|covering_copies|edge_cases|edge_values|errors_alias|half_types|ordered_bits|sync|tiles) | s/bytes), sct_memory_ld(block, bytes),/bytes), operand->line_size,/
replica share: the shares overlap | src/plan/work.c | unit/plan/|whole/(covering_products|edge_cases|ordered_bits) | s/sct_share(size, replicas, home + 1)/size/
beta: applied in each replica | src/exec/job.c | whole/(covering_products|covering_copies|edge_cases|edge_values|errors_alias|half_types|ordered_bits|sync|tiles) | s/bool counts = .*==.0 *||/bool counts = true ||/
beta: applied by each product | src/exec/interpret.c | whole/(covering_products|covering_copies|edge_cases|edge_values|errors_alias|half_types|ordered_bits|sync|tiles) | s/if (!task->fresh ||/if (/
exclusive rule: every step may write C in place | src/planner/cut.c | unit/plan/|whole/(covering_products|edge_cases|ordered_bits|accumulate_contention) | s/plan->exclusive = sct_work_one_writer(.*/plan->exclusive = true;/
accumulate lock: not taken | src/fabric/transfer.c | rules/threads|whole/accumulate_contention | s/^        if (!band_lock(.*/        (void)band_lock;\n        if (!holder)/
entry: ranks do not wait for beta | src/exec/job.c | whole/(covering_products|edge_cases|edge_values|errors_alias|accumulate_contention) | s/status = fabric->ops->order(fabric, job->run.begun, job->workspace.stream\[0\]);/status = job->run.begun;/
get: a product does not wait for it | src/exec/interpret.c | whole/(covering_products|covering_copies|edge_cases|edge_values|errors_alias|half_types|ordered_bits|sync|tiles) | /slot->filled = true;/{ n; s/sct_slot_join(job, job->workspace.stream\[0\], slot)/SCT_OK/; }
event: a product does not follow the copies | src/exec/interpret.c | whole/(covering_products|covering_copies|edge_cases|edge_values|errors_alias|half_types|ordered_bits|sync|tiles) | s/status = device->follow(stream, .*/(void)stream;/
conjugation: forgotten when copying to workspace | src/exec/interpret.c | whole/(covering_products|covering_copies|edge_cases|edge_values|errors_alias|half_types|ordered_bits|sync|tiles) | s/\.conjugate = operand->conjugate}/.conjugate = false}/
bf16: truncated instead of rounded | src/base/type.c | unit/base/|whole/half_types | s/bits + 0x7fff + (bits >> 16 & 1)/bits/
sums in f32: do not start from C | src/exec/job.c | whole/(covering_products|covering_copies|edge_cases|edge_values|errors_alias|half_types|ordered_bits|sync|tiles) | s/if (job->matrices.c.segment && !sct/if (!job \&\& !sct/
sums in f32: never rounded to C | src/exec/job.c | whole/(covering_products|edge_cases|edge_values|half_types) | s/status = round_c(job);/status = SCT_OK;/; s/^static sct_status round_c/static inline sct_status round_c/
loop order: replicas of a cell begin alike | src/plan/slice.c | unit/plan/ | s/list->coord >= 0 && has_remote/list->coord >= 0 \&\& !has_remote/
loop order: owners do not take turns | src/plan/slice.c | unit/plan/ | s/if (order.row == 1)/if (order.row > 0)/
cost: local and remote are swapped | src/plan/count.c | unit/plan/|whole/(covering_products|edge_cases|ordered_bits) | s/bool near = reaches(/bool near = !reaches(/
tile: a product uses its first lines instead of its own | src/plan/operand.c | unit/plan/|whole/(covering_products|edge_cases|ordered_bits) | s/operand->line = operand->lines.*/operand->line = 0;/
tile: dropped after its first piece | src/plan/slice.c | unit/plan/|whole/(covering_products|edge_cases|ordered_bits) | s/uses += all\[to\].uses/uses = all[to].uses/
flows: those that others slow down keep their rates | src/sim/network.c | unit/sim/ | s/while (gather_more(network))/while (gather_more(network) \&\& !network)/
flows: the last of a route ends first | src/sim/routes.c | unit/sim/ | s/flow\[heap\].end < flow/flow[heap].end > flow/
cpu shares: the first rank of a node is charged for all | src/sim/products.c | unit/sim/ | s/pace\[from - route->from\]/pace[0]/
simulated product: does not wait for its operands | src/sim/rank.c | unit/sim/ | s/if (slot >= 0 && rank->pending/if (slot > 9999 \&\& rank->pending/
simulated accumulate: does not wait for those in flight | src/sim/rank.c | unit/sim/ | s/rank->sent + 1 - rank->script.accumulates/0/
pieces: lists do not continue each other's numbers | src/plan/operand.c | unit/plan/|whole/(covering_products|edge_cases|ordered_bits) | s/number\[dim\] = list->first + index/number[dim] = index/
pieces: a gap between indices is overlooked | src/layout/pieces.c | unit/(layout|plan)/|whole/tiles | s/l->range.hi == r->range.lo && continues/continues/
order: the products of one sum do not stay together | src/order/fill.c | unit/order/ | s/--f->left\[run\] > 0 ? run : -1/--f->left[run] < 0 ? run : -1/
order: data count as arrived when they are requested | src/order/fill.c | unit/order/ | s/if (--f->lacks\[graph->user\[u\]\] == 0)/if (--f->lacks[graph->user[u]] >= 0)/
order: the last product of a sum is not known | src/order/arrange.c | unit/order/ | s/done\[c\] == into->users/done[c] == 1/
search: the remaining load of a resource counts twice | src/order/exhaustive.c | unit/order/ | s/through(s, lacking | sums, i)/2 * &/
channels: all pairs of ranks share one link | src/order/graph.c | unit/order/ | s/pairs + 2 \* (int64_t)t->peer/pairs/
sync: a group does not wait for gets of later groups | src/exec/interpret.c | whole/(covering_products|covering_copies|edge_cases|edge_values|errors_alias|half_types|ordered_bits|sync|tiles) | s/status = sct_slot_join(job, job->workspace.stream\[0\], &job.*/status = SCT_OK;/
simulated sync: a group does not wait for gets of later groups | src/sim/rank.c | unit/sim/ | s/if (rank->pending\[i\] > 0)/if (rank->pending[i] < 0)/
bound: sums use less memory | src/cost/lower_bound.c | unit/(cost|choose|planner)/ | s/- 3 \* memory/- 2 * memory/
estimate: cells without products need operands | src/cost/estimate.c | unit/(cost|choose|planner)/ | s/rank, cell) == 0)/rank, cell) < 0)/
estimate: what leaves and what comes go one after the other | src/cost/workload.c | unit/(cost|choose|planner)/ | s/sct_larger(in, out);/in + out;/
estimate: what moves beside the slowest counts nothing | src/cost/estimate.c | unit/(cost|choose|planner)/ | s/return estimate.slowest + sct_estimate_beside/return estimate.slowest + 0 * sct_estimate_beside/
choose: making replicas is free | src/choose/score.c | unit/choose/ | s/sct_score_uses(context, matrix);/1e30;/
choose: blocks are cut along one dimension alone | src/choose/candidates.c | unit/choose/ | s/for (int way = 0; way < 2 /for (int way = 0; way < 1 /
barrier: a rank that leaves wakes nobody | src/fabric/barrier.c | rules/threads | /fetch_or(&barrier->generation, BROKEN)/{ n; s/wake_sleepers(barrier);// }
barrier: different calls meet | src/fabric/barrier.c | rules/threads|whole/errors_matrix | s/if (arrived != weight \* (uint64_t)barrier->ranks)/if (!arrived)/
far threads: a get is done when it is sent | test/engine/far_transfers.c | rules/threads|whole/covering_products | /^static bool is_done/,/^}/s/return !open;/return open || true;/
devices: an addition does not follow the one before | src/fabric/devices/transfers.c | rules/devices_emulated|whole/(covering_devices|accumulate_contention) | s/status = ops->follow(stream, last->last);/status = SCT_OK;/
deferred device: a stream does not wait for events of others | test/engine/devices.c | rules/device_deferred|whole/device_waits | s/^        await_event(next->event);/        (void)await_event;/
service: a request beyond the memory is served | src/fabric/service/serve.c | unit/fabric/service|fuzz/peer | s/message->line <= block->lines - message->lines/true/
service: a request to add any type is served | src/fabric/service/serve.c | unit/fabric/service|fuzz/peer | s/if (!sct_type_valid(type) || sct_type_sum(type) != type)/if (!sct_type_valid(type))/
service: a get ends before its data are unpacked | src/fabric/service/request.c | unit/fabric/service | s/if (record->unpack.lines == 0)/if (record->unpack.lines < 1000)/
service: pieces share their place in the outbox | src/fabric/service/pieces.c | cuda/3-nvshmem_fabric | s/outbox\[rank\] + (size_t)record/outbox[rank] + 0 * (size_t)record/
gather: a rank passes on one rank too few | src/fabric/service/gather.c | unit/fabric/service_gather | s/int count = far < size - far ? far : size - far;/int count = far < size - far ? far : size - far - (far > 1);/
sockets: a hello proves nothing | src/fabric/sockets/hello.c | unit/fabric/(hello|sockets_strangers) | s/hello->wanted).proof == hello->proof/hello->wanted).proof != 1/
sockets: a silent caller is waited for | src/fabric/sockets/hello.c | unit/fabric/(hello|sockets_strangers) | s/SOCK_CLOEXEC | SOCK_NONBLOCK);/SOCK_CLOEXEC);/
sockets: a message sent in part begins anew | src/fabric/sockets/connection.c | unit/fabric/sockets | s/(char \*)&sent->head + of_head, sizeof sent->head - of_head/(char *)\&sent->head, sizeof sent->head/
launch: a proof holds at every port | src/launch/rendezvous.c | unit/launch/rendezvous | s/{port, 0}, second\[2\] = {port, 1}/{port \& 0, 0}, second[2] = {port \& 0, 1}/
launch: a key that others can read is taken | src/launch/key.c | unit/launch/keys | s/(about.st_mode & denied) == 0/(about.st_mode \& denied) < 07777/
launch: the shell of an allocation is a step | src/launch/slurm.c | unit/launch/launcher | s/step >= special_steps/step > 2 * special_steps/
processes: shared memory counts as near across nodes | src/fabric/processes/rank.h | processes/3-(fabric|covering_products) | s/return self->leader\[rank\] == .*/return self != NULL || rank;/
processes: ranks do not wait for the messages of others | src/fabric/processes/collective.c | processes/3-(fabric|covering_products) | s/collective->cause = find_cause(.*/collective->cause = 0 * find_cause(collective->calls, self->base.size);/
across: whatever lies between two pieces is read in vain | src/fabric/processes/cma.c | unit/fabric/across | s/there > end \&\& there - end <= MOST_GAP/there > end/
opencl: a stream does not follow events | src/device/opencl/opencl.c | opencl/(device|fabric|covering_products) | s/if (state > CL_COMPLETE) {/if (state > CL_QUEUED) {/
opencl: pieces of a long k leave out terms | src/device/opencl/submit.c | opencl/world_gemm | s/!status; from.k += size.k)/!status; from.k += size.k + 1)/
cuda: the owner adds before the mailbox is filled | src/device/cuda/mailbox.c | cuda/(mailbox|fabric|device) | s/return sct_cuda_check(sct_cuda_lead(filled, box->adds), .*/(void)filled; return SCT_OK;/
cuda: a full slot of the mailbox is filled again | src/device/cuda/mailbox.c | cuda/(mailbox|fabric|device) | s/cudaError_t error = cudaStreamWaitEvent(stream->stream, box->emptied\[slot\], 0);/cudaError_t error = cudaSuccess;/
cuda: the factors of a product need not be aligned | src/device/cuda/cublas.c | cuda/(device|covering_products|world_gemm) | s/w.k, &alpha,/w.k, \&w.alpha,/; s/^ *&beta, w.c,/\&w.beta, w.c,/; s/^ *_Alignas.*/(void)0;/
halves: each of several products rounds its sum | src/plan/count.c | cuda/planned_calls | s/counter->begins_only &= task->fresh;/counter->begins_only \&= true;/
halves: no product rounds its sum | src/exec/job.c | cuda/planned_calls | s/job->matrices.c.segment && job->plan->once/job->matrices.c.segment \&\& !job/
scalapack: the source is forgotten | src/scalapack/descriptor.c | scalapack/openmpi-(descriptors|2-random_calls)|fuzz/descriptor | s/d.source_col = rest\[3\];/d.source_col = 0;/
scalapack: a submatrix starts in the wrong block | src/scalapack/descriptor.c | scalapack/openmpi-4-random_calls|fuzz/descriptor | s/part.source = (dealing->source + 1 + after/part.source = (dealing->source + after/
npy: the order is forgotten | cli/files/npy.c | cli/copy | s/found.order = .*;/found.order = SCT_ROW_MAJOR;/
LIST
}

# build TESTS: what they need. Their targets have their names, without a number of ranks.
build() {
    targets=$(ctest --test-dir "$copy/build" -N -R "$1" | sed -n 's/^ *Test *#[0-9]*: //p' |
        sed 's/^cli.*/sectile_cli/; t; s/mpi-[0-9]*-/mpi_/; s/mpi-/mpi_/; s/\/[0-9]*-/\//; s/-emulated$//; s/[/]/_/g; s/^/test_/' | sort -u)
    # shellcheck disable=SC2086
    cmake --build "$copy/build" --parallel "$jobs" --target $targets >"$copy/log" 2>&1
}

# catchers TESTS: those that fail; at the time limit, a busy machine may be the reason. A launcher of MPI would read the
# list of bugs.
catchers() {
    SECTILE_TEST_TRIALS=200 ctest --test-dir "$copy/build" --parallel "$jobs" -R "$1" 2>/dev/null </dev/null |
        sed -n 's/^.*- \([a-z_0-9]*\/[-a-z_0-9/]*\) (Timeout).*$/\1 (time limit)/p; s/^.*- \([a-z_0-9]*\/[-a-z_0-9/]*\) (.*$/\1/p' |
        sort -u | tr '\n' ' '
}

git ls-files -z | xargs -0 cp --parents -t "$copy"
cmake -S "$copy" -B "$copy/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSECTILE_TEST_TIMEOUT=60 \
    >"$copy/log" 2>&1 || { cat "$copy/log"; exit 1; }
echo "| bug | caught by |"
echo "|---|---|"
unseen=0
while IFS= read -r line; do
    name=${line%% | *} line=${line#* | }
    file=${line%% | *} line=${line#* | }
    tests=${line%% | *} change=${line#* | }
    cp "$copy/$file" "$copy/healthy"
    sed -i "$change" "$copy/$file"
    if cmp -s "$copy/healthy" "$copy/$file"; then
        caught='NOT PLANTED'
    elif ! build "$tests"; then
        caught='DOES NOT BUILD'
    else
        caught=$(catchers "$tests")
    fi
    case $caught in '' | NOT* | DOES*) unseen=$((unseen + 1)) ;; esac
    caught=${caught% }
    echo "| $name | ${caught:-NOTHING} |"
    cp "$copy/healthy" "$copy/$file"
done <<LIST
$(mutants | grep -E "${1:-.}")
LIST
[ $unseen = 0 ]
