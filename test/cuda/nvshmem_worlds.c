/* nvshmem_worlds.c - worlds whose ranks share memory by NVSHMEM, on stand-ins: they are made, or
 * refused on all ranks for one reason. */
#include "cuda/stand_in.h"
#include "device/cuda/nvshmem/nvshmem.h"
#include "processes/ranks.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 16, HEAP = 1 << 25 };

static sct_status create(sct_path path, sct_world **world) {
    sct_world_options options = {.size = sizeof options, .path = path};
    return ranks_create_world(ranks_size(), &options, world);
}

static void refuse(stand_in_call call, const char *bytes, sct_status want, const char *word) {
    sct_world *world;
    stand_in_start((stand_in_machine){.devices = 2});
    stand_in_fail(call, 1);
    if (bytes)
        setenv("SECTILE_CUDA_BYTES", bytes, 1);
    sct_status status = create(SCT_PATH_NVSHMEM, &world);
    CHECK_CASE(status == want && strstr(sct_last_reason(), word), "%s: %s (%s)", word,
               sct_status_name(status), sct_last_reason());
    unsetenv("SECTILE_CUDA_BYTES");
    stand_in_end();
}

/* Where calls of one rank fail before NVSHMEM waits for all of them, none waits for ever. */
static void test_failing_rank(void) {
    enum { FAILING = 1, SECONDS = 10, MOST = 200 };
    sct_status status = SCT_FAILED, of_ranks[MOST_RANKS];
    for (int number = 1; status && CHECK(number < MOST); number++) {
        sct_world *world = NULL;
        stand_in_start((stand_in_machine){.devices = 2});
        if (ranks_rank() == FAILING)
            stand_in_fail(CALL_SET_DEVICE, number);
        alarm(SECONDS);
        status = create(SCT_PATH_NVSHMEM, &world);
        ranks_gather(&status, sizeof status, of_ranks);
        for (int r = 0; r < ranks_size(); r++)
            CHECK(of_ranks[r] == status);
        sct_world_destroy(world);
        alarm(0);
        stand_in_end();
    }
}

static bool without; /* as in a build without NVSHMEM */

const sct_nvshmem *no_nvshmem_functions(void);
const sct_nvshmem *__real_sct_nvshmem_functions(void);
const sct_nvshmem *__wrap_sct_nvshmem_functions(void);

const sct_nvshmem *__wrap_sct_nvshmem_functions(void) {
    return without ? no_nvshmem_functions() : __real_sct_nvshmem_functions();
}

static void test_worlds(void) {
    sct_world *world;
    without = true;
    refuse(CALL_NONE, NULL, SCT_NO_ENGINE, "this build is without NVSHMEM");
    without = false;
    refuse(CALL_NVSHMEM_NAME, NULL, SCT_NO_ENGINE, "NVSHMEM could not be started");
    refuse(CALL_NVSHMEM_INIT, NULL, SCT_NO_ENGINE, "NVSHMEM could not be started");
    refuse(CALL_NVSHMEM_MALLOC, NULL, SCT_NO_MEMORY, "NVSHMEM has no");
    refuse(CALL_NONE, "2097152", SCT_NO_MEMORY, "an outbox on the device");
    refuse(CALL_NONE, "8x", SCT_BAD_ARGUMENT, "SECTILE_CUDA_BYTES: '8x'");
    refuse(CALL_NONE, " ", SCT_BAD_ARGUMENT, "SECTILE_CUDA_BYTES: ' '");
    refuse(CALL_NONE, "-1", SCT_BAD_ARGUMENT, "SECTILE_CUDA_BYTES: '-1'");
    stand_in_start((stand_in_machine){.devices = 2});
    char bytes[16];
    snprintf(bytes, sizeof bytes, "%d", HEAP + (ranks_rank() << 22));
    setenv("SECTILE_CUDA_BYTES", bytes, 1);
    for (int i = 0; i < 2; i++)
        if (CHECK(create(SCT_PATH_NVSHMEM, &world) == SCT_OK)) {
            CHECK(sct_world_path(world) == SCT_PATH_NVSHMEM);
            sct_world_destroy(world);
        }
    stand_in_end();
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    test_failing_rank();
    test_worlds();
    return check_report("nvshmem_worlds");
}
