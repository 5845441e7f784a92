/* chrome_trace.h - a simulation as a file of Chrome trace events. */
#ifndef CLI_DRAW_CHROME_TRACE_H
#define CLI_DRAW_CHROME_TRACE_H

#include "print/json.h"

#include <sectile/sectile.h>

struct chrome_trace {
    struct json json;
    double *until; /* by rank, lane and track: the end of its last event */
};

/* False: out of memory. */
bool chrome_trace_begin(struct chrome_trace *trace, int ranks, FILE *out);
void chrome_trace_add(struct chrome_trace *trace, const sct_trace_event *event);
void chrome_trace_end(struct chrome_trace *trace);
void chrome_trace_destroy(struct chrome_trace *trace);

#endif
