/* score.c - scores a triple of layouts by estimates. */
#include "choose/score.h"

#include "base/checked.h"
#include "cost/estimate.h"
#include "plan/constants.h"

#include <math.h>
#include <string.h>

void sct_score_consider(sct_search_context *context, const sct_layout *const *layout, int shape,
                        const sct_layout *work) {
    sct_product *product = &context->product;
    memcpy(product->layout, layout, sizeof product->layout);
    context->work = work && !sct_layout_equal(work, layout[shape])
                        ? sct_work_by_layout(product, shape, work)
                        : sct_work_stationary(product, shape);
}

sct_problem sct_score_problem(const sct_search_context *context, const sct_layout *const *layout) {
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = context->search.type,
                         .a = layout[SCT_MAT_A],
                         .b = layout[SCT_MAT_B],
                         .c = layout[SCT_MAT_C],
                         .ranks = context->search.ranks,
                         .ranks_per_node = context->search.ranks_per_node};
}

uint64_t sct_score_stored_bytes(const sct_search_context *context, int rank) {
    uint64_t sum = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_layout *layout = context->product.layout[matrix], *fixed = context->fixed[matrix];
        size_t bytes = 0, kept = 0;
        sct_layout_bytes(layout, context->search.type, rank, &bytes);
        if (fixed && fixed != layout)
            sct_layout_bytes(fixed, context->search.type, rank, &kept);
        sum += bytes + kept;
    }
    return sum;
}

void sct_score_add_preparation(const sct_search_context *context, int matrix, int rank,
                               sct_workload *work) {
    const sct_search *search = &context->search;
    const sct_layout *layout = context->product.layout[matrix], *fixed = context->fixed[matrix];
    bool result = matrix == SCT_MAT_C;
    if (fixed && fixed != layout)
        sct_workload_add_copy(result ? layout : fixed, result ? fixed : layout, search->type,
                              context->machine, search->ranks, rank, work);
    else if (!fixed && !result)
        sct_workload_add_replication(layout, search->type, context->machine, search->ranks, rank,
                                     work);
}

double sct_score_uses(const sct_search_context *context, int matrix) {
    return matrix == SCT_MAT_C ? 1 : context->search.uses;
}

double sct_score_value(const sct_search_context *context, double seconds, double bytes) {
    sct_aim aim = context->search.aim;
    double excess = bytes > context->best_grid ? bytes / context->best_grid : 1;
    return aim == SCT_AIM_BYTES ? bytes : aim == SCT_AIM_TIME ? seconds : seconds * excess;
}

/* What a rank takes for one product. */
typedef struct sct_rank_score {
    double seconds, bytes;
} sct_rank_score;

/* Adds work, of which `uses` products share the result. */
static void add_work(const sct_search_context *context, const sct_workload *work, double uses,
                     sct_rank_score *sum) {
    const sct_machine *machine = context->machine;
    int ranks = context->search.ranks;
    sct_workload moving = *work;
    moving.computing = 0;
    sum->bytes += sct_workload_bytes(machine, work) / uses;
    sum->seconds += (sct_workload_seconds(machine, ranks, work) +
                     sct_estimate_beside * sct_workload_seconds(machine, ranks, &moving)) /
                    uses;
}

static sct_rank_score weigh(const sct_search_context *context, int only, int rank,
                            sct_judgements *judgements) {
    const sct_product *product = &context->product;
    sct_workload work = {.computing = 0}, reducing = {.computing = 0};
    sct_rank_score sum = {0, 0};
    if (only < 0)
        sct_workload_add_product(product, context->machine, &context->work, rank, judgements,
                                 &work);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        sct_workload making = {.computing = 0};
        if (only >= 0 && matrix != only)
            continue;
        if (!sct_work_keeps(&context->work, matrix))
            sct_workload_add_moving(product, context->machine, &context->work, matrix, rank, &work);
        if (matrix == SCT_MAT_C)
            sct_workload_add_reduction(product, context->machine, rank, &reducing);
        sct_score_add_preparation(context, matrix, rank, &making);
        add_work(context, &making, sct_score_uses(context, matrix), &sum);
    }
    add_work(context, &work, 1, &sum);
    add_work(context, &reducing, 1, &sum);
    return sum;
}

double sct_score_layouts(const sct_search_context *context, int only, double most) {
    int ranks = context->search.ranks, sample = (int)sct_min(ranks, SCT_ESTIMATED_RANKS);
    double value = 0;
    sct_judgements judgements = {.count = 0};
    for (int i = 0; i < sample && value < most; i++) {
        sct_rank_score one = weigh(context, only, sct_sample_rank(ranks, sample, i), &judgements);
        value = fmax(value, sct_score_value(context, one.seconds, one.bytes));
    }
    return value;
}

static void add_once(int rank, int most, int *sample, int *count) {
    for (int i = 0; i < *count; i++)
        if (sample[i] == rank)
            return;
    if (*count < most)
        sample[(*count)++] = rank;
}

int sct_score_sample(const sct_search_context *context, int most, int *sample) {
    enum { SLOWEST, STORED, MOVED, REASONS };
    int ranks = context->search.ranks, first[REASONS] = {0}, count = 0;
    double worst[REASONS] = {0};
    sct_judgements judgements = {.count = 0};
    for (int rank = 0; rank < ranks; rank++) {
        sct_rank_score one = weigh(context, -1, rank, &judgements);
        const double much[] = {[SLOWEST] = one.seconds,
                               [STORED] = (double)sct_score_stored_bytes(context, rank),
                               [MOVED] = one.bytes};
        for (int i = 0; i < REASONS; i++) {
            first[i] = much[i] > worst[i] ? rank : first[i];
            worst[i] = fmax(worst[i], much[i]);
        }
    }
    for (int i = 0; i < REASONS; i++)
        add_once(first[i], most, sample, &count);
    for (int i = 0; i < ranks && count < most; i++)
        add_once(sct_sample_rank(ranks, most, i), most, sample, &count);
    return count;
}
