/* group.c - groups of products on a world: their matrices, and jobs that share one workspace. */
#include "api/world.h"

#include "base/checked.h"
#include "base/status.h"

#include <assert.h>
#include <stdlib.h>

typedef struct sct_group_product {
    sct_plan *plan; /* while the group is being made */
    sct_job *job;
    sct_cost cost;
    bool add;
} sct_group_product;

struct sct_group {
    sct_world *world;
    sct_type type;
    int matrices, count;
    sct_matrix **matrix;
    sct_group_product *product;
    void *workspace;
};

static sct_status check(const sct_world *world, const sct_products *products,
                        const sct_products_choice *choice, const sct_options *options,
                        sct_group **group) {
    static const sct_options usual = {.size = sizeof usual};
    const sct_options *given = options ? options : &usual;
    sct_status status = sct_check_given("products", products);
    if (!status)
        status = sct_check_given("choice", choice);
    if (!status)
        status = sct_check_output("group", group);
    if (!status)
        status = sct_check_size("options", given->size, sizeof *given, sizeof *given);
    if (status)
        return status;
    bool fits = choice->matrices == sct_products_matrices(products) &&
                choice->products == sct_products_count(products);
    for (int i = 0; i < choice->matrices && fits; i++) {
        const sct_products_shape shape = sct_products_matrix_at(products, i);
        const sct_layout *layout = choice->layout[i];
        fits = sct_layout_rows(layout) == shape.rows && sct_layout_cols(layout) == shape.cols;
    }
    return fits ? SCT_OK
                : sct_fail(SCT_BAD_ARGUMENT, "rank %d: the choice is for other products",
                           sct_world_rank(world));
}

static sct_status allocate(sct_world *world, const sct_products *products, sct_type type,
                           sct_group **group) {
    sct_group *made = calloc(1, sizeof *made);
    if (!made)
        return sct_no_memory("a group");
    *made = (sct_group){.world = world,
                        .type = type,
                        .matrices = sct_products_matrices(products),
                        .count = sct_products_count(products)};
    made->matrix = calloc((size_t)made->matrices + 1, sizeof(sct_matrix *));
    made->product = calloc((size_t)made->count + 1, sizeof *made->product);
    *group = made;
    return made->matrix && made->product ? SCT_OK : sct_no_memory("a group");
}

static sct_status make_matrices(sct_group *group, const sct_products_choice *choice) {
    sct_status status = SCT_OK;
    for (int i = 0; i < group->matrices && !status; i++)
        status = sct_matrix_create(group->world, group->type, choice->layout[i], &group->matrix[i]);
    return status;
}

static void find_views(const sct_group *group, const sct_products_step *step,
                       sct_view view[SCT_MATS]) {
    view[SCT_MAT_A] = sct_whole(group->matrix[step->a]);
    view[SCT_MAT_B] = sct_whole(group->matrix[step->b]);
    view[SCT_MAT_C] = sct_whole(group->matrix[step->c]);
}

/* Plans all products, and allocates the workspace of the one that needs most. */
static sct_status make_plans(sct_group *group, const sct_products *products,
                             const sct_products_choice *choice, const sct_options *options) {
    sct_options used = options ? *options : (sct_options){.size = sizeof used};
    sct_device *device = group->world->device;
    size_t most = 0;
    for (int i = 0; i < group->count; i++) {
        const sct_products_step step = sct_products_at(products, i);
        const sct_products_work *work = &choice->work[i];
        sct_view view[SCT_MATS];
        find_views(group, &step, view);
        const sct_problem problem = sct_views_problem(group->world, step.op_a, step.op_b, view);
        sct_group_product *product = &group->product[i];
        used.stay = work->stay;
        used.work = work->layout;
        used.workspace = (size_t)work->limit;
        sct_status status =
            sct_plan_create(&problem, group->world->fabric->rank, &used, &product->plan);
        if (status)
            return status;
        sct_plan_cost(product->plan, &product->cost);
        product->add = step.add;
        size_t bytes = sct_job_workspace_bytes(product->plan);
        most = bytes > most ? bytes : most;
    }
    if (most > 0 && !(group->workspace = device->ops->alloc(device, most)))
        return sct_fail(SCT_NO_MEMORY, "no memory for a workspace of %zu bytes", most);
    return SCT_OK;
}

