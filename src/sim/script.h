/* script.h - what one rank does, in order, as its plan's walk says: what it fetches, multiplies and
 * adds, and from and to whom, without when.
 *
 * The third who follows the walk, beside the counter and the interpreter. */
#ifndef SCT_SIM_SCRIPT_H
#define SCT_SIM_SCRIPT_H

#include "machine/machine.h"
#include "plan/plan.h"

/* Bytes that go together between this rank and one other, or within it. */
typedef struct sct_haul {
    uint64_t bytes;
    int peer;
} sct_haul;

/* Hauls that are one operand or product: hauls `first` to `first + count - 1` of the script. */
typedef struct sct_batch {
    int64_t first, count;
} sct_batch;

/* An operand that is brought into its slot. */
typedef struct sct_fetched {
    sct_batch hauls;
    int64_t slot;
    int64_t step; /* that needs it first */
    int matrix;
} sct_fetched;

/* A product, and how long it takes alone. */
typedef struct sct_stint {
    double seconds;
    int64_t step;
    int64_t slot[2];  /* of A and B; -1: in place */
    sct_batch result; /* where what it has completed is added */
    bool flush;
} sct_stint;

typedef enum sct_act { SCT_ACT_FETCH, SCT_ACT_MULTIPLY, SCT_ACT_RETIRE, SCT_ACT_SETTLE } sct_act;

/* Each act is the next fetch, the next product, the next product to retire, or to wait for all that
 * moves. */
typedef struct sct_script {
    int64_t acts, fetches, stints, hauls;
    unsigned char *act;
    sct_fetched *fetch;
    sct_stint *stint;
    sct_haul *haul;
    sct_batch add, copy; /* pulls that make replicas of C equal */
    int64_t slots[2];
    int64_t slices; /* of C that it adds */
    int accumulates;
    bool in_rounds;
} sct_script;

/* Of a plan, with the times of products on the machine. */
sct_status sct_script_create(const sct_plan *plan, const sct_machine *machine, sct_script *script);
void sct_script_clear(sct_script *script);

#endif
