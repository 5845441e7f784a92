/* opencl.h - devices of OpenCL: GPUs of any vendor, and processors. */
#ifndef SCT_DEVICE_OPENCL_OPENCL_H
#define SCT_DEVICE_OPENCL_OPENCL_H

#include "device/opencl/context.h"

/* Device number `index` of a context. */
sct_status sct_device_opencl(sct_cl_context *context, int index, sct_device **device);

#endif
