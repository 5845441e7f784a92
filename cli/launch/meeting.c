/* meeting.c - joins what the members sent, in rank order. */
#include "launch/meeting.h"

#include <stdlib.h>
#include <string.h>

static bool all_have_come(const struct keeper *keeper) {
    for (int i = 0; i < keeper->count; i++)
        if (!keeper->members[i].sent.data)
            return false;
    return true;
}

static void take(struct member *member) {
    free(member->sent.data);
    member->sent = (struct frame){.data = NULL};
}

/* What all members sent; NULL if ranks sent different numbers of bytes, or for lack of memory. */
static char *join(const struct keeper *keeper, size_t *bytes) {
    const struct member *first = &keeper->members[0];
    size_t each = first->sent.bytes / (size_t)first->ranks;
    *bytes = each * (size_t)keeper->ranks;
    char *all = malloc(*bytes + 1);
    for (int i = 0, at = 0; i < keeper->count && all; i++) {
        const struct member *member = &keeper->members[i];
        if (member->sent.bytes != each * (size_t)member->ranks) {
            free(all);
            return NULL;
        }
        memcpy(all + (size_t)at * each, member->sent.data, member->sent.bytes);
        at += member->ranks;
    }
    return all;
}

void meeting_answer(struct keeper *keeper, const char *data, size_t bytes) {
    for (int i = 0; i < keeper->count; i++) {
        take(&keeper->members[i]);
        (void)frame_send(keeper->members[i].fd, FRAME_ALL, data, bytes);
    }
}

void meeting_try(struct keeper *keeper) {
    size_t bytes;
    if (keeper->broken)
        meeting_break(keeper);
    if (keeper->broken || !all_have_come(keeper))
        return;
    char *all = join(keeper, &bytes);
    if (!all)
        meeting_break(keeper);
    else if (keeper->up >= 0)
        (void)frame_send(keeper->up, FRAME_GATHER, all, bytes);
    else
        meeting_answer(keeper, all, bytes);
    free(all);
}

void meeting_break(struct keeper *keeper) {
    bool first = !keeper->broken;
    keeper->broken = true;
    if (first && keeper->up >= 0)
        (void)frame_send(keeper->up, FRAME_FAIL, NULL, 0);
    for (int i = 0; i < keeper->count; i++) {
        struct member *member = &keeper->members[i];
        bool waits = member->host ? first : member->sent.data != NULL;
        if (member->fd < 0 || !waits)
            continue;
        take(member);
        (void)frame_send(member->fd, FRAME_FAIL, NULL, 0);
    }
}
