/* shared_memory.c - see shared_memory.h: each allocation is a file in memory. */
#include "engine/shared_memory.h"

#include "base/shared_memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shared_memory {
    shared_memory *next;
    sct_shared shared;
};

/* What a handle says. */
typedef struct place {
    pid_t owner;
    int file;
    size_t bytes, offset;
} place;
_Static_assert(sizeof(place) <= sizeof(sct_memory_handle), "a place fits into a handle");

/* Before the first. */
static shared_memory *add(shared_memory **list) {
    shared_memory *made = calloc(1, sizeof *made);
    if (made) {
        made->next = *list;
        *list = made;
    }
    return made;
}

/* Frees the first. */
static void drop(shared_memory **first) {
    shared_memory *dropped = *first;
    *first = dropped->next;
    sct_shared_close(&dropped->shared);
    free(dropped);
}

static bool contains(const shared_memory *at, const void *memory) {
    return (uintptr_t)memory - (uintptr_t)at->shared.memory < at->shared.bytes;
}

void *shared_memory_alloc(shared_memory **list, size_t bytes) {
    shared_memory *made = add(list);
    if (!made)
        return NULL;
    if (sct_shared_create(bytes ? bytes : 1, false, &made->shared)) {
        drop(list);
        return NULL;
    }
    return made->shared.memory;
}

void shared_memory_free(shared_memory **list, void *memory) {
    while (*list && !contains(*list, memory))
        list = &(*list)->next;
    if (*list)
        drop(list);
}

bool shared_memory_share(const shared_memory *list, const void *memory, size_t bytes,
                         sct_memory_handle *handle) {
    while (list && !contains(list, memory))
        list = list->next;
    if (!list || list->shared.file < 0)
        return false;
    size_t offset = (uintptr_t)memory - (uintptr_t)list->shared.memory;
    const place shared = {getpid(), list->shared.file, list->shared.bytes, offset};
    memcpy(handle->bytes, &shared, sizeof shared);
    return bytes <= list->shared.bytes - offset;
}

void *shared_memory_attach(shared_memory **list, const sct_memory_handle *handle) {
    place shared;
    memcpy(&shared, handle->bytes, sizeof shared);
    shared_memory *made = add(list);
    if (!made)
        return NULL;
    if (sct_shared_open(shared.owner, shared.file, shared.bytes, false, &made->shared)) {
        drop(list);
        return NULL;
    }
    return made->shared.memory + shared.offset;
}
