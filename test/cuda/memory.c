/* memory.c - memory of pretended devices: each allocation has an address that no one can use, and
 * one where the stand-ins find it. */
#include "cuda/state.h"

#include "support/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POISON = 0xff, MOST_POISON = 1 << 23 };

typedef struct allocation {
    struct allocation *next;
    char *address, *reach;
    touched *touched; /* for each two bytes */
    size_t bytes;
    int device;
} allocation;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static allocation *allocations;
static bool enabled[MOST_DEVICES][MOST_DEVICES];

static void *map(size_t bytes, int access, int flags, int file) {
    void *mapped = mmap(NULL, bytes, access, flags, file, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static size_t touched_bytes(size_t bytes) {
    return (bytes / 2 + 1) * sizeof(touched);
}

void *pretended_new(size_t bytes, int device) {
    allocation *made = calloc(1, sizeof *made);
    int file = memfd_create("device", 0);
    if (ftruncate(file, (off_t)bytes) != 0)
        abort();
    made->address = map(bytes, PROT_NONE, MAP_SHARED, file);
    made->reach = map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file);
    made->touched = map(touched_bytes(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    close(file);
    if (!made->address || !made->reach || !made->touched)
        abort();
    made->bytes = bytes;
    made->device = device;
    memset(made->reach, POISON, bytes < MOST_POISON ? bytes : MOST_POISON);
    pthread_rwlock_wrlock(&lock);
    made->next = allocations;
    allocations = made;
    pthread_rwlock_unlock(&lock);
    things_add(1);
    return made->address;
}

bool pretended_delete(void *address) {
    pthread_rwlock_wrlock(&lock);
    allocation **link = &allocations;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    allocation *found = *link;
    if (found)
        *link = found->next;
    pthread_rwlock_unlock(&lock);
    if (!found)
        return false;
    munmap(found->address, found->bytes);
    munmap(found->reach, found->bytes);
    munmap(found->touched, touched_bytes(found->bytes));
    free(found);
    things_add(-1);
    return true;
}

/* The allocation that an address is in; NULL: none. It stays while commands may use it. */
static allocation *find(const void *address) {
    pthread_rwlock_rdlock(&lock);
    allocation *at = allocations;
    while (at && (uintptr_t)address - (uintptr_t)at->address >= at->bytes)
        at = at->next;
    pthread_rwlock_unlock(&lock);
    return at;
}

int memory_device(const void *address) {
    const allocation *found = find(address);
    return found ? found->device : -1;
}

void peers_enable(int device, int peer) {
    pthread_rwlock_wrlock(&lock);
    enabled[device][peer] = true;
    pthread_rwlock_unlock(&lock);
}

/* Whether a device may touch memory of another one in this way. */
static bool may_touch(const area *where, int owner) {
    pthread_rwlock_rdlock(&lock);
    bool may =
        where->device == owner || where->peer_copy ||
        (enabled[where->device][owner] && !(where->kind == TOUCH_ATOMIC && machine()->unequal));
    pthread_rwlock_unlock(&lock);
    return may;
}

void *memory_touch(const area *where) {
    const allocation *at = find(where->base);
    if (!at)
        return (void *)where->base;
    size_t offset = (size_t)((const char *)where->base - at->address);
    size_t length = (size_t)((where->lines - 1) * where->pitch) + where->width;
    bool inside = length <= at->bytes - offset, ordered = true;
    CHECK_CASE(inside, "%zu bytes at %zu of an allocation of %zu", length, offset, at->bytes);
    CHECK_CASE(may_touch(where, at->device), "device %d touches memory of device %d", where->device,
               at->device);
    for (int64_t line = 0; line < where->lines && inside; line++) {
        size_t from = offset + (size_t)(line * where->pitch);
        ordered &= touch(&at->touched[from / 2], (from + where->width + 1) / 2 - from / 2,
                         where->kind, where->stream, where->seen);
    }
    CHECK_CASE(ordered, "%s of %lld x %zu bytes without an event after another command",
               where->kind == TOUCH_READ    ? "a read"
               : where->kind == TOUCH_WRITE ? "a write"
                                            : "an addition",
               (long long)where->lines, where->width);
    return at->reach + offset;
}
