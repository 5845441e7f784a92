/* network.h - flows of bytes on a machine's links, which share them max-min fairly.
 *
 * A flow takes up some links: of its level what the pair of ranks has, the port that it leaves by
 * and the one that it comes in by, the uplinks of the two groups and the total; a rank's copy for
 * itself, the rank's memory. No flow can have more but at the cost of one that has no more than it
 * has. Where flows come and go, only those are looked at
 * again whose rates that changes. */
#ifndef SCT_SIM_NETWORK_H
#define SCT_SIM_NETWORK_H

#include "plan/machine.h"
#include "sim/clock.h"

enum { SCT_FLOW_LINKS = 6 };

/* What is looked at most of a flow. */
typedef struct sct_course {
    double rate, fair; /* and the rate that is being found; negative: not yet */
    int64_t bound;     /* the link that holds it up; -1: none does */
    uint64_t seen;     /* when it was last gathered */
} sct_course;

typedef struct sct_flow {
    int kind; /* its level, or for a rank's own copies the number of levels */
    int links;
    int32_t link[SCT_FLOW_LINKS];
    double left, since;            /* bytes that were left at a time */
    int32_t place[SCT_FLOW_LINKS]; /* among the hooks of that link */
} sct_flow;

typedef struct sct_link {
    double capacity, wanted; /* by its flows if nothing else held them up */
    int64_t flows, room;
    int64_t *hook; /* of each of them: the flow * SCT_FLOW_LINKS + which of its links this is */
    bool touched;  /* its flows are not those that were settled */
    /* While rates are found: what is left for how many flows that have none yet, what those got
     * that it holds up, and the most that one got. */
    double left, level, most;
    int64_t unfixed;
    bool all; /* of its flows are gathered */
    uint64_t seen;
    int64_t next; /* of a list of links: those of pairs with one sender, or those not in use */
    int to, users;
} sct_link;

typedef struct sct_flows {
    int64_t count, *flow;
} sct_flows;

typedef struct sct_network {
    const sct_machine *machine;
    int ranks;
    int64_t base[SCT_MACHINE_LEVELS + 1]; /* the first link of each level; then of memories */
    int64_t fixed;                        /* links that are not of pairs */
    sct_link *link;
    int64_t *pairs, unused; /* by sender its links of pairs, and those not in use; -1: none */
    int64_t room;           /* for flows */
    sct_flow *flow;
    sct_course *course;
    sct_flows opened, gathered, changed;
    int64_t *touched, touches;
    int64_t *involved, involves;             /* links that may hold up flows that are gathered */
    sct_clock shares;                        /* of links: what each unfixed flow would get */
    double cap[SCT_MACHINE_LEVELS + 1];      /* what a lone flow of each kind gets */
    int by_cap[SCT_MACHINE_LEVELS + 1];      /* kinds, the slowest first */
    int64_t waiting[SCT_MACHINE_LEVELS + 1]; /* unfixed flows of each kind */
    uint64_t round, settling;                /* of filling, and the first of these rounds */
} sct_network;

sct_status sct_network_create(const sct_machine *machine, int ranks, sct_network *network);
void sct_network_clear(sct_network *network);

/* Makes room for flows with numbers below `flows`. */
sct_status sct_network_reserve(sct_network *network, int64_t flows);
sct_status sct_network_open(sct_network *network, int64_t flow, int from, int to, double bytes,
                            double now);
void sct_network_close(sct_network *network, int64_t flow, int from);
/* Finds the rates again after flows have come and gone; those that have another one are listed in
 * `changed`. */
void sct_network_settle(sct_network *network, double now);
/* When a flow ends if its rate stays. */
double sct_network_end(const sct_network *network, int64_t flow);

/* links.c: makes the links that are not of pairs, and says what they can do. */
sct_status sct_links_create(sct_network *network);
/* Finds the links of a new flow, making that of the pair if need be; gives back what they were. */
void sct_links_take(sct_network *network, int from, int to, sct_flow *flow);
void sct_links_release(sct_network *network, int from, const sct_flow *flow);

#endif
