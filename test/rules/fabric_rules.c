/* fabric_rules.c - runs all rules, each group with its own random numbers. */
#include "rules/fabric_rules.h"

void fabric_rules(sct_fabric *fabric, uint64_t seed) {
    fabric_rules_collectives(fabric, seed);
    fabric_rules_memory(fabric, seed + 1);
    fabric_rules_accumulate(fabric, seed + 2);
}
