/* calls.c - collective calls of the library, made by all members of a team. */
#include "calls.h"

#include "team_call.h"

static sct_status barrier(sct_world *world, int member, void *arg) {
    (void)member;
    (void)arg;
    return sct_world_barrier(world);
}

sct_status team_barrier(struct team *team) {
    return team_call(team, barrier, NULL);
}

static sct_status add_wisdom(sct_world *world, int member, void *arg) {
    (void)member;
    return sct_world_add_wisdom(world, arg);
}

sct_status team_add_wisdom(struct team *team, const char *text) {
    return team_call(team, add_wisdom, (void *)text);
}

struct gathering {
    const void *mine;
    size_t bytes;
    void *all;
};

static sct_status gather(sct_world *world, int member, void *arg) {
    const struct gathering *gathering = arg;
    (void)member;
    return sct_world_gather(world, gathering->mine, gathering->bytes, gathering->all);
}

sct_status team_gather(struct team *team, const void *mine, size_t bytes, void *all) {
    struct gathering gathering = {mine, bytes, all};
    return team_call(team, gather, &gathering);
}

struct checking {
    sct_status status;
    const char *said;
};

static sct_status check(sct_world *world, int member, void *arg) {
    const struct checking *checking = arg;
    (void)member;
    return sct_world_check(world, checking->status, checking->said);
}

sct_status team_check(struct team *team, sct_status status, const char *said) {
    struct checking checking = {status, said};
    return team_call(team, check, &checking);
}

struct making {
    sct_type type;
    const sct_layout *layout;
    const int *counts;
    sct_block **blocks;
    sct_matrix **matrix;
};

static sct_status create(sct_world *world, int member, void *arg) {
    const struct making *making = arg;
    return sct_matrix_create(world, making->type, making->layout, &making->matrix[member]);
}

static sct_status wrap(sct_world *world, int member, void *arg) {
    const struct making *making = arg;
    const sct_block *blocks = making->blocks[member];
    if (!making->counts)
        return sct_matrix_wrap(world, making->type, making->layout, blocks->data, blocks->ld,
                               &making->matrix[member]);
    return sct_matrix_wrap_blocks(world, making->type, making->layout, making->counts[member],
                                  blocks, &making->matrix[member]);
}

sct_status team_matrix_create(struct team *team, sct_type type, const sct_layout *layout,
                              sct_matrix **matrix) {
    struct making making = {.type = type, .layout = layout, .matrix = matrix};
    return team_call(team, create, &making);
}

sct_status team_matrix_wrap(struct team *team, sct_type type, const sct_layout *layout,
                            const int *counts, sct_block **blocks, sct_matrix **matrix) {
    struct making making = {type, layout, counts, blocks, matrix};
    return team_call(team, wrap, &making);
}

struct product {
    const void *alpha, *beta;
    const struct operand *a, *b, *c;
    const sct_options *options;
};

static sct_view view_of(const struct operand *operand, int member) {
    return (sct_view){operand->matrix[member], operand->slice};
}

static sct_status multiply(sct_world *world, int member, void *arg) {
    const struct product *p = arg;
    (void)world;
    return sct_multiply(p->a->op, p->b->op, p->alpha, view_of(p->a, member), view_of(p->b, member),
                        p->beta, view_of(p->c, member), p->options);
}

sct_status team_multiply(struct team *team, const void *alpha, const struct operand *a,
                         const struct operand *b, const void *beta, const struct operand *c,
                         const sct_options *options) {
    struct product product = {alpha, beta, a, b, c, options};
    return team_call(team, multiply, &product);
}

typedef struct new_product {
    struct product product;
    struct making making;
} new_product;

static sct_status multiply_into_new(sct_world *world, int member, void *arg) {
    new_product *p = arg;
    sct_status status = create(world, member, &p->making);
    if (status)
        return status;
    status = multiply(world, member, &p->product);
    if (status)
        sct_matrix_destroy(p->making.matrix[member]);
    return status;
}

sct_status team_product(struct team *team, sct_type type, const sct_layout *layout,
                        const void *alpha, const struct operand *a, const struct operand *b,
                        const struct operand *c, const sct_options *options) {
    static const double zero[2];
    new_product p = {.product = {alpha, zero, a, b, c, options},
                     .making = {.type = type, .layout = layout, .matrix = c->matrix}};
    return team_call(team, multiply_into_new, &p);
}

static sct_status copy(sct_world *world, int member, void *arg) {
    const struct product *p = arg;
    (void)world;
    return sct_copy(p->a->op, view_of(p->a, member), view_of(p->c, member), p->options);
}

sct_status team_copy(struct team *team, const struct operand *from, const struct operand *to,
                     const sct_options *options) {
    struct product product = {.a = from, .c = to, .options = options};
    return team_call(team, copy, &product);
}

struct grouping {
    const sct_products *products;
    const sct_products_choice *choice;
    sct_type type;
    const sct_options *options;
    sct_group **group;
};

static sct_status create_group(sct_world *world, int member, void *arg) {
    const struct grouping *g = arg;
    return sct_group_create(world, g->products, g->choice, g->type, g->options, &g->group[member]);
}

sct_status team_group_create(struct team *team, const sct_products *products,
                             const sct_products_choice *choice, sct_type type,
                             const sct_options *options, sct_group **group) {
    struct grouping grouping = {products, choice, type, options, group};
    return team_call(team, create_group, &grouping);
}

static sct_status run_group(sct_world *world, int member, void *arg) {
    sct_group *const *group = arg;
    (void)world;
    return sct_group_run(group[member]);
}

sct_status team_group_run(struct team *team, sct_group **group) {
    return team_call(team, run_group, group);
}

static sct_status destroy_group(sct_world *world, int member, void *arg) {
    sct_group *const *group = arg;
    (void)world;
    sct_group_destroy(group[member]);
    return SCT_OK;
}

void team_group_drop(struct team *team, sct_group **group) {
    team_call(team, destroy_group, group);
}
