/* plan.c - the verb plan: shows what ranks would do, without data. */
#include "args/problem.h"
#include "args/verbs.h"
#include "draw/plan_picture.h"
#include "output/text_file.h"
#include "print/plan_cost.h"
#include "ranks/rank_group.h"
#include "run/lower_bound.h"
#include "run/measured_work.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DECISIONS_TEXT = 200 }; /* longer than any text of decisions */

/* The results for the requested plans. */
struct survey {
    sct_cost own;       /* for --rank */
    sct_cost unlimited; /* likewise, without a limit on workspace */
    sct_stay stay;
    sct_decisions decisions; /* likewise */
    sct_cost sum, busiest;   /* for --all */
    int busiest_rank;
    double most_flops;
    uint64_t most_stored;
    struct lower_bound lower; /* compared with what the busiest planned rank moves */
};

static enum code make_plan(const struct problem *problem, int rank, sct_plan **plan) {
    sct_status status = sct_plan_create(&problem->value, rank, &problem->options, plan);
    if (status != SCT_OK)
        report_error("rank %d: %s", rank, sct_last_reason());
    return report_code(status);
}

static enum code plan_cost(const struct problem *problem, int rank, sct_cost *cost, sct_stay *stay,
                           sct_decisions *decisions) {
    sct_plan *plan;
    enum code code = make_plan(problem, rank, &plan);
    if (code != CODE_DONE)
        return code;
    sct_plan_cost(plan, cost);
    *stay = sct_plan_stay(plan);
    sct_plan_decisions(plan, decisions);
    sct_plan_destroy(plan);
    return CODE_DONE;
}

/* What the rank of --rank would do without a limit on workspace, and so perhaps with other work. */
static enum code survey_unlimited(const struct problem *problem, struct survey *survey) {
    struct problem unlimited = *problem;
    sct_stay stay;
    sct_decisions decisions;
    unlimited.options.workspace = SCT_NO_LIMIT;
    unlimited.options.stay = (sct_stay)problem->args->stay;
    unlimited.options.work = problem->args->work ? problem->work : NULL;
    return plan_cost(&unlimited, (int)problem->args->rank, &survey->unlimited, &stay, &decisions);
}

static void print_unlimited(const struct problem *problem, const struct survey *survey) {
    uint64_t moved = cost_moved(&survey->own), least = cost_moved(&survey->unlimited);
    if (least < moved)
        printf("\nWith --workspace none, rank %" PRId64
               " moves %.3f times the bytes, and takes %" PRIu64 "\nbytes of workspace.\n",
               problem->args->rank, (double)least / (double)moved, survey->unlimited.workspace);
}

static enum code survey_all(const struct problem *problem, struct survey *survey) {
    int64_t ranks = problem->args->ranks;
    for (int64_t rank = 0; rank < ranks; rank++) {
        sct_cost cost;
        sct_stay stay;
        sct_decisions decisions;
        enum code code = plan_cost(problem, (int)rank, &cost, &stay, &decisions);
        if (code != CODE_DONE)
            return code;
        sct_cost_add(&cost, &survey->sum);
        uint64_t stored = problem_stored(problem, (int)rank);
        survey->most_stored = stored > survey->most_stored ? stored : survey->most_stored;
        survey->most_flops = cost.flops > survey->most_flops ? cost.flops : survey->most_flops;
        if (rank == 0 || cost_moved(&cost) > cost_moved(&survey->busiest)) {
            survey->busiest = cost;
            survey->busiest_rank = (int)rank;
        }
        report_progress("ranks planned", rank + 1, ranks);
    }
    return CODE_DONE;
}

/* The largest value of a rank over the mean of all ranks. */
static double imbalance(const struct problem *problem, double most, double sum) {
    return sum > 0 ? most * (double)problem->args->ranks / sum : 1;
}

static double flops_imbalance(const struct problem *problem, const struct survey *survey) {
    return imbalance(problem, survey->most_flops, survey->sum.flops);
}

