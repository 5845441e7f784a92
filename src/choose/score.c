/* score.c - what three layouts would take, without plans. */
#include "choose/score.h"

#include "base/checked.h"
#include "cost/estimate.h"

#include <math.h>

/* Ranks that are looked at for all. */
enum { SAMPLE = 32 };
/* How much of the time that transfers hide behind products counts: the less has to be hidden the
 * better. */
static const double hidden = 0.05;

uint64_t sct_seek_parts(const sct_seeker *seeker, int rank) {
    uint64_t sum = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_layout *layout = seeker->product.layout[matrix], *fixed = seeker->fixed[matrix];
        size_t bytes = 0, kept = 0;
        sct_layout_bytes(layout, seeker->search.type, rank, &bytes);
        if (fixed && fixed != layout)
            sct_layout_bytes(fixed, seeker->search.type, rank, &kept);
        sum += bytes + kept;
    }
    return sum;
}

void sct_seek_make(const sct_seeker *seeker, int matrix, int rank, sct_workload *work) {
    const sct_search *search = &seeker->search;
    const sct_layout *layout = seeker->product.layout[matrix], *fixed = seeker->fixed[matrix];
    if (fixed && fixed != layout && matrix == SCT_MAT_C)
        sct_workload_add_copy(layout, fixed, search->type, seeker->machine, search->ranks, rank,
                              work);
    else if (fixed && fixed != layout)
        sct_workload_add_copy(fixed, layout, search->type, seeker->machine, search->ranks, rank,
                              work);
    else if (!fixed && matrix != SCT_MAT_C)
        sct_workload_add_replication(layout, search->type, seeker->machine, search->ranks, rank,
                                     work);
}

double sct_seek_uses(const sct_seeker *seeker, int matrix) {
    return matrix == SCT_MAT_C ? 1 : seeker->search.uses;
}

static double worth(const sct_seeker *seeker, sct_aim aim, const sct_workload *work) {
    if (aim == SCT_AIM_BYTES)
        return sct_workload_bytes(seeker->machine, work);
    sct_workload moving = *work;
    moving.computing = 0;
    return sct_workload_seconds(seeker->machine, seeker->search.ranks, work) +
           hidden * sct_workload_seconds(seeker->machine, seeker->search.ranks, &moving);
}

/* Of one rank. */
static double weigh(const sct_seeker *seeker, sct_aim aim, int stay, int only, int rank) {
    const sct_product *product = &seeker->product;
    sct_workload work = {.computing = 0}, reducing = {.computing = 0};
    double made = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        sct_workload making = {.computing = 0};
        if (only >= 0 && matrix != only)
            continue;
        if (matrix == stay)
            sct_workload_add_product(product, seeker->machine, stay, rank, &work);
        else
            sct_workload_add_moving(product, seeker->machine, stay, matrix, rank, &work);
        if (matrix == SCT_MAT_C)
            sct_workload_add_reduction(product, seeker->machine, rank, &reducing);
        sct_seek_make(seeker, matrix, rank, &making);
        made += worth(seeker, aim, &making) / sct_seek_uses(seeker, matrix);
    }
    return worth(seeker, aim, &work) + worth(seeker, aim, &reducing) + made;
}

double sct_seek_weigh(const sct_seeker *seeker, int stay, int only, double most) {
    int ranks = seeker->search.ranks, sample = (int)sct_min(ranks, SAMPLE);
    double weight = 0;
    for (int i = 0; i < sample && weight < most; i++)
        weight = fmax(weight, weigh(seeker, seeker->search.aim, stay, only,
                                    sct_sample_rank(ranks, sample, i)));
    return weight;
}

static void add_once(int rank, int most, int *sample, int *count) {
    for (int i = 0; i < *count; i++)
        if (sample[i] == rank)
            return;
    if (*count < most)
        sample[(*count)++] = rank;
}

int sct_seek_sample(const sct_seeker *seeker, int stay, int most, int *sample) {
    enum { AIMED, STORED, OTHER, REASONS };
    sct_aim aim = seeker->search.aim, other = aim == SCT_AIM_BYTES ? SCT_AIM_TIME : SCT_AIM_BYTES;
    int ranks = seeker->search.ranks, first[REASONS] = {0}, count = 0;
    double worst[REASONS] = {0};
    for (int rank = 0; rank < ranks; rank++) {
        const double much[] = {[AIMED] = weigh(seeker, aim, stay, -1, rank),
                               [STORED] = (double)sct_seek_parts(seeker, rank),
                               [OTHER] = weigh(seeker, other, stay, -1, rank)};
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
