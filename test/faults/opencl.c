/* opencl.c - calls of OpenCL that fail: of the kind "opencl". */
#include "faults/fault.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

/* ---- Devices ---- */

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
    typedef cl_int real(cl_uint, cl_platform_id *, cl_uint *);
    if (fault_due("opencl", "clGetPlatformIDs", __builtin_return_address(0)))
        return CL_OUT_OF_HOST_MEMORY;
    return ((real *)fault_next("clGetPlatformIDs"))(room, platforms, count);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                       size_t *used) {
    typedef cl_int real(cl_device_id, cl_device_info, size_t, void *, size_t *);
    if (fault_due("opencl", "clGetDeviceInfo", __builtin_return_address(0)))
        return CL_OUT_OF_RESOURCES;
    return ((real *)fault_next("clGetDeviceInfo"))(device, what, bytes, value, used);
}

cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *how,
                          cl_uint count, cl_device_id *parts, cl_uint *made) {
    typedef cl_int real(cl_device_id, const cl_device_partition_property *, cl_uint, cl_device_id *,
                        cl_uint *);
    if (fault_due("opencl", "clCreateSubDevices", __builtin_return_address(0)))
        return CL_DEVICE_PARTITION_FAILED;
    return ((real *)fault_next("clCreateSubDevices"))(device, how, count, parts, made);
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *data, cl_int *error) {
    typedef cl_context real(const cl_context_properties *, cl_uint, const cl_device_id *,
                            void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *,
                            cl_int *);
    if (!fault_due("opencl", "clCreateContext", __builtin_return_address(0)))
        return ((real *)fault_next("clCreateContext"))(properties, count, devices, notify, data,
                                                       error);
    *error = CL_DEVICE_NOT_AVAILABLE;
    return NULL;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *error) {
    typedef cl_command_queue real(cl_context, cl_device_id, cl_command_queue_properties, cl_int *);
    if (!fault_due("opencl", "clCreateCommandQueue", __builtin_return_address(0)))
        return ((real *)fault_next("clCreateCommandQueue"))(context, device, properties, error);
    *error = CL_OUT_OF_RESOURCES;
    return NULL;
}

