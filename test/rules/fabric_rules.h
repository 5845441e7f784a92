/* fabric_rules.h - the contract of a fabric, as checks that its ranks make together.
 *
 * All functions are collective, with the same seed on all ranks, and use nothing but the fabric:
 * the ranks may be threads or processes. Every fabric's test is a main that runs them on its ranks.
 */
#ifndef TEST_FABRIC_RULES_H
#define TEST_FABRIC_RULES_H

#include "fabric/fabric.h"

/* All of them. */
void fabric_rules(sct_fabric *fabric, uint64_t seed);

/* Segments, peers, and gets. */
void fabric_rules_memory(sct_fabric *fabric, uint64_t seed);
/* Accumulates. */
void fabric_rules_sums(sct_fabric *fabric, uint64_t seed);
/* Barrier, exchange, agree. */
void fabric_rules_meeting(sct_fabric *fabric, uint64_t seed);

#endif
