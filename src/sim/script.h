/* script.h - what one rank does, in order: what it fetches, multiplies and accumulates, and from
 * which ranks or to which; without points in time.
 *
 * A script is recorded by an actor on the walk (plan/walk.h), like the counter and the interpreter.
 */
#ifndef SCT_SIM_SCRIPT_H
#define SCT_SIM_SCRIPT_H

#include "machine/machine.h"
#include "plan/plan.h"

/* Bytes moved together between this rank and another, or within it. */
typedef struct sct_script_transfer {
    uint64_t bytes;
    int peer;
} sct_script_transfer;

/* Transfers of one operand or product: entries `first` to `first + count - 1` of the script's
 * transfers. */
typedef struct sct_batch {
    int64_t first, count;
} sct_batch;

/* An operand that is fetched from other ranks, or gathered within shared memory, into a slot. */
typedef struct sct_script_fetch {
    sct_batch transfers;
    int64_t slot;
    int64_t step; /* the first that needs it */
    int matrix;
} sct_script_fetch;

/* A product, and its seconds if undisturbed. */
typedef struct sct_script_product {
    double seconds;
    int64_t step;
    int64_t slot[2];  /* of A and B; -1: in place */
    bool flush;       /* it completes a contribution */
    sct_batch result; /* which goes to the owners of C in these transfers */
} sct_script_product;

/* The next fetch, the next product, retiring the next product, or waiting for everything in flight.
 */
typedef enum sct_act { SCT_ACT_FETCH, SCT_ACT_MULTIPLY, SCT_ACT_RETIRE, SCT_ACT_SETTLE } sct_act;

typedef struct sct_script {
    int64_t acts, fetches, products, transfers;
    unsigned char *act;
    sct_script_fetch *fetch;
    sct_script_product *product;
    sct_script_transfer *transfer;
    sct_batch add, copy; /* transfers that reduce replicas of C */
    int64_t slots[2];    /* for operands of A and of B */
    int64_t slices;      /* of C, that are accumulated */
    int accumulates;     /* most slices of C in flight */
    bool in_rounds;      /* accumulates in turn with the other ranks: option `ordered` */
} sct_script;

/* From a plan, with the times of its products on the machine. `place`: scratch, a number for each
 * rank, which may have any values. */
sct_status sct_script_create(const sct_plan *plan, const sct_machine *machine, int64_t *place,
                             sct_script *script);
void sct_script_clear(sct_script *script);

#endif
