/* kernels.h - the sources of the kernels, which the build embeds. */
#ifndef SCT_DEVICE_OPENCL_KERNELS_H
#define SCT_DEVICE_OPENCL_KERNELS_H

extern const char sct_cl_strided[], sct_cl_convert[];

#endif
