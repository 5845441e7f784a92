/* wrapped.h - distributed matrices over memory of the test's own, with guard bytes around each
 * block and in the gaps between its lines. */
#ifndef TEST_WRAPPED_H
#define TEST_WRAPPED_H

#include <sectile/sectile.h>
#include <stdbool.h>

typedef struct wrapped {
    char *memory, *used; /* used[i]: byte i of the memory belongs to an element */
    size_t bytes;
} wrapped;

/* Collective. Leading dimensions are `gap` larger than needed. */
sct_status wrapped_create(sct_world *world, sct_type type, const sct_layout *layout, int64_t gap,
                          wrapped *own, sct_matrix **matrix);
/* Whether nothing but elements was written to. */
bool wrapped_intact(const wrapped *own);
/* After the matrix was destroyed. */
void wrapped_free(wrapped *own);

#endif
