/* recent_calls.c - a product gets the plan of an equal one; one that differs in anything gets its
 * own. What is kept is bounded in number and in bytes. */
#include "api/recent_calls.h"

#include "api/copying.h"
#include "planner/options.h"
#include "support/check.h"

#include <string.h>

typedef struct product {
    sct_layout *rows, *cols, *like_rows; /* the last equals the first */
    sct_slice whole, part;
    sct_problem problem;
    sct_recent_calls recent;
} product;

static void make(product *p) {
    *p = (product){.whole = {{0, 8}, {0, 8}}, .part = {{0, 8}, {0, 4}}, .recent = {.most = 8}};
    CHECK(sct_layout_create_row(8, 8, 2, &p->rows) == SCT_OK);
    CHECK(sct_layout_create_row(8, 8, 2, &p->like_rows) == SCT_OK);
    CHECK(sct_layout_create_col(8, 8, 2, &p->cols) == SCT_OK);
    p->problem = (sct_problem){.size = sizeof p->problem,
                               .type = SCT_F64,
                               .a = p->rows,
                               .b = p->rows,
                               .c = p->rows,
                               .view_a = &p->whole,
                               .view_b = &p->whole,
                               .view_c = &p->whole,
                               .ranks = 2};
}

static sct_status plan(product *p, const sct_problem *problem, const sct_options *options,
                       const sct_plan **found) {
    const sct_view view[SCT_MATS] = {
        {NULL, *problem->view_a}, {NULL, *problem->view_b}, {NULL, *problem->view_c}};
    const sct_recent_key key = sct_recent_product(SCT_N, SCT_N, view, options);
    sct_recent_call *made = sct_recent_new(&key);
    sct_status status = sct_recent_plan(&p->recent, made, problem, 0, options);
    *found = made->plan;
    if (status)
        sct_recent_destroy(made);
    else
        sct_recent_keep(&p->recent, made);
    return status;
}

/* The plan's address. */
static const sct_plan *find(product *p, const sct_problem *problem, const sct_options *options) {
    const sct_plan *found = NULL;
    CHECK(plan(p, problem, options, &found) == SCT_OK);
    return found;
}

static void test_found(product *p) {
    sct_options options = {.size = sizeof options};
    const sct_plan *first = find(p, &p->problem, NULL);
    CHECK(find(p, &p->problem, NULL) == first);
    CHECK(find(p, &p->problem, &options) == first);
    sct_problem other = p->problem;
    other.b = p->like_rows;
    CHECK(find(p, &other, NULL) == first);
    CHECK_CASE(p->recent.count == 1, "%d calls are kept of one plan", p->recent.count);
    other.c = p->cols;
    CHECK(find(p, &other, NULL) != first);
    other = p->problem;
    other.view_b = other.view_c = &p->part;
    CHECK(find(p, &other, NULL) != first);
    options.ordered = 1;
    CHECK(find(p, &p->problem, &options) != first);
    CHECK(find(p, &p->problem, NULL) == first);
    CHECK_CASE(p->recent.count == 4, "%d calls are kept of four plans", p->recent.count);
}

/* The padding of options changes no plan. */
static void test_padding(product *p) {
    sct_options zeros, ones;
    memset(&zeros, 0, sizeof zeros);
    memset(&ones, 255, sizeof ones);
    zeros.size = ones.size = sizeof(sct_options);
    ones.stay = 0;
    ones.work = NULL;
    ones.slicing = 0;
    ones.fetch = 0;
    ones.schedule = 0;
    ones.result = 0;
    ones.workspace = 0;
    ones.prefetch = ones.products_in_flight = ones.accumulates_in_flight = 0;
    ones.sync = ones.ordered = 0;
    ones.start = 0;
    ones.transfers_in_group = 0;
    ones.decisions = NULL;
    ones.machine = NULL;
    ones.effort = 0;
    CHECK(memcmp(&zeros, &ones, sizeof zeros) != 0);
    CHECK(find(p, &p->problem, &zeros) == find(p, &p->problem, &ones));
    /* Every member counts: all bytes but those of the padding. */
    size_t same = 0, padding = 0;
    for (size_t i = 0; i < sizeof zeros; i++) {
        sct_options other = zeros;
        ((unsigned char *)&other)[i] = 255;
        same += sct_options_equal(&zeros, &other);
        padding += ((unsigned char *)&ones)[i] == 255;
    }
    CHECK_CASE(same == padding, "%zu bytes are not compared, %zu are padding", same, padding);
}

/* The one that was not used for longest makes room. */
static void test_replaced(product *p) {
    const sct_plan *first = find(p, &p->problem, NULL);
    for (int i = 1; i < p->recent.most; i++) {
        sct_options options = {.size = sizeof options, .prefetch = i};
        find(p, &p->problem, &options);
    }
    CHECK(find(p, &p->problem, NULL) == first);
    sct_options options = {.size = sizeof options, .prefetch = p->recent.most};
    const sct_plan *last = find(p, &p->problem, &options);
    CHECK_CASE(p->recent.count == p->recent.most, "%d calls are kept", p->recent.count);
    CHECK(p->recent.latest->plan == last && p->recent.latest->next->plan == first);
    for (const sct_recent_call *kept = p->recent.latest; kept; kept = kept->next)
        CHECK(kept->key.options.prefetch != 1);
}

