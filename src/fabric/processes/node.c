/* node.c - finds nodes: ranks that seem to be on one machine and succeed in mapping each other's
 * memory. */
#include "fabric/processes/node.h"

#include "fabric/machine.h"
#include "fabric/processes/collective.h"
#include "fabric/ranks_per_node.h"
#include "fabric/running.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

/* Test memory that a rank offers its node. */
typedef struct offer {
    int64_t pid;
    uint64_t since;
    int64_t bytes;
    uint64_t machine;
    int file;
    int lowest; /* lowest rank of that machine, found by all */
} offer;

/* Numbers machines; most ranks are on the machine of the previous rank. */
static void number_machines(offer *offers, int ranks) {
    for (int r = 0; r < ranks; r++) {
        int like = r > 0 && offers[r].machine == offers[r - 1].machine ? r - 1 : 0;
        while (offers[like].machine != offers[r].machine)
            like++;
        offers[r].lowest = like < r ? offers[like].lowest : r;
    }
}

/* The lowest rank on the same machine, within the emulated node if one is given. */
static int find_leader(const offer *offers, int rank, int per_node) {
    if (per_node == SCT_ALL_RANKS_FAR)
        return rank;
    int first = per_node > 0 ? rank / per_node * per_node : 0;
    int leader = first > offers[rank].lowest ? first : offers[rank].lowest;
    while (offers[leader].machine != offers[rank].machine)
        leader++;
    return leader;
}

/* Whether all ranks may meet in memory of rank 0. */
static bool all_can_meet(const int *leader, const offer *offers, int per_node, int ranks) {
    for (int r = 0; r < ranks; r++)
        if (per_node == SCT_ALL_RANKS_FAR ? offers[r].lowest != 0 : leader[r] != 0)
            return false;
    return ranks <= SCT_BARRIER_MOST_RANKS;
}

static bool can_map(const offer *other, int rank) {
    sct_shared shared;
    if (sct_shared_open((pid_t)other->pid, other->file, (size_t)other->bytes, false, &shared))
        return false;
    bool right = *(const int64_t *)shared.memory == rank;
    sct_shared_close(&shared);
    return right;
}

/* True if this rank can map its leader's memory and, as leader, that of its whole node. */
static bool can_map_node(const sct_process *self, const offer *offers) {
    int rank = self->base.rank, leader = self->leader[rank];
    bool can_map_all = can_map(&offers[leader], leader);
    for (int r = rank; leader == rank && r < self->base.size && can_map_all; r++)
        if (self->leader[r] == leader)
            can_map_all = can_map(&offers[r], r);
    return can_map_all;
}

/* Splits a node into single ranks if one of them cannot map. */
static void split_up(int *leader, const int *can_map_all, int ranks) {
    for (int r = 0; r < ranks; r++)
        if (!can_map_all[r])
            for (int s = 0, failed = leader[r]; s < ranks; s++)
                if (leader[s] == failed)
                    leader[s] = s;
}

/* Test memory; rank 0 also offers the table for all. */
static offer make_offer(sct_process *self, sct_shared *offered) {
    int rank = self->base.rank, ranks = self->base.size;
    size_t bytes = rank == 0 ? sct_process_table_bytes(ranks) : sizeof(int64_t);
    offer made = {.pid = getpid(), .file = -1, .bytes = (int64_t)bytes};
    made.machine = sct_find_machine();
    made.since = sct_running_since(getpid());
    if (sct_shared_create(bytes, false, offered))
        return made; /* nobody can map it */
    if (rank == 0)
        sct_process_table_prepare(offered->memory, ranks);
    *(int64_t *)offered->memory = rank;
    made.file = offered->file;
    return made;
}

/* Collective: tries the nodes that the offers suggest. */
static sct_status try_nodes(sct_process *self, offer *offers, int per_node, int *can_map_all) {
    int ranks = self->base.size;
    number_machines(offers, ranks);
    for (int r = 0; r < ranks; r++) {
        self->leader[r] = find_leader(offers, r, per_node);
        self->pid[r] = (pid_t)offers[r].pid;
        self->since[r] = offers[r].since;
        self->on_machine += offers[r].machine == offers[self->base.rank].machine;
    }
    self->crowded = sct_backoff_is_crowded(self->on_machine);
    int mine = can_map_node(self, offers);
    sct_status status = self->ops->gather(self, &mine, sizeof mine, can_map_all);
    if (status == SCT_OK)
        split_up(self->leader, can_map_all, ranks);
    return status;
}

/* Collective: maps the table if all ranks may and can; otherwise none does. */
static sct_status map_table(sct_process *self, const offer *offers, int per_node, int *mapped,
                            sct_shared *table) {
    const offer *first = &offers[0];
    if (!all_can_meet(self->leader, offers, per_node, self->base.size))
        return SCT_OK;
    int mine = !sct_shared_open((pid_t)first->pid, first->file, (size_t)first->bytes, true, table);
    sct_status status = self->ops->gather(self, &mine, sizeof mine, mapped);
    bool all = status == SCT_OK;
    for (int r = 0; r < self->base.size; r++)
        all = all && mapped[r];
    if (!all)
        sct_shared_close(table);
    return status;
}

sct_status sct_process_find_node(sct_process *self, int ranks_per_node, sct_shared *table) {
    size_t ranks = (size_t)self->base.size;
    sct_shared offered = {.file = -1};
    offer *offers = malloc(ranks * sizeof *offers);
    int *flags = malloc(ranks * sizeof *flags);
    sct_status status = sct_process_all_have(self, offers && flags);
    offer mine;
    if (status == SCT_OK) {
        assert(offers && flags);
        mine = make_offer(self, &offered);
        status = self->ops->gather(self, &mine, sizeof mine, offers);
    }
    if (status == SCT_OK)
        status = try_nodes(self, offers, ranks_per_node, flags);
    if (status == SCT_OK)
        status = map_table(self, offers, ranks_per_node, flags, table);
    if (status == SCT_OK)
        self->base.ranks_per_node = sct_ranks_per_node(self->leader, self->base.size);
    sct_shared_close(&offered);
    free(offers);
    free(flags);
    return status;
}
