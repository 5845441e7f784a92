/* context.h - what the devices of a world share: an OpenCL context, its memory and programs.
 *
 * Worlds with the same list of devices share a context, which lasts as long as the process, so that
 * kernels are compiled once. There is a second reason: threads of PoCL 3.1 may still use a part of
 * a device when its last command has run, and crash if it has been released.
 *
 * OpenCL 1.2 has buffers instead of addresses. A buffer is given a range of addresses that are
 * reserved but lead nowhere, so that callers can calculate with pointers, and is found again by
 * them. */
#ifndef SCT_DEVICE_OPENCL_CONTEXT_H
#define SCT_DEVICE_OPENCL_CONTEXT_H

#include "device/group.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum { SCT_CL_MOST_DEVICES = 64 };

/* The programs: strided.cl for each type, and convert.cl. */
enum { SCT_CL_CONVERT = SCT_BF16 + 1, SCT_CL_PROGRAMS };

/* A buffer and its addresses. */
typedef struct sct_cl_range {
    char *base;
    size_t bytes;
    cl_mem buffer;
} sct_cl_range;

typedef struct sct_cl_context {
    sct_device_group group;
    struct sct_cl_context *next;
    char *list; /* of the devices, as the user gave it; NULL: none was given */
    cl_context context;
    cl_device_id device[SCT_CL_MOST_DEVICES];
    int domain[SCT_CL_MOST_DEVICES]; /* parts of one device have one */
    bool parts[SCT_CL_MOST_DEVICES]; /* is a part of a device, to be released */
    pthread_mutex_t program_lock;
    cl_program program[SCT_CL_PROGRAMS];
    _Atomic uint64_t streams; /* that were made, of all devices */
    pthread_rwlock_t memory_lock;
    sct_cl_range *range; /* in ascending order */
    int64_t ranges, room;
} sct_cl_context;

/* A place in a buffer. buffer == NULL: memory of the host, or of another context. */
typedef struct sct_cl_place {
    cl_mem buffer;
    size_t offset;
} sct_cl_place;

/* The context with the devices of a list such as "0,2" (numbers of all devices of all platforms, in
 * order) or "0/2" (device 0 in two equal parts); NULL: all GPUs of the first platform that has
 * some, else the first device. Fails with SCT_NO_ENGINE if there is none. */
sct_status sct_cl_context_get(const char *list, sct_cl_context **context);
/* Fills in the devices, and the platform that they have in common. */
sct_status sct_cl_choose_devices(const char *list, sct_cl_context *context,
                                 cl_platform_id *platform);

/* The program, built for all devices when it is first asked for. */
sct_status sct_cl_program(sct_cl_context *context, int index, cl_program *program);

void *sct_cl_alloc(sct_cl_context *context, size_t bytes);
void sct_cl_release(sct_cl_context *context, void *memory);
sct_cl_place sct_cl_find(sct_cl_context *context, const void *memory);

/* A buffer for what the commands of one queue need in between: each overwrites what those before it
 * have left. All zeros, except for the context, at first. */
typedef struct sct_cl_room {
    cl_context context;
    cl_mem buffer;
    size_t bytes;
} sct_cl_room;

/* Makes the room at least so large. Commands that use the old buffer keep it until they have run.
 */
sct_status sct_cl_room_grow(sct_cl_room *room, size_t bytes);
void sct_cl_room_clear(sct_cl_room *room);

/* SCT_OK if `error` is CL_SUCCESS; otherwise fails and says what could not be done, and why. */
sct_status sct_cl_check(cl_int error, const char *what);

#endif
