/* context.c - creates and keeps contexts, and builds their programs. */
#include "device/opencl/context.h"

#include "device/opencl/kernels.h"

#include <stdlib.h>
#include <string.h>

static void discard(sct_cl_context *context) {
    for (int i = 0; i < context->group.count; i++)
        if (context->parts[i])
            clReleaseDevice(context->device[i]);
    pthread_rwlock_destroy(&context->memory_lock);
    pthread_mutex_destroy(&context->program_lock);
    free(context->list);
    free(context);
}

/* Without devices. */
static sct_cl_context *create_empty(const char *list) {
    sct_cl_context *made = calloc(1, sizeof *made);
    if (!made || (list && !(made->list = strdup(list)))) {
        free(made);
        return NULL;
    }
    pthread_mutex_init(&made->program_lock, NULL);
    pthread_rwlock_init(&made->memory_lock, NULL);
    return made;
}

static sct_status create(const char *list, sct_cl_context **context) {
    sct_cl_context *made = create_empty(list);
    if (!made)
        return sct_no_memory("the devices of OpenCL");
    cl_platform_id platform;
    cl_int error = CL_SUCCESS;
    sct_status status = sct_cl_choose_devices(list, made, &platform);
    if (!status) {
        const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                    (cl_context_properties)platform, 0};
        made->context = clCreateContext(properties, (cl_uint)made->group.count, made->device, NULL,
                                        NULL, &error);
        status = sct_cl_check(error, "make a context");
    }
    if (status)
        discard(made);
    else
        *context = made;
    return status;
}

/* Whether a context has the devices of a list, and none of them was lost meanwhile. */
static bool serves(const sct_cl_context *context, const char *list) {
    bool same = list && context->list ? !strcmp(list, context->list) : list == context->list;
    for (int i = 0; i < context->group.count && same; i++) {
        cl_bool available = CL_FALSE;
        same = clGetDeviceInfo(context->device[i], CL_DEVICE_AVAILABLE, sizeof available,
                               &available, NULL) == CL_SUCCESS &&
               available;
    }
    return same;
}

/* Platforms are loaded by the first calls of a process, and not all can do that on several threads
 * at once. */
sct_status sct_cl_context_get(const char *list, sct_cl_context **context) {
    static pthread_mutex_t one_by_one = PTHREAD_MUTEX_INITIALIZER;
    static sct_cl_context *kept;
    sct_status status = SCT_OK;
    pthread_mutex_lock(&one_by_one);
    sct_cl_context *found = kept;
    while (found && !serves(found, list))
        found = found->next;
    if (!found && !(status = create(list, &found))) {
        found->next = kept;
        kept = found;
    }
    *context = found;
    pthread_mutex_unlock(&one_by_one);
    return status;
}

/* ---- Programs ---- */

/* Returns the compiler's log for a device, which the caller frees; NULL if there is none. */
static char *read_log(cl_program program, cl_device_id device) {
    size_t bytes = 0;
    cl_int error = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = error == CL_SUCCESS && bytes > 1 ? malloc(bytes) : NULL;
    if (log)
        error = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    if (error == CL_SUCCESS)
        return log;
    free(log);
    return NULL;
}

/* Fails with the first line of what the compiler says. */
static sct_status report_build(const sct_cl_context *context, cl_program program, cl_int error) {
    char *log = NULL;
    for (int i = 0; i < context->group.count && !log; i++)
        log = read_log(program, context->device[i]);
    if (!log)
        return sct_fail(SCT_FAILED, "OpenCL: a kernel does not compile: error %d", (int)error);
    sct_status status = sct_fail(SCT_FAILED, "OpenCL: a kernel does not compile: %.*s",
                                 (int)strcspn(log, "\n"), log);
    free(log);
    return status;
}

static sct_status build(const sct_cl_context *context, int index, cl_program *program) {
    static const char *const types[SCT_CL_PROGRAMS] = {[SCT_F32] = "-DREAL=float -DPARTS=1",
                                                       [SCT_F64] = "-DREAL=double -DPARTS=1",
                                                       [SCT_CF32] = "-DREAL=float -DPARTS=2",
                                                       [SCT_CF64] = "-DREAL=double -DPARTS=2",
                                                       [SCT_F16] = "-DREAL=ushort -DPARTS=1",
                                                       [SCT_BF16] = "-DREAL=ushort -DPARTS=1",
                                                       [SCT_CL_CONVERT] = ""};
    const char *source = index == SCT_CL_CONVERT ? sct_cl_convert : sct_cl_strided;
    cl_int error;
    cl_program made = clCreateProgramWithSource(context->context, 1, &source, NULL, &error);
    if (error != CL_SUCCESS)
        return sct_cl_check(error, "make a program");
    error = clBuildProgram(made, (cl_uint)context->group.count, context->device, types[index], NULL,
                           NULL);
    if (error != CL_SUCCESS) {
        sct_status status = report_build(context, made, error);
        clReleaseProgram(made);
        return status;
    }
    *program = made;
    return SCT_OK;
}

sct_status sct_cl_program(sct_cl_context *context, int index, cl_program *program) {
    pthread_mutex_lock(&context->program_lock);
    sct_status status = SCT_OK;
    if (!context->program[index])
        status = build(context, index, &context->program[index]);
    *program = context->program[index];
    pthread_mutex_unlock(&context->program_lock);
    return status;
}

sct_status sct_cl_check(cl_int error, const char *what) {
    if (error == CL_SUCCESS)
        return SCT_OK;
    bool memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
                  error == CL_OUT_OF_HOST_MEMORY;
    return sct_fail(memory ? SCT_NO_MEMORY : SCT_FAILED, "OpenCL: could not %s: error %d", what,
                    (int)error);
}
