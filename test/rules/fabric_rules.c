/* fabric_rules.c - runs all rules, each group with random numbers of its own. */
#include "rules/fabric_rules.h"

void fabric_rules(sct_fabric *fabric, uint64_t seed) {
    fabric_rules_meeting(fabric, seed);
    fabric_rules_memory(fabric, seed + 1);
    fabric_rules_sums(fabric, seed + 2);
}
