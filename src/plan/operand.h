/* operand.h - the operands of a step: where their fragments lie, how they form a dense block, and
 * how much of each every owner has. */
#ifndef SCT_PLAN_OPERAND_H
#define SCT_PLAN_OPERAND_H

#include "plan/plan.h"

typedef struct sct_operand {
    int matrix;
    sct_type type; /* element type as stored */
    const sct_layout *layout;
    int replica;
    sct_spans lines, within; /* lines, and elements within each line, as stored: of the slice, or of
                              * the whole tile if tiles are fetched */
    int64_t line_count, line_size;
    int64_t line, at; /* where the slice begins in these */
    int dim[2];       /* dimension that counts lines; dimension that runs within a line */
    bool in_place;    /* used where it lies: one fragment, or a few of A or B */
    bool conjugate;   /* conjugated on the way into workspace */
    bool widen;       /* widened to the type of the sums in workspace */
} sct_operand;

/* A strided block of one owner's memory, and its place in the dense operand. */
typedef struct sct_fragment {
    sct_place place;
    int64_t line, at, lines, count; /* first line and element; number of lines and of elements in
                                     * each */
    int64_t to_line, to_at;
} sct_fragment;

/* One step of a plan, decoded. Self-contained, except that index sets of several ranges or spans
 * point into the plan. */
typedef struct sct_task {
    int64_t step; /* its position in the plan's order */
    const sct_box *box;
    sct_piece piece[SCT_DIMS];
    int64_t number[SCT_DIMS]; /* numbers of its pieces, through all lists */
    sct_operand operand[SCT_MATS];
    int64_t slot[SCT_MATS]; /* workspace slots; -1 for operands in place */
    bool fetches;           /* at least one operand is not in workspace yet */
    bool fresh;             /* first product into its slice of C, in place or in a slot */
    bool flush;             /* last product into its slot: the sum is complete */
} sct_task;

/* Read positions in the lists of a plan; all zero at the start. */
typedef struct sct_readers {
    sct_reader of[SCT_DIMS];
} sct_readers;

/* Decodes one step. sct_plan_read is faster for steps in order. */
void sct_plan_task(const sct_plan *plan, int64_t step, sct_task *task);
void sct_plan_read(const sct_plan *plan, int64_t step, sct_readers *readers, sct_task *task);

/* The number of steps that use this operand, or its tile if tiles are fetched. */
int64_t sct_plan_uses(const sct_plan *plan, const sct_task *task, int matrix);

size_t sct_operand_bytes(const sct_operand *operand, sct_type type);
/* The type that an operand's slot must have room for: the type of the sums if the operand is
 * widened there, otherwise its own type. */
sct_type sct_operand_widest(const sct_product *product, const sct_operand *operand);
int64_t sct_operand_fragments(const sct_operand *operand);

/* The place of the cell with these coordinates. */
sct_place sct_operand_place(const sct_operand *operand, int lines, int within);
/* The place of its first fragment. */
sct_place sct_operand_first(const sct_operand *operand);

typedef struct sct_fragments {
    const sct_operand *operand;
    int64_t i, j, line, at;
} sct_fragments;

sct_fragments sct_operand_begin(const sct_operand *operand);
bool sct_fragments_next(sct_fragments *fragments, sct_fragment *fragment);

/* With small blocks a slice has many fragments but few owners, which form a grid: the share of each
 * is the product of the shares of its two coordinates. So lines and elements within lines are
 * counted separately, instead of every fragment. */

/* The share of one cell in an operand. */
typedef struct sct_owner_share {
    int rank;
    int64_t fragments;
    uint64_t bytes;
} sct_owner_share;

/* The share of one coordinate in the spans of a dimension. */
typedef struct sct_coord_share {
    int coord;
    int64_t spans, indices;
} sct_coord_share;

/* The shares of all coordinates in a dimension. */
typedef struct sct_coord_shares {
    const sct_span *of; /* the spans counted last; NULL if there was a single one */
    int count, base, room;
    sct_coord_share *share; /* of coordinates with a share, in the order of the spans */
    int *place;             /* by coordinate minus base: index in `share` plus one; 0: none */
} sct_coord_shares;

/* An iteration over the owners of operands. Starts as zeros. */
typedef struct sct_owners {
    sct_coord_shares lines[SCT_MATS], within[SCT_MATS];
    const sct_operand *operand;
    uint64_t element; /* bytes per element */
    int i, j;
    sct_status status;
} sct_owners;

/* Starts with an operand. Counts are reused between operands with the same spans, so the plan must
 * not change meanwhile. */
void sct_owners_begin(sct_owners *owners, const sct_operand *operand);
/* The next cell of the operand, each once, in order of its first fragment. */
bool sct_owners_next(sct_owners *owners, sct_owner_share *owned);

/* Returns `status`; if that is SCT_OK, fails if an operand's owners could not be counted for lack
 * of memory; it then had none. */
sct_status sct_owners_end(sct_owners *owners, sct_status status);

#endif
