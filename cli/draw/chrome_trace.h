/* chrome_trace.h - what ranks did when in a simulation, as a file of Chrome trace events. */
#ifndef CLI_DRAW_CHROME_TRACE_H
#define CLI_DRAW_CHROME_TRACE_H

#include "print/json.h"

#include <sectile/sectile.h>

struct trace {
    struct json json;
    double *until; /* by rank, lane and track: when the last deed on it ended */
};

/* False if there is no memory. */
bool trace_begin(struct trace *trace, int ranks, FILE *out);
void trace_add(struct trace *trace, const sct_deed *deed);
void trace_end(struct trace *trace);
void trace_destroy(struct trace *trace);

#endif
