/* opened.c - opens devices, or ends the test. */
#include "opencl/opened.h"

#include <stdio.h>
#include <stdlib.h>

sct_cl_context *opened_parts(void) {
    enum { SKIPPED = 77 };
    sct_cl_context *context;
    sct_status status = sct_cl_context_get(two_parts, &context);
    if (status == SCT_OK)
        return context;
    printf("%s\n", sct_last_reason());
    exit(status == SCT_NO_ENGINE || status == SCT_BAD_ARGUMENT ? SKIPPED : EXIT_FAILURE);
}
