/* threads_one_node.c - the rules of fabrics, on threads that all reach each other's memory. */
#include "fabric/threads/threads.h"
#include "rules/threads_fabric.h"
#include "support/check.h"

static int fail_to_gather(void *context, const void *mine, size_t bytes, void *all) {
    (void)context, (void)mine, (void)bytes, (void)all;
    return 1;
}

static void rule_bootstrap_fails(void) {
    sct_bootstrap bootstrap = {sizeof bootstrap, 0, 1, fail_to_gather, NULL};
    sct_fabric *fabric;
    CHECK(sct_fabric_threads(&bootstrap, NULL, &fabric) == SCT_FAILED);
}

int main(void) {
    const int ranks[] = {1, 2, 3, 4, 7};
    uint64_t seed = check_seed(1);
    for (int i = 0; i < 5; i++) {
        emulated_options options = {.host = 1, .ranks_per_node = ranks[i] + i % 2};
        threads_fabric_rules(ranks[i], NULL, seed);
        threads_fabric_rules(ranks[i], &options, seed + 1);
    }
    rule_bootstrap_fails();
    return check_report("threads_one_node");
}
