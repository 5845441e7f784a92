/* failing_calls.c - on processes, the n-th allocation or mapping of memory of one rank, or its n-th
 * access to the memory of another process, fails, for n = 1, 2, ... until there is no n-th; in one
 * session another rank has failed before to map the memory by which ranks meet. All ranks get the
 * error from the same collective call, or all manage without; none waits for ever, and the next
 * attempt works. */
#include "engine/devices.h"
#include "fabric/device_processes/device_processes.h"
#include "fabric/processes/rank.h"
#include "processes/map_faults.h"
#include "processes/ranks.h"
#include "rules/device_memory.h"
#include "support/check.h"
#include "whole/support/alloc_faults.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

/* Blocks have a gap behind each line; MANY of them have locks of their own. MOST exceeds the number
 * of any such calls in one session. */
enum { RANKS = 2, FEW = 2, MANY = 100, LINES = 3, COUNT = 5, PITCH = 6, MOST = 500, LIMIT = 100 };
enum { WIDTH = COUNT * sizeof(double) };

__typeof__(process_vm_readv) __real_process_vm_readv, __wrap_process_vm_readv;
__typeof__(process_vm_writev) __real_process_vm_writev, __wrap_process_vm_writev;

static bool is_refused(void) {
    bool refused = alloc_fails_now();
    if (refused)
        errno = EPERM;
    return refused;
}

ssize_t __wrap_process_vm_readv(pid_t owner, const struct iovec *here, unsigned long here_count,
                                const struct iovec *there, unsigned long there_count,
                                unsigned long flags) {
    return is_refused()
               ? -1
               : __real_process_vm_readv(owner, here, here_count, there, there_count, flags);
}

ssize_t __wrap_process_vm_writev(pid_t owner, const struct iovec *here, unsigned long here_count,
                                 const struct iovec *there, unsigned long there_count,
                                 unsigned long flags) {
    return is_refused()
               ? -1
               : __real_process_vm_writev(owner, here, here_count, there, there_count, flags);
}

/* ---- A session ---- */

typedef struct session {
    sct_world_options options;
    enum { NONE, APART, SHARED } device; /* of each rank; others can use its memory if SHARED */
    int other_map; /* the mapping of the other rank that fails, too, counted from 1; 0: none */
} session;

/* The calls of a collective step fail together. */
static sct_status agreed(sct_status status, const char *step) {
    int mine = status == SCT_OK, all[RANKS];
    ranks_gather(&mine, sizeof mine, all);
    for (int r = 0; r < RANKS; r++)
        CHECK_CASE(all[r] == mine, "%s: %s here, unlike on rank %d", step,
                   status ? sct_last_reason() : "well", r);
    return status;
}

/* Gets from a rank, and adds zeros there. */
static sct_status transfer(sct_fabric *fabric, const sct_target *there, double *got) {
    static const double zeros[LINES * COUNT];
    sct_event event;
    sct_status status = sct_fabric_get(fabric, NULL, there, got, WIDTH, &event);
    if (!status)
        status = sct_event_wait(event);
    if (!status)
        status = sct_fabric_accumulate(fabric, NULL, SCT_F64, zeros, WIDTH, there, &event);
    if (!status)
        status = sct_event_wait(event);
    return status;
}

/* Likewise with all ranks, whose memory has their numbers. A transfer may fail on this rank alone.
 */
static bool transfer_all(sct_fabric *fabric, sct_segment *segment, int block) {
    bool works = true;
    for (int r = 0; r < RANKS; r++) {
        double got[LINES * COUNT] = {-1};
        const sct_target there = {segment, r, block, {0, 0, LINES, WIDTH}};
        bool done = transfer(fabric, &there, got) == SCT_OK;
        CHECK(!done || (got[0] == r && got[LINES * COUNT - 1] == r));
        works = works && done;
    }
    return works;
}

