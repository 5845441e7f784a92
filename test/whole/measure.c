/* measure.c - products with SCT_MEASURE run their candidates in turns, and then the fastest, the
 * same on all ranks. Clocks of the test say how fast each is. */
#include "api/world.h"
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/elements.h"
#include "whole/support/meetings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, M = 24, N = 36, K = 48, A = 0, B = 1, C = 2, ROUNDS = SCT_TRIAL_ROUNDS };

/* ---- What is counted of each rank, and its clock ---- */

static _Thread_local int plans, jobs;
static _Thread_local double far_rate;  /* of the machine that the last plan was for; 0: none */
static _Thread_local sct_stay lacking; /* the binding of plans with this shape fails; AUTO: none */

sct_status __real_sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                                  sct_plan **plan);
sct_status __wrap_sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                                  sct_plan **plan);
sct_status __real_sct_job_bind(const sct_plan *plan, const sct_exec_context *context,
                               const sct_bound bound[SCT_MATS], void *workspace, sct_job **job);
sct_status __wrap_sct_job_bind(const sct_plan *plan, const sct_exec_context *context,
                               const sct_bound bound[SCT_MATS], void *workspace, sct_job **job);

sct_status __wrap_sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                                  sct_plan **plan) {
    plans++;
    far_rate = options && options->machine ? options->machine->level[1].uplink : 0;
    return __real_sct_plan_create(problem, rank, options, plan);
}

sct_status __wrap_sct_job_bind(const sct_plan *plan, const sct_exec_context *context,
                               const sct_bound bound[SCT_MATS], void *workspace, sct_job **job) {
    if (lacking != SCT_STAY_AUTO && sct_plan_stay(plan) == lacking && !sct_plan_work(plan))
        return sct_fail(SCT_NO_MEMORY, "the test has no memory");
    jobs++;
    return __real_sct_job_bind(plan, context, bound, workspace, job);
}

/* The times that products take: by candidate, of its first run, its early ones after that (0: as
 * long as the others), and the others. */
enum { MOST = SCT_WORK_CANDIDATES };
typedef struct times {
    int64_t first[MOST], later[MOST], early[MOST];
    int rounds; /* that are early */
} times;

static _Thread_local const times *taken;
static _Thread_local int64_t looks; /* at the clock, two each at the start and at the end */
static _Thread_local int64_t clock_ns;
static _Thread_local int candidates;

/* Only the wait of a product takes time. */
static int64_t look(void) {
    enum { LOOKS = 4 };
    int64_t product = looks / LOOKS;
    int round = (int)product / candidates, candidate = (int)product % candidates;
    bool ends = taken && looks++ % LOOKS == LOOKS - 1;
    if (ends && round == 0)
        clock_ns += taken->first[candidate];
    else if (ends && round <= taken->rounds && taken->early[candidate] > 0)
        clock_ns += taken->early[candidate];
    else if (ends)
        clock_ns += taken->later[candidate];
    return clock_ns;
}

static void set_clock(sct_world *world, const times *of) {
    world->trials.now = look;
    taken = of;
    looks = 0;
}

/* ---- Products ---- */

static const double one = 1, zero = 0;
static const sct_options measured = {.size = sizeof measured, .effort = SCT_MEASURE};

static void make(sct_world *world, sct_matrix *x[3]) {
    static const int sizes[3][2] = {{M, K}, {K, N}, {M, N}};
    static const char *const layouts[3] = {"row", "col", "cyclic:5x7"};
    for (int i = 0; i < 3; i++) {
        x[i] = matrix_new(world, SCT_F64, layouts[i], sizes[i][0], sizes[i][1]);
        matrix_set(world, x[i], (element){1, 0});
    }
}

static void destroy(sct_matrix *x[3]) {
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(x[i]);
}

static sct_status try(sct_matrix *x[3], double alpha, const sct_options *options) {
    return sct_multiply(SCT_N, SCT_N, &alpha, sct_whole(x[A]), sct_whole(x[B]), &zero,
                        sct_whole(x[C]), options);
}

static void multiply(const sct_world *world, sct_matrix *x[3], double alpha,
                     const sct_options *options) {
    double wanted = alpha * K;
    CHECK_CASE(try(x, alpha, options) == SCT_OK, "%s", sct_last_reason());
    matrix_check_f64(world, x[C], wanted);
}

static sct_problem problem_of(const sct_world *world, sct_matrix *x[3], sct_view view[3]) {
    for (int i = 0; i < 3; i++)
        view[i] = sct_whole(x[i]);
    return sct_views_problem(world, SCT_N, SCT_N, view);
}

