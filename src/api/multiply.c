/* multiply.c - sct_multiply, sct_multiply_start and sct_multiply_wait; and sct_job_create, which
 * binds a plan to matrices once, and sct_job_start and sct_job_wait, which run it often. */
#include "api/log_plan.h"
#include "api/world.h"
#include "base/checked.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/status.h"
#include "exec/job.h"
#include "planner/options.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns a line of a part where the host can read it: in place, or copied into the buffer. */
static const void *read_line(sct_world *world, sct_space space, const void *at, size_t bytes,
                             void *buffer, sct_status *status) {
    if (space == SCT_SPACE_HOST)
        return at;
    if (!*status)
        *status = sct_device_move(world->device, world->stream, 1, bytes, at, bytes, buffer, bytes);
    if (!*status)
        *status = sct_device_drain(world->device, world->stream);
    return buffer;
}

/* The hash of this rank's parts of a view. */
static sct_status hash_parts(sct_world *world, sct_view view, void *buffer, uint64_t *result) {
    const sct_fabric *fabric = world->fabric;
    const sct_layout *layout = view.matrix->layout;
    const sct_memory *own = fabric->ops->peer(view.matrix->segment, fabric->rank);
    size_t bytes = sct_type_bytes(view.matrix->type);
    sct_space space = sct_matrix_space(view.matrix);
    uint64_t hash = sct_hash_of_nothing;
    sct_status status = SCT_OK;
    for (int block = 0; block < sct_layout_cells(layout, fabric->rank); block++) {
        sct_part part = sct_layout_part_in(layout, &view.slice, fabric->rank, block);
        for (int64_t line = 0; line < part.lines; line++) {
            size_t length = (size_t)part.count * bytes;
            const void *at = sct_memory_at(&own[block], part.line + line, part.at, bytes);
            hash =
                sct_hash_more(hash, read_line(world, space, at, length, buffer, &status), length);
        }
    }
    *result = hash;
    return status;
}

/* The rank that stores in replica 0 what `rank` stores in its replica. */
static int counterpart(const sct_layout *layout, int rank) {
    if (sct_layout_cells(layout, rank) == 0)
        return rank;
    return sct_layout_place(layout, 0, sct_layout_cell(layout, rank, 0)).rank;
}

/* Collective: SCT_BAD_ARGUMENT if replicas of a view differ in any bit. */
static sct_status view_check_replicas(const char *name, sct_view view) {
    sct_world *world = view.matrix->world;
    sct_fabric *fabric = world->fabric;
    if (view.matrix->layout->replicas == 1)
        return SCT_OK;
    const sct_layout *layout = view.matrix->layout;
    size_t longest = (size_t)sct_max(layout->rows.extent, layout->cols.extent);
    uint64_t mine = 0, *all = malloc((size_t)fabric->size * sizeof *all);
    void *line = calloc(longest + 1, sct_type_bytes(view.matrix->type));
    sct_status status =
        all && line ? SCT_OK : sct_fail(SCT_NO_MEMORY, "no memory to compare replicas");
    if (!status)
        status = hash_parts(world, view, line, &mine);
    if (!(status = sct_fabric_agree(fabric, status)))
        status = fabric->ops->exchange(fabric, &mine, sizeof mine, all);
    assert(status || all);
    for (int rank = 0; rank < fabric->size && !status; rank++) {
        int other = counterpart(view.matrix->layout, rank);
        if (all[rank] != all[other])
            status = sct_fail(SCT_BAD_ARGUMENT, "%s: its replicas differ, on ranks %d and %d", name,
                              other, rank);
    }
    free(line);
    free(all);
    return status;
}

/* ---- Huge pages ----
 *
 * What other processes of the node read by system calls is pinned page by page: with small pages,
 * that takes as long as to copy. */

/* A product that has been called so often is expected to be called again. Moving memory to huge
 * pages costs about as much as pinning its small pages in two or three products. */
enum { SCT_USES_BEFORE_JOINING = 3 };

static bool is_read_by_calls(const sct_plan *plan, const sct_matrix *matrix, int which) {
    const sct_fabric *fabric = matrix->world->fabric;
    return fabric->processes && fabric->ranks_per_node > 1 && !matrix->needs_copy &&
           sct_matrix_ranks_per_node(matrix) == 1 && !sct_work_keeps(&plan->work, which);
}

static void join_part(const sct_matrix *matrix) {
    const sct_fabric *fabric = matrix->world->fabric;
    const sct_memory *own = fabric->ops->peer(matrix->segment, fabric->rank);
    for (int i = 0; i < sct_layout_cells(matrix->layout, fabric->rank); i++)
        if (own[i].base && own[i].lines > 0)
            sct_memory_join_pages(own[i].base,
                                  (size_t)(own[i].lines - 1) * own[i].pitch + own[i].width);
}

