/* opened.h - devices for tests: two parts of the first one. */
#ifndef TEST_OPENCL_OPENED_H
#define TEST_OPENCL_OPENED_H

#include "device/opencl/opencl.h"

/* A device in two parts needs two units. */
static const char two_parts[] = "0/2";

/* Opens the parts. Ends the test, which is then skipped, if there is no device. */
sct_cl_context *opened_parts(void);

#endif
