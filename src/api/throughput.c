/* throughput.c - see throughput.h. */
#include "api/throughput.h"

#include "base/checked.h"
#include "base/near.h"

/* Events come in the order of their beginnings. */
static void add(void *context, const sct_trace_event *event) {
    sct_throughput *throughput = context;
    if (event->kind == SCT_MULTIPLYING)
        throughput->computing += event->end - event->begin;
    if (event->kind != SCT_GETTING ||
        sct_is_near(event->rank, event->peer, throughput->ranks_per_node))
        return;
    double begin = sct_larger(event->begin, throughput->until);
    throughput->bytes += (double)event->bytes;
    throughput->seconds += sct_larger(event->end - begin, 0);
    throughput->until = sct_larger(event->end, throughput->until);
}

sct_observer sct_throughput_observer(sct_throughput *throughput) {
    return (sct_observer){.size = sizeof(sct_observer), .event = add, .context = throughput};
}
