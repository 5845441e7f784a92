/* memory.c - memory of emulated devices: each allocation has an address that no one can use, and
 * one where the stand-ins find it. */
#include "cuda/state.h"

#include "support/check.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POISON = 0xff, PAGE = 4096 };

/* What processes know of an allocation: how many others have it open, and of each page whether it
 * has been poisoned. */
typedef struct common {
    atomic_int opened;
    atomic_uchar page[];
} common;

typedef struct allocation {
    struct allocation *next;
    char *address, *reach;
    touched *touched; /* for each two bytes */
    size_t bytes;
    int device;
    int file;               /* -1: of another process */
    shared_allocation from; /* which one; */
    int uses;               /* and how often it was opened */
    common *common;
} allocation;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static allocation *allocations;
static bool enabled[MOST_DEVICES][MOST_DEVICES];

static void *map(size_t bytes, int access, int flags, int file, off_t at) {
    void *mapped = mmap(NULL, bytes, access, flags, file, at);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static size_t common_at(size_t bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static size_t common_bytes(size_t bytes) {
    return sizeof(common) + common_at(bytes) / PAGE;
}

static size_t touched_bytes(size_t bytes) {
    return (bytes / 2 + 1) * sizeof(touched);
}

/* Enters the allocation that a file is. At its end, in pages of its own, is what processes share.
 */
static allocation *enter(int file, size_t bytes, int device) {
    allocation *made = calloc(1, sizeof *made);
    made->address = map(bytes, PROT_NONE, MAP_SHARED, file, 0);
    made->reach = map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    made->common =
        map(common_bytes(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)common_at(bytes));
    made->touched = map(touched_bytes(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!made->address || !made->reach || !made->touched || !made->common)
        abort();
    made->bytes = bytes;
    made->device = device;
    made->file = -1;
    pthread_rwlock_wrlock(&lock);
    made->next = allocations;
    allocations = made;
    pthread_rwlock_unlock(&lock);
    things_add(1);
    return made;
}

/* Takes the allocation with this address out; NULL: there is none. */
static allocation *leave(void *address) {
    pthread_rwlock_wrlock(&lock);
    allocation **link = &allocations;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    allocation *found = *link;
    if (found)
        *link = found->next;
    pthread_rwlock_unlock(&lock);
    return found;
}

static void discard(allocation *found) {
    munmap(found->address, found->bytes);
    munmap(found->reach, found->bytes);
    munmap(found->touched, touched_bytes(found->bytes));
    munmap(found->common, common_bytes(found->bytes));
    if (found->file >= 0)
        close(found->file);
    free(found);
    things_add(-1);
}

void *emulated_new(size_t bytes, int device) {
    int file = memfd_create("device", 0);
    if (ftruncate(file, (off_t)(common_at(bytes) + common_bytes(bytes))) != 0)
        abort();
    allocation *made = enter(file, bytes, device);
    made->file = file;
    return made->address;
}

bool emulated_delete(void *address) {
    allocation *found = leave(address);
    if (!found)
        return false;
    CHECK(found->file >= 0 && atomic_load(&found->common->opened) == 0);
    discard(found);
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

bool emulated_range(const void *address, void **base, size_t *bytes) {
    const allocation *found = find(address);
    if (!found)
        return false;
    *base = found->address;
    *bytes = found->bytes;
    return true;
}

/* ---- Between processes ---- */

bool emulated_share(const void *address, shared_allocation *shared) {
    const allocation *found = find(address);
    if (!found || found->address != address || found->file < 0)
        return false;
    *shared = (shared_allocation){getpid(), found->file, found->device, found->bytes};
    return true;
}

/* An allocation of another process that is open already; NULL: it is not. */
static allocation *find_open(const shared_allocation *shared) {
    pthread_rwlock_rdlock(&lock);
    allocation *at = allocations;
    while (at &&
           !(at->uses > 0 && at->from.process == shared->process && at->from.file == shared->file))
        at = at->next;
    pthread_rwlock_unlock(&lock);
    return at;
}

void *emulated_open(const shared_allocation *shared) {
    char path[64];
    allocation *open_already = find_open(shared);
    if (open_already) {
        open_already->uses++;
        return open_already->address;
    }
    snprintf(path, sizeof path, "/proc/%d/fd/%d", shared->process, shared->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return NULL;
    allocation *made = enter(file, shared->bytes, shared->device);
    close(file);
    made->from = *shared;
    made->uses = 1;
    atomic_fetch_add(&made->common->opened, 1);
    return made->address;
}

bool emulated_close(void *address) {
    allocation *found = find(address);
    if (!found || found->address != address || found->uses == 0)
        return false;
    if (--found->uses > 0)
        return true;
    leave(address);
    atomic_fetch_sub(&found->common->opened, 1);
    discard(found);
    return true;
}

/* ---- What commands touch ---- */

int memory_device(const void *address) {
    const allocation *found = find(address);
    return found ? found->device : -1;
}

bool peers_enable(int device, int peer) {
    int others = 0;
    pthread_rwlock_wrlock(&lock);
    for (int other = 0; other < MOST_DEVICES; other++)
        others += other != peer && enabled[device][other];
    enabled[device][peer] = machine()->most_peers == 0 || others < machine()->most_peers;
    bool able = enabled[device][peer];
    pthread_rwlock_unlock(&lock);
    return able;
}

void peers_forget(void) {
    memset(enabled, 0, sizeof enabled);
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

/* Poisons the pages in which some bytes lie, when they are first touched. */
static void poison(const allocation *at, size_t from, size_t bytes) {
    enum { CLEAN, BEGUN, POISONED };
    for (size_t i = from / PAGE; i * PAGE < from + bytes; i++) {
        size_t first = i * PAGE, left = at->bytes - first;
        unsigned char state = CLEAN;
        if (atomic_compare_exchange_strong(&at->common->page[i], &state, BEGUN)) {
            memset(at->reach + first, POISON, left < PAGE ? left : PAGE);
            atomic_store(&at->common->page[i], POISONED);
        }
        while (atomic_load(&at->common->page[i]) != POISONED)
            sched_yield();
    }
}

void *emulated_reach(const void *address) {
    const allocation *at = find(address);
    if (!at)
        return NULL;
    size_t offset = (size_t)((const char *)address - at->address);
    poison(at, offset, at->bytes - offset);
    return at->reach + offset;
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
        poison(at, from, where->width);
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
