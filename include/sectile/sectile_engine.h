/* sectile_engine.h - settings of engines, for sct_world_options. sectile.h includes this file. */
#ifndef SECTILE_ENGINE_H
#define SECTILE_ENGINE_H

#include <stddef.h>

/* How ranks reach memory of remote ranks (docs/engines.md): by messages that the owner answers,
 * over MPI (service) or TCP (sockets, the way of processes), or by MPI's one-sided calls (rma); or
 * that of GPUs, with the engine cuda, by NVSHMEM. */
typedef enum sct_path {
    SCT_PATH_AUTO, /* what suits the network of the hosts, once a path is needed */
    SCT_PATH_SERVICE,
    SCT_PATH_RMA,
    SCT_PATH_SOCKETS,
    SCT_PATH_NVSHMEM
} sct_path;

/* The options of an engine in a library of its own, as the command line passes them: the beginning
 * of the engine's own struct (docs/engines.md). */
typedef struct sct_other_options {
    size_t size;
    int ranks_per_node;
    const char *text; /* that of --engine-options */
} sct_other_options;

/* How f32 and cf32 products are computed. TF32: their factors may be rounded to the 11 significant
 * bits of TF32. */
typedef enum sct_math { SCT_MATH_IEEE, SCT_MATH_TF32 } sct_math;

/* How a GPU adds its contributions to a part of C on another GPU. ATOMIC: by atomic additions to
 * the other GPU's memory. MAILBOX: it copies them to a buffer there, and the other GPU adds them.
 * AUTO: ATOMIC if all GPUs of the world can do it, else MAILBOX. */
typedef enum sct_accumulation {
    SCT_ACCUMULATION_AUTO,
    SCT_ACCUMULATION_ATOMIC,
    SCT_ACCUMULATION_MAILBOX
} sct_accumulation;

#endif
