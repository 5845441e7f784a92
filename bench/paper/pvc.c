/* pvc.c - claims about the six GPUs of Intel, whose links are slow. */
#include "claims.h"

#include <math.h>

/* Less is no difference. */
static const double margin = 0.01;

static struct study *mlp_1(const struct stand *stand) {
    return stand->study[PVC][MLP_1];
}

static struct study *mlp_2(const struct stand *stand) {
    return stand->study[PVC][MLP_2];
}

static void print_report(FILE *out, struct study *study, int partitioning, int batch) {
    struct found found = study_report(study, partitioning, batch);
    print_found(out, study, &found);
}

/* Two partitionings, and how many are faster than each, by more than the margin. */
static void print_ranks(FILE *out, struct study *study, const int pair[2], int batch,
                        bool of_named) {
    for (int i = 0; i < 2; i++) {
        print_report(out, study, pair[i], batch);
        fprintf(out, ", %d faster; ", count_faster(study, pair[i], batch, margin, of_named));
    }
    fprintf(out, "fastest: ");
    print_report(out, study, find_fastest(study, batch, of_named), batch);
}

bool columns_first(const struct stand *stand, int batch, FILE *figures) {
    const int pair[2] = {COLUMNS, INNER};
    print_ranks(figures, mlp_1(stand), pair, batch, true);
    return count_faster(mlp_1(stand), COLUMNS, batch, 0, true) == 0 &&
           count_faster(mlp_1(stand), INNER, batch, 0, true) == 1;
}

/* None but the two is faster than either. */
static bool are_first(struct study *study, const int pair[2], int batch) {
    return count_faster(study, pair[0], batch, margin, false) <= 1 &&
           count_faster(study, pair[1], batch, margin, false) <= 1;
}

bool columns_first_of_all(const struct stand *stand, int batch, FILE *figures) {
    const int pair[2] = {COLUMNS, INNER};
    print_ranks(figures, mlp_1(stand), pair, batch, false);
    return are_first(mlp_1(stand), pair, batch);
}

static bool print_moves(FILE *out, struct study *study, const struct found *found,
                        bool moves[MATRICES]) {
    study_moves(study, &found->trial, moves);
    print_found(out, study, found);
    fprintf(out, " moves%s%s%s", moves[A] ? " A" : "", moves[B] ? " B" : "", moves[C] ? " C" : "");
    return moves[B];
}

bool only_a_moves(const struct stand *stand, int batch, FILE *figures) {
    const int pair[2] = {COLUMNS, INNER};
    bool only = true;
    for (int i = 0; i < 2; i++) {
        bool moves[MATRICES];
        struct found found = study_report(mlp_1(stand), pair[i], batch);
        fprintf(figures, "%s", i > 0 ? "; " : "");
        print_moves(figures, mlp_1(stand), &found, moves);
        only = only && moves[A] && !moves[B] && !moves[C];
    }
    return only;
}

bool blocks_grow(const struct stand *stand, int batch, FILE *figures) {
    print_report(figures, mlp_1(stand), BLOCKS, batch);
    return batch == 0 ||
           share_of(mlp_1(stand), BLOCKS, batch) > share_of(mlp_1(stand), BLOCKS, batch - 1);
}

bool blocks_held_back(const struct stand *stand, int batch, FILE *figures) {
    print_report(figures, mlp_1(stand), BLOCKS, batch);
    fprintf(figures, ", ");
    print_report(figures, mlp_1(stand), COLUMNS, batch);
    return share_of(mlp_1(stand), BLOCKS, batch) < share_of(mlp_1(stand), COLUMNS, batch);
}

/* Of all that gain by replication, without which the same matrix stays. */
bool replicas_help_who_move_b(const struct stand *stand, int batch, FILE *figures) {
    int helped = 0, by_b = 0;
    for (int i = 0; i < COMBINATIONS; i++) {
        struct found best = study_report(mlp_1(stand), i, batch);
        struct trial pattern = {i, batch, {0, 0, 0}, best.trial.stay, false};
        struct found single = study_best(mlp_1(stand), &pattern);
        if (best.outcome.share <= single.outcome.share * (1 + margin))
            continue;
        bool moves[MATRICES];
        helped++;
        print_found(figures, mlp_1(stand), &best);
        fprintf(figures, " instead of ");
        by_b += print_moves(figures, mlp_1(stand), &single, moves);
        fprintf(figures, "; ");
    }
    fprintf(figures, "%d helped, %d of them move B", helped, by_b);
    return helped > 0 && by_b == helped;
}

