/* result_json.c - the results of an experiment as JSON. */
#include "run/experiment.h"

bool result_json_ok(const struct outcome *outcome) {
    return outcome->as_planned && outcome->verdicts[EXACT].wrong == 0 &&
           outcome->verdicts[BOUND].wrong == 0;
}

static void json_reference(const struct outcome *outcome, struct json *json) {
    json_real(json, "blas_seconds", outcome->blas_seconds);
    json_real(json, "ratio", outcome->ratio.median);
    json_real(json, "ratio_low", outcome->ratio.low);
    json_real(json, "ratio_high", outcome->ratio.high);
    json_whole(json, "pairs", outcome->timed);
    json_bool(json, "oversubscribed", outcome->oversubscribed);
    json_real(json, "cpu_outside_gemm", outcome->cpu_outside_gemm);
    json_whole(json, "blas_memory", outcome->blas_memory);
}

void result_json_json(const struct problem *problem, const struct outcome *outcome,
                      struct json *json) {
    const struct args *args = problem->args;
    problem_json(problem, outcome->product.stay, json);
    product_json(&outcome->product, args, &outcome->sum, json);
    if (args->check) {
        json_real(json, "max_error_over_bound", outcome->verdicts[BOUND].worst);
        json_whole(json, "checked_exactly", outcome->verdicts[EXACT].checked);
        json_whole(json, "checked_by_bound", outcome->verdicts[BOUND].checked);
    } else {
        json_null(json, "max_error_over_bound");
    }
    if (args->reference)
        json_reference(outcome, json);
    peak_json(&outcome->peak, json);
    json_whole(json, "parts_memory", outcome->parts);
    json_whole(json, "seed", args->seed);
    json_whole(json, "repeat", outcome->timed);
}