static double bytes_imbalance(const struct problem *problem, const struct survey *survey) {
    return imbalance(problem, (double)cost_moved(&survey->busiest),
                     (double)cost_moved(&survey->sum));
}

static void print_json(const struct problem *problem, const struct survey *survey) {
    struct json json;
    char text[DECISIONS_TEXT];
    sct_decisions_print(&survey->decisions, text, sizeof text);
    json_begin(&json, stdout);
    json_bool(&json, "ok", true);
    json_whole(&json, "rank", problem->args->rank);
    problem_json(problem, survey->stay, &json);
    json_text(&json, "decisions", text);
    cost_json(&survey->own, &json);
    json_bytes(&json, "unlimited_bytes", cost_moved(&survey->unlimited));
    json_bytes(&json, "unlimited_workspace", survey->unlimited.workspace);
    lower_bound_json(&survey->lower, &json);
    if (problem->args->all) {
        json_real(&json, "imbalance_flops", flops_imbalance(problem, survey));
        json_real(&json, "imbalance_bytes", bytes_imbalance(problem, survey));
        json_open(&json, "sum", '{');
        cost_json(&survey->sum, &json);
        json_close(&json, '}');
        json_open(&json, "busiest", '{');
        json_whole(&json, "rank", survey->busiest_rank);
        cost_json(&survey->busiest, &json);
        json_close(&json, '}');
    }
    if (problem->args->check)
        json_text(&json, "check", "holds");
    json_end_result(&json);
}

static void print_table(const struct problem *problem, const struct survey *survey) {
    const sct_cost *columns[] = {&survey->own, &survey->sum, &survey->busiest};
    char rank[24], busiest[24], decisions[DECISIONS_TEXT];
    snprintf(rank, sizeof rank, "rank %" PRId64, problem->args->rank);
    snprintf(busiest, sizeof busiest, "rank %d", survey->busiest_rank);
    const char *heads[] = {rank, "all ranks", busiest};
    problem_print(problem, survey->stay);
    if (problem->args->ranks > 1 && problem->args->per_node == 0 && !problem->args->machine)
        puts("  all ranks share memory; --per-node R plans for R ranks on each node");
    sct_decisions_print(&survey->decisions, decisions, sizeof decisions);
    printf("  decisions of rank %" PRId64 ": %s\n\n", problem->args->rank, decisions);
    cost_print(problem->args->all ? 3 : 1, heads, columns);
    if (problem->args->all)
        printf("\nRank %d moves the most bytes, %.3f times the mean. The rank with the most "
               "flops\nhas %.3f times the mean.\n",
               survey->busiest_rank, bytes_imbalance(problem, survey),
               flops_imbalance(problem, survey));
    lower_bound_print(problem->args->all ? survey->busiest_rank : problem->args->rank,
                      &survey->lower);
    print_unlimited(problem, survey);
    if (problem->args->check)
        puts(
            "\nThe check holds: the plans of all ranks together do every product exactly once, and "
            "read\nand write each element where its layout says.");
}

