/* emulated.h - the engine for tests, "emulated": it defers and delays what other engines do at
 * once, and puts memory out of reach, so that what a program does too early or in the wrong place
 * shows. */
#ifndef TEST_ENGINE_EMULATED_H
#define TEST_ENGINE_EMULATED_H

#include <sectile/sectile.h>

/* Its options. By default each rank has a device with memory out of the host's reach, and on it
 * streams in the background. */
typedef struct emulated_options {
    size_t size;
    int ranks_per_node; /* so many consecutive ranks share memory; 0: all, or one with devices */
    const char *text;   /* NULL, or further options, as the command line passes them: words such as
                           host,delay_us=20 that name those below */
    int host;           /* nonzero: ranks compute on the host, with its memory */
    int deferred;       /* nonzero, on the host: local work runs in the background, as on a GPU */
    int delay_us;       /* the longest delay of far transfers and deferred work */
    int wrapped_alone;  /* nonzero, on the host: only its owner can point to wrapped memory */
    uint64_t seed;      /* draws the order of far transfers between threads, and the delays */
} emulated_options;

/* The options of a world with these; sets their size. */
static inline sct_world_options emulated_world(emulated_options *own) {
    own->size = sizeof *own;
    return (sct_world_options){
        .size = sizeof(sct_world_options), .engine = "emulated", .engine_options = own};
}

#endif