/* The work layouts of the candidates, as options. */
static int find_candidates(const sct_world *world, sct_matrix *x[3], sct_options of[MOST]) {
    sct_work_layout work[MOST];
    sct_view view[3];
    int count = 0;
    const sct_problem problem = problem_of(world, x, view);
    CHECK(sct_plan_candidates(&problem, NULL, work, &count) == SCT_OK);
    for (int i = 0; i < count; i++) {
        of[i] = (sct_options){.size = sizeof *of, .stay = (sct_stay)(SCT_STAY_A + work[i].shape)};
        if (!work[i].stationary)
            of[i].work = work[i].layout;
        else
            sct_layout_destroy((sct_layout *)work[i].layout);
    }
    return count;
}

static char *wisdom_of(const sct_world *world) {
    size_t bytes = sct_world_wisdom(world, NULL, 0) + 1;
    char *text = malloc(bytes);
    CHECK(text && sct_world_wisdom(world, text, bytes) == bytes - 1);
    return text;
}

static bool is_kept(const sct_world *world, const sct_options *candidate) {
    const sct_wisdom_entry *kept = world->trials.wisdom.first;
    return kept && kept->stay == candidate->stay &&
           (kept->work == candidate->work ||
            (kept->work && candidate->work && sct_layout_equal(kept->work, candidate->work)));
}

/* Takes the turns of all candidates; returns how many there are. */
static void take_turns(sct_world *world, sct_matrix *x[3], int turns) {
    for (int i = 0; i < turns; i++) {
        CHECK(!world->trials.wisdom.first);
        multiply(world, x, 1 + i, &measured);
    }
    CHECK_CASE(world->jobs == (uint64_t)turns, "%d products", (int)world->jobs);
}

/* How often the ranks meet in a product. */
static int meetings(const sct_world *world, sct_matrix *x[3], const sct_options *options) {
    meetings_counted();
    multiply(world, x, 2, options);
    return meetings_counted();
}

static void start_counting(sct_world *world) {
    meetings_count(world->fabric);
    plans = jobs = 0;
}

/* ---- Which is kept ---- */

/* On rank 0 the first is fastest, on the others the last; on the slowest rank, the second is. The
 * third would be, if its first run counted, or two more. */
static int keep_fastest(sct_world *world, void *arg) {
    static const times of[2] = {{{9, 9, 1, 9}, {1, 5, 7, 8}, {0, 0, 2, 0}, 2},
                                {{9, 9, 1, 9}, {9, 6, 7, 1}, {0, 0, 2, 0}, 2}};
    sct_matrix *x[3];
    sct_options candidate[MOST];
    (void)arg;
    make(world, x);
    candidates = find_candidates(world, x, candidate);
    CHECK_CASE(candidates == MOST, "%d candidates", candidates);
    set_clock(world, &of[sct_world_rank(world) > 0]);
    start_counting(world);
    take_turns(world, x, candidates * ROUNDS);
    CHECK_CASE(plans == candidates && jobs == candidates, "%d plans, %d jobs", plans, jobs);
    multiply(world, x, 3, &measured);
    CHECK_CASE(plans == candidates && jobs == candidates, "%d plans, %d jobs", plans, jobs);
    char *found = wisdom_of(world);
    CHECK_CASE(is_kept(world, &candidate[1]), "%s", found);
    free(found);
    CHECK(!world->trials.first && world->recent.count == 1);
    int first = meetings(world, x, &candidate[1]), again = meetings(world, x, &candidate[1]);
    int kept = meetings(world, x, &measured);
    CHECK_CASE(kept == again && first == again, "%d meetings, not %d", kept, again);
    plans = jobs = 0;
    multiply(world, x, 4, &measured);
    CHECK_CASE(plans == 0 && jobs == 0, "%d plans, %d jobs", plans, jobs);
    sct_recent_clear(&world->recent);
    int unbound = meetings(world, x, &measured);
    CHECK_CASE(unbound == again, "%d meetings", unbound);
    meetings_end(world->fabric);
    for (int i = 0; i < candidates; i++)
        sct_layout_destroy((sct_layout *)candidate[i].work);
    destroy(x);
    return 0;
}

