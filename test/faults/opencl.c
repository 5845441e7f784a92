/* opencl.c - calls of OpenCL that fail: of the kind "opencl". */
#include "faults/fault.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *error) {
    typedef cl_mem real(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    if (!fault_due("opencl", "clCreateBuffer", __builtin_return_address(0)))
        return ((real *)fault_next("clCreateBuffer"))(context, flags, bytes, host, error);
    *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
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

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *data) {
    typedef cl_int real(cl_program, cl_uint, const cl_device_id *, const char *,
                        void(CL_CALLBACK *)(cl_program, void *), void *);
    if (fault_due("opencl", "clBuildProgram", __builtin_return_address(0)))
        return CL_BUILD_PROGRAM_FAILURE;
    return ((real *)fault_next("clBuildProgram"))(program, count, devices, options, notify, data);
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

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint events, const cl_event *waits,
                                   cl_event *event) {
    typedef cl_int real(cl_command_queue, cl_uint, const cl_event *, cl_event *);
    if (fault_due("opencl", "clEnqueueMarkerWithWaitList", __builtin_return_address(0)))
        return CL_DEVICE_NOT_AVAILABLE;
    return ((real *)fault_next("clEnqueueMarkerWithWaitList"))(queue, events, waits, event);
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
    typedef cl_int real(cl_uint, const cl_event *);
    cl_int error = ((real *)fault_next("clWaitForEvents"))(count, events);
    return fault_due("opencl", "clWaitForEvents", __builtin_return_address(0))
               ? CL_DEVICE_NOT_AVAILABLE
               : error;
}
