/* resources.c - which transfers of a rank add up, and which overlap. */
#include "order/graph.h"
#include "order/order.h"
#include "support/check.h"
#include "support/machines.h"

enum { RANKS = 8, MOST = 4 };

/* The time of a group of these transfers of rank 0, with products of so many seconds. */
static double seconds_of(const sct_machine *machine, double multiplying, int count,
                         const sct_order_transfer *transfers) {
    sct_sparse_sums moving;
    CHECK(sct_sparse_sums_create(sct_resource_count(machine, RANKS), &moving) == SCT_OK);
    for (int i = 0; i < count; i++) {
        sct_resource_use use[SCT_MAX_USES];
        int uses = sct_transfer_uses(machine, 0, &transfers[i], use);
        CHECK(uses <= SCT_MAX_USES);
        for (int t = 0; t < uses; t++)
            sct_sparse_sums_add(&moving, use[t].resource, use[t].seconds);
    }
    double seconds = sct_group_seconds(multiplying, &moving);
    sct_sparse_sums_reset(&moving);
    CHECK(sct_group_seconds(0, &moving) == 0);
    sct_sparse_sums_clear(&moving);
    return seconds;
}

/* Transfers of 8 bytes each: two from one rank, one from another, and one to it. */
static const sct_order_transfer some[MOST] = {
    {1, false, 8}, {1, false, 8}, {2, false, 8}, {2, true, 8}};

static double moving(const sct_machine *machine, int count) {
    return seconds_of(machine, 0, count, some);
}

static void test_pairs(void) {
    sct_machine machine = make_machine();
    CHECK(moving(&machine, MOST) == 0);
    machine.level[0].pair = 8;
    CHECK(moving(&machine, 1) == 1 && moving(&machine, 2) == 2);
    CHECK(moving(&machine, 3) == 2 && moving(&machine, 4) == 2);
    CHECK(seconds_of(&machine, 1.5, MOST, some) == 2 && seconds_of(&machine, 3, MOST, some) == 3);
    machine.level[0].latency = 1;
    CHECK(moving(&machine, MOST) == 4);
    machine.level[0].latency = 0;
    machine.level[0].accumulate = 0.25;
    CHECK(moving(&machine, MOST) == 4);
}

/* Incoming and outgoing transfers share no port and no uplink, but the total. */
static void test_shared(void) {
    sct_machine machine = make_machine();
    machine.level[0].pair = 8;
    machine.level[0].port = 4;
    CHECK(moving(&machine, 1) == 2 && moving(&machine, MOST) == 6);
    machine.level[0].port = 16;
    CHECK(moving(&machine, MOST) == 2);
    machine.level[0].uplink = 2;
    CHECK(moving(&machine, MOST) == 12);
    machine.level[0].uplink = 16;
    machine.level[0].total = 4;
    CHECK(moving(&machine, MOST) == 8);
    machine.level[0].total = 16;
    machine.gets = 1;
    CHECK(moving(&machine, MOST) == 3);
    machine.gets = 0;
    machine.accumulates = 1;
    machine.level[0].accumulate = 0.25;
    CHECK(moving(&machine, MOST) == 4);
}

/* Ranks 0 and 1 are a group of their own. */
static void test_levels(void) {
    sct_machine machine = make_machine();
    machine.levels = 2;
    machine.level[0] = make_level(2);
    machine.level[1] = make_level(0);
    machine.level[0].pair = machine.level[0].port = 8;
    machine.level[1].pair = machine.level[1].port = 4;
    CHECK(moving(&machine, 2) == 2 && moving(&machine, 3) == 2 && moving(&machine, MOST) == 2);
    machine.level[0].pair = 2;
    CHECK(moving(&machine, 3) == 8);
}

/* Copies that the rank makes itself add to its products. */
static void test_rank(void) {
    static const sct_order_transfer own[] = {{0, false, 8}, {0, true, 8}};
    sct_machine machine = make_machine();
    machine.level[0].pair = 8;
    machine.level[0].processor = 1.0 / 16;
    CHECK(seconds_of(&machine, 3, MOST, some) == 5);
    machine.level[0].processor = 1; /* as fast as the port permits */
    CHECK(moving(&machine, 3) == 24);
    machine.level[0].processor = 0;
    machine.slowed = 0.5;
    CHECK(seconds_of(&machine, 3, MOST, some) == 3.5);
    machine.level[0].by_rank = true;
    CHECK(seconds_of(&machine, 3, MOST, some) == 7);
    machine.memory = 8;
    CHECK(seconds_of(&machine, 3, 2, own) == 8);
    machine.level[0].by_rank = false;
    CHECK(seconds_of(&machine, 3, 2, own) == 5);
}

int main(void) {
    test_pairs();
    test_shared();
    test_levels();
    test_rank();
    return check_report("resources");
}