/* Moves this rank's parts of the matrices of a product to huge pages, as far as other processes of
 * the node read them by system calls. */
static void join_read_pages(const sct_plan *plan, const sct_view view[SCT_MATS]) {
    for (int i = 0; i < SCT_MATS; i++)
        if (is_read_by_calls(plan, view[i].matrix, i))
            join_part(view[i].matrix);
}

static const char *const names[SCT_MATS] = {"A", "B", "C"};

/* Checks the three views, as far as possible without a plan. */
static sct_status check_views(const sct_world *world, const sct_view view[SCT_MATS]) {
    for (int i = 0; i < SCT_MATS; i++) {
        sct_status status = sct_view_check(world, names[i], view[i]);
        if (status)
            return status;
    }
    sct_type type = view[SCT_MAT_A].matrix->type, type_c = view[SCT_MAT_C].matrix->type;
    if (type_c != type && type_c != sct_type_sum(type))
        return sct_fail(SCT_BAD_ARGUMENT, "A is %s, but C is %s", sct_type_name(type),
                        sct_type_name(type_c));
    if (view[SCT_MAT_B].matrix->type != type)
        return sct_fail(SCT_BAD_ARGUMENT, "A is %s, but B is %s", sct_type_name(type),
                        sct_type_name(view[SCT_MAT_B].matrix->type));
    for (int i = SCT_MAT_A; i <= SCT_MAT_B; i++)
        if (sct_views_overlap(view[i], view[SCT_MAT_C]))
            return sct_fail(SCT_ALIASED, "C shares elements with %s", names[i]);
    return SCT_OK;
}

/* C needs memory; A and B only if products read them. */
static sct_status check_present(const sct_view view[SCT_MATS], bool multiplies) {
    sct_status status = sct_view_present(names[SCT_MAT_C], view[SCT_MAT_C]);
    for (int i = SCT_MAT_A; i <= SCT_MAT_B && multiplies && !status; i++)
        status = sct_view_present(names[i], view[i]);
    return status;
}

static sct_status bind(sct_world *world, const sct_plan *plan, const sct_view view[SCT_MATS],
                       void *workspace, sct_job **job) {
    sct_exec_context context = sct_world_context(world);
    sct_bound bound[SCT_MATS];
    for (int i = 0; i < SCT_MATS; i++)
        bound[i] = sct_matrix_bind(view[i]);
    return sct_job_bind(plan, &context, bound, workspace, job);
}

static void describe_plan(sct_request_text *request, const sct_plan *plan) {
    for (const sct_option *option = sct_option_list; option->name; option++) {
        int value = sct_option_value(option, &plan->options);
        if (option->alike && option->words)
            sct_request_add_word(request, option->name, option->words[value]);
        else if (option->alike)
            sct_request_add_number(request, option->name, value);
    }
    sct_request_add_word(request, "stays", names[plan->work.shape]);
    if (sct_plan_work(plan)) /* ranks that chose it must agree, too */
        sct_request_add_layout(request, "work", sct_plan_work(plan));
    else
        sct_request_add_word(request, "work", "none");
}

/* Plans and binds a product on this rank. */
static sct_status bind_product(sct_world *world, const sct_options *options,
                               sct_recent_call *product) {
    const sct_recent_key *key = &product->key;
    const sct_problem problem = sct_views_problem(world, key->op[0], key->op[1], key->view);
    struct sct_machine machine;
    sct_options own;
    options = sct_rates_apply(&world->trials.wisdom.rates, &problem, options, &own, &machine);
    sct_status status =
        sct_recent_plan(&world->recent, product, &problem, world->fabric->rank, options);
    if (status)
        return status;
    sct_request_text *request = &product->request;
    *request = sct_request_begin("multiply");
    sct_request_add_word(request, "op(A)", sct_op_name(key->op[0]));
    sct_request_add_word(request, "op(B)", sct_op_name(key->op[1]));
    for (int i = 0; i < SCT_MATS; i++)
        sct_request_add_view(request, names[i], key->view[i]);
    describe_plan(request, product->plan);
    request->slices = product->plan->slices;
    product->length = request->length;
    product->hash = request->hash;
    product->bytes = sct_job_workspace_bytes(product->plan);
    product->uses = 1;
    return bind(world, product->plan, key->view, NULL, &product->job);
}

