/* gpus.c - without a described machine, plans for ranks with GPUs are made for GPUs: on a described
 * machine that has some, they take less virtual time than those made for nodes of cores. */
#include <sectile/sectile.h>

#include "support/check.h"

#include <math.h>

enum { RANKS = 8, SIZE = 4096 };

/* The time on a machine of what plans do that are made without it. */
static double seconds(sct_problem problem, sct_gpus gpus, const sct_machine *machine) {
    sct_options options = {.size = sizeof options};
    sct_decisions decisions = {.size = sizeof decisions};
    sct_forecast forecast = {.seconds = NAN};
    sct_plan *plan;
    problem.gpus = gpus;
    CHECK(sct_plan_create(&problem, 0, NULL, &plan) == SCT_OK);
    options.stay = sct_plan_stay(plan);
    options.work = sct_plan_work(plan);
    sct_plan_decisions(plan, &decisions);
    options.decisions = &decisions;
    CHECK_CASE(sct_simulate(&problem, &options, machine, NULL, &forecast) == SCT_OK, "%s",
               sct_last_reason());
    sct_plan_destroy(plan);
    return forecast.seconds;
}

static void compare(const sct_machine *machine, const char *const texts[3], sct_type type) {
    sct_layout *layout[3];
    for (int i = 0; i < 3; i++)
        CHECK(sct_layout_parse(texts[i], SIZE, SIZE, RANKS, &layout[i]) == SCT_OK);
    sct_problem problem = {.size = sizeof problem,
                           .type = type,
                           .a = layout[0],
                           .b = layout[1],
                           .c = layout[2],
                           .ranks = RANKS,
                           .ranks_per_node = 1};
    double cores = seconds(problem, SCT_GPUS_NONE, machine);
    for (sct_gpus kind = SCT_GPUS_HALVES; kind <= SCT_GPUS_WIDENING; kind++) {
        double gpus = seconds(problem, kind, machine);
        CHECK_CASE(gpus < 0.8 * cores, "%s %s %s: %g s by plans for GPUs, %g s by others", texts[0],
                   texts[1], texts[2], gpus, cores);
    }
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(layout[i]);
}

int main(void) {
    static const char *const layouts[][3] = {
        {"row", "2d", "2d"}, {"row", "col", "2d"}, {"col", "2d", "2d"}, {"row", "row", "row"}};
    sct_machine *machine;
    CHECK(sct_machine_load("h100x8", &machine) == SCT_OK);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        for (sct_type type = SCT_F32; type <= SCT_BF16; type += SCT_BF16 - SCT_F32)
            compare(machine, layouts[i], type);
    sct_machine_destroy(machine);
    return check_report("gpus");
}