static void json_indices(struct json *json, const char *key, const sct_indices *indices) {
    json_open(json, key, '[');
    for (int64_t i = 0; i < indices->ranges; i++) {
        sct_range range = sct_indices_range(indices, i);
        json_open(json, NULL, '[');
        json_whole(json, NULL, range.lo);
        json_whole(json, NULL, range.hi);
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void json_operand(struct json *json, const char *key, int owner, sct_reach reach) {
    json_open(json, key, '{');
    json_known(json, "owner", owner); /* null: several owners */
    json_text(json, "how", reach == SCT_IN_PLACE ? "in place" : "copy");
    json_close(json, '}');
}

static void print_step(int64_t index, const sct_step *step) {
    struct json json;
    json_begin(&json, stdout);
    json_whole(&json, "step", index);
    json_indices(&json, "m", &step->m);
    json_indices(&json, "n", &step->n);
    json_indices(&json, "k", &step->k);
    json_operand(&json, "a", step->owner_a, step->a);
    json_operand(&json, "b", step->owner_b, step->b);
    json_operand(&json, "c", step->owner_c, step->c);
    json_whole(&json, "group", step->group);
    json_end_result(&json);
}

static enum code print_steps(const sct_plan *plan) {
    sct_cost cost;
    sct_status status = sct_plan_cost(plan, &cost);
    for (int64_t i = 0; status == SCT_OK && i < cost.steps; i++) {
        sct_step step;
        status = sct_plan_step(plan, i, &step);
        if (status == SCT_OK)
            print_step(i, &step);
    }
    return report_status(status);
}

static enum code find_lower(const struct problem *problem, struct survey *survey) {
    bool all = problem->args->all;
    const sct_cost *cost = all ? &survey->busiest : &survey->own;
    uint64_t stored = all ? survey->most_stored : problem_stored(problem, (int)problem->args->rank);
    struct burden burden = {.moved = cost_moved(cost) - cost->bytes_reduced,
                            .reduced = cost->bytes_reduced,
                            .memory = stored + cost->workspace,
                            .copies = sct_layout_replicas(problem->layout[MATRIX_A]) > 1 ||
                                      sct_layout_replicas(problem->layout[MATRIX_B]) > 1};
    return report_status(lower_bound_find(problem->args, &burden, &survey->lower));
}

static enum code print_summary(const struct problem *problem) {
    struct survey survey = {.busiest_rank = 0};
    enum code code =
        plan_cost(problem, (int)problem->args->rank, &survey.own, &survey.stay, &survey.decisions);
    if (code == CODE_DONE)
        code = survey_unlimited(problem, &survey);
    if (code == CODE_DONE && problem->args->all)
        code = survey_all(problem, &survey);
    if (code == CODE_DONE)
        code = find_lower(problem, &survey);
    if (code != CODE_DONE)
        return code;
    if (problem->args->json)
        print_json(problem, &survey);
    else
        print_table(problem, &survey);
    return CODE_DONE;
}

/* Prints the steps of a rank, as JSON or as a text picture. */
static enum code show_steps(const struct problem *problem) {
    sct_plan *plan;
    enum code code = make_plan(problem, (int)problem->args->rank, &plan);
    if (code != CODE_DONE)
        return code;
    code = problem->args->steps ? print_steps(plan) : plan_text_print(problem, plan);
    sct_plan_destroy(plan);
    return code;
}

static enum code write_figure(const struct problem *problem) {
    struct text_file text_file;
    sct_plan *plan;
    enum code code = make_plan(problem, (int)problem->args->rank, &plan);
    if (code != CODE_DONE)
        return code;
    code = text_file_open(problem->args->svg, &text_file);
    if (code == CODE_DONE)
        code = plan_picture_draw(problem, plan, text_file.out);
    sct_plan_destroy(plan);
    return text_file_close(code, &text_file);
}

static enum code check_plans(const struct problem *problem) {
    sct_status status = sct_plan_check(&problem->value, &problem->options);
    if (status == SCT_OK)
        return CODE_DONE;
    report_error("%s%s", status == SCT_FAILED ? "the check does not hold: " : "",
                 sct_last_reason());
    return report_code(status);
}

/* Runs on rank 0's process alone. */
enum code plan_work(const struct args *args) {
    struct problem problem;
    if (!rank_group_leads(args->group))
        return CODE_DONE;
    enum code code = problem_create(args, &problem);
    if (code != CODE_DONE)
        return code;
    /* The machine says which ranks share a node, unless --per-node does. */
    if (problem.machine && args->per_node == 0)
        problem.value.ranks_per_node = sct_machine_ranks_per_node(problem.machine);
    code = measured_work_recall(&problem);
    if (code == CODE_DONE && args->check)
        code = check_plans(&problem);
    if (code == CODE_DONE && args->svg)
        code = write_figure(&problem);
    if (code == CODE_DONE)
        code = args->steps || args->picture ? show_steps(&problem) : print_summary(&problem);
    problem_destroy(&problem);
    return code;
}
