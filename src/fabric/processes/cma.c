/* cma.c - reads and writes the memory of another process: process_vm_readv and
 * process_vm_writev, with many pieces in one call. */
#include "fabric/processes/cma.h"

#include "base/checked.h"
#include "base/status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum {
    MOST_COPIES = 256,
    MOST_ADDITIONS = 64,
    MOST_VECTORS = 1024 /* of a call */,
    BUFFER = 1 << 18
};
/* A call costs time for each piece of the other's memory. So pieces of at most MOST_SHORT bytes
 * that are at most MOST_GAP bytes apart are read as one, gaps included, to a buffer, and the pieces
 * are copied from there. To read every second piece of 64 MB, of 256, 512 or 1024 bytes each, takes
 * 16 ms so, and 57, 36 or 20 ms piece by piece; of 2048 bytes, 16 and 14 ms. A gap is shorter
 * than a page, so it lies in the pages of the two pieces beside it, and can be read as they can. */
enum { MOST_SHORT = 1024, MOST_GAP = 2048 };

typedef struct sct_collected {
    pid_t owner;
    sct_transfer copy;
} sct_collected;

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
} sct_call;

/* A call that reads pieces and the gaps between them into a buffer, and the copies that then take
 * the pieces out of it. */
typedef struct sct_gathered {
    sct_call call;
    char *buffer;
    int count;
    struct {
        char *to;
        const char *from;
        size_t bytes;
    } wanted[MOST_VECTORS];
} sct_gathered;

/* Additions whose targets lie side by side in one block: the first line of each is part of one line
 * there, and so on. */
typedef struct sct_additions {
    pid_t owner;
    int count;
    sct_transfer of[MOST_ADDITIONS];
} sct_additions;

struct sct_cma {
    sct_status failed; /* once: then all later transfers fail */
    int count;
    sct_collected collected[MOST_COPIES];
    sct_additions additions;
    sct_call call;
    sct_gathered gathered;
    char buffer[BUFFER], sum[BUFFER]; /* for short pieces, and for additions */
};

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

static bool is_full(const sct_call *call) {
    return call->here.count == MOST_VECTORS || call->there.count == MOST_VECTORS;
}

static void add_piece(sct_call *call, const char *here, const char *there, size_t bytes) {
    append(&call->here, here, bytes);
    append(&call->there, there, bytes);
    call->bytes += bytes;
}

static bool move(sct_call *call, const char *here, const char *there, size_t bytes) {
    if (is_full(call) && !run(call))
        return false;
    add_piece(call, here, there, bytes);
    return true;
}

/* ---- Through a buffer ---- */

/* The bytes to read in vain so that a piece joins the last one; 0: none, or it is too far. */
static size_t gap_before(const sct_call *call, const char *there) {
    const sct_vectors *done = &call->there;
    if (done->count == 0)
        return 0;
    const struct iovec *last = &done->piece[done->count - 1];
    const char *end = (const char *)last->iov_base + last->iov_len;
    return there > end && there - end <= MOST_GAP ? (size_t)(there - end) : 0;
}

static bool run_gathered(sct_gathered *gathered) {
    bool read = run(&gathered->call);
    for (int i = 0; i < gathered->count && read; i++)
        memcpy(gathered->wanted[i].to, gathered->wanted[i].from, gathered->wanted[i].bytes);
    gathered->count = 0;
    return read;
}

static bool gather(sct_gathered *gathered, char *to, const char *there, size_t bytes) {
    sct_call *call = &gathered->call;
    bool full =
        is_full(call) || gathered->count == MOST_VECTORS || call->bytes + MOST_GAP + bytes > BUFFER;
    if (full && !run_gathered(gathered))
        return false;
    size_t gap = gap_before(call, there);
    add_piece(call, gathered->buffer + call->bytes, there - gap, gap + bytes);
    gathered->wanted[gathered->count].to = to;
    gathered->wanted[gathered->count].from = gathered->buffer + call->bytes - bytes;
    gathered->wanted[gathered->count++].bytes = bytes;
    return true;
}

/* ---- Gets ---- */

/* Lines without gaps are one piece of the other's memory as they are. For those of over half the
 * limit, the copy from the buffer would cost more than it saves. */
static bool is_short(const sct_transfer *copy) {
    bool dense = copy->from_pitch == copy->width;
    return copy->width <= (dense ? MOST_SHORT / 2 : MOST_SHORT);
}

static bool read_line(sct_cma *cma, const sct_transfer *copy, int64_t line) {
    char *to = copy->to + (size_t)line * copy->to_pitch;
    const char *from = copy->from + (size_t)line * copy->from_pitch;
    return is_short(copy) ? gather(&cma->gathered, to, from, copy->width)
                          : move(&cma->call, to, from, copy->width);
}

/* Runs copies that lie side by side in the owner's memory: the first line of each, the second of
 * each, and so on. */
static bool read_together(sct_cma *cma, const sct_collected *collected, int count) {
    bool read = true;
    begin(collected->owner, false, &cma->call);
    begin(collected->owner, false, &cma->gathered.call);
    cma->gathered.count = 0;
    for (int64_t line = 0; line < collected->copy.lines && read; line++)
        for (int i = 0; i < count && read; i++)
            read = read_line(cma, &collected[i].copy, line);
    return read && run(&cma->call) && run_gathered(&cma->gathered);
}

