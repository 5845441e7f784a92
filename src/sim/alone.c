/* alone.c - creates a simulation of one rank of a large world. Memory is needed for few of the
 * other ranks only.
 *
 * The machine joins ranks in groups. The simulation keeps the groups of the rank and of its
 * partners, with which it exchanges data, and leaves out all others. The ranks that are kept get
 * new numbers, in the same order, so that the same level of the machine joins two of them as
 * before. */
#include "sim/sim.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

/* The ranks of the largest groups of the machine; 1 if all ranks are in one. */
static int group_of(const sct_machine *machine, int ranks) {
    int64_t most = 1;
    for (int level = 0; level < machine->levels; level++) {
        int64_t group = sct_level_group(machine, level, ranks);
        most = group < ranks ? group : most;
    }
    return (int)most;
}

static int compare(const void *x, const void *y) {
    int one = *(const int *)x, other = *(const int *)y;
    return (one > other) - (one < other);
}

/* Lists the groups of a rank and its partners, each once, in order. Returns their number. */
static int64_t list_groups(const sct_script *script, int rank, int size, int *group) {
    int64_t count = 0;
    for (int64_t i = 0; i < script->transfers; i++)
        group[i] = script->transfer[i].peer / size;
    group[script->transfers] = rank / size;
    qsort(group, (size_t)script->transfers + 1, sizeof *group, compare);
    for (int64_t i = 0; i <= script->transfers; i++)
        if (count == 0 || group[count - 1] != group[i])
            group[count++] = group[i];
    return count;
}

static int renumber(const int *group, int64_t groups, int size, int rank) {
    int number = rank / size;
    const int *at = bsearch(&number, group, (size_t)groups, sizeof *group, compare);
    return (int)(at - group) * size + rank % size;
}

static sct_status create(const sct_machine *machine, const sct_plan *plan, sct_script *script,
                         int *group, sct_sim *sim) {
    int size = group_of(machine, plan->product.ranks);
    int64_t groups = list_groups(script, plan->rank, size, group);
    int rank = renumber(group, groups, size, plan->rank);
    for (int64_t i = 0; i < script->transfers; i++)
        script->transfer[i].peer = renumber(group, groups, size, script->transfer[i].peer);
    sct_status status = sct_sim_begin(machine, (int)groups * size, rank, 1, sim);
    if (status)
        return status;
    sim->world = plan->product.ranks;
    status = sct_sim_give(sim, rank, plan, script);
    *script = (sct_script){.acts = 0}; /* the simulation has it */
    if (status)
        sct_sim_clear(sim);
    return status;
}

sct_status sct_sim_create_alone(const sct_machine *machine, const sct_plan *plan, sct_sim *sim) {
    int64_t *place = calloc((size_t)plan->product.ranks, sizeof *place);
    int *group = NULL;
    sct_script script = {.acts = 0};
    sct_status status = place ? sct_script_create(plan, machine, place, &script)
                              : sct_no_memory("the script of a rank");
    if (!status && !(group = malloc(((size_t)script.transfers + 1) * sizeof *group)))
        status = sct_no_memory("the partners of a rank");
    if (!status)
        status = create(machine, plan, &script, group, sim);
    sct_script_clear(&script);
    free(group);
    free(place);
    return status;
}
