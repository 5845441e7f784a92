/* block_fill.c - sets the elements of a block, on several threads, each of which has a part of its
 * lines. */
#include "values/block_fill.h"

#include <pthread.h>

/* FEW_ELEMENTS: those that are set in the time that it takes to start some threads. */
enum { MOST_THREADS = 256, FEW_ELEMENTS = 1 << 15 };

struct fill {
    sct_type type;
    const sct_slice *bounds;
    const sct_block *block;
    block_fill_value *value;
    const void *context;
};

/* What one thread does: these lines, which are rows or columns by the order of the block. */
struct share {
    const struct fill *fill;
    int64_t from, to;
    pthread_t thread;
    bool started;
};

static void fill_line(const struct fill *fill, int64_t line) {
    const sct_block *block = fill->block;
    size_t bytes = sct_type_bytes(fill->type);
    bool by_rows = block->order == SCT_ROW_MAJOR;
    int64_t length = by_rows ? block->cols : block->rows;
    char *element = (char *)block->data + (size_t)(line * block->ld) * bytes;
    for (int64_t at = 0; at < length; at++, element += bytes) {
        int64_t row = fill->bounds->rows.lo + (by_rows ? line : at);
        int64_t col = fill->bounds->cols.lo + (by_rows ? at : line);
        element_store(fill->type, fill->value(fill->context, row, col), element);
    }
}

static void *fill_lines(void *context) {
    const struct share *share = context;
    for (int64_t line = share->from; line < share->to; line++)
        fill_line(share->fill, line);
    return NULL;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void block_fill(sct_type type, const sct_slice *bounds, const sct_block *block, int threads,
                block_fill_value *value, const void *context) {
    struct fill fill = {type, bounds, block, value, context};
    struct share shares[MOST_THREADS];
    int64_t lines = block->order == SCT_ROW_MAJOR ? block->rows : block->cols;
    int64_t count = smaller(smaller(threads, MOST_THREADS),
                            smaller(lines, 1 + block->rows * block->cols / FEW_ELEMENTS));
    for (int64_t i = 0; i < count; i++) {
        shares[i] =
            (struct share){.fill = &fill, .from = lines * i / count, .to = lines * (i + 1) / count};
        /* The first share is the caller's. */
        shares[i].started =
            i > 0 && pthread_create(&shares[i].thread, NULL, fill_lines, &shares[i]) == 0;
    }
    for (int64_t i = 0; i < count; i++)
        if (shares[i].started)
            pthread_join(shares[i].thread, NULL);
        else
            fill_lines(&shares[i]);
}
