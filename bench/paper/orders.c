/* orders.c - claims about the order in which a rank makes its steps. */
#include "claims.h"

static struct study *with_options(const struct study *study, const sct_options *options) {
    struct subject subject = *study_subject(study);
    subject.options = *options;
    return study_create(&subject, NULL);
}

enum { STAYS = 3 };

/* 2-D blocks on 12 ranks which meet in pieces of different sizes, but in so few that all orders can
 * be searched. */
static const int misaligned[] = {BLOCKS, MISALIGNED_K, MISALIGNED_N};
enum { SHAPES = sizeof misaligned / sizeof *misaligned, CASES = SHAPES * STAYS * MLPS };

/* In how many cases direct order takes longer than the best of all, by more than the limit. */
static int compare_orders(const struct stand *stand, int mlp, bool sync, int batch, double limit,
                          FILE *figures) {
    sct_options options = stand->subject.options;
    options.sync = sync;
    struct study *direct = with_options(stand->study[PVC][mlp], &options);
    options.schedule = SCT_EXHAUSTIVE;
    options.prefetch = 0; /* it fetches as it likes */
    struct study *best = with_options(stand->study[PVC][mlp], &options);
    int above = 0;
    for (int i = 0; i < SHAPES; i++)
        for (sct_stay stay = SCT_STAY_A; stay <= SCT_STAY_C; stay++) {
            const struct trial trial = {misaligned[i], batch, {0, 0, 0}, stay, false};
            double ratio =
                study_outcome(direct, &trial).seconds / study_outcome(best, &trial).seconds;
            fprintf(figures, " %.3f", ratio);
            above += ratio > limit;
        }
    study_destroy(direct);
    study_destroy(best);
    return above;
}

static int count_behind(const struct stand *stand, bool sync, int batch, double limit,
                        FILE *figures) {
    int above = 0;
    fprintf(figures, "direct to exhaustive:");
    for (int mlp = MLP_1; mlp < MLPS; mlp++)
        above += compare_orders(stand, mlp, sync, batch, limit, figures);
    fprintf(figures, "; %d of %d above %g", above, CASES, limit);
    return above;
}

bool direct_is_enough(const struct stand *stand, int batch, FILE *figures) {
    return 10 * count_behind(stand, false, batch, 1.05, figures) <= CASES;
}

bool sync_is_behind(const struct stand *stand, int batch, FILE *figures) {
    return 2 * count_behind(stand, true, batch, 1.1, figures) >= CASES;
}

/* Of what is reported of the named partitionings, at least half is slower if all ranks start with
 * their first step, and nothing is faster, by more than a hundredth. */
static bool offset_helps(const struct stand *stand, int machine, int batch, FILE *figures) {
    int slower = 0, faster = 0;
    fprintf(figures, "alike to shifted:");
    for (int mlp = MLP_1; mlp < MLPS; mlp++) {
        struct study *shifted = stand->study[machine][mlp];
        sct_options options = stand->subject.options;
        options.start = SCT_START_ALIKE;
        struct study *alike = with_options(shifted, &options);
        for (int i = 0; i < NAMED; i++) {
            struct found found = study_report(shifted, named[i], batch);
            double ratio = study_outcome(alike, &found.trial).seconds / found.outcome.seconds;
            fprintf(figures, " %.3f", ratio);
            slower += ratio > 1.01;
            faster += ratio < 0.99;
        }
        study_destroy(alike);
    }
    return slower >= NAMED * MLPS / 2 && faster == 0;
}

bool offset_helps_pvc(const struct stand *stand, int batch, FILE *figures) {
    return offset_helps(stand, PVC, batch, figures);
}

bool offset_helps_h100(const struct stand *stand, int batch, FILE *figures) {
    return offset_helps(stand, H100, batch, figures);
}
