/* network.c - flows that share links: worked out by hand, and compared with a naive computation for
 * all flows at once. */
#include "sim/network.h"
#include "support/check.h"
#include "support/machines.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

enum { FLOWS = 24, CASES = 200, CHANGES = 60, RANKS = 12, LIMITS = 6 };

static bool close_to(double x, double y) {
    return x == y || fabs(x - y) <= 1e-9 * fabs(y);
}

static void open_network(const sct_machine *machine, sct_network *network) {
    CHECK(sct_network_create(machine, RANKS, network) == SCT_OK);
    CHECK(sct_network_reserve(network, FLOWS) == SCT_OK);
}

static double rate(const sct_network *network, int flow) {
    return network->course[network->flow[flow].route].rate;
}

/* The end of the flow that is the first of its route. */
static double end(const sct_network *network, int flow) {
    CHECK(network->route[network->flow[flow].route].first == flow);
    return sct_network_end(network, network->flow[flow].route);
}

/* Rank 0 sends to 1, 2 and 3; then 4, 5 and 6 send to 3, too. */
static void test_ports(void) {
    sct_machine machine = make_machine();
    sct_network network;
    machine.level[0].port = 12;
    open_network(&machine, &network);
    for (int to = 1; to <= 3; to++)
        sct_network_open(&network, to, 0, to, 40, 0);
    sct_network_settle(&network, 0);
    CHECK(network.changed.count == 3);
    for (int flow = 1; flow <= 3; flow++)
        CHECK(rate(&network, flow) == 4 && end(&network, flow) == 10);
    for (int from = 4; from <= 6; from++)
        sct_network_open(&network, from, from, 3, 40, 5);
    sct_network_settle(&network, 5);
    CHECK(rate(&network, 1) == 4.5 && rate(&network, 2) == 4.5);
    CHECK(end(&network, 1) == 5 + 20 / 4.5);
    for (int flow = 3; flow <= 6; flow++)
        CHECK(rate(&network, flow) == 3);
    /* Flows that share no link with it go on as before. */
    sct_network_close(&network, network.flow[1].route);
    sct_network_open(&network, 7, 8, 9, 1, 6);
    sct_network_settle(&network, 6);
    CHECK(rate(&network, 2) == 9 && rate(&network, 3) == 3 && rate(&network, 7) == 12);
    CHECK(network.changed.count == 2);
    sct_network_clear(&network);
}

/* Of three flows through a port, one is limited by its pair and leaves its share to the others. */
static void test_pairs(void) {
    sct_machine machine = make_machine();
    sct_network network;
    machine.level[0].port = 10;
    machine.level[0].pair = 4;
    open_network(&machine, &network);
    sct_network_open(&network, 0, 0, 1, 8, 0);
    sct_network_open(&network, 1, 0, 1, 8, 0);
    sct_network_open(&network, 2, 0, 2, 8, 0);
    sct_network_open(&network, 3, 1, 0, 8, 0);
    sct_network_settle(&network, 0);
    CHECK(rate(&network, 0) == 2 && rate(&network, 1) == 2);
    CHECK(rate(&network, 2) == 4 && rate(&network, 3) == 4);
    for (int to = 3; to <= 5; to++)
        sct_network_open(&network, 1 + to, 0, to, 8, 0);
    sct_network_settle(&network, 0);
    for (int flow = 0; flow <= 6; flow++)
        CHECK(rate(&network, flow) == (flow == 3 ? 4 : 10.0 / 6));
    sct_network_clear(&network);
}

/* Groups of two ranks: 6 leave a group, 8 pass between groups in all. A rank's memory is its own.
 */
static void test_levels(void) {
    sct_machine machine = make_machine();
    sct_network network;
    machine.memory = 3;
    machine.levels = 2;
    machine.level[0] = make_level(2);
    machine.level[0].pair = 5;
    machine.level[1] = make_level(0);
    machine.level[1].uplink = 6;
    machine.level[1].total = 8;
    open_network(&machine, &network);
    sct_network_open(&network, 0, 0, 1, 1, 0);
    sct_network_open(&network, 1, 0, 2, 1, 0);
    sct_network_open(&network, 2, 1, 4, 1, 0);
    sct_network_open(&network, 3, 7, 7, 1, 0);
    sct_network_settle(&network, 0);
    CHECK(rate(&network, 0) == 5 && rate(&network, 1) == 3 && rate(&network, 2) == 3);
    CHECK(rate(&network, 3) == 3);
    sct_network_open(&network, 4, 6, 8, 1, 0);
    sct_network_settle(&network, 0);
    CHECK(close_to(rate(&network, 4), 8.0 / 3) && close_to(rate(&network, 1), 8.0 / 3));
    sct_network_open(&network, 5, 7, 7, 1, 0);
    sct_network_settle(&network, 0);
    CHECK(rate(&network, 3) == 1.5 && rate(&network, 5) == 1.5 && rate(&network, 0) == 5);
    sct_network_clear(&network);
}

