/* sectile_engine.h - the options of each engine, for `engine_options` of sct_world_options.
 * sectile.h includes this file.
 *
 * A field that is zero has its default. An engine checks its options; the reason of a failure names
 * the engine and the field. Each struct has `ranks_per_node`, with which one host behaves like
 * several: if it is not 0, only that many consecutive ranks share memory, and all other transfers
 * take the path between hosts. It must be equal on all ranks. */
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

/* Of the engine threads: transfers between far ranks are counted as such. */
typedef struct sct_threads_options {
    size_t size;
    int ranks_per_node;
} sct_threads_options;

/* Of the engines processes and mpi: far ranks reach each other by the path of the world. */
typedef struct sct_processes_options {
    size_t size;
    int ranks_per_node;
} sct_processes_options;

typedef struct sct_opencl_options {
    size_t size;
    int ranks_per_node;
    const char *devices; /* "0,1", or "0/2" for two parts of one; NULL: all GPUs, or device 0 */
} sct_opencl_options;

/* math and accumulation are equal on all ranks. */
typedef struct sct_cuda_options {
    size_t size;
    int ranks_per_node;
    const char *devices; /* "0,1"; NULL: all */
    sct_math math;
    sct_accumulation accumulation;
} sct_cuda_options;

/* What the command line passes to an engine that is in a library of its own. The options struct of
 * such an engine begins with these fields (docs/engines.md). */
typedef struct sct_other_options {
    size_t size;
    int ranks_per_node;
    const char *text; /* that of --engine-options */
} sct_other_options;

#endif