/* Neither a plan made with a machine, which may change, nor a failure is kept. */
static void test_not_kept(product *p) {
    sct_machine *machine;
    const sct_plan *found;
    CHECK(sct_machine_load("node", &machine) == SCT_OK);
    sct_options options = {.size = sizeof options, .machine = machine};
    const sct_recent_call *latest = p->recent.latest;
    CHECK(plan(p, &p->problem, &options, &found) == SCT_OK && p->recent.latest == latest);
    options = (sct_options){.size = sizeof options, .prefetch = 5000};
    CHECK(plan(p, &p->problem, &options, &found) == SCT_BAD_ARGUMENT);
    CHECK(p->recent.latest == latest);
    sct_machine_destroy(machine);
}

/* ---- Bytes ---- */

static int unbound, resting, shed;

void __wrap_sct_copying_destroy(sct_copying *copying);

void __wrap_sct_copying_destroy(sct_copying *copying) {
    unbound += copying != NULL;
}

void __wrap_sct_copying_rest(sct_copying *copying);

void __wrap_sct_copying_rest(sct_copying *copying) {
    resting += copying != NULL;
}

void __wrap_sct_job_destroy(sct_job *job);
void __wrap_sct_job_rest(sct_job *job);
void __wrap_sct_job_shed(sct_job *job);
bool __wrap_sct_job_is_local(const sct_job *job);

void __wrap_sct_job_destroy(sct_job *job) {
    unbound += job != NULL;
}

void __wrap_sct_job_rest(sct_job *job) {
    resting += job != NULL;
}

void __wrap_sct_job_shed(sct_job *job) {
    shed += job != NULL;
}

bool __wrap_sct_job_is_local(const sct_job *job) {
    return job != NULL;
}

/* That of a call with a number. */
static sct_recent_key key_of(int number) {
    return sct_recent_copy(SCT_N, (sct_view){.matrix = NULL}, (sct_view){.matrix = NULL},
                           (size_t)number);
}

static void keep(sct_recent_calls *recent, int number, bool copies, size_t bytes) {
    const sct_recent_key key = key_of(number);
    sct_recent_call *made = sct_recent_new(&key);
    if (copies)
        made->copying = (sct_copying *)&unbound;
    else
        made->job = (sct_job *)&unbound;
    made->bytes = bytes;
    sct_recent_keep(recent, made);
}

static bool takes(sct_recent_calls *recent, int number) {
    const sct_recent_key key = key_of(number);
    sct_recent_call *found = sct_recent_take(recent, &key);
    if (found)
        sct_recent_keep(recent, found);
    return found;
}

static void test_bytes(void) {
    sct_recent_calls recent = {.most = 8};
    const size_t third = SCT_RECENT_BYTES / 3;
    unbound = 0;
    for (int i = 1; i <= 3; i++)
        keep(&recent, i, true, third);
    CHECK(takes(&recent, 1) && recent.bytes == 3 * third && unbound == 0 && resting == 4);
    keep(&recent, 4, true, third);
    CHECK(!takes(&recent, 2) && takes(&recent, 3) && recent.bytes == 3 * third && unbound == 1);
    keep(&recent, 5, true, SCT_RECENT_BYTES + (size_t)1);
    CHECK(!takes(&recent, 5) && recent.count == 3 && unbound == 2);
    keep(&recent, 6, true, 0);
    keep(&recent, 7, true, SCT_RECENT_BYTES);
    CHECK(takes(&recent, 6) && takes(&recent, 7) && recent.count == 2 && unbound == 5);
    sct_recent_clear(&recent);
    CHECK(recent.count == 0 && recent.bytes == 0 && unbound == 7);
}

/* Jobs stay bound without their workspace. */
static void test_workspace(void) {
    sct_recent_calls recent = {.most = 8};
    unbound = shed = 0;
    keep(&recent, 1, false, SCT_RECENT_BYTES);
    keep(&recent, 2, false, 1);
    CHECK(shed == 1 && recent.bytes == 1);
    keep(&recent, 3, false, SCT_RECENT_BYTES + (size_t)1);
    CHECK(shed == 2 && recent.bytes == 1);
    CHECK(takes(&recent, 1) && takes(&recent, 2) && takes(&recent, 3) && unbound == 0);
    sct_recent_clear(&recent);
    CHECK(unbound == 3);
}

int main(void) {
    product p;
    make(&p);
    test_found(&p);
    test_padding(&p);
    test_replaced(&p);
    test_not_kept(&p);
    sct_layout_destroy(p.rows);
    sct_layout_destroy(p.like_rows);
    sct_layout_destroy(p.cols);
    sct_recent_clear(&p.recent);
    test_bytes();
    test_workspace();
    return check_report("recent_calls");
}