/* The candidate with this number is kept where candidates take these times. */
static void check_kept(sct_world *world, const times *of, int number) {
    sct_matrix *x[3];
    sct_options candidate[MOST];
    make(world, x);
    candidates = find_candidates(world, x, candidate);
    set_clock(world, of);
    take_turns(world, x, candidates * ROUNDS);
    multiply(world, x, 1, &measured);
    CHECK(is_kept(world, &candidate[number]));
    for (int i = 0; i < candidates; i++)
        sct_layout_destroy((sct_layout *)candidate[i].work);
    destroy(x);
}

/* The best by estimate is kept if it was twice as fast as another, but not if it was once. */
static int keep_estimate(sct_world *world, void *arg) {
    const int *early = arg;
    const times of = {{9, 9, 9, 9}, {7, 5, 5, 5}, {5, 0, 0, 0}, *early};
    check_kept(world, &of, *early == 1);
    return 0;
}

/* The best by estimate is also kept if another takes 2 % less time, but not if it takes 3 % less.
 */
static int keep_where_little_is_gained(sct_world *world, void *arg) {
    const int *gain = arg;
    const times of = {{900, 900, 900, 900}, {900, 900 - *gain, 900, 900}};
    check_kept(world, &of, *gain >= 30);
    return 0;
}

/* One whose memory is missing on one rank does not run, and is not kept. */
static int leave_out(sct_world *world, void *arg) {
    static const times of = {{9, 9, 9, 9}, {5, 5, 5, 5}};
    sct_matrix *x[3];
    sct_options candidate[MOST];
    (void)arg;
    make(world, x);
    candidates = find_candidates(world, x, candidate);
    int left = 0;
    while (candidate[left].work)
        left++;
    set_clock(world, &of);
    lacking = sct_world_rank(world) == 1 ? candidate[left].stay : SCT_STAY_AUTO;
    take_turns(world, x, (candidates - 1) * ROUNDS);
    multiply(world, x, 1, &measured);
    lacking = SCT_STAY_AUTO;
    CHECK(world->trials.wisdom.first && !is_kept(world, &candidate[left]));
    for (int i = 0; i < candidates; i++)
        sct_layout_destroy((sct_layout *)candidate[i].work);
    destroy(x);
    return 0;
}

/* The last turn begins before another product, which runs the first candidate and does not count.
 * Both take no time. */
static int overlap(sct_world *world, void *arg) {
    static const times of = {{9, 9, 9, 9}, {5, 4, 6, 6}};
    sct_matrix *x[3], *y[3];
    sct_options candidate[MOST];
    sct_multiplying *started[2];
    (void)arg;
    make(world, x);
    make(world, y);
    candidates = find_candidates(world, x, candidate);
    set_clock(world, &of);
    take_turns(world, x, candidates * ROUNDS - 1);
    taken = NULL;
    for (int i = 0; i < 2; i++) {
        sct_matrix **of_i = i == 0 ? x : y;
        CHECK(sct_multiply_start(SCT_N, SCT_N, &one, sct_whole(of_i[A]), sct_whole(of_i[B]), &zero,
                                 sct_whole(of_i[C]), &measured, &started[i]) == SCT_OK);
    }
    CHECK(!world->trials.wisdom.first);
    for (int i = 0; i < 2; i++)
        CHECK(sct_multiply_wait(started[i]) == SCT_OK);
    CHECK(world->trials.first->candidate[candidates - 1].ns[ROUNDS - 1] == 0);
    multiply(world, y, 2, &measured);
    CHECK(is_kept(world, &candidate[1]));
    for (int i = 0; i < candidates; i++)
        sct_layout_destroy((sct_layout *)candidate[i].work);
    destroy(x);
    destroy(y);
    return 0;
}

/* Products that only scale C say nothing. */
static int scale(sct_world *world, void *arg) {
    static const times none = {{0, 0, 0, 0}, {0, 0, 0, 0}}, of = {{9, 9, 9, 9}, {5, 4, 6, 6}};
    sct_matrix *x[3];
    sct_options candidate[MOST];
    (void)arg;
    make(world, x);
    candidates = find_candidates(world, x, candidate);
    set_clock(world, &of);
    for (int i = 0; i < ROUNDS * candidates; i++) {
        bool scales = i / candidates % 2 == 1;
        taken = scales ? &none : &of;
        multiply(world, x, !scales, &measured);
    }
    multiply(world, x, 1, &measured);
    CHECK(is_kept(world, &candidate[1]));
    for (int i = 0; i < candidates; i++)
        sct_layout_destroy((sct_layout *)candidate[i].work);
    destroy(x);
    return 0;
}

/* ---- Errors ---- */

