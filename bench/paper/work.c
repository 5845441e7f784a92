/* work.c - compares the best stationary matrix with the work layout that the library chooses. */
#include "work.h"

#include <math.h>

/* "61.9 %, 2.41 GB (6, S-C)": as shares are printed elsewhere; "grid" for a work layout that is
 * that of no matrix. */
static void print_way(FILE *out, const struct study *study, const struct found *found) {
    fprintf(out, "%.1f %%, %.3g GB (", 100 * found->outcome.share,
            (double)found->outcome.moved / 1e9);
    print_factors(out, study, found);
    if (found->outcome.stay == SCT_STAY_AUTO)
        fprintf(out, ", grid)");
    else
        fprintf(out, ", S-%c)", "-ABC"[found->outcome.stay]);
}

/* Of some cases: how many are faster or slower by more than 1 %, or alike in time and bytes. */
struct balance {
    int cases, faster, slower, alike;
    double logarithms;   /* of how many times as fast, summed */
    double kept, chosen; /* bytes */
};

static void add_to(struct balance *balance, const struct found *kept, const struct found *chosen) {
    double times = kept->outcome.seconds / chosen->outcome.seconds;
    balance->cases++;
    balance->faster += times > 1.01;
    balance->slower += times < 1 / 1.01;
    balance->logarithms += log(times);
    balance->kept += (double)kept->outcome.moved;
    balance->chosen += (double)chosen->outcome.moved;
}

/* What is alike is not printed. */
static void print_case(FILE *out, struct study *study, const struct trial *pattern,
                       struct balance *balance) {
    struct trial free = *pattern;
    free.chosen = true;
    struct found kept = study_best(study, pattern), chosen = study_best(study, &free);
    double times = kept.outcome.seconds / chosen.outcome.seconds;
    char name[TEXT];
    add_to(balance, &kept, &chosen);
    if (fabs(times - 1) < 0.005 && kept.outcome.moved == chosen.outcome.moved) {
        balance->alike++;
        return;
    }
    partitioning_name(pattern->partitioning, name);
    fprintf(out, "| %s | %dK | ", name, study_batch(study, pattern->batch));
    print_way(out, study, &kept);
    fprintf(out, " | ");
    print_way(out, study, &chosen);
    fprintf(out, " | %.2f | %.2f |\n", times,
            (double)chosen.outcome.moved / (double)kept.outcome.moved);
}

static void print_product(FILE *out, const char *machine, struct study *study, int factor) {
    const struct subject *subject = study_subject(study);
    struct balance sum = {.cases = 0};
    fprintf(out,
            "\n| %s, MLP-%d, %s | batch | best stationary | work layout chosen | times as fast | "
            "times the bytes |\n|---|---|---|---|---|---|\n",
            machine, subject->mlp + 1, factor == ANY ? "best copies" : "no copies");
    for (int i = 0; i < NAMED; i++)
        for (int batch = 0; batch < subject->batches; batch++) {
            struct trial pattern = {
                .partitioning = named[i], .batch = batch, .factor = {factor, factor, factor}};
            print_case(out, study, &pattern, &sum);
        }
    fprintf(out, "| all %d; alike: %d | | faster: %d | slower: %d | mean %.3f | %.2f |\n",
            sum.cases, sum.alike, sum.faster, sum.slower, exp(sum.logarithms / sum.cases),
            sum.chosen / sum.kept);
}

void print_work(FILE *out, const struct stand *stand) {
    const int factors[] = {ANY, 0};
    for (int i = 0; i < 2; i++)
        for (int machine = 0; machine < MACHINES; machine++)
            for (int mlp = MLP_1; mlp < MLPS; mlp++)
                print_product(out, machine_names[machine], stand->study[machine][mlp], factors[i]);
}
