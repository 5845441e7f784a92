/* block_fill.c - the elements of a block are set once each, by the threads that there are. */
#include "values/element.h"

#include "support/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ROWS = 211, COLS = 997, LD_MORE = 3, FIRST_ROW = 70, FIRST_COL = 4000 };

/* How many threads can be started, and how many have been. Global for the functions that the linker
 * puts in the place of pthread_create. */
static struct { int most, started; } threads;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context) {
    if (threads.started == threads.most)
        return EAGAIN;
    threads.started++;
    return __real_pthread_create(thread, attributes, run, context);
}

static struct number value(const void *context, int64_t row, int64_t col) {
    atomic_long *calls = *(atomic_long *const *)context;
    atomic_fetch_add(calls, 1);
    return (struct number){(double)row, (double)col};
}

static bool is_right(const sct_block *block, int64_t line, int64_t at) {
    bool by_rows = block->order == SCT_ROW_MAJOR;
    int64_t row = by_rows ? line : at, col = by_rows ? at : line;
    const double *element = (const double *)block->data + 2 * (line * block->ld + at);
    if (row >= block->rows || col >= block->cols) /* between lines */
        return element[0] == -1 && element[1] == -1;
    return element[0] == (double)(FIRST_ROW + row) && element[1] == (double)(FIRST_COL + col);
}

/* Fills a block with so many threads, of which so many can be started. */
static void test(sct_order order, int64_t rows, int64_t cols, int wanted, int most) {
    bool by_rows = order == SCT_ROW_MAJOR;
    int64_t lines = by_rows ? rows : cols, wrong = 0;
    sct_block block = {
        .rows = rows, .cols = cols, .ld = (by_rows ? cols : rows) + LD_MORE, .order = order};
    sct_slice bounds = {{FIRST_ROW, FIRST_ROW + rows}, {FIRST_COL, FIRST_COL + cols}};
    atomic_long called = 0, *calls = &called;
    double *numbers = malloc(sizeof *numbers * 2 * (size_t)(lines * block.ld + 1));
    CHECK(numbers);
    for (int64_t i = 0; numbers && i < 2 * lines * block.ld; i++)
        numbers[i] = -1;
    block.data = numbers;
    threads.most = most;
    threads.started = 0;
    block_fill(SCT_CF64, &bounds, &block, wanted, value, &calls);
    for (int64_t line = 0; line < lines; line++)
        for (int64_t at = 0; at < block.ld; at++)
            wrong += !is_right(&block, line, at);
    CHECK_CASE(wrong == 0, "%d threads of %d: %ld elements are wrong", most, wanted, (long)wrong);
    CHECK(called == rows * cols);
    free(numbers);
}

int main(void) {
    static const sct_order orders[] = {SCT_ROW_MAJOR, SCT_COL_MAJOR};
    for (int i = 0; i < 2; i++) {
        for (int wanted = 1; wanted < 6; wanted++)
            for (int most = 0; most < wanted; most++) {
                test(orders[i], ROWS, COLS, wanted, most);
                CHECK(threads.started == most);
            }
        test(orders[i], ROWS, COLS, 1000, 1000);
        CHECK(threads.started > 4 && threads.started < ROWS);
        test(orders[i], 30, 40, 4, 4);
        CHECK(threads.started == 0);
        test(orders[i], 0, 40, 4, 4);
        test(orders[i], 40, 0, 4, 4);
        test(orders[i], 1, 200000, 4, 4);
    }
    return check_report("block_fill");
}