/* Nothing of a call that fails is kept, and the ranks go on in step. */
static int fail(sct_world *world, void *arg) {
    static const times of = {{9, 9, 9, 9}, {5, 4, 6, 6}};
    bool last = sct_world_rank(world) == RANKS - 1;
    sct_matrix *x[3];
    sct_options other = measured;
    (void)arg;
    make(world, x);
    candidates = MOST;
    set_clock(world, &of);
    other.workspace = last ? 1 << 20 : 0;
    CHECK(try(x, 1, &other) == SCT_DISAGREE);
    CHECK(try(x, last ? 1 : 2, &measured) == SCT_DISAGREE);
    CHECK(try(x, 1, last ? &measured : NULL) == SCT_DISAGREE);
    other = measured;
    other.effort = (sct_effort)2;
    CHECK(try(x, 1, &other) == SCT_BAD_ARGUMENT);
    other = measured;
    other.ordered = 1;
    for (int i = 0; i < 2; i++)
        multiply(world, x, 1, &other);
    other.ordered = 0;
    other.stay = SCT_STAY_B;
    multiply(world, x, 1, &other);
    CHECK(world->trials.first && world->trials.first->turns == 1 && !world->trials.first->next);
    while (!world->trials.wisdom.first)
        multiply(world, x, 1, &measured);
    destroy(x);
    return 0;
}

/* ---- Wisdom ---- */

typedef struct lesson {
    char *text;
    sct_stay kept;
} lesson;

/* Measures at once, without changing C. */
static int measure(sct_world *world, void *arg) {
    static const times of = {{9, 9, 9, 9}, {5, 6, 4, 6}};
    lesson *taught = arg;
    sct_matrix *x[3];
    sct_options candidate[MOST], decided = measured;
    sct_layout *work, *again;
    double wanted = 1;
    make(world, x);
    candidates = find_candidates(world, x, candidate);
    set_clock(world, &of);
    for (int i = 0; i < 2; i++) {
        CHECK_CASE(sct_plan_measure(SCT_N, SCT_N, sct_whole(x[A]), sct_whole(x[B]), sct_whole(x[C]),
                                    NULL, &decided.stay, i == 0 ? &work : &again) == SCT_OK,
                   "%s", sct_last_reason());
        CHECK_CASE(world->jobs == (uint64_t)candidates * ROUNDS, "%d products", (int)world->jobs);
    }
    matrix_check_f64(world, x[C], wanted);
    CHECK(is_kept(world, &candidate[2]) && decided.stay == candidate[2].stay);
    CHECK(!work == !candidate[2].work && work == again);
    start_counting(world);
    multiply(world, x, 3, &measured);
    CHECK_CASE(plans == 0 && jobs == 1, "%d plans, %d jobs", plans, jobs);
    meetings_end(world->fabric);
    if (sct_world_rank(world) == 0)
        *taught = (lesson){wisdom_of(world), decided.stay};
    decided.stay = SCT_STAY_B;
    sct_layout_destroy(work);
    CHECK(sct_plan_measure(SCT_N, SCT_N, sct_whole(x[A]), sct_whole(x[B]), sct_whole(x[C]),
                           &decided, &decided.stay, &work) == SCT_OK);
    CHECK(decided.stay == SCT_STAY_B && !work && !world->trials.wisdom.first->next);
    sct_layout_destroy(again);
    for (int i = 0; i < candidates; i++)
        sct_layout_destroy((sct_layout *)candidate[i].work);
    destroy(x);
    return 0;
}

