/* network.c - flows that share links: by hand, and beside a naive filling of all links at once. */
#include "sim/network.h"
#include "support/check.h"
#include "support/machines.h"

#include <inttypes.h>
#include <math.h>

enum { FLOWS = 24, CASES = 200, CHANGES = 60, RANKS = 12 };

static bool close_to(double x, double y) {
    return x == y || fabs(x - y) <= 1e-9 * fabs(y);
}

static void open_network(const sct_machine *machine, sct_network *network) {
    CHECK(sct_network_create(machine, RANKS, network) == SCT_OK);
    CHECK(sct_network_reserve(network, FLOWS) == SCT_OK);
}

static double rate(const sct_network *network, int flow) {
    return network->course[flow].rate;
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
        CHECK(rate(&network, flow) == 4 && sct_network_end(&network, flow) == 10);
    for (int from = 4; from <= 6; from++)
        sct_network_open(&network, from, from, 3, 40, 5);
    sct_network_settle(&network, 5);
    CHECK(rate(&network, 1) == 4.5 && rate(&network, 2) == 4.5);
    CHECK(sct_network_end(&network, 1) == 5 + 20 / 4.5);
    for (int flow = 3; flow <= 6; flow++)
        CHECK(rate(&network, flow) == 3);
    /* Whoever has nothing in common with it goes on as before. */
    sct_network_close(&network, 1, 0);
    sct_network_open(&network, 7, 8, 9, 1, 6);
    sct_network_settle(&network, 6);
    CHECK(rate(&network, 2) == 9 && rate(&network, 3) == 3 && rate(&network, 7) == 12);
    CHECK(network.changed.count == 2);
    sct_network_clear(&network);
}

/* Of three flows of a port, one is held up by its pair, and leaves its share to the others. */
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

/* Groups of two; between them 6 leave a group, and 8 pass in all. A rank's memory is its own. */
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

/* What comes into a group shares an uplink, too. */
static void test_uplink(void) {
    sct_machine machine = make_machine();
    sct_network network;
    machine.levels = 2;
    machine.level[0] = make_level(2);
    machine.level[1] = make_level(0);
    machine.level[1].uplink = 6;
    open_network(&machine, &network);
    sct_network_open(&network, 0, 0, 2, 1, 0);
    sct_network_open(&network, 1, 4, 3, 1, 0);
    sct_network_open(&network, 2, 3, 6, 1, 0);
    sct_network_settle(&network, 0);
    CHECK(rate(&network, 0) == 3 && rate(&network, 1) == 3 && rate(&network, 2) == 6);
    sct_network_clear(&network);
}

/* The rate of every flow found without regard to what was: all rise alike until a link is full. */
typedef struct naive {
    bool open[FLOWS];
    double rate[FLOWS];
} naive;

static double held_up(const sct_network *network, const naive *n, const sct_link *link, bool *any) {
    double left = link->capacity;
    int64_t rising = 0;
    for (int flow = 0; flow < FLOWS; flow++)
        for (int i = 0; n->open[flow] && i < network->flow[flow].links; i++)
            if (&network->link[network->flow[flow].link[i]] == link) {
                left -= n->rate[flow] < 0 ? 0 : n->rate[flow];
                rising += n->rate[flow] < 0;
            }
    *any = rising > 0;
    return *any ? left / (double)rising : INFINITY;
}

static void fill_naively(const sct_network *network, naive *n) {
    for (int flow = 0; flow < FLOWS; flow++)
        n->rate[flow] = network->flow[flow].links > 0 ? -1 : INFINITY;
    for (;;) {
        double least = INFINITY;
        int64_t fullest = -1;
        for (int64_t i = 0; i < network->fixed + network->room; i++) {
            bool any;
            double share = held_up(network, n, &network->link[i], &any);
            if (any && share < least) {
                least = share;
                fullest = i;
            }
        }
        if (fullest < 0)
            return;
        for (int flow = 0; flow < FLOWS; flow++)
            for (int i = 0; n->open[flow] && i < network->flow[flow].links; i++)
                if (network->flow[flow].link[i] == fullest && n->rate[flow] < 0)
                    n->rate[flow] = least;
    }
}

static void test_random(int number, uint64_t *random) {
    static int from[FLOWS];
    sct_machine machine = make_random_machine(random);
    sct_network network;
    naive n = {.open = {false}};
    open_network(&machine, &network);
    for (int change = 0; change < CHANGES; change++) {
        for (int64_t i = check_between(random, 1, 4); i > 0; i--) {
            int flow = (int)check_between(random, 0, FLOWS - 1);
            if (n.open[flow] && network.course[flow].rate > 0)
                sct_network_close(&network, flow, from[flow]);
            else if (!n.open[flow])
                sct_network_open(&network, flow, from[flow] = (int)check_between(random, 0, 5),
                                 (int)check_between(random, 0, RANKS - 1), 1e9, change);
            else
                continue;
            n.open[flow] = !n.open[flow];
        }
        sct_network_settle(&network, change);
        fill_naively(&network, &n);
        for (int flow = 0; flow < FLOWS; flow++)
            CHECK_CASE(!n.open[flow] || close_to(rate(&network, flow), n.rate[flow]),
                       "case %d, change %d: flow %d at %g, not %g", number, change, flow,
                       rate(&network, flow), n.rate[flow]);
    }
    sct_network_clear(&network);
}

/* Things by time, then by number, whatever was changed in between. */
static void test_agenda(uint64_t *random) {
    enum { THINGS = 50 };
    sct_clock clock = {.things = 0};
    double time[THINGS];
    CHECK(sct_clock_grow(&clock, THINGS) == SCT_OK && sct_clock_first(&clock).thing == -1);
    for (int i = 0; i < THINGS; i++)
        time[i] = -1;
    for (int change = 0; change < 2000; change++) {
        int thing = (int)check_between(random, 0, THINGS - 1), first = -1;
        time[thing] = (double)check_between(random, -10, 20);
        if (time[thing] < 0)
            sct_clock_drop(&clock, thing);
        else
            sct_clock_set(&clock, thing, time[thing]);
        for (int i = 0; i < THINGS; i++)
            if (time[i] >= 0 && (first < 0 || time[i] < time[first]))
                first = i;
        CHECK(sct_clock_first(&clock).thing == first);
    }
    sct_clock_clear(&clock);
}

int main(void) {
    uint64_t random = check_seed(1);
    test_agenda(&random);
    test_ports();
    test_pairs();
    test_levels();
    test_uplink();
    for (int i = 0; i < CASES; i++)
        test_random(i, &random);
    return check_report("network");
}