static sct_status make_product(sct_world *world, const sct_recent_key *key,
                               const sct_options *options, sct_recent_call **product) {
    *product = sct_recent_new(key);
    return *product ? bind_product(world, options, *product) : sct_no_memory("a product");
}

/* Checks alpha and beta, which each call of a product that is kept passes anew, and that the
 * matrices read have memory. */
static sct_status check_factors(const sct_view view[SCT_MATS], const void *alpha,
                                const void *beta) {
    sct_status status = sct_check_given("alpha", alpha);
    if (!status)
        status = sct_check_given("beta", beta);
    if (status)
        return status;
    sct_type sum = sct_type_sum(view[SCT_MAT_A].matrix->type);
    return check_present(view, !sct_scalar_is(sum, sct_scalar_load(sum, alpha), 0));
}

/* Has a product that was made before ready to be made again. */
static sct_status wake_product(sct_recent_call *product) {
    const sct_plan *plan = product->plan;
    sct_log_write(SCT_LOG_DEBUG, plan->rank, "a product runs by the job of an earlier one");
    product->bytes = sct_job_workspace_bytes(plan);
    if (++product->uses == SCT_USES_BEFORE_JOINING)
        join_read_pages(plan, product->key.view);
    return sct_job_wake(product->job);
}

/* Chooses the work layout of a product with SCT_MEASURE, and takes the kept product that has it, if
 * there is one. `*together`: a failure is one of all ranks. */
static sct_status choose_work(sct_world *world, sct_recent_key *key, sct_options *options,
                              sct_recent_call **product, bool *together) {
    const sct_problem problem = sct_views_problem(world, key->op[0], key->op[1], key->view);
    bool agreed;
    sct_status status = sct_trials_choose(world, &problem, options, &key->turn, &agreed);
    *together = status && agreed;
    if (!status)
        *product = sct_recent_take(&world->recent, key);
    if (*product)
        (*product)->key.turn = key->turn; /* of another round than its last */
    return status;
}

/* Finds or makes this rank's product; its request ends with these factors. */
static sct_status find_product(sct_world *world, sct_recent_key *key, const sct_options *options,
                               const void *alpha, const void *beta, sct_recent_call **product,
                               bool *together) {
    const sct_view *view = key->view;
    sct_options chosen;
    *product = sct_recent_take(&world->recent, key);
    sct_status status = *product ? SCT_OK : check_views(world, view);
    if (!status)
        status = check_factors(view, alpha, beta);
    if (!status && !*product && sct_trials_matter(options)) {
        chosen = *options;
        options = &chosen;
        status = choose_work(world, key, &chosen, product, together);
    }
    if (!status)
        status = *product ? wake_product(*product) : make_product(world, key, options, product);
    if (status)
        return status;
    sct_request_text *request = &(*product)->request;
    sct_type sum = sct_type_sum(view[SCT_MAT_A].matrix->type);
    request->length = (*product)->length;
    request->hash = (*product)->hash;
    sct_request_add_scalar(request, "alpha", sum, sct_scalar_load(sum, alpha));
    sct_request_add_scalar(request, "beta", sum, sct_scalar_load(sum, beta));
    return SCT_OK;
}

/* alpha or beta of a product into C. */
static sct_scalar scalar_of(const sct_view view[SCT_MATS], const void *factor) {
    return sct_scalar_load(sct_type_sum(view[SCT_MAT_C].matrix->type), factor);
}

/* Collective: in debug builds, fails unless replicas that are read are equal. */
static sct_status check_alike(const sct_view view[SCT_MATS], const void *alpha, const void *beta) {
    sct_type type = sct_type_sum(view[SCT_MAT_C].matrix->type);
    bool multiplies = !sct_scalar_is(type, scalar_of(view, alpha), 0);
    bool keeps = !sct_scalar_is(type, scalar_of(view, beta), 0);
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_MATS && !status; i++)
        if (i == SCT_MAT_C ? keeps : multiplies)
            status = view_check_replicas(names[i], view[i]);
    return status;
}

/* Collective: finds or makes the product that the ranks then agree on. If a rank lacks memory for
 * it, one that is measured is made with another work layout. */
static sct_status agree_on_product(sct_world *world, sct_status given, const sct_recent_key *wanted,
                                   const sct_options *options, const void *alpha, const void *beta,
                                   sct_recent_call **product) {
    static const sct_request_text none = {.text = NULL};
    sct_recent_key key;
    sct_status status;
    do {
        bool together = false;
        key = *wanted;
        *product = NULL;
        status =
            given ? given : find_product(world, &key, options, alpha, beta, product, &together);
        if (!together)
            status = sct_world_agree_on(world, status, *product ? &(*product)->request : &none);
        if (!status && SCT_DEBUG)
            status = check_alike(key.view, alpha, beta);
        if (status)
            sct_recent_destroy(*product);
    } while (sct_turn_fails(&key.turn, status));
    return status;
}