bool sct_cma_read(pid_t owner, const char *from, char *to, size_t bytes) {
    ssize_t moved = 1;
    for (size_t at = 0; at < bytes && moved > 0; at += (size_t)moved) {
        const struct iovec here = {to + at, bytes - at}, there = {(char *)from + at, bytes - at};
        moved = process_vm_readv(owner, &here, 1, &there, 1, 0);
    }
    return moved > 0;
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

static sct_status read_collected(sct_cma *cma) {
    sct_collected *collected = cma->collected;
    qsort(collected, (size_t)cma->count, sizeof *collected, compare_places);
    for (int first = 0, end; first < cma->count && !cma->failed; first = end) {
        for (end = first + 1; end < cma->count && is_beside(&collected[end - 1], &collected[end]);)
            end++;
        if (!read_together(cma, &collected[first], end - first))
            cma->failed = refused(collected[first].owner);
    }
    cma->count = 0;
    return cma->failed;
}

sct_status sct_cma_get(sct_cma *cma, pid_t owner, const sct_transfer *copy) {
    sct_status status = cma->count == MOST_COPIES ? read_collected(cma) : SCT_OK;
    cma->collected[cma->count++] = (sct_collected){owner, *copy};
    return status;
}

/* ---- Additions ---- */

typedef struct sct_adder {
    sct_cma *cma;
    bool refused;
} sct_adder;

static bool read_sum(sct_cma *cma, const sct_transfer *part) {
    const sct_collected lines = {cma->additions.owner,
                                 {.from = part->to,
                                  .from_pitch = part->to_pitch,
                                  .to = cma->sum,
                                  .to_pitch = part->width,
                                  .lines = part->lines,
                                  .width = part->width}};
    return read_together(cma, &lines, 1);
}

static bool write_sum(sct_cma *cma, const sct_transfer *part) {
    bool written = true;
    begin(cma->additions.owner, true, &cma->call);
    for (int64_t line = 0; line < part->lines && written; line++)
        written = move(&cma->call, cma->sum + (size_t)line * part->width,
                       part->to + (size_t)line * part->to_pitch, part->width);
    return written && run(&cma->call);
}

/* Adds what belongs to a part, which begins at byte `at` of its lines, to the sum. */
static void add_to_sum(sct_cma *cma, const sct_transfer *part, int64_t at) {
    const sct_additions *additions = &cma->additions;
    int64_t first = 0, end = at + (int64_t)part->width;
    for (int i = 0; i < additions->count; i++) {
        const sct_transfer *added = &additions->of[i];
        const char *from = added->from + (size_t)(part->line - added->line) * added->from_pitch;
        int64_t next = first + (int64_t)added->width;
        int64_t lo = sct_max(first, at), hi = sct_min(next, end);
        sct_transfer here = *part;
        here.from = from + (lo - first);
        here.from_pitch = added->from_pitch;
        here.to = cma->sum + (lo - at);
        here.to_pitch = part->width;
        here.width = (size_t)(hi - lo);
        if (lo < hi)
            sct_transfer_add_lines(NULL, &here);
        first = next;
    }
}

static bool add_part(sct_cma *cma, const sct_transfer *part, int64_t at) {
    if (!read_sum(cma, part))
        return false;
    add_to_sum(cma, part, at);
    return write_sum(cma, part);
}

/* Adds lines in parts that fit in the buffer. */
static void add_lines(void *self, const sct_transfer *lines) {
    sct_adder *adder = self;
    sct_cma *cma = adder->cma;
    sct_split cut = sct_split_make(lines->lines, lines->width, BUFFER, SCT_SPLIT_GRAIN);
    for (int64_t i = 0; i < cut.pieces && !adder->refused; i++) {
        sct_rectangle piece = sct_split_piece(&cut, i);
        sct_transfer part = sct_transfer_part(lines, &piece);
        adder->refused = !add_part(cma, &part, (int64_t)piece.byte);
    }
}

static sct_status add_collected(sct_cma *cma) {
    sct_additions *additions = &cma->additions;
    sct_adder adder = {.cma = cma};
    sct_transfer all = additions->of[0];
    for (int i = 1; i < additions->count; i++)
        all.width += additions->of[i].width;
    if (additions->count > 0 && !cma->failed)
        sct_transfer_add(&all, add_lines, &adder);
    if (adder.refused)
        cma->failed = refused(additions->owner);
    additions->count = 0;
    return cma->failed;
}

static bool continues(const sct_additions *additions, pid_t owner, const sct_transfer *next) {
    const sct_transfer *last = &additions->of[additions->count - 1];
    return additions->count < MOST_ADDITIONS && owner == additions->owner &&
           next->to == last->to + last->width && next->to_pitch == last->to_pitch &&
           next->bands == last->bands && next->line == last->line && next->lines == last->lines;
}

sct_status sct_cma_add(sct_cma *cma, pid_t owner, const sct_transfer *addition) {
    sct_additions *additions = &cma->additions;
    if (additions->count > 0 && !continues(additions, owner, addition))
        add_collected(cma);
    additions->owner = owner;
    additions->of[additions->count++] = *addition;
    return cma->failed;
}

sct_status sct_cma_finish(sct_cma *cma) {
    read_collected(cma);
    return add_collected(cma);
}

static bool is_done(sct_event event) {
    sct_cma_finish(event.of); /* waiting returns whether it failed */
    return true;
}

static sct_status await(sct_event event) {
    return sct_cma_finish(event.of);
}

sct_event sct_cma_event(sct_cma *cma) {
    static const sct_event_ops events = {is_done, await};
    return (sct_event){&events, cma, 0};
}

sct_status sct_cma_create(sct_cma **cma) {
    *cma = malloc(sizeof **cma);
    if (!*cma)
        return sct_no_memory("reading wrapped memory");
    (*cma)->failed = SCT_OK;
    (*cma)->count = (*cma)->additions.count = 0;
    (*cma)->gathered.buffer = (*cma)->buffer;
    return SCT_OK;
}