static int lines_of(const char *text) {
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void refuse(sct_world *world, const char *text, const char *reason) {
    CHECK(sct_world_add_wisdom(world, text) == SCT_BAD_ARGUMENT);
    CHECK_CASE(strstr(sct_last_reason(), reason), "%s", sct_last_reason());
}

/* Another world needs not measure. */
static int apply(sct_world *world, void *arg) {
    const lesson *taught = arg;
    sct_matrix *x[3];
    sct_view view[3];
    sct_stay stay;
    sct_layout *work;
    int found = 0;
    char longer[4096], reason[32];
    make(world, x);
    snprintf(longer, sizeof longer, "%sstay=d work= %s", taught->text, "ranks=1 shape=1x1x1 x");
    snprintf(reason, sizeof reason, "line %d is not", lines_of(longer) + 1);
    refuse(world, "foreign", "the first line");
    refuse(world, longer, reason);
    CHECK(!world->trials.wisdom.first);
    CHECK(sct_world_add_wisdom(
              world, sct_world_rank(world) ? taught->text : "sectile wisdom 1\n") == SCT_DISAGREE);
    CHECK(!world->trials.wisdom.first);
    for (int i = 0; i < 2; i++)
        CHECK_CASE(sct_world_add_wisdom(world, taught->text) == SCT_OK, "%s", sct_last_reason());
    char *text = wisdom_of(world);
    CHECK_CASE(strcmp(text, taught->text) == 0, "%s, not %s", text, taught->text);
    start_counting(world);
    multiply(world, x, 3, &measured);
    multiply(world, x, 3, &measured);
    CHECK_CASE(plans == 1 && jobs == 1 && !world->trials.first, "%d plans, %d jobs", plans, jobs);
    CHECK(sct_plan_stay(world->recent.latest->plan) == taught->kept);
    meetings_end(world->fabric);
    const sct_problem problem = problem_of(world, x, view);
    CHECK(sct_wisdom_decide(text, &problem, NULL, &stay, &work, &found) == SCT_OK);
    CHECK(found == 1 && stay == taught->kept);
    sct_layout_destroy(work);
    CHECK(sct_wisdom_decide("sectile wisdom 1\n", &problem, NULL, &stay, &work, &found) == SCT_OK);
    CHECK(found == 0);
    sct_layout_destroy(work);
    free(text);
    destroy(x);
    return 0;
}

/* ---- Rates ---- */

/* All ranks find the same rates; plans of other products are for them, those of measured products
 * are not. */
static int find_rates(sct_world *world, void *arg) {
    enum { SIZE = 640 };
    static const char *const layouts[3] = {"row", "row", "row"};
    static const sct_options blank = {.size = sizeof blank};
    sct_matrix *x[3];
    sct_rates all[RANKS];
    (void)arg;
    for (int i = 0; i < 3; i++) {
        x[i] = matrix_new(world, SCT_F64, layouts[i], SIZE, SIZE);
        matrix_set(world, x[i], (element){1, 0});
    }
    do
        CHECK_CASE(try(x, 1, &measured) == SCT_OK, "%s", sct_last_reason());
    while (!world->trials.wisdom.first);
    CHECK(far_rate == 0);
    const sct_rates *rates = &world->trials.wisdom.rates;
    CHECK(sct_world_gather(world, rates, sizeof *rates, all) == SCT_OK);
    for (int rank = 0; rank < RANKS; rank++)
        CHECK(all[rank].computing == rates->computing && all[rank].far == rates->far);
    CHECK_CASE(rates->computing > 0 && rates->far > 0, "%d, %d", (int)rates->computing,
               (int)rates->far);
    sct_recent_clear(&world->recent);
    CHECK(try(x, 1, &measured) == SCT_OK && far_rate == 0);
    for (int i = 0; i < 2; i++) {
        sct_recent_clear(&world->recent);
        CHECK(try(x, 1, i == 0 ? NULL : &blank) == SCT_OK);
        CHECK_CASE(far_rate >= 119e6, "%g", far_rate);
    }
    char *text = wisdom_of(world);
    CHECK_CASE(strstr(text, "\ncomputing="), "%s", text);
    free(text);
    destroy(x);
    return 0;
}

int main(void) {
    emulated_options emulated = {.host = 1, .ranks_per_node = 1};
    const sct_world_options world = emulated_world(&emulated);
    lesson taught = {.text = NULL};
    CHECK(sct_run(RANKS, &world, keep_fastest, NULL) == SCT_OK);
    for (int early = 1; early <= 2; early++)
        CHECK(sct_run(RANKS, &world, keep_estimate, &early) == SCT_OK);
    for (int gain = 20; gain <= 30; gain += 10)
        CHECK(sct_run(RANKS, &world, keep_where_little_is_gained, &gain) == SCT_OK);
    CHECK(sct_run(RANKS, &world, leave_out, NULL) == SCT_OK);
    CHECK(sct_run(RANKS, &world, overlap, NULL) == SCT_OK);
    CHECK(sct_run(RANKS, &world, scale, NULL) == SCT_OK);
    CHECK(sct_run(RANKS, &world, fail, NULL) == SCT_OK);
    CHECK(sct_run(RANKS, &world, measure, &taught) == SCT_OK);
    CHECK(sct_run(RANKS, &world, apply, &taught) == SCT_OK);
    free(taught.text);
    CHECK(sct_run(RANKS, &world, find_rates, NULL) == SCT_OK);
    return check_report("measure");
}