/* Nodes of two ranks, each with an uplink. */
static sct_machine make_nodes(void) {
    sct_machine machine = make_machine();
    machine.levels = 2;
    machine.level[0] = make_level(2);
    machine.level[1] = make_level(0);
    machine.level[1].uplink = 6;
    return machine;
}

/* Incoming flows of a group share an uplink, too. */
static void test_uplink(void) {
    sct_machine machine = make_nodes();
    sct_network network;
    open_network(&machine, &network);
    sct_network_open(&network, 0, 0, 2, 1, 0);
    sct_network_open(&network, 1, 4, 3, 1, 0);
    sct_network_open(&network, 2, 3, 6, 1, 0);
    sct_network_settle(&network, 0);
    CHECK(rate(&network, 0) == 3 && rate(&network, 1) == 3 && rate(&network, 2) == 6);
    sct_network_clear(&network);
}

/* The flows between two nodes of two ranks form one route, and end in the order of what is left of
 * them, whichever began first. */
static void test_routes(void) {
    sct_machine machine = make_nodes();
    sct_network network;
    machine.level[1].port = 7; /* more than the uplink lets through */
    open_network(&machine, &network);
    sct_network_open(&network, 0, 0, 2, 30, 0);
    sct_network_settle(&network, 0);
    CHECK(rate(&network, 0) == 6 && end(&network, 0) == 5);
    sct_network_open(&network, 1, 1, 3, 6, 2);
    sct_network_open(&network, 2, 1, 2, 12, 2);
    sct_network_settle(&network, 2);
    CHECK(network.changed.count == 1 && rate(&network, 0) == 2);
    int64_t route = network.flow[0].route;
    CHECK(network.flow[1].route == route && network.flow[2].route == route);
    static const int order[] = {1, 2, 0}, ends[] = {5, 7, 8};
    for (int i = 0; i < 3; i++) {
        CHECK(end(&network, order[i]) == ends[i]);
        sct_network_close(&network, route);
        sct_network_settle(&network, ends[i]);
    }
    CHECK(sct_network_end(&network, route) == INFINITY);
    sct_network_clear(&network);
}

/* A naive computation from scratch, for each flow by itself: all rates rise equally until a link is
 * full. */
typedef struct limit {
    double capacity;
    int number; /* of the limited resource */
} limit;

typedef struct naive {
    bool open[FLOWS];
    double rate[FLOWS], left[FLOWS];
    int limits[FLOWS];
    limit limit[FLOWS][LIMITS];
} naive;

static void add_limit(naive *n, int flow, int level, int64_t which, double capacity) {
    int at = n->limits[flow]++;
    n->limit[flow][at] = (limit){capacity, (level * LIMITS + at) * RANKS * RANKS + (int)which};
}

static int64_t group(const sct_machine *machine, int level, int rank) {
    if (level < 0)
        return rank;
    return machine->level[level].ranks > 0 ? rank / machine->level[level].ranks : 0;
}

static void open_naively(const sct_machine *machine, naive *n, int flow, int from, int to,
                         double bytes) {
    n->open[flow] = true;
    n->left[flow] = bytes;
    n->rate[flow] = 0;
    n->limits[flow] = 0;
    if (from == to) {
        add_limit(n, flow, machine->levels, from, machine->memory);
        return;
    }
    const sct_level *level = sct_machine_level(machine, from, to);
    int i = (int)(level - machine->level);
    double port = level->processor > 0 ? fmin(level->port, 1 / level->processor) : level->port;
    add_limit(n, flow, i, from * RANKS + to, level->pair);
    add_limit(n, flow, i, from, port);
    add_limit(n, flow, i, to, port);
    add_limit(n, flow, i, group(machine, i - 1, from), level->uplink);
    add_limit(n, flow, i, group(machine, i - 1, to), level->uplink);
    add_limit(n, flow, i, group(machine, i, from), level->total);
}

/* The share of a limited resource for each flow whose rate still rises. */
static double share_of(const naive *n, limit of) {
    double left = of.capacity;
    int rising = 0;
    for (int flow = 0; flow < FLOWS; flow++)
        for (int i = 0; n->open[flow] && i < n->limits[flow]; i++)
            if (n->limit[flow][i].number == of.number) {
                left -= n->rate[flow] < 0 ? 0 : n->rate[flow];
                rising += n->rate[flow] < 0;
            }
    return left / rising;
}

