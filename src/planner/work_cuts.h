/* work_cuts.h - ways of cutting one dimension of a product into parts, and how the parts overlap
 * with what the owners of the two matrices have. */
#ifndef SCT_PLANNER_WORK_CUTS_H
#define SCT_PLANNER_WORK_CUTS_H

#include "plan/product.h"

typedef enum sct_cut_style {
    SCT_CUT_EQUAL,    /* one block for each part, of equal size */
    SCT_CUT_AS_FIRST, /* blocks like those of the dimension's first matrix */
    SCT_CUT_AS_SECOND,
    SCT_CUT_AS_OTHER, /* blocks like those of a block-cyclic matrix in another dimension */
    SCT_CUT_STYLES
} sct_cut_style;

typedef struct sct_work_cut {
    int dim, parts;
    sct_cut_style style;
    sct_axis axis;   /* may share the arrays of a matrix's axis */
    int64_t largest; /* part */
    /* By side: indices that a coordinate of the matrix and a part have in common, at
     * [coord * parts + part]. NULL until they are counted. */
    double *common[2];
    double *size; /* of each part; likewise */
    struct sct_work_cut *next;
} sct_work_cut;

/* A list of cuts, each made once. */
typedef struct sct_work_cuts {
    const sct_product *product;
    sct_work_cut *first;
} sct_work_cuts;

void sct_work_cuts_clear(sct_work_cuts *cuts);
/* Finds or makes a cut; NULL if a matrix has no blocks to follow in this style, or if its blocks
 * are those of another style. */
sct_status sct_work_cuts_find(sct_work_cuts *cuts, int dim, int parts, sct_cut_style style,
                              sct_work_cut **cut);
/* Counts the common indices, unless that was done before. */
sct_status sct_work_cut_count(const sct_product *product, sct_work_cut *cut);

#endif
