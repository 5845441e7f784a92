/* peak_memory.c - the most memory that the processes of the ranks have had. */
#include "ranks/peak_memory.h"

#include "ranks/system.h"

#include <stdlib.h>

void peak_note(const struct member *member) {
    if (member->rank == member->team->first)
        member->team->memory = system_peak_memory();
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

enum code peak_gather(struct team *team, enum code code, struct peak *peak) {
    int64_t *bytes = calloc((size_t)team->processes, sizeof *bytes);
    if (bytes)
        bytes[team->process] = team->memory;
    else if (code == CODE_DONE) {
        report_error("no memory for %d ranks", team->ranks);
        code = CODE_FAILED;
    }
    code = team_gather(team, code, bytes, sizeof *bytes);
    if (code == CODE_DONE)
        *peak = sum_up(bytes, team->processes);
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