static void fill_naively(naive *n) {
    for (int flow = 0; flow < FLOWS; flow++)
        n->rate[flow] = -1;
    for (;;) {
        double share, least = INFINITY;
        int fullest = -1;
        for (int flow = 0; flow < FLOWS; flow++)
            for (int i = 0; n->open[flow] && n->rate[flow] < 0 && i < n->limits[flow]; i++)
                if ((share = share_of(n, n->limit[flow][i])) < least) {
                    least = share;
                    fullest = n->limit[flow][i].number;
                }
        bool rises = false;
        for (int flow = 0; flow < FLOWS; flow++) {
            bool stays = fullest < 0;
            for (int i = 0; n->open[flow] && i < n->limits[flow]; i++)
                stays |= n->limit[flow][i].number == fullest;
            if (n->open[flow] && n->rate[flow] < 0 && stays)
                n->rate[flow] = least;
            rises |= n->open[flow] && n->rate[flow] < 0;
        }
        if (!rises)
            return;
    }
}

/* Checks the flow's rate, and that no flow of its route ends before the first. */
static void check_flow(int number, int change, const sct_network *network, const naive *n,
                       int flow) {
    int64_t route = network->flow[flow].route, first = network->route[route].first;
    CHECK_CASE(close_to(rate(network, flow), n->rate[flow]),
               "case %d, change %d: flow %d at %g, not %g", number, change, flow,
               rate(network, flow), n->rate[flow]);
    if (isinf(n->rate[flow]))
        return;
    CHECK_CASE(n->left[first] <= n->left[flow] * (1 + 1e-9), "case %d: %d before %d", number,
               (int)first, flow);
    CHECK_CASE(close_to(sct_network_end(network, route), change + n->left[first] / n->rate[first]),
               "case %d, change %d: flow %d ends at %g", number, change, (int)first,
               sct_network_end(network, route));
}

static void test_random(int number, uint64_t *random) {
    sct_machine machine = make_random_machine(random);
    sct_network network;
    naive n = {.open = {false}};
    open_network(&machine, &network);
    for (int change = 0; change < CHANGES; change++) {
        for (int64_t i = check_between(random, 1, 4); i > 0; i--) {
            int flow = (int)check_between(random, 0, FLOWS - 1);
            int from = (int)check_between(random, 0, 5);
            int to = (int)check_between(random, 0, RANKS - 1);
            double bytes = (double)check_between(random, 1 << 30, INT64_C(1) << 32);
            if (!n.open[flow]) {
                sct_network_open(&network, flow, from, to, bytes, change);
                open_naively(&machine, &n, flow, from, to, bytes);
            } else if (rate(&network, flow) > 0) {
                int64_t route = network.flow[flow].route;
                n.open[network.route[route].first] = false;
                sct_network_close(&network, route);
            }
        }
        sct_network_settle(&network, change);
        fill_naively(&n);
        for (int flow = 0; flow < FLOWS; flow++)
            if (n.open[flow])
                check_flow(number, change, &network, &n, flow);
        for (int flow = 0; flow < FLOWS; flow++)
            n.left[flow] -= n.rate[flow];
    }
    sct_network_clear(&network);
}

/* The queue returns items by key, then by number, whatever was changed in between. */
static void test_queue(uint64_t *random) {
    enum { ITEMS = 50 };
    sct_priority_queue queue = {.room = 0};
    double key[ITEMS];
    CHECK(sct_priority_queue_grow(&queue, ITEMS) == SCT_OK &&
          sct_priority_queue_first(&queue).item == -1);
    for (int i = 0; i < ITEMS; i++)
        key[i] = -1;
    for (int change = 0; change < 2000; change++) {
        int item = (int)check_between(random, 0, ITEMS - 1), first = -1;
        key[item] = (double)check_between(random, -10, 20);
        if (key[item] < 0)
            sct_priority_queue_drop(&queue, item);
        else
            sct_priority_queue_set(&queue, item, key[item]);
        for (int i = 0; i < ITEMS; i++)
            if (key[i] >= 0 && (first < 0 || key[i] < key[first]))
                first = i;
        CHECK(sct_priority_queue_first(&queue).item == first);
    }
    sct_priority_queue_clear(&queue);
}

static void test_too_many(void) {
    sct_machine machine = make_machine();
    sct_network network;
    CHECK(sct_network_create(&machine, INT_MAX, &network) == SCT_TOO_LARGE);
}

int main(void) {
    uint64_t random = check_seed(1);
    test_queue(&random);
    test_ports();
    test_pairs();
    test_levels();
    test_uplink();
    test_routes();
    test_too_many();
    for (int i = 0; i < CASES; i++)
        test_random(i, &random);
    return check_report("network");
}
