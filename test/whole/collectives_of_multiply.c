/* collectives_of_multiply.c - how often the ranks meet in a product: to agree that they make the
 * same call, when C is prepared if others add to it, and in the end. */
#include "api/world.h"
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/elements.h"
#include "whole/support/meetings.h"

enum { RANKS = 3, SIZE = 24 };

typedef struct request {
    sct_stay stay;
    int most;
} request;

static int multiply(sct_world *world, void *arg) {
    const request *r = arg;
    const double one = 1;
    const sct_options options = {.size = sizeof options, .stay = r->stay};
    sct_matrix *x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = matrix_new(world, SCT_F64, i == 1 ? "col" : "row", SIZE, SIZE);
        matrix_set(world, x[i], (element){1, 0});
    }
    meetings_count(world->fabric);
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &one, sct_whole(x[0]), sct_whole(x[1]), &one,
                            sct_whole(x[2]), &options) == SCT_OK,
               "%s", sct_last_reason());
    int met = meetings_counted();
    meetings_end(world->fabric);
    CHECK_CASE(met == r->most, "stay %d: %d meetings", (int)r->stay, met);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(x[i]);
    return 0;
}

int main(void) {
    emulated_options emulated = {.host = 1, .ranks_per_node = 1};
    const sct_world_options world = emulated_world(&emulated);
    request free = {SCT_STAY_B, 3}, alone = {SCT_STAY_C, 2};
    CHECK(sct_run(RANKS, &world, multiply, &free) == SCT_OK);
    CHECK(sct_run(RANKS, &world, multiply, &alone) == SCT_OK);
    return check_report("collectives_of_multiply");
}
