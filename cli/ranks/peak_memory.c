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
    int64_t *bytes = calloc((size_t)group->processes, sizeof *bytes);
    if (bytes)
        bytes[group->process] = group->memory;
    else if (code == CODE_DONE) {
        report_error("no memory for %d ranks", group->ranks);
        code = CODE_FAILED;
    }
    code = rank_group_gather(group, code, bytes, sizeof *bytes);
    if (code == CODE_DONE)
        *peak = sum_up(bytes, group->processes);
    free(bytes);
    return code;
}

static void json_known(struct json *json, const char *key, int64_t bytes) {
    if (bytes >= 0)
        json_whole(json, key, bytes);
    else
        json_null(json, key);
}

void peak_json(const struct peak *peak, struct json *json) {
    json_known(json, "peak_memory", peak->all);
    json_known(json, "peak_memory_process", peak->most);
}
