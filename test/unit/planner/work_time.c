/* work_time.c - on a described machine with few ranks, the chosen work is as fast in virtual time
 * as the best of the three stationary matrices. */
#include <sectile/sectile.h>

#include "support/check.h"

#include <math.h>

typedef struct sample {
    const char *machine;
    int64_t m, n, k;
    const char *layout[3];
} sample;

static double seconds(const sct_problem *problem, const sct_machine *machine, sct_stay stay) {
    sct_options options = {.size = sizeof options, .stay = stay};
    sct_forecast forecast = {.seconds = NAN};
    CHECK_CASE(sct_simulate(problem, &options, machine, NULL, &forecast) == SCT_OK, "%s",
               sct_last_reason());
    return forecast.seconds;
}

static void check_chosen(const sample *p) {
    sct_machine *machine;
    sct_layout *layout[3];
    CHECK(sct_machine_load(p->machine, &machine) == SCT_OK);
    int ranks = sct_machine_ranks(machine) ? sct_machine_ranks(machine) : 10;
    const int64_t rows[] = {p->m, p->k, p->m}, cols[] = {p->k, p->n, p->n};
    for (int i = 0; i < 3; i++)
        CHECK(sct_layout_parse(p->layout[i], rows[i], cols[i], ranks, &layout[i]) == SCT_OK);
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = layout[0],
                           .b = layout[1],
                           .c = layout[2],
                           .ranks = ranks};
    double best = INFINITY, chosen = seconds(&problem, machine, SCT_STAY_AUTO);
    for (sct_stay stay = SCT_STAY_A; stay <= SCT_STAY_C; stay++)
        best = fmin(best, seconds(&problem, machine, stay));
    CHECK_CASE(chosen <= 1.005 * best, "%s %s %s %s %lldx%lldx%lld: chosen takes %g s, best %g",
               p->machine, p->layout[0], p->layout[1], p->layout[2], (long long)p->m,
               (long long)p->n, (long long)p->k, chosen, best);
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(layout[i]);
    sct_machine_destroy(machine);
}

int main(void) {
    static const sample samples[] = {
        {"pvc12", 1198, 106, 270, {"2d", "row", "cyclic:64x64"}},
        {"pvc12", 513, 117, 72, {"2d", "col", "cyclic:64x64"}},
        {"pvc12", 4151, 4914, 3972, {"col", "row", "2d"}},
        {"pvc12", 3753, 347, 1255, {"row", "cyclic:64x64", "2d"}},
        {"h100x8", 3864, 345, 1263, {"col", "col", "col"}},
        {"h100x8", 120, 85, 988, {"col", "cyclic:64x64", "cyclic:64x64"}},
        {"cluster", 402, 5781, 2388, {"cyclic:64x64", "col", "col"}},
        {"cluster", 4779, 2658, 2696, {"row@1", "row@1", "col@2"}},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check_chosen(&samples[i]);
    return check_report("work_time");
}