/* ---- Memory ---- */

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *error) {
    typedef cl_mem real(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    if (!fault_due("opencl", "clCreateBuffer", __builtin_return_address(0)))
        return ((real *)fault_next("clCreateBuffer"))(context, flags, bytes, host, error);
    *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         cl_map_flags flags, size_t at, size_t bytes, cl_uint events,
                         const cl_event *waits, cl_event *event, cl_int *error) {
    typedef void *real(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint,
                       const cl_event *, cl_event *, cl_int *);
    if (!fault_due("opencl", "clEnqueueMapBuffer", __builtin_return_address(0)))
        return ((real *)fault_next("clEnqueueMapBuffer"))(queue, buffer, blocking, flags, at, bytes,
                                                          events, waits, event, error);
    *error = CL_MAP_FAILURE;
    return NULL;
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem *buffers,
                                  cl_mem_migration_flags flags, cl_uint events,
                                  const cl_event *waits, cl_event *event) {
    typedef cl_int real(cl_command_queue, cl_uint, const cl_mem *, cl_mem_migration_flags, cl_uint,
                        const cl_event *, cl_event *);
    if (fault_due("opencl", "clEnqueueMigrateMemObjects", __builtin_return_address(0)))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return ((real *)fault_next("clEnqueueMigrateMemObjects"))(queue, count, buffers, flags, events,
                                                              waits, event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t at_from,
                           size_t at_to, size_t bytes, cl_uint events, const cl_event *waits,
                           cl_event *event) {
    typedef cl_int real(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
                        const cl_event *, cl_event *);
    if (fault_due("opencl", "clEnqueueCopyBuffer", __builtin_return_address(0)))
        return CL_DEVICE_NOT_AVAILABLE;
    return ((real *)fault_next("clEnqueueCopyBuffer"))(queue, from, to, at_from, at_to, bytes,
                                                       events, waits, event);
}

/* ---- Kernels ---- */

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                     const size_t *bytes, cl_int *error) {
    typedef cl_program real(cl_context, cl_uint, const char **, const size_t *, cl_int *);
    if (!fault_due("opencl", "clCreateProgramWithSource", __builtin_return_address(0)))
        return ((real *)fault_next("clCreateProgramWithSource"))(context, count, texts, bytes,
                                                                 error);
    *error = CL_OUT_OF_HOST_MEMORY;
    return NULL;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *data) {
    typedef cl_int real(cl_program, cl_uint, const cl_device_id *, const char *,
                        void(CL_CALLBACK *)(cl_program, void *), void *);
    if (fault_due("opencl", "clBuildProgram", __builtin_return_address(0)))
        return CL_BUILD_PROGRAM_FAILURE;
    return ((real *)fault_next("clBuildProgram"))(program, count, devices, options, notify, data);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error) {
    typedef cl_kernel real(cl_program, const char *, cl_int *);
    if (!fault_due("opencl", "clCreateKernel", __builtin_return_address(0)))
        return ((real *)fault_next("clCreateKernel"))(program, name, error);
    *error = CL_OUT_OF_RESOURCES;
    return NULL;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint which, size_t bytes, const void *value) {
    typedef cl_int real(cl_kernel, cl_uint, size_t, const void *);
    if (fault_due("opencl", "clSetKernelArg", __builtin_return_address(0)))
        return CL_OUT_OF_RESOURCES;
    return ((real *)fault_next("clSetKernelArg"))(kernel, which, bytes, value);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint events, const cl_event *waits, cl_event *event) {
    typedef cl_int real(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                        const size_t *, cl_uint, const cl_event *, cl_event *);
    if (fault_due("opencl", "clEnqueueNDRangeKernel", __builtin_return_address(0)))
        return CL_DEVICE_NOT_AVAILABLE;
    return ((real *)fault_next("clEnqueueNDRangeKernel"))(queue, kernel, dimensions, offset, global,
                                                          local, events, waits, event);
}

/* ---- Events ---- */

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint events, const cl_event *waits,
                                   cl_event *event) {
    typedef cl_int real(cl_command_queue, cl_uint, const cl_event *, cl_event *);
    if (fault_due("opencl", "clEnqueueMarkerWithWaitList", __builtin_return_address(0)))
        return CL_DEVICE_NOT_AVAILABLE;
    return ((real *)fault_next("clEnqueueMarkerWithWaitList"))(queue, events, waits, event);
}

cl_int clSetEventCallback(cl_event event, cl_int state,
                          void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data) {
    typedef cl_int real(cl_event, cl_int, void(CL_CALLBACK *)(cl_event, cl_int, void *), void *);
    if (fault_due("opencl", "clSetEventCallback", __builtin_return_address(0)))
        return CL_OUT_OF_HOST_MEMORY;
    return ((real *)fault_next("clSetEventCallback"))(event, state, call, data);
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t bytes, void *value, size_t *used) {
    typedef cl_int real(cl_event, cl_event_info, size_t, void *, size_t *);
    if (fault_due("opencl", "clGetEventInfo", __builtin_return_address(0)))
        return CL_OUT_OF_HOST_MEMORY;
    return ((real *)fault_next("clGetEventInfo"))(event, what, bytes, value, used);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t bytes, void *value,
                               size_t *used) {
    typedef cl_int real(cl_event, cl_profiling_info, size_t, void *, size_t *);
    if (fault_due("opencl", "clGetEventProfilingInfo", __builtin_return_address(0)))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    return ((real *)fault_next("clGetEventProfilingInfo"))(event, what, bytes, value, used);
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
    typedef cl_int real(cl_uint, const cl_event *);
    cl_int error = ((real *)fault_next("clWaitForEvents"))(count, events);
    return fault_due("opencl", "clWaitForEvents", __builtin_return_address(0))
               ? CL_DEVICE_NOT_AVAILABLE
               : error;
}