bool outer_and_blocks_first(const struct stand *stand, int batch, FILE *figures) {
    const int pair[2] = {OUTER, BLOCKS};
    print_ranks(figures, mlp_2(stand), pair, batch, true);
    return count_faster(mlp_2(stand), OUTER, batch, 0, true) <= 1 &&
           count_faster(mlp_2(stand), BLOCKS, batch, 0, true) <= 1;
}

bool outer_and_blocks_first_of_all(const struct stand *stand, int batch, FILE *figures) {
    const int pair[2] = {OUTER, BLOCKS};
    print_ranks(figures, mlp_2(stand), pair, batch, false);
    return are_first(mlp_2(stand), pair, batch);
}

bool b_does_not_move(const struct stand *stand, int batch, FILE *figures) {
    const int pair[2] = {OUTER, BLOCKS};
    bool any = false;
    for (int i = 0; i < 2; i++) {
        bool moves[MATRICES];
        struct found found = study_report(mlp_2(stand), pair[i], batch);
        fprintf(figures, "%s", i > 0 ? "; " : "");
        any |= print_moves(figures, mlp_2(stand), &found, moves);
    }
    return !any;
}

/* What is reported of outer product and 2-D block; true if it holds for both. */
static bool both_hold(const struct stand *stand, int batch, FILE *figures,
                      bool (*holds)(const int factor[MATRICES])) {
    const int pair[2] = {OUTER, BLOCKS};
    bool both = true;
    for (int i = 0; i < 2; i++) {
        struct found found = study_report(mlp_2(stand), pair[i], batch);
        fprintf(figures, "%s", i > 0 ? "; " : "");
        print_found(figures, mlp_2(stand), &found);
        both = both && holds(found.trial.factor);
    }
    return both;
}

static bool any_is_replicated(const int factor[MATRICES]) {
    return factor[A] > 0 || factor[C] > 0;
}

static bool c_differs(const int factor[MATRICES]) {
    return factor[C] != factor[A];
}

bool replicas_help(const struct stand *stand, int batch, FILE *figures) {
    return both_hold(stand, batch, figures, any_is_replicated);
}

bool factors_differ(const struct stand *stand, int batch, FILE *figures) {
    return both_hold(stand, batch, figures, c_differs);
}

/* The outer product like the one that was found, but with one factor for all matrices: the first
 * that there is a case of, from `first` on. */
static struct found with_one_factor(struct study *study, const struct found *like, int first,
                                    int step) {
    struct trial pattern = like->trial;
    struct found found = {.outcome.seconds = INFINITY};
    for (int i = first; isinf(found.outcome.seconds); i += step) {
        pattern.factor[A] = pattern.factor[B] = pattern.factor[C] = i;
        found = study_best(study, &pattern);
    }
    return found;
}

bool factors_between(const struct stand *stand, int batch, FILE *figures) {
    struct study *study = mlp_2(stand);
    struct found best = study_report(study, OUTER, batch);
    struct found least = with_one_factor(study, &best, 0, 1);
    struct found most = with_one_factor(study, &best, study_factors(study) - 1, -1);
    const struct found *const all[] = {&least, &best, &most};
    for (int i = 0; i < 3; i++) {
        fprintf(figures, "%s", i > 0 ? "; " : "");
        print_found(figures, study, all[i]);
    }
    double behind = fmax(least.outcome.share, most.outcome.share);
    return best.outcome.share > behind * (1 + margin);
}

static bool aligned_no_faster(struct study *study, int batch, FILE *figures) {
    print_report(figures, study, BLOCKS, batch);
    fprintf(figures, ", ");
    print_report(figures, study, ALIGNED, batch);
    return share_of(study, ALIGNED, batch) <= share_of(study, BLOCKS, batch) * (1 + margin);
}

bool aligned_no_faster_1(const struct stand *stand, int batch, FILE *figures) {
    return aligned_no_faster(mlp_1(stand), batch, figures);
}

bool aligned_no_faster_2(const struct stand *stand, int batch, FILE *figures) {
    return aligned_no_faster(mlp_2(stand), batch, figures);
}
