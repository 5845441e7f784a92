/* engine.h - what a module offers that connects processes by an MPI.
 *
 * The tool itself knows no MPI: it loads the module of the one that has started it. */
#ifndef CLI_MPI_ENGINE_H
#define CLI_MPI_ENGINE_H

#include <sectile/sectile.h>
#include <stdbool.h>

/* `gather` and `spread` are collective. They sleep while they wait, as long as that takes, or, if
 * `seconds` is not negative, at most about so long; they return whether all came. */
struct engine {
    size_t size;                         /* of this; the tool and its modules are of one make */
    int (*start)(int *rank, int *ranks); /* 0 when done */
    sct_status (*create_world)(const sct_world_options *options, sct_world **world);
    /* `all` has `bytes` bytes of each rank: on entry this rank's are there. */
    bool (*gather)(void *all, int bytes, double seconds);
    /* Every rank gets the bytes of `from`. */
    bool (*spread)(void *bytes, int count, int from, double seconds);
    void (*abort)(int code) __attribute__((noreturn)); /* ends all ranks */
    void (*stop)(void);
};

/* The name under which a module exports its `const struct engine`. */
#define ENGINE_SYMBOL "sectile_engine"
extern SCT_API const struct engine sectile_engine;

#endif
