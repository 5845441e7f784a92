/* engine.h - the interface of a module that connects processes by one MPI.
 *
 * The tool itself is independent of MPI: it loads the module of the MPI that started it. */
#ifndef CLI_MPI_ENGINE_H
#define CLI_MPI_ENGINE_H

#include <sectile/sectile.h>
#include <stdbool.h>

/* `gather` and `spread` are collective. They sleep while they wait: without limit if `seconds` is
 * negative, otherwise about that long at most. They return false if not all processes came. */
struct engine {
    size_t size;                         /* of this struct; tool and modules are of one build */
    int (*start)(int *rank, int *ranks); /* 0: success */
    sct_status (*create_world)(const sct_world_options *options, sct_world **world);
    /* `all` has `bytes` bytes per rank; on entry those of this rank are set. */
    bool (*gather)(void *all, int bytes, double seconds);
    /* Broadcasts the bytes of rank `from`. */
    bool (*spread)(void *bytes, int count, int from, double seconds);
    __attribute__((noreturn)) void (*abort)(int code); /* ends all processes */
    void (*stop)(void);
};

/* The name under which a module exports its `const struct engine`. */
#define ENGINE_SYMBOL "sectile_engine"
extern SCT_API const struct engine sectile_engine;

#endif
