/* across.c - reads and writes the memory of another process: process_vm_readv and
 * process_vm_writev, with many pieces in one call. */
#include "fabric/processes/across.h"

#include "base/checked.h"
#include "base/status.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/uio.h>

enum { MOST_COPIES = 256, MOST_VECTORS = 1024 /* of a call */, BUFFER = 1 << 18 };
/* Reading so many bytes more costs less than another piece. It is less than a page, so that what
 * lies between two readable pieces is readable. */
enum { MOST_GAP = 2048 };

typedef struct sct_collected {
    pid_t owner;
    sct_transfer copy;
} sct_collected;

struct sct_across {
    sct_status failed; /* of a get: then all later ones fail */
    int count;
    sct_collected collected[MOST_COPIES];
    char buffer[BUFFER]; /* for additions */
};

/* ---- Lists of pieces ---- */

typedef struct sct_vectors {
    int count;
    struct iovec piece[MOST_VECTORS];
} sct_vectors;

/* What a call moves. */
typedef struct sct_call {
    pid_t owner;
    bool writes;
    size_t bytes;
    sct_vectors here, there;
    char unused[MOST_GAP]; /* receives what lies between two pieces */
} sct_call;

static void begin(pid_t owner, bool writes, sct_call *call) {
    call->owner = owner;
    call->writes = writes;
    call->bytes = 0;
    call->here.count = call->there.count = 0;
}

/* Joins what lies side by side. */
static void append(sct_vectors *vectors, const char *base, size_t bytes) {
    struct iovec *last = vectors->count ? &vectors->piece[vectors->count - 1] : NULL;
    if (last && (char *)last->iov_base + last->iov_len == base)
        last->iov_len += bytes;
    else
        vectors->piece[vectors->count++] = (struct iovec){(char *)base, bytes};
}

/* Drops the first `bytes` bytes, from piece `first` on. Returns the first piece that is left. */
static int advance(sct_vectors *vectors, int first, size_t bytes) {
    while (bytes > 0) {
        assert(first < vectors->count);
        struct iovec *piece = &vectors->piece[first];
        size_t part = piece->iov_len < bytes ? piece->iov_len : bytes;
        piece->iov_base = (char *)piece->iov_base + part;
        piece->iov_len -= part;
        bytes -= part;
        first += piece->iov_len == 0;
    }
    return first;
}

/* Moves all that was appended. One call moves at most 2 GiB. */
static bool run(sct_call *call) {
    int here = 0, there = 0;
    while (call->bytes > 0) {
        ssize_t moved = (call->writes ? process_vm_writev : process_vm_readv)(
            call->owner, call->here.piece + here, (unsigned long)(call->here.count - here),
            call->there.piece + there, (unsigned long)(call->there.count - there), 0);
        if (moved <= 0)
            return false;
        here = advance(&call->here, here, (size_t)moved);
        there = advance(&call->there, there, (size_t)moved);
        call->bytes -= (size_t)moved;
    }
    call->here.count = call->there.count = 0;
    return true;
}

/* True if there is no room for a piece and a gap. */
static bool is_full(const sct_call *call) {
    return call->here.count > MOST_VECTORS - 2 || call->there.count == MOST_VECTORS;
}

/* The bytes to read in vain so that a piece joins the last one; 0: none, or it is too far. */
static size_t gap_before(const sct_call *call, const char *there) {
    const sct_vectors *done = &call->there;
    if (call->writes || done->count == 0)
        return 0;
    const struct iovec *last = &done->piece[done->count - 1];
    const char *end = (const char *)last->iov_base + last->iov_len;
    return there > end && there - end <= MOST_GAP ? (size_t)(there - end) : 0;
}

static bool move(sct_call *call, const char *here, const char *there, size_t bytes) {
    if (is_full(call) && !run(call))
        return false;
    size_t gap = gap_before(call, there);
    if (gap > 0) {
        append(&call->here, call->unused, gap);
        append(&call->there, there - gap, gap);
    }
    append(&call->here, here, bytes);
    append(&call->there, there, bytes);
    call->bytes += gap + bytes;
    return true;
}

/* ---- Gets ---- */

/* Runs copies that lie side by side in the owner's memory: the first line of each, the second of
 * each, and so on. */
