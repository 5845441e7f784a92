/* operand.h - what a step takes from one matrix: where its fragments lie, and how they fit
 * together. */
#ifndef SCT_PLAN_OPERAND_H
#define SCT_PLAN_OPERAND_H

#include "plan/plan.h"

typedef struct sct_operand {
    int matrix;
    sct_type type; /* as it lies */
    const sct_layout *layout;
    int replica;
    sct_spans lines, within; /* positions of lines, and within each line, as stored: of the slice
                                that the step uses, or of the tile that is brought for it */
    int64_t line_count, line_size;
    int64_t line, at; /* where in these the slice begins */
    int dim[2];       /* in which lines are counted; in which elements in each line are */
    bool in_place;    /* one fragment, or a few of A or B, to be used where they lie */
    bool conjugate;   /* to be conjugated on its way into workspace */
    bool widen;       /* to be widened there to the type of the sums */
} sct_operand;

/* A strided block of one owner's memory, and where it goes in the dense operand. */
typedef struct sct_fragment {
    sct_place place;
    int64_t line, at, lines, count; /* first line, first element in each; how many */
    int64_t to_line, to_at;
} sct_fragment;

/* One step of a plan, ready to be done. It has all that it needs; only what is several ranges or
 * spans belongs to the plan. */
typedef struct sct_task {
    int64_t step; /* its position in the plan's order */
    const sct_box *box;
    sct_piece piece[SCT_DIMS];
    int64_t number[SCT_DIMS]; /* of its pieces, counted through all lists */
    sct_operand operand[SCT_MATS];
    int64_t slot[SCT_MATS]; /* where operands that are not in place go */
    bool fetches;           /* one of them was not there yet */
    bool fresh;             /* the first product into its slice of C, or into its slot */
    bool flush;             /* the last product into its slot */
    bool leads, resumes;    /* a part of a sum that is gone on with; and that goes on */
} sct_task;

/* How far someone has come in the lists of a plan; at first all zero. */
typedef struct sct_readers {
    sct_reader of[SCT_DIMS];
} sct_readers;

/* A step by itself; or one of many, found fastest in order. */
void sct_plan_task(const sct_plan *plan, int64_t step, sct_task *task);
void sct_plan_read(const sct_plan *plan, int64_t step, sct_readers *readers, sct_task *task);

/* How many steps use this operand of a task, or the tile that is brought for it. */
int64_t sct_plan_uses(const sct_plan *plan, const sct_task *task, int matrix);

size_t sct_operand_bytes(const sct_operand *operand, sct_type type);
int64_t sct_operand_fragments(const sct_operand *operand);

/* Where the cell with these coordinates lies. */
sct_place sct_operand_place(const sct_operand *operand, int lines, int within);
/* Where its first fragment lies. */
sct_place sct_operand_first(const sct_operand *operand);

typedef struct sct_fragments {
    const sct_operand *operand;
    int64_t i, j, line, at;
} sct_fragments;

sct_fragments sct_operand_begin(const sct_operand *operand);
bool sct_fragments_next(sct_fragments *fragments, sct_fragment *fragment);

#endif
