/* stand_in.h - functions of CUDA and cuBLAS on the host, for tests of the engine without a GPU.
 *
 * The programs link the object files of libsectile_cuda to these instead of CUDA. Streams are
 * threads that run one command after another, with random delays. Memory of an emulated device has
 * addresses that end the program when the host uses them, and NaN in it. Two commands that touch
 * the same bytes, at least one of them writing, fail a check unless events, or the host's waiting,
 * order them; so does a command that touches what its device must not, or memory that no one has
 * allocated. */
#ifndef TEST_CUDA_STAND_IN_H
#define TEST_CUDA_STAND_IN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct stand_in_machine {
    int devices;
    bool driverless; /* no driver is installed */
    bool apart;      /* devices have no access to each other's memory */
    bool unequal;    /* no atomic additions to each other's memory */
    int most_peers;  /* how many others a device can have access to; 0: any number */
    int major;       /* of the compute capability; 0: 8 */
    int delay_us;    /* the longest delay of a command */
    uint64_t seed;
    int ranks_per_host; /* so many processes are on a host for NVSHMEM; 0: all */
    bool linked;        /* and reach each other's GPUs from host to host; each has its own */
    bool idle;          /* commands are not run, which measures the host's time */
} stand_in_machine;

/* The functions that are counted. */
typedef enum stand_in_call {
    CALL_NONE,
    CALL_MALLOC,
    CALL_HOST_ALLOC,
    CALL_STREAM_CREATE,
    CALL_EVENT_CREATE,
    CALL_EVENT_RECORD,
    CALL_WAIT_EVENT,
    CALL_SYNCHRONIZE, /* of an event or a stream */
    CALL_QUERY,
    CALL_HOST, /* a stream calls the host */
    CALL_COPY,
    CALL_COPY_PEER,
    CALL_LAUNCH,
    CALL_LAUNCH_ATOMIC, /* those of atomic additions */
    CALL_LAUNCH_URGENT, /* those of the highest priority */
    CALL_BLAS_CREATE,
    CALL_BLAS_WORKSPACE,
    CALL_BLAS_MATH,
    CALL_GEMM,
    CALL_GEMM_TF32, /* those that may round to TF32 */
    CALL_SET_DEVICE,
    CALL_ATTRIBUTES, /* of a pointer */
    CALL_IPC_GET,
    CALL_IPC_OPEN,
    CALL_NVSHMEM_NAME,
    CALL_NVSHMEM_INIT,
    CALL_NVSHMEM_MALLOC,
    CALL_NVSHMEM_GET,
    CALLS
} stand_in_call;

/* Starts and ends an emulated machine; the latter checks that nothing was left behind. */
void stand_in_start(stand_in_machine machine);
void stand_in_end(void);

int64_t stand_in_count(stand_in_call call);
/* The most blocks, and threads, that an atomic addition has had. */
typedef struct stand_in_grid {
    int64_t blocks, threads;
} stand_in_grid;
stand_in_grid stand_in_largest_addition(void);
/* Has the call of this kind with that number, counted from now and from 1, and all after it fail;
 * CALL_NONE: none. */
void stand_in_fail(stand_in_call call, int64_t number);
/* Whether one has failed. */
bool stand_in_failed(void);

#endif
