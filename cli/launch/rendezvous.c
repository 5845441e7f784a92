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
static struct parcel *join(const struct keeper *keeper) {
    const struct member *first = &keeper->members[0];
    size_t each = first->sent.bytes / (size_t)first->ranks;
    struct parcel *all = frame_create(keeper->up >= 0 ? FRAME_GATHER : FRAME_ALL, NULL,
                                      each * (size_t)keeper->ranks);
    char *to = all ? all->data + FRAME_HEAD : NULL;
    for (int i = 0; i < keeper->count && all; i++) {
        const struct frame *sent = &keeper->members[i].sent;
        size_t bytes = each * (size_t)keeper->members[i].ranks;
        if (sent->bytes != bytes) {
            parcel_drop(all);
            return NULL;
        }
        memcpy(to, sent->data, bytes);
        to += bytes;
    }
    return all;
}

static void answer(struct keeper *keeper, struct parcel *all) {
    for (int i = 0; i < keeper->count; i++) {
        take(&keeper->members[i]);
        keeper_send(keeper, &keeper->members[i], all);
    }
}

void meeting_answer(struct keeper *keeper, const struct frame *frame) {
    struct parcel *all = frame_create(FRAME_ALL, frame->data, frame->bytes);
    answer(keeper, all);
    parcel_drop(all);
}

void meeting_try(struct keeper *keeper) {
    if (keeper->broken)
        meeting_break(keeper);
    if (keeper->broken || !all_have_come(keeper))
        return;
    struct parcel *all = join(keeper);
    if (!all)
        meeting_break(keeper);
    else if (keeper->up >= 0)
        keeper_send(keeper, NULL, all);
    else
        answer(keeper, all);
    parcel_drop(all);
}

void meeting_break(struct keeper *keeper) {
    bool first = !keeper->broken;
    keeper->broken = true;
    if (first && keeper->up >= 0)
        keeper_tell(keeper, NULL, FRAME_FAIL, NULL, 0);
    for (int i = 0; i < keeper->count; i++) {
        struct member *member = &keeper->members[i];
        bool waits = member->host ? first : member->sent.data != NULL;
        if (member->fd < 0 || !waits)
            continue;
        take(member);
        keeper_tell(keeper, member, FRAME_FAIL, NULL, 0);
    }
}
