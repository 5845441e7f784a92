/* sweep.h - the combinations of layouts and replication in a sweep. */
#ifndef CLI_VERBS_SWEEP_H
#define CLI_VERBS_SWEEP_H

#include "args/args.h"

/* Indices into --layouts and --replicas, by matrix. */
struct combination {
    int layout[MATRICES], replicas[MATRICES];
};

struct sweep {
    struct combination *combinations;
    int64_t count;
};

/* All combinations, or --sample of them; reports errors. */
enum code sweep_create(const struct args *args, struct sweep *sweep);
void sweep_destroy(struct sweep *sweep);

/* A layout with its replication, such as row*2/f. */
enum { SWEEP_TEXT = LIST_WORD + 24 };
void sweep_text(const struct args *args, const struct combination *combination, int matrix,
                char text[SWEEP_TEXT]);

#endif
