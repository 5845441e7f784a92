/* failing_rank.c - on processes, each call of CUDA and cuBLAS of one rank fails in turn, with all
 * further ones of its kind: all ranks get an error from the same call, and nobody waits for ever.
 */
#include "cuda/stand_in.h"
#include "processes/ranks.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <stdlib.h>
#include <unistd.h>

enum { FAILING = 1, SIZE = 24, SECONDS = 10 };

/* Whether a collective call has succeeded, which all ranks find alike. */
static bool all_agree(sct_status status, stand_in_call call, int number, const char *step) {
    bool mine = status == SCT_OK, *all = calloc((size_t)ranks_size(), sizeof *all);
    ranks_gather(&mine, sizeof mine, all);
    for (int r = 0; r < ranks_size(); r++)
        CHECK_CASE(all[r] == mine, "call %d fails at %d: %s ends with %d here, unlike on rank %d",
                   (int)call, number, step, (int)status, r);
    free(all);
    return mine;
}

static void multiply(sct_world *world, stand_in_call call, int number) {
    static const char *const layouts[] = {"cyclic:5x5", "row", "col"};
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_A};
    const float one = 1;
    sct_matrix *matrix[3] = {NULL};
    bool going = true;
    for (int i = 0; i < 3 && going; i++) {
        sct_layout *layout = layout_of(layouts[i], SIZE, SIZE, ranks_size());
        going = all_agree(sct_matrix_create(world, SCT_F32, layout, &matrix[i]), call, number,
                          "a matrix");
        sct_layout_destroy(layout);
    }
    if (going)
        all_agree(sct_multiply(SCT_N, SCT_T, &one, sct_whole(matrix[0]), sct_whole(matrix[1]), &one,
                               sct_whole(matrix[2]), &options),
                  call, number, "a product");
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
}

/* How ranks reach each other. */
typedef enum way { BY_MESSAGES, BY_IPC, BY_NVSHMEM, WAYS } way;

static void test(stand_in_call call, int number, way how) {
    sct_world_options options = {.size = sizeof options,
                                 .engine_options =
                                     &(sct_cuda_options){.size = sizeof(sct_cuda_options),
                                                         .ranks_per_node = how == BY_MESSAGES},
                                 .path = how == BY_NVSHMEM ? SCT_PATH_NVSHMEM : SCT_PATH_AUTO};
    sct_world *world = NULL;
    stand_in_start((stand_in_machine){.devices = 2, .ranks_per_host = 1});
    if (ranks_rank() == FAILING)
        stand_in_fail(call, number);
    alarm(SECONDS);
    if (all_agree(ranks_create_world(ranks_size(), &options, &world), call, number, "a world"))
        multiply(world, call, number);
    sct_world_destroy(world);
    stand_in_end();
}

/* Where NVSHMEM itself fails on one rank, the others wait for that one. */
static bool is_tested(stand_in_call call, way how) {
    return how != BY_NVSHMEM || (call != CALL_NVSHMEM_INIT && call != CALL_NVSHMEM_MALLOC);
}

int main(int argc, char **argv) {
    static const int numbers[] = {1, 3, 8, 21};
    ranks_start(argc, argv);
    for (int call = CALL_NONE + 1; call < CALLS; call++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            for (int how = 0; how < WAYS; how++)
                if (is_tested((stand_in_call)call, (way)how))
                    test((stand_in_call)call, numbers[i], (way)how);
    return check_report("failing_rank");
}
