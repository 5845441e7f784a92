/* analysed.h - says what functions in other files return, for tools that follow paths: none looks
 * into another file, or into a function with any number of arguments. analyse.sh includes this file
 * first in every C file but those that define these functions. */
#ifndef SCRIPTS_ANALYSED_H
#define SCRIPTS_ANALYSED_H

#include "../src/base/status.h"

typedef struct sct_fabric sct_fabric;
typedef struct sct_request_text sct_request_text;

sct_status sct_fabric_agree(sct_fabric *fabric, sct_status status);
sct_status sct_bootstrap_agree(const sct_bootstrap *bootstrap, sct_status status);
sct_status sct_world_agree(sct_world *world, sct_status status, sct_request_text *request);

#define sct_fail(status, ...) ((void)sct_fail(status, __VA_ARGS__), (status))
#define sct_no_memory(what) ((void)sct_no_memory(what), SCT_NO_MEMORY)
#define sct_check_given(name, argument) \
    (sct_check_given(name, argument) || !(argument) ? SCT_BAD_ARGUMENT : SCT_OK)
#define sct_check_output(name, pointer) \
    (sct_check_output(name, pointer) || !(pointer) ? SCT_BAD_ARGUMENT : SCT_OK)

/* Ranks agree on success only if this one has succeeded. */
static inline sct_status agree_in_fabric(sct_fabric *fabric, sct_status mine) {
    sct_status all = sct_fabric_agree(fabric, mine);
    return mine ? mine : all;
}

static inline sct_status agree_over_bootstrap(const sct_bootstrap *bootstrap, sct_status mine) {
    sct_status all = sct_bootstrap_agree(bootstrap, mine);
    return mine ? mine : all;
}

static inline sct_status agree_in_world(sct_world *world, sct_status mine,
                                        sct_request_text *request) {
    sct_status all = sct_world_agree(world, mine, request);
    return mine ? mine : all;
}

#define sct_fabric_agree agree_in_fabric
#define sct_bootstrap_agree agree_over_bootstrap
#define sct_world_agree agree_in_world

#endif