/* Starts a product on which the ranks have agreed. */
static void enter_product(sct_world *world, sct_recent_call *product, sct_scalar alpha,
                          sct_scalar beta) {
    int64_t start = world->trials.now();
    sct_job *job = product->job;
    sct_multiplying *started = &product->started;
    job->watch.observer = sct_turn_begin(&product->key.turn, world->fabric->ranks_per_node);
    job->number = ++world->jobs;
    job->rounds = world->agreed.slices;
    sct_status status = sct_job_open(job);
    if (!status)
        status = sct_job_enter(job, alpha, beta);
    started->world = world;
    started->call = product;
    started->status = status;
    if (status)
        snprintf(started->reason, sizeof started->reason, "%s", sct_last_reason());
    started->ns = world->trials.now() - start;
}

sct_status sct_multiply_start(sct_op op_a, sct_op op_b, const void *alpha, sct_view a, sct_view b,
                              const void *beta, sct_view c, const sct_options *options,
                              sct_multiplying **multiplying) {
    const sct_view view[SCT_MATS] = {a, b, c};
    sct_world *world = sct_world_of(view, SCT_MATS);
    if (!world)
        return sct_fail(SCT_BAD_ARGUMENT, "A, B and C are NULL");
    const sct_recent_key key = sct_recent_product(op_a, op_b, view, options);
    sct_recent_call *product = NULL;
    sct_fabric_enter(world->fabric);
    sct_status status = agree_on_product(world, sct_check_output("multiplying", multiplying), &key,
                                         options, alpha, beta, &product);
    if (status)
        return sct_fabric_leave(world->fabric, status);
    assert(product);
    enter_product(world, product, scalar_of(view, alpha), scalar_of(view, beta));
    *multiplying = &product->started;
    return sct_fabric_leave(world->fabric, SCT_OK);
}

/* The time that a product has taken; what does not multiply says nothing. */
static int64_t time_of(const sct_recent_call *product, int64_t ns) {
    const sct_job *job = product->job;
    return sct_scalar_is(job->plan->product.type[SCT_MAT_C], job->run.alpha, 0) ? INT64_MAX : ns;
}

sct_status sct_multiply_wait(sct_multiplying *multiplying) {
    sct_status status = sct_check_given("multiplying", multiplying);
    if (status)
        return status;
    sct_world *world = multiplying->world;
    sct_recent_call *product = multiplying->call;
    int64_t start = world->trials.now();
    sct_fabric_enter(world->fabric);
    status = multiplying->status ? sct_fail(multiplying->status, "%s", multiplying->reason)
                                 : sct_job_finish(product->job, false);
    sct_turn_end(&product->key.turn, status, product->plan,
                 time_of(product, multiplying->ns + world->trials.now() - start));
    if (status) {
        sct_recent_destroy(product);
        return sct_fabric_leave(world->fabric, status);
    }
    sct_job_close(product->job);
    sct_recent_keep(&world->recent, product);
    return sct_fabric_leave(world->fabric, SCT_OK);
}

sct_status sct_multiply(sct_op op_a, sct_op op_b, const void *alpha, sct_view a, sct_view b,
                        const void *beta, sct_view c, const sct_options *options) {
    sct_multiplying *multiplying;
    sct_status status = sct_multiply_start(op_a, op_b, alpha, a, b, beta, c, options, &multiplying);
    return status ? status : sct_multiply_wait(multiplying);
}

