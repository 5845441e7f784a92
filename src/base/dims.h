/* dims.h - the three dimensions and the three matrices of a product, by number. */
#ifndef SCT_BASE_DIMS_H
#define SCT_BASE_DIMS_H

enum { SCT_DIM_M, SCT_DIM_K, SCT_DIM_N, SCT_DIMS };
enum { SCT_MAT_A, SCT_MAT_B, SCT_MAT_C, SCT_MATS };

#endif
