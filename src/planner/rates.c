/* rates.c - see rates.h. */
#include "planner/rates.h"

#include "base/checked.h"
#include "planner/wisdom.h"

#include <stdbool.h>

/* Less is mostly what calls and clocks take. */
static const double least_seconds = 1e-3, least_bytes = 1 << 20;

enum { WHOLE = 1000, FAR = 1 }; /* the level of ranks on other nodes */

sct_rates sct_rates_find(double estimated, double took, double bytes, double seconds,
                         int ranks_per_node, int ranks) {
    sct_rates rates = {0, 0};
    struct sct_machine machine = sct_machine_default(ranks_per_node, false);
    if (estimated > 0 && took >= least_seconds)
        rates.computing = (int64_t)(WHOLE * estimated / took);
    if (bytes >= least_bytes && seconds > 0)
        rates.far = (int64_t)(WHOLE * bytes / seconds / sct_level_rate(&machine, FAR, ranks));
    return rates;
}

void sct_rates_add(const sct_rates *from, sct_rates *to) {
    if (to->computing == 0)
        to->computing = from->computing;
    to->far = sct_max(to->far, from->far);
}

/* Transfers that products hide may have had to wait for these: so links are at least as fast as
 * they seem, and count only if they are faster than assumed. */
const sct_options *sct_rates_apply(const sct_rates *rates, const sct_problem *problem,
                                   const sct_options *given, sct_options *own,
                                   struct sct_machine *machine) {
    bool faster = rates->far > WHOLE;
    bool open =
        !given || (given->size == sizeof *given && !given->machine && sct_wisdom_matters(given));
    if (!open || problem->gpus != SCT_GPUS_NONE || (rates->computing == 0 && !faster))
        return given;
    *machine = sct_machine_default(problem->ranks_per_node, false);
    for (int type = 0; type < SCT_TYPES && rates->computing > 0; type++)
        machine->peak[type] *= (double)rates->computing / WHOLE;
    if (faster) {
        machine->level[FAR].pair *= (double)rates->far / WHOLE;
        machine->level[FAR].uplink *= (double)rates->far / WHOLE;
    }
    *own = given ? *given : (sct_options){.size = sizeof *own};
    own->machine = machine;
    return own;
}
