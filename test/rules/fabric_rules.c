/* fabric_rules.c - runs all rules, each group with its own random numbers. */
#include "rules/fabric_rules.h"

void fabric_rules(sct_fabric *fabric, sct_device *device, uint64_t seed) {
    fabric_rules_collectives(fabric, device, seed);
    fabric_rules_memory(fabric, device, seed + 1);
    fabric_rules_accumulate(fabric, device, seed + 2);
}
