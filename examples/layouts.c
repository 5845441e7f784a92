/* layouts.c - makes layouts from numbers, from other layouts and from a text, and shows what each
 * rank stores. */
#include <sectile/sectile.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, COLS = 600, RANKS = 6, TEXT = 256 };

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "layouts: %s: %s\n", sct_status_name(status), sct_last_reason());
    exit(1);
}

/* Prints the text of a layout and the number of elements on each rank, and destroys the layout. */
static void show(const char *what, sct_layout *layout) {
    char text[TEXT];
    sct_layout_print(layout, text, sizeof text);
    printf("%-24s %s\n  elements by rank:", what, text);
    for (int rank = 0; rank < RANKS; rank++) {
        size_t bytes;
        must(sct_layout_bytes(layout, SCT_F64, rank, &bytes));
        printf(" %zu", bytes / sct_type_bytes(SCT_F64));
    }
    printf("; (777, 55) is on rank %d\n", sct_layout_owner(layout, 0, 777, 55));
    sct_layout_destroy(layout);
}

int main(void) {
    sct_layout *rows, *replicated, *col_major, *cyclic_blocks, *own, *read;
    must(sct_layout_create_row(ROWS, COLS, RANKS / 2, &rows));
    must(sct_layout_replicate(rows, 2, &replicated));
    must(sct_layout_store(rows, SCT_COL_MAJOR, &col_major));

    sct_cyclic cyclic = {.size = sizeof cyclic,
                         .block_rows = 64,
                         .block_cols = 32,
                         .grid_rows = 2,
                         .grid_cols = 3,
                         .source_col = 1};
    must(sct_layout_create_cyclic(ROWS, COLS, &cyclic, &cyclic_blocks));

    /* Rows 0 to 9 and 990 to 999 are on rank 0, those between on rank 2, and none on rank 1. */
    sct_cuts cuts = {
        .blocks = 3, .cuts = (const int64_t[]){10, 990}, .owners = (const int[]){0, 2, 0}};
    sct_cuts uncut = {.blocks = 1, .owners = (const int[]){0}};
    must(sct_layout_create_cuts(ROWS, COLS, 3, 1, &cuts, &uncut, &own));

    must(sct_layout_parse("2d:2x3/f", ROWS, COLS, RANKS, &read));

    show("by rows, on half the ranks", rows);
    show("two replicas of that", replicated);
    show("stored column-major", col_major);
    show("block-cyclic", cyclic_blocks);
    show("cut at chosen rows", own);
    show("read from text", read);
    return 0;
}
