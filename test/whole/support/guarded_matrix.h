/* guarded_matrix.h - distributed matrices that wrap memory of the test, with guard bytes around
 * each block and in the gaps between its lines. */
#ifndef TEST_GUARDED_MATRIX_H
#define TEST_GUARDED_MATRIX_H

#include <sectile/sectile.h>
#include <stdbool.h>

typedef struct guarded {
    char *memory, *used; /* used[i]: byte i of the memory belongs to an element */
    size_t bytes;
} guarded;

/* Collective. Leading dimensions are larger than necessary by `gap`. */
sct_status guarded_create(sct_world *world, sct_type type, const sct_layout *layout, int64_t gap,
                          guarded *own, sct_matrix **matrix);
/* Whether only elements were written to. */
bool guarded_intact(const guarded *own);
/* Call it after the matrix is destroyed. */
void guarded_free(guarded *own);

#endif
