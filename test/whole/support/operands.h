/* operands.h - three filled square matrices and a job that multiplies them, for tests that look
 * inside a job. All functions are collective. */
#ifndef TEST_OPERANDS_H
#define TEST_OPERANDS_H

#include "exec/job.h"
#include "whole/support/elements.h"

typedef struct operands_spec {
    const char *layout[3];
    sct_type type;
    int64_t size;
    const sct_options *options;
} operands_spec;

typedef struct operands {
    sct_layout *layout[3];
    sct_matrix *matrix[3]; /* filled from the seeds 0 to 2 */
    sct_plan *plan;
    sct_job *job;
} operands;

void operands_create(sct_world *world, const operands_spec *spec, operands *made);
void operands_destroy(operands *made);

/* Creates the operands, runs the job once with `actor` in place of the interpreter, and destroys
 * them. `inspect`, unless it is NULL, looks at the job after the last step and once more after
 * everything in flight has settled. */
void operands_run(sct_world *world, const operands_spec *spec, const sct_actor *actor,
                  void (*inspect)(const sct_job *job, bool settled));

#endif