static sct_status use_wrapped(sct_fabric *fabric, int count, bool *works) {
    static double memory[MANY][LINES * PITCH];
    sct_memory blocks[MANY];
    sct_segment *segment = NULL;
    for (int i = 0; i < count; i++) {
        blocks[i] = (sct_memory){(char *)memory[i], PITCH * sizeof(double), LINES, WIDTH};
        for (int j = 0; j < LINES * PITCH; j++)
            memory[i][j] = fabric->rank;
    }
    sct_status status = agreed(fabric->ops->segment_wrap(fabric, count, blocks, &segment), "wrap");
    if (status)
        return status;
    *works &= transfer_all(fabric, segment, count - 1);
    fabric->ops->segment_close(segment);
    return status;
}

static sct_status use_opened(sct_fabric *fabric, sct_device *device, bool *works) {
    sct_memory block = {.lines = LINES, .width = WIDTH};
    sct_segment *segment = NULL;
    double values[LINES * COUNT];
    sct_status status = agreed(fabric->ops->segment_open(fabric, 1, &block, &segment), "open");
    if (status)
        return status;
    long kept = alloc_countdown;
    alloc_countdown = -1;
    for (int i = 0; i < LINES * COUNT; i++)
        values[i] = fabric->rank;
    memory_put(device, block.base, values, sizeof values);
    alloc_countdown = kept;
    status = agreed(fabric->ops->barrier(fabric), "a barrier");
    *works &= transfer_all(fabric, segment, 0);
    fabric->ops->segment_close(segment);
    return status;
}

/* The first failure of a collective call, or of a transfer. */
static sct_status use(sct_fabric *fabric, sct_device *device) {
    bool works = true;
    sct_status status = use_opened(fabric, device, &works);
    if (!status)
        status = use_wrapped(fabric, FEW, &works);
    if (!status)
        status = use_wrapped(fabric, MANY, &works);
    return status || works ? status : SCT_FAILED;
}

static sct_status run(const session *s, sct_device *device) {
    sct_fabric *ranks, *fabric;
    sct_status status = agreed(ranks_open_fabric(&s->options, &ranks), "the ranks");
    if (status)
        return status;
    fabric = ranks;
    if (device)
        status = agreed(sct_fabric_device_processes(ranks, device, NULL, &fabric), "the devices");
    if (status)
        return status;
    status = use(fabric, device);
    fabric->ops->close(fabric);
    return status;
}

/* ---- All ranks ---- */

/* Returns whether there was an n-th call. */
static bool fail_at(const session *s, int victim, long n) {
    sct_device *device = NULL;
    if (s->device)
        CHECK((s->device == SHARED ? device_emulated_shared : device_emulated)(1, 0, 0, &device) ==
              SCT_OK);
    alloc_countdown = ranks_rank() == victim ? n - 1 : -1;
    map_countdown = ranks_rank() != victim ? s->other_map : 0;
    sct_status status = run(s, device);
    int mine[] = {ranks_rank() == victim && alloc_countdown < 0, status != SCT_OK}, all[RANKS][2];
    alloc_countdown = -1;
    if (device)
        device->ops->close(device);
    ranks_gather(mine, sizeof mine, all);
    CHECK_CASE(all[victim][0] || !status, "call %ld: %s, though nothing failed", n,
               sct_last_reason());
    CHECK(!status || sct_last_reason()[0] != '\0');
    return all[victim][0];
}

int main(int argc, char **argv) {
    enum { TABLE = 4 }; /* after two for its own test memory, and one for that of rank 0 */
    const sct_processes_options one = {.size = sizeof one, .ranks_per_node = 1};
    const sct_processes_options far = {.size = sizeof far, .ranks_per_node = SCT_ALL_RANKS_FAR};
    const session sessions[] = {
        {.options = {.size = sizeof(sct_world_options)}},
        {.options = {.size = sizeof(sct_world_options), .engine_options = &one}},
        {.options = {.size = sizeof(sct_world_options), .engine_options = &far}, .device = APART},
        {.options = {.size = sizeof(sct_world_options), .engine_options = &far}, .device = SHARED},
        {.options = {.size = sizeof(sct_world_options)}, .other_map = TABLE}};
    ranks_start(argc, argv);
    alarm(LIMIT);
    for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++) {
        long n = 1;
        while (n < MOST && fail_at(&sessions[i], (int)i % RANKS, n))
            n++;
        CHECK_CASE(n > 1 && n < MOST, "session %zu: %ld calls", i, n);
    }
    return check_report("failing_calls");
}
