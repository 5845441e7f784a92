/* rendezvous.c - joins what the members sent, in rank order. */
#include "launch/rendezvous.h"

#include <stdlib.h>
#include <string.h>

static bool all_have_come(const struct supervisor *supervisor) {
    for (int i = 0; i < supervisor->count; i++)
        if (!supervisor->members[i].sent.data)
            return false;
    return true;
}

static void take(struct member *member) {
    free(member->sent.data);
    member->sent = (struct frame){.data = NULL};
}

/* What all members sent; NULL if ranks sent different numbers of bytes, or for lack of memory. */
static struct parcel *join(const struct supervisor *supervisor) {
    const struct member *first = &supervisor->members[0];
    size_t each = first->sent.bytes / (size_t)first->ranks;
    struct parcel *all = frame_create(supervisor->up >= 0 ? FRAME_GATHER : FRAME_ALL, NULL,
                                      each * (size_t)supervisor->ranks);
    char *to = all ? all->data + FRAME_HEAD : NULL;
    for (int i = 0; i < supervisor->count && all; i++) {
        const struct frame *sent = &supervisor->members[i].sent;
        size_t bytes = each * (size_t)supervisor->members[i].ranks;
        if (sent->bytes != bytes) {
            parcel_drop(all);
            return NULL;
        }
        memcpy(to, sent->data, bytes);
        to += bytes;
    }
    return all;
}

static void answer(struct supervisor *supervisor, struct parcel *all) {
    for (int i = 0; i < supervisor->count; i++) {
        take(&supervisor->members[i]);
        supervisor_send(supervisor, &supervisor->members[i], all);
    }
}

void rendezvous_answer(struct supervisor *supervisor, const struct frame *frame) {
    struct parcel *all = frame_create(FRAME_ALL, frame->data, frame->bytes);
    answer(supervisor, all);
    parcel_drop(all);
}

void rendezvous_try(struct supervisor *supervisor) {
    if (supervisor->broken)
        rendezvous_break(supervisor);
    if (supervisor->broken || !all_have_come(supervisor))
        return;
    struct parcel *all = join(supervisor);
    if (!all)
        rendezvous_break(supervisor);
    else if (supervisor->up >= 0)
        supervisor_send(supervisor, NULL, all);
    else
        answer(supervisor, all);
    parcel_drop(all);
}

void rendezvous_break(struct supervisor *supervisor) {
    bool first = !supervisor->broken;
    supervisor->broken = true;
    if (first && supervisor->up >= 0)
        supervisor_notify(supervisor, NULL, FRAME_FAIL, NULL, 0);
    for (int i = 0; i < supervisor->count; i++) {
        struct member *member = &supervisor->members[i];
        bool waits = member->host ? first : member->sent.data != NULL;
        if (member->fd < 0 || !waits)
            continue;
        take(member);
        supervisor_notify(supervisor, member, FRAME_FAIL, NULL, 0);
    }
}
