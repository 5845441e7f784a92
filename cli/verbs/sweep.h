/* sweep.h - the combinations that bench goes through. */
#ifndef CLI_VERBS_SWEEP_H
#define CLI_VERBS_SWEEP_H

#include "args/args.h"

/* A place in --layouts and one in --replicas, for each matrix. */
struct combination {
    int layout[MATRICES], replicas[MATRICES];
};

struct sweep {
    struct combination *combinations;
    int64_t count;
};

/* All combinations of --layouts and --replicas, or those of --sample; says what is wrong. */
enum code sweep_create(const struct args *args, struct sweep *sweep);
void sweep_destroy(struct sweep *sweep);

/* A layout with its replicas, such as row*2/f. */
enum { SWEEP_TEXT = LIST_WORD + 24 };
void sweep_text(const struct args *args, const struct combination *combination, int matrix,
                char text[SWEEP_TEXT]);

#endif