static sct_status make_jobs(sct_group *group, const sct_products *products) {
    sct_status status = SCT_OK;
    for (int i = 0; i < group->count && !status; i++) {
        const sct_products_step step = sct_products_at(products, i);
        sct_view view[SCT_MATS];
        find_views(group, &step, view);
        sct_group_product *product = &group->product[i];
        status =
            sct_job_create_in(group->world, product->plan, view, group->workspace, &product->job);
        sct_plan_destroy(product->plan);
        product->plan = NULL;
    }
    return status;
}

/* Collective: fails on all ranks if it is called with a failure on any. */
static sct_status agree(sct_world *world, sct_status status) {
    return sct_world_check(world, status, status ? sct_last_reason() : "a group");
}

sct_status sct_group_create(sct_world *world, const sct_products *products,
                            const sct_products_choice *choice, sct_type type,
                            const sct_options *options, sct_group **group) {
    sct_group *made = NULL;
    sct_status status = sct_check_given("world", world);
    if (status)
        return status;
    status = check(world, products, choice, options, group);
    if (!status)
        status = allocate(world, products, type, &made);
    status = agree(world, status);
    if (status) {
        sct_group_destroy(made);
        return status;
    }
    assert(made);
    status = make_matrices(made, choice);
    if (!status)
        status = agree(world, make_plans(made, products, choice, options));
    if (!status)
        status = make_jobs(made, products);
    if (status)
        sct_group_destroy(made);
    else
        *group = made;
    return status;
}

void sct_group_destroy(sct_group *group) {
    if (!group)
        return;
    sct_device *device = group->world->device;
    for (int i = 0; group->product && i < group->count; i++) {
        sct_job_destroy(group->product[i].job);
        sct_plan_destroy(group->product[i].plan);
    }
    for (int i = 0; group->matrix && i < group->matrices; i++)
        sct_matrix_destroy(group->matrix[i]);
    if (group->workspace)
        device->ops->release(device, group->workspace);
    free(group->matrix);
    free(group->product);
    free(group);
}

sct_matrix *sct_group_matrix(const sct_group *group, int index) {
    return group->matrix[index];
}

sct_job *sct_group_job(const sct_group *group, int index) {
    return group->product[index].job;
}

sct_status sct_group_cost(const sct_group *group, int index, sct_cost *cost) {
    sct_status status = sct_check_given("group", group);
    if (!status)
        status = sct_check_output("cost", cost);
    if (!status && (index < 0 || index >= group->count))
        status = sct_fail(SCT_BAD_ARGUMENT, "product %d: there are %d", index, group->count);
    if (!status)
        *cost = group->product[index].cost;
    return status;
}

/* The ranks agree on the first job, which stands for the group, and at the end of each. */
sct_status sct_group_run(sct_group *group) {
    sct_status status = sct_check_given("group", group);
    if (status)
        return status;
    sct_fabric *fabric = group->world->fabric;
    sct_type sum = sct_type_sum(group->type);
    sct_fabric_enter(fabric);
    for (int i = 0; i < group->count && !status; i++) {
        const sct_group_product *product = &group->product[i];
        sct_scalar one = sct_scalar_real(sum, 1), beta = sct_scalar_real(sum, product->add);
        status = i == 0 ? sct_job_begin(product->job, SCT_OK, one, beta)
                        : sct_job_enter(product->job, one, beta);
        if (!status)
            status = sct_job_finish(product->job, false);
    }
    return sct_fabric_leave(fabric, status);
}
