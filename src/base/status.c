/* status.c - the reason of each thread's last failure. */
#include "base/status.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_reason[SCT_REASON_BYTES];

/* Callers may pass the last reason as an argument. So the new one is composed elsewhere first. What
 * is not ours in it, such as a name or what another library says, may have any bytes. */
sct_status sct_fail(sct_status status, const char *format, ...) {
    char reason[SCT_REASON_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    sct_make_printable(reason);
    snprintf(last_reason, sizeof last_reason, "%s", reason);
    return status;
}

sct_status sct_check_given(const char *name, const void *argument) {
    return argument ? SCT_OK : sct_fail(SCT_BAD_ARGUMENT, "'%s' is NULL", name);
}

sct_status sct_check_output(const char *name, const void *pointer) {
    return pointer ? SCT_OK : sct_fail(SCT_BAD_ARGUMENT, "output pointer '%s' is NULL", name);
}

sct_status sct_check_size(const char *name, size_t size, size_t least, size_t known) {
    if (size >= least && size <= known)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT,
                    "%s: a size of %zu bytes is too %s: set .size to sizeof the struct", name, size,
                    size < least ? "small" : "large");
}

const char *sct_last_reason(void) {
    return last_reason;
}

const char *sct_status_name(sct_status status) {
    switch (status) {
    case SCT_OK:
        return "done";
    case SCT_BAD_ARGUMENT:
        return "bad argument";
    case SCT_TOO_LARGE:
        return "too large";
    case SCT_NO_MEMORY:
        return "no memory";
    case SCT_WORKSPACE:
        return "workspace limit too small";
    case SCT_DISAGREE:
        return "ranks disagree";
    case SCT_ALIASED:
        return "aliased";
    case SCT_UNREACHABLE:
        return "unreachable";
    case SCT_NO_ENGINE:
        return "no such engine";
    case SCT_FAILED:
        return "failed";
    }
    return "unknown status";
}

sct_status sct_no_memory(const char *what) {
    return sct_fail(SCT_NO_MEMORY, "no memory for %s", what);
}
