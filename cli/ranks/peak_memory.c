/* peak_memory.c - peak memory of the ranks' processes. */
#include "ranks/peak_memory.h"

#include "ranks/system.h"

#include <stdlib.h>

void peak_note(const struct worker *worker) {
    if (worker->rank == worker->group->first)
        worker->group->memory = system_peak_memory();
}

static struct peak sum_up(const int64_t *bytes, int count) {
    struct peak peak = {0, 0};
    for (int i = 0; i < count; i++) {
        if (bytes[i] < 0)
            return (struct peak){-1, -1};
        peak.all += bytes[i];
        if (bytes[i] > peak.most)
            peak.most = bytes[i];
    }
    return peak;
}

enum code peak_gather(struct rank_group *group, enum code code, struct peak *peak) {
    int64_t *bytes = rank_group_collect(group, &code, &group->memory, sizeof *bytes);
    if (code == CODE_DONE)
        *peak = sum_up(bytes, group->processes);
    free(bytes);
    return code;
}

void peak_json(const struct peak *peak, struct json *json) {
    json_known(json, "peak_memory", peak->all);
    json_known(json, "peak_memory_process", peak->most);
}
