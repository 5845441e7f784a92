/* gather.c - every rank gets the payloads of all others, of any size, although each changes its own
 * at once afterwards. If one is empty and the others are not, all get the error from that call. */
#include "engine/emulated.h"
#include "support/check.h"

#include <sectile/sectile.h>

#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, LARGEST = 5000, TIMES = 50 };

static const size_t sizes[] = {0, 1, 8, 120, 121, 1016, 1017, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool is_all(const unsigned char *bytes, size_t count, int value) {
    size_t i = 0;
    while (i < count && bytes[i] == value)
        i++;
    return i == count;
}

static int rank_main(sct_world *world, void *unused) {
    unsigned char mine[LARGEST], *all = malloc((size_t)RANKS * LARGEST);
    int wrong = 0;
    (void)unused;
    for (int i = 0; i < TIMES * SIZES; i++) {
        size_t bytes = sizes[i % SIZES];
        memset(mine, (i + sct_world_rank(world)) % 251, bytes);
        CHECK(sct_world_gather(world, mine, bytes, all) == SCT_OK);
        memset(mine, 255, bytes);
        for (int r = 0; r < RANKS; r++)
            wrong += !is_all(all + (size_t)r * bytes, bytes, (i + r) % 251);
    }
    CHECK_CASE(wrong == 0, "rank %d: %d payloads are wrong", sct_world_rank(world), wrong);
    size_t unlike = sct_world_rank(world) == 1 ? 0 : sizeof(int64_t);
    CHECK(sct_world_gather(world, mine, unlike, all) == SCT_DISAGREE);
    free(all);
    return 0;
}

int main(void) {
    for (int ranks_per_node = 0; ranks_per_node < 2; ranks_per_node++) {
        emulated_options emulated = {.host = 1, .ranks_per_node = ranks_per_node};
        const sct_world_options options = emulated_world(&emulated);
        CHECK(sct_run(RANKS, &options, rank_main, NULL) == SCT_OK);
    }
    return check_report("gather");
}
