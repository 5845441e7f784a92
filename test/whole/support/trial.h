/* trial.h - one product, described in full, run in every way and compared with a naive loop.
 *
 * The inputs are small integers, so that the result is exact whatever the order of the sums. A
 * trial is one check. If it fails, it prints the command line that repeats the trial. */
#ifndef TEST_TRIAL_H
#define TEST_TRIAL_H

#include "engine/emulated.h"
#include "support/element.h"
#include "whole/support/view_margin.h"

#include <sectile/sectile.h>

enum { TRIAL_A, TRIAL_B, TRIAL_C, TRIAL_MATRICES, TRIAL_TEXT = 160 };
enum { TRIAL_ALL_WRAPPED = 7 };

typedef struct trial {
    int ranks;
    int64_t m, n, k;
    sct_type type;
    bool sum_c; /* C has the type in which sums are kept */
    sct_op op[2];
    char layout[TRIAL_MATRICES][TRIAL_TEXT];
    char work[TRIAL_TEXT]; /* layout of the work; "": none given */
    margin margin[TRIAL_MATRICES];
    element alpha, beta;
    sct_options options;
    emulated_options emulated; /* of the world, whose ranks compute on the host, */
    bool on_devices;           /* or on devices with memory of their own */
    const char *engine;        /* instead, an engine with devices, */
    sct_cuda_options devices;  /* whose options, also those of opencl, begin as these do */
    bool tight;       /* with a workspace limit: a quarter of what the plans use, doubled until it
                         suffices */
    unsigned wrapped; /* bit i: matrix i wraps memory of the test, with guard bytes */
    uint64_t seed;
} trial;

/* The type of a matrix. */
sct_type trial_type(const trial *t, int matrix);

/* Rows and columns of a matrix's view, as stored; and of the work layout. */
void trial_stored(const trial *t, int matrix, int64_t *rows, int64_t *cols);
void trial_work_size(const trial *t, int64_t *rows, int64_t *cols);

void trial_run(const trial *t);

#endif
