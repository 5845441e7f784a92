/* h100.c - claims about the eight GPUs of Nvidia, whose links are fast and whose products are
 * slower while they accumulate. */
#include "claims.h"

#include <math.h>

/* How much faster the fastest of all combinations is than the slowest: 0 if they are alike. */
static double spread(struct study *study, int batch) {
    double most = 0, least = INFINITY;
    for (int i = 0; i < COMBINATIONS; i++) {
        double share = share_of(study, i, batch);
        most = fmax(most, share);
        least = fmin(least, share);
    }
    return most / least - 1;
}

static bool smaller_spread(const struct stand *stand, int mlp, int batch, double factor,
                           FILE *figures) {
    double pvc = spread(stand->study[PVC][mlp], batch);
    double h100 = spread(stand->study[H100][mlp], batch);
    fprintf(figures, "the fastest is faster than the slowest by %.0f %% on PVC, %.0f %% on H100",
            100 * pvc, 100 * h100);
    return h100 < factor * pvc;
}

bool half_the_spread_1(const struct stand *stand, int batch, FILE *figures) {
    return smaller_spread(stand, MLP_1, batch, 0.5, figures);
}

bool smaller_spread_2(const struct stand *stand, int batch, FILE *figures) {
    return smaller_spread(stand, MLP_2, batch, 1, figures);
}

bool columns_first_on_h100(const struct stand *stand, int batch, FILE *figures) {
    struct study *study = stand->study[H100][MLP_1];
    for (int i = 0; i < NAMED; i++) {
        struct found found = study_report(study, named[i], batch);
        fprintf(figures, "%s", i > 0 ? "; " : "");
        print_found(figures, study, &found);
    }
    return count_faster(study, COLUMNS, batch, 0, true) <= 1 &&
           count_faster(study, INNER, batch, 0, true) <= 1;
}

static struct found outer_with(struct study *study, sct_stay stay, int batch) {
    const struct trial pattern = {OUTER, batch, {ANY, ANY, ANY}, stay, false};
    return study_best(study, &pattern);
}

/* The fastest named partitioning of which C stays. */
static struct found fastest_with_c(struct study *study, int batch) {
    struct found best = {.outcome.seconds = INFINITY};
    for (int i = 0; i < NAMED; i++) {
        const struct trial pattern = {named[i], batch, {ANY, ANY, ANY}, SCT_STAY_C, false};
        struct found found = study_best(study, &pattern);
        if (found.outcome.seconds < best.outcome.seconds)
            best = found;
    }
    return best;
}

/* Whether the first is faster, though it moves more. */
static bool wins(struct study *study, const struct found *first, const struct found *second,
                 FILE *figures) {
    const struct found *const both[2] = {first, second};
    for (int i = 0; i < 2; i++) {
        fprintf(figures, "%s", i > 0 ? "; " : "");
        print_found(figures, study, both[i]);
        fprintf(figures, " moves %.2f GB", 1e-9 * (double)both[i]->outcome.moved);
    }
    return first->outcome.seconds < second->outcome.seconds &&
           first->outcome.moved > second->outcome.moved;
}

bool outer_prefers_c(const struct stand *stand, int batch, FILE *figures) {
    struct study *study = stand->study[H100][MLP_2];
    struct found c = outer_with(study, SCT_STAY_C, batch), b = outer_with(study, SCT_STAY_B, batch);
    return wins(study, &c, &b, figures);
}

bool c_wins(const struct stand *stand, int batch, FILE *figures) {
    struct study *study = stand->study[H100][MLP_2];
    struct found c = fastest_with_c(study, batch), b = outer_with(study, SCT_STAY_B, batch);
    return wins(study, &c, &b, figures);
}

bool b_wins_undisturbed(const struct stand *stand, int batch, FILE *figures) {
    sct_machine *calm = machine_change(stand->machine[H100], &interference, 0);
    struct subject subject = *study_subject(stand->study[H100][MLP_2]);
    subject.machine = calm;
    struct study *study = study_create(&subject, NULL);
    struct found c = fastest_with_c(study, batch), b = outer_with(study, SCT_STAY_B, batch);
    wins(study, &b, &c, figures);
    study_destroy(study);
    sct_machine_destroy(calm);
    return b.outcome.seconds < c.outcome.seconds;
}
