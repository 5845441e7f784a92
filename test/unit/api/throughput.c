/* throughput.c - seconds of products, and bytes from other nodes with the seconds in which any were
 * under way. */
#include "api/throughput.h"
#include "support/check.h"

enum { PER_NODE = 2 };

static void add(const sct_observer *observer, sct_trace_kind kind, int peer, double begin,
                double end) {
    observer->event(
        observer->context,
        &(sct_trace_event){
            .rank = 1, .peer = peer, .kind = kind, .bytes = 10, .begin = begin, .end = end});
}

int main(void) {
    sct_throughput throughput = {.ranks_per_node = PER_NODE};
    sct_observer observer = sct_throughput_observer(&throughput);
    CHECK(observer.size == sizeof observer && !observer.progress);
    add(&observer, SCT_MULTIPLYING, -1, 0, 1);
    add(&observer, SCT_MULTIPLYING, -1, 2, 5);
    CHECK(throughput.computing == 4 && throughput.bytes == 0);
    add(&observer, SCT_GETTING, 0, 0, 9); /* near */
    add(&observer, SCT_GATHERING, 1, 0, 9);
    add(&observer, SCT_ACCUMULATING, 2, 0, 9);
    CHECK(throughput.bytes == 0 && throughput.seconds == 0);
    add(&observer, SCT_GETTING, 2, 10, 14);
    add(&observer, SCT_GETTING, 3, 11, 13);
    add(&observer, SCT_GETTING, 2, 12, 16);
    add(&observer, SCT_GETTING, 3, 20, 21);
    CHECK(throughput.bytes == 40 && throughput.seconds == 7);
    return check_report("throughput");
}
