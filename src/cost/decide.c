/* decide.c - a small search for the decisions with the least time.
 *
 * It begins with all owners apart and nothing cut, and brings the owners on a side together where
 * that gains. For each such proposal pieces are halved as long as that gains. */
#include "cost/judge.h"

#include "base/checked.h"
#include "plan/constants.h"

#include <math.h>
#include <string.h>

/* Of a dimension: more take long to plan. Within a limit they may be what keeps anything from being
 * fetched twice. */
enum { MOST_PIECES = 1024, MOST_WITHIN_LIMIT = 16384 };

/* The time that a proposal must beat. */
static double time_to_beat(const sct_judge *judge, double seconds) {
    return seconds - sct_judge_worth * judge->machine->product;
}

/* Halves the pieces of the dimension that gains most, as long as any does. Returns the seconds. */
static double halve(const sct_judge *judge, sct_decisions *decisions) {
    double seconds = sct_judge_try(judge, decisions);
    const int most = judge->limit > 0 ? MOST_WITHIN_LIMIT : MOST_PIECES;
    for (bool gains = judge->cuts; gains;) {
        sct_decisions best = *decisions;
        double least = time_to_beat(judge, seconds);
        gains = false;
        for (int dim = 0; dim < SCT_DIMS; dim++) {
            sct_decisions halved = *decisions;
            double piece = sct_judge_piece(judge, decisions, dim);
            halved.most[dim] = (int64_t)ceil(piece / 2);
            bool may = piece > 1 && judge->extent[dim] / piece < most;
            double taken = may ? sct_judge_try(judge, &halved) : INFINITY;
            if (!(taken < least))
                continue;
            best = halved;
            least = taken;
            gains = true;
        }
        seconds = gains ? least : seconds;
        *decisions = best;
    }
    return seconds;
}

static sct_status find_pieces(sct_judge *judge, int dim, int gathered) {
    if (judge->known[dim][gathered])
        return SCT_OK;
    sct_status status = judge->slice(judge->self, dim, gathered, &judge->pieces[dim][gathered]);
    judge->known[dim][gathered] = !status;
    return status;
}

/* The seconds if bringing owners together in a dimension cost nothing and made one piece of all. */
static double ideal_seconds(const sct_judge *judge, const sct_decisions *decisions, int dim) {
    sct_judge ideal = *judge;
    sct_decisions whole = *decisions;
    sct_judged_pieces *pieces = &ideal.pieces[dim][sct_gathered_sides(decisions, dim)];
    if (pieces->sets <= 1)
        return INFINITY;
    pieces->sets = 1;
    pieces->scattered[0] = pieces->scattered[1] = false;
    return halve(&ideal, &whole);
}

/* Tries the ways of bringing owners together in one dimension, and takes the best if it gains. */
static sct_status try_gathering(sct_judge *judge, int dim, sct_decisions *decisions,
                                double *seconds) {
    const sct_judged_pieces *apart = &judge->pieces[dim][0];
    bool copied = apart->scattered[0] || apart->scattered[1];
    double least = time_to_beat(judge, *seconds);
    if (!(apart->split[0] || apart->split[1]))
        return SCT_OK;
    double ideal = copied ? -INFINITY : ideal_seconds(judge, decisions, dim);
    sct_decisions best = *decisions;
    for (int gathered = 1; gathered < 4; gathered++) {
        sct_decisions tried = *decisions;
        if (((gathered & 1) && !apart->split[0]) || ((gathered & 2) && !apart->split[1]) ||
            !(ideal < time_to_beat(judge, *seconds)))
            continue;
        sct_status status = find_pieces(judge, dim, gathered);
        if (status)
            return status;
        tried.gather[dim][0] = gathered & 1;
        tried.gather[dim][1] = gathered >> 1;
        for (int other = 0; other < SCT_DIMS; other++)
            tried.most[other] = 0;
        double taken = halve(judge, &tried);
        if (taken < least) {
            best = tried;
            least = *seconds = taken;
        }
    }
    *decisions = best;
    return SCT_OK;
}

sct_status sct_judge_decide(sct_judge *judge, sct_decisions *decisions) {
    sct_status status = SCT_OK;
    for (int dim = 0; dim < SCT_DIMS && !status; dim++)
        status = find_pieces(judge, dim, 0);
    if (status)
        return status;
    /* A matrix gathered in one dimension may as well be in the other: so all are tried again. */
    double seconds = halve(judge, decisions), before = INFINITY;
    while (judge->gathers && seconds < before) {
        before = seconds;
        for (int dim = 0; dim < SCT_DIMS && !status; dim++)
            status = try_gathering(judge, dim, decisions, &seconds);
    }
    return status;
}

/* Begins with the owners of all matrices brought together in m and n: one slice of C stays in the
 * workspace while k passes by. */
static sct_status decide_whole(sct_judge *judge, sct_decisions *decisions) {
    static const int dims[] = {SCT_DIM_M, SCT_DIM_N};
    for (int i = 0; i < 2 && judge->gathers; i++) {
        const sct_judged_pieces *apart = &judge->pieces[dims[i]][0];
        for (int side = 0; side < 2; side++)
            decisions->gather[dims[i]][side] = apart->split[side];
        sct_status status = find_pieces(judge, dims[i], sct_gathered_sides(decisions, dims[i]));
        if (status)
            return status;
    }
    halve(judge, decisions);
    return SCT_OK;
}

sct_status sct_judge_decide_within(sct_judge *judge, double limit, sct_decisions *decisions,
                                   bool *fits) {
    const sct_decisions usual = *decisions;
    const int outer = usual.nest[0], inner = usual.nest[1];
    double least = INFINITY;
    judge->limit = limit;
    for (int way = 0; way < 4; way++) {
        sct_decisions tried = {.size = sizeof tried};
        bool turned = way & 1, whole = way & 2;
        memcpy(tried.nest, usual.nest, sizeof tried.nest);
        if (turned && outer == SCT_DIM_K) /* sums take no workspace, so k stays outermost */
            continue;
        tried.nest[0] = turned ? inner : outer;
        tried.nest[1] = turned ? outer : inner;
        sct_status status = whole ? decide_whole(judge, &tried) : sct_judge_decide(judge, &tried);
        if (status)
            return status;
        double seconds = sct_judge_try(judge, &tried);
        if (sct_judge_workspace(judge, &tried) <= limit && seconds < least) {
            *decisions = tried;
            least = seconds;
        }
    }
    judge->limit = 0;
    *fits = least < INFINITY;
    return SCT_OK;
}
