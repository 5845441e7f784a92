/* messages.c - slots of messages, and lists of slots. */
#include "fabric/sockets/state.h"

#include "base/memory.h"
#include "base/status.h"

sct_status sct_slot_take(sct_sockets *self, const sct_message_slot *made, int *at) {
    if (self->free.first != SCT_NO_SLOT) {
        *at = sct_slot_first(self, &self->free);
    } else {
        sct_message_slot *slots =
            sct_memory_grow(self->slots, self->used, &self->room, sizeof *slots);
        if (!slots)
            return sct_no_memory("one more message");
        self->slots = slots;
        *at = self->used++;
    }
    self->slots[*at] = *made;
    return SCT_OK;
}

void sct_slot_free(sct_sockets *self, int at) {
    self->slots[at].state = SCT_MESSAGE_NONE;
    sct_slot_append(self, &self->free, at);
}

void sct_slot_append(sct_sockets *self, sct_slot_list *to, int at) {
    self->slots[at].next = SCT_NO_SLOT;
    if (to->first == SCT_NO_SLOT)
        to->first = at;
    else
        self->slots[to->last].next = at;
    to->last = at;
}

/* Removes the slot behind `before`. */
static int take_out(sct_sockets *self, sct_slot_list *from, int before) {
    int *place = before == SCT_NO_SLOT ? &from->first : &self->slots[before].next;
    int at = *place;
    *place = self->slots[at].next;
    if (from->last == at)
        from->last = before;
    return at;
}

int sct_slot_first(sct_sockets *self, sct_slot_list *from) {
    return take_out(self, from, SCT_NO_SLOT);
}

int sct_slot_find(sct_sockets *self, sct_slot_list *from, int rank, int64_t kind, bool arrived) {
    int before = SCT_NO_SLOT, at;
    for (at = from->first; at != SCT_NO_SLOT; before = at, at = self->slots[at].next) {
        const sct_message_slot *slot = &self->slots[at];
        if (slot->head.kind == kind && (rank < 0 || slot->rank == rank) &&
            (!arrived || slot->state == SCT_MESSAGE_ARRIVED))
            return take_out(self, from, before);
    }
    return SCT_NO_SLOT;
}