static bool read_together(const sct_collected *collected, int count) {
    sct_call call;
    begin(collected->owner, false, &call);
    bool read = true;
    for (int64_t line = 0; line < collected->copy.lines && read; line++)
        for (int i = 0; i < count && read; i++) {
            const sct_transfer *copy = &collected[i].copy;
            read = move(&call, copy->to + (size_t)line * copy->to_pitch,
                        copy->from + (size_t)line * copy->from_pitch, copy->width);
        }
    return read && run(&call);
}

bool sct_across_read(pid_t owner, const sct_transfer *copy) {
    const sct_collected alone = {owner, *copy};
    return read_together(&alone, 1);
}

static int compare_places(const void *x, const void *y) {
    const sct_collected *one = x, *other = y;
    if (one->owner != other->owner)
        return one->owner < other->owner ? -1 : 1;
    return (one->copy.from > other->copy.from) - (one->copy.from < other->copy.from);
}

static bool is_beside(const sct_collected *one, const sct_collected *next) {
    const char *end = one->copy.from + one->copy.width;
    return next->owner == one->owner && next->copy.from >= end &&
           next->copy.from - end <= MOST_GAP && next->copy.lines == one->copy.lines &&
           next->copy.from_pitch == one->copy.from_pitch;
}

static sct_status refused(pid_t owner) {
    return sct_fail(SCT_FAILED, "the memory of process %d cannot be reached", (int)owner);
}

sct_status sct_across_finish(sct_across *across) {
    sct_collected *collected = across->collected;
    qsort(collected, (size_t)across->count, sizeof *collected, compare_places);
    for (int first = 0, end; first < across->count && !across->failed; first = end) {
        for (end = first + 1;
             end < across->count && is_beside(&collected[end - 1], &collected[end]);)
            end++;
        if (!read_together(&collected[first], end - first))
            across->failed = refused(collected[first].owner);
    }
    across->count = 0;
    return across->failed;
}

sct_status sct_across_get(sct_across *across, pid_t owner, const sct_transfer *copy) {
    sct_status status = across->count == MOST_COPIES ? sct_across_finish(across) : SCT_OK;
    across->collected[across->count++] = (sct_collected){owner, *copy};
    return status;
}

/* ---- Additions ---- */

typedef struct sct_adder {
    pid_t owner;
    char *buffer;
    bool refused;
} sct_adder;

/* Moves lines of the sum between the buffer and the owner. */
static bool carry(const sct_adder *adder, bool writes, const sct_transfer *sum) {
    sct_call call;
    begin(adder->owner, writes, &call);
    bool carried = true;
    for (int64_t line = 0; line < sum->lines && carried; line++)
        carried = move(&call, adder->buffer + (size_t)line * sum->width,
                       sum->to + (size_t)line * sum->to_pitch, sum->width);
    return carried && run(&call);
}

/* Adds a part that fits in the buffer. */
static bool add_part(const sct_adder *adder, const sct_transfer *part) {
    sct_transfer here = *part;
    here.to = adder->buffer;
    here.to_pitch = part->width;
    if (!carry(adder, false, part))
        return false;
    sct_transfer_add_lines(NULL, &here);
    return carry(adder, true, part);
}

static void add_lines(void *self, const sct_transfer *lines) {
    sct_adder *adder = self;
    size_t wide = lines->width < BUFFER ? lines->width : BUFFER;
    int64_t deep = BUFFER / (int64_t)wide;
    for (int64_t line = 0; line < lines->lines && !adder->refused; line += deep)
        for (size_t at = 0; at < lines->width && !adder->refused; at += wide) {
            sct_transfer part = *lines;
            part.from += (size_t)line * lines->from_pitch + at;
            part.to += (size_t)line * lines->to_pitch + at;
            part.lines = sct_min(deep, lines->lines - line);
            part.width = lines->width - at < wide ? lines->width - at : wide;
            adder->refused = !add_part(adder, &part);
        }
}

sct_status sct_across_add(sct_across *across, pid_t owner, const sct_transfer *addition) {
    sct_adder adder = {.owner = owner, .buffer = across->buffer};
    sct_transfer_add(addition, add_lines, &adder);
    return adder.refused ? refused(owner) : SCT_OK;
}

sct_status sct_across_create(sct_across **across) {
    *across = malloc(sizeof **across);
    if (!*across)
        return sct_no_memory("reading wrapped memory");
    (*across)->failed = SCT_OK;
    (*across)->count = 0;
    return SCT_OK;
}