/* Fails unless the plan is for these views on this rank of this world. */
static sct_status check_plan(const sct_world *world, const sct_plan *plan,
                             const sct_view view[SCT_MATS]) {
    const sct_product *product = &plan->product;
    const sct_fabric *fabric = world->fabric;
    if (plan->rank != fabric->rank || product->ranks != fabric->size)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "the plan is for rank %d of %d, but this is rank %d of %d", plan->rank,
                        product->ranks, fabric->rank, fabric->size);
    if (product->halves && !sct_world_multiplies(world, product->type[SCT_MAT_A]))
        return sct_fail(SCT_BAD_ARGUMENT,
                        "the plan is for GPUs that multiply %s as it is, which this rank cannot do",
                        sct_type_name(product->type[SCT_MAT_A]));
    for (int i = 0; i < SCT_MATS; i++) {
        sct_type type = i == SCT_MAT_C ? product->type_c : product->type[i];
        if (type != view[i].matrix->type)
            return sct_fail(SCT_BAD_ARGUMENT, "the plan is for %s of %s, but %s is %s", names[i],
                            sct_type_name(type), names[i], sct_type_name(view[i].matrix->type));
        if (!sct_layout_equal(product->layout[i], view[i].matrix->layout) ||
            !sct_slice_equal(&product->view[i], &view[i].slice))
            return sct_fail(SCT_BAD_ARGUMENT, "the plan is for another layout or view of %s",
                            names[i]);
        bool separate = i == SCT_MAT_C && sct_product_rounds(product); /* its sums */
        int per_node =
            separate ? fabric->ranks_per_node : sct_matrix_ranks_per_node(view[i].matrix);
        if (product->ranks_per_node[i] != per_node)
            return sct_fail(SCT_BAD_ARGUMENT, "the plan is for %d rank%s per node, but %s has %d",
                            product->ranks_per_node[i], product->ranks_per_node[i] == 1 ? "" : "s",
                            names[i], per_node);
    }
    return SCT_OK;
}

sct_status sct_job_create_in(sct_world *world, const sct_plan *plan, const sct_view view[SCT_MATS],
                             void *workspace, sct_job **job) {
    sct_job *made = NULL;
    sct_status status = sct_check_given("world", world);
    if (status)
        return status;
    sct_request_text request = sct_request_begin("job");
    for (int i = 0; i < SCT_MATS; i++)
        sct_request_add_view(&request, names[i], view[i]);
    if (!plan)
        status = sct_fail(SCT_BAD_ARGUMENT, "the plan of rank %d is NULL", world->fabric->rank);
    if (!status)
        status = sct_check_output("job", job);
    if (!status)
        status = check_views(world, view);
    if (!status)
        status = check_present(view, true);
    if (!status)
        status = check_plan(world, plan, view);
    if (!status) {
        sct_request_add_word(&request, "op(A)", sct_op_name(plan->product.op[SCT_MAT_A]));
        sct_request_add_word(&request, "op(B)", sct_op_name(plan->product.op[SCT_MAT_B]));
        describe_plan(&request, plan);
        request.slices = plan->slices;
        status = bind(world, plan, view, workspace, &made);
    }
    sct_fabric_enter(world->fabric);
    status = sct_world_agree(world, status, &request);
    int64_t rounds = world->agreed.slices;
    if (!status)
        status = sct_job_open(made);
    if (sct_fabric_leave(world->fabric, status)) {
        sct_job_destroy(made);
        return status;
    }
    made->number = ++world->jobs;
    made->rounds = rounds;
    sct_log_plan(plan, NULL);
    *job = made;
    return SCT_OK;
}

sct_status sct_job_create(sct_world *world, const sct_plan *plan, sct_view a, sct_view b,
                          sct_view c, sct_job **job) {
    return sct_job_create_in(world, plan, (sct_view[]){a, b, c}, NULL, job);
}

sct_status sct_job_start(sct_job *job, const void *alpha, const void *beta) {
    sct_status status = sct_check_given("job", job);
    if (status)
        return status;
    sct_type type = job->plan->product.type[SCT_MAT_C];
    sct_scalar none = sct_scalar_real(type, 0);
    if (!(status = sct_check_given("alpha", alpha)))
        status = sct_check_given("beta", beta);
    if (!status && job->run.running)
        status = sct_fail(SCT_BAD_ARGUMENT, "the job is running: wait for it first");
    sct_fabric *fabric = job->context.fabric;
    sct_fabric_enter(fabric);
    status = sct_job_begin(job, status, alpha ? sct_scalar_load(type, alpha) : none,
                           beta ? sct_scalar_load(type, beta) : none);
    return sct_fabric_leave(fabric, status);
}

sct_status sct_job_wait(sct_job *job) {
    sct_status status = sct_check_given("job", job);
    if (status)
        return status;
    sct_fabric *fabric = job->context.fabric;
    sct_fabric_enter(fabric);
    return sct_fabric_leave(fabric, sct_job_finish(job, false));
}

sct_status sct_job_observe(sct_job *job, const sct_observer *observer) {
    sct_status status = sct_check_given("job", job);
    if (!status && observer)
        status = sct_check_size("observer", observer->size, sizeof *observer, sizeof *observer);
    if (!status && job->run.running)
        status = sct_fail(SCT_BAD_ARGUMENT, "the job is running: wait for it first");
    if (!status)
        job->watch.observer = observer ? *observer : (sct_observer){.event = NULL};
    return status;
}
