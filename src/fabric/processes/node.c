/* node.c - see node.h. */
#include "fabric/processes/node.h"

#include "fabric/machine.h"
#include "fabric/processes/collective.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What ranks offer ---- */

/* Test memory that a rank offers its node. */
typedef struct offer {
    int64_t pid;
    uint64_t since;
    int64_t bytes;
    uint64_t machine;
    int file;
} offer;

/* What is found out about all ranks, until the node is known. */
typedef struct survey {
    offer *offers;
    int *lowest; /* lowest rank of the same machine */
    int *leader; /* lowest rank of the node */
    int *board;  /* a leader's file for posts; 0: none needed; -1: the rank cannot map its node */
} survey;

static bool can_meet_in_table(int ranks) {
    return ranks <= SCT_BARRIER_MOST_RANKS;
}

/* Test memory; rank 0 also offers the table for all. */
static offer make_offer(sct_process *self, sct_shared *offered) {
    int rank = self->base.rank, ranks = self->base.size;
    bool with_table = rank == 0 && can_meet_in_table(ranks);
    size_t bytes = with_table ? sct_process_table_bytes(ranks) : sizeof(int64_t);
    offer made = {.pid = getpid(), .file = -1, .bytes = (int64_t)bytes};
    made.machine = sct_find_machine();
    made.since = sct_running_since(getpid());
    if (sct_shared_create(bytes, false, offered))
        return made; /* nobody can map it */
    if (with_table)
        sct_process_table_prepare(offered->memory, ranks);
    *(int64_t *)offered->memory = rank;
    made.file = offered->file;
    return made;
}

/* ---- Nodes ---- */

/* The lowest rank on the same machine, within the emulated node if one is given. */
static int find_leader(const survey *all, int rank, int per_node) {
    if (per_node == SCT_ALL_RANKS_FAR)
        return rank;
    int first = per_node > 0 ? rank / per_node * per_node : 0;
    int leader = first > all->lowest[rank] ? first : all->lowest[rank];
    while (all->lowest[leader] != all->lowest[rank])
        leader++;
    return leader;
}

/* Whether all ranks may meet in memory of rank 0. */
static bool all_can_meet(const survey *all, int per_node, int ranks) {
    const int *same = per_node == SCT_ALL_RANKS_FAR ? all->lowest : all->leader;
    for (int r = 0; r < ranks; r++)
        if (same[r] != 0)
            return false;
    return can_meet_in_table(ranks);
}

static bool can_map(const offer *other, int rank) {
    sct_shared shared;
    if (sct_shared_open((pid_t)other->pid, other->file, (size_t)other->bytes, false, &shared))
        return false;
    bool right = *(const int64_t *)shared.memory == rank;
    sct_shared_close(&shared);
    return right;
}

/* As leader maps the memory of its whole node, and makes the board. False if that fails. */
static bool lead_node(sct_process *self, const survey *all) {
    int rank = self->base.rank, count = 0;
    bool can_map_all = true;
    for (int r = rank; r < self->base.size && can_map_all; r++)
        if (all->leader[r] == rank) {
            can_map_all = can_map(&all->offers[r], r);
            count++;
        }
    return can_map_all && (count == 1 || sct_shared_create((size_t)count * SCT_POST_BYTES, false,
                                                           &self->board) == SCT_OK);
}

/* Splits a node into single ranks if one of them cannot map. */
static void split_up(const survey *all, int ranks) {
    for (int r = 0; r < ranks; r++)
        if (all->board[r] < 0)
            all->board[all->leader[r]] = -1;
    for (int r = 0; r < ranks; r++)
        if (all->board[all->leader[r]] < 0)
            all->leader[r] = r;
}

/* Collective: tries the nodes that the offers suggest. */
static sct_status try_nodes(sct_process *self, const survey *all, int per_node) {
    int rank = self->base.rank, ranks = self->base.size;
    for (int r = 0; r < ranks; r++) {
        all->leader[r] = find_leader(all, r, per_node);
        self->on_machine += all->lowest[r] == all->lowest[rank];
    }
    self->crowded = sct_backoff_is_crowded(self->on_machine);
    int leader = all->leader[rank];
    bool maps = leader == rank ? lead_node(self, all) : can_map(&all->offers[leader], leader);
    int mine = !maps ? -1 : self->board.memory ? self->board.file : 0;
    sct_status status = self->ops->gather(self, &mine, sizeof mine, all->board);
    if (status == SCT_OK)
        split_up(all, ranks);
    return status;
}

/* ---- What is kept ---- */

/* Keeps the ranks of the node or, if all ranks watch each other by a table, all ranks. */
static bool keep_ranks(sct_process *self, const survey *all, bool everyone) {
    int rank = self->base.rank, ranks = self->base.size, count = 0;
    for (int r = 0; r < ranks; r++)
        count += everyone || all->leader[r] == all->leader[rank];
    assert(count > 0); /* this one is among them */
    self->known = calloc((size_t)count, sizeof *self->known);
    for (int r = 0; r < ranks && self->known; r++) {
        const offer *of = &all->offers[r];
        bool near = all->leader[r] == all->leader[rank];
        if (near && self->node_count++ == 0)
            self->node = self->known + self->known_count;
        if (r == rank)
            self->seat = self->node_count - 1;
        if (near || everyone)
            self->known[self->known_count++] = (sct_process_id){r, (pid_t)of->pid, of->since};
    }
    return self->known;
}

/* A leader whose node is split up has no use for its board. */
static sct_status open_board(sct_process *self, const survey *all) {
    int leader = self->node->rank;
    if (self->node_count == 1)
        sct_shared_close(&self->board);
    if (self->node_count == 1 || self->seat == 0)
        return SCT_OK;
    return sct_shared_open(self->node->pid, all->board[leader],
                           (size_t)self->node_count * SCT_POST_BYTES, false, &self->board);
}

/* Collective: maps the table if all ranks can; otherwise none does. */
static sct_status map_table(sct_process *self, const offer *first, sct_shared *table) {
    int all = 0, mine = sct_shared_open((pid_t)first->pid, first->file, (size_t)first->bytes, true,
                                        table) == SCT_OK;
    sct_status status = sct_process_least(self, mine, &all);
    if (!all)
        sct_shared_close(table);
    return status;
}

/* Collective. */
static sct_status keep_node(sct_process *self, const survey *all, bool may_meet,
                            sct_shared *table) {
    sct_status status = may_meet ? map_table(self, &all->offers[0], table) : SCT_OK;
    if (status != SCT_OK)
        return status;
    bool kept = keep_ranks(self, all, table->memory) && open_board(self, all) == SCT_OK;
    status = sct_process_all_have(self, kept);
    sct_shared_withdraw(&self->board);
    return status;
}

sct_status sct_process_find_node(sct_process *self, int per_node, sct_shared *table) {
    int ranks = self->base.size;
    size_t count = (size_t)ranks;
    sct_shared offered = {.file = -1};
    survey all = {calloc(count, sizeof *all.offers), calloc(count, sizeof(int)),
                  calloc(count, sizeof(int)), calloc(count, sizeof(int))};
    sct_status status =
        sct_process_all_have(self, all.offers && all.lowest && all.leader && all.board);
    if (status == SCT_OK) {
        assert(all.offers && all.lowest && all.leader && all.board);
        const offer mine = make_offer(self, &offered);
        status = self->ops->gather(self, &mine, sizeof mine, all.offers);
    }
    if (status == SCT_OK)
        status = sct_process_all_have(self, sct_find_alike(&all.offers->machine, sizeof *all.offers,
                                                           sizeof all.offers->machine, ranks,
                                                           all.lowest));
    if (status == SCT_OK)
        status = try_nodes(self, &all, per_node);
    if (status == SCT_OK)
        status = keep_node(self, &all, all_can_meet(&all, per_node, ranks), table);
    if (status == SCT_OK)
        self->base.ranks_per_node = sct_ranks_per_node(all.leader, ranks);
    sct_shared_close(&offered);
    free(all.offers);
    free(all.lowest);
    free(all.leader);
    free(all.board);
    return status;
}

void sct_process_forget_node(sct_process *self) {
    sct_shared_close(&self->board);
    free(self->known);
}

/* ---- Posts ---- */

static char *post_of(const sct_process *self, int seat) {
    return self->board.memory + (size_t)seat * SCT_POST_BYTES;
}

void sct_process_post(sct_process *self, const void *mine, size_t bytes) {
    assert(bytes <= SCT_POST_BYTES);
    if (self->node_count > 1)
        memcpy(post_of(self, self->seat), mine, bytes);
}

const void *sct_process_posted(const sct_process *self, int seat) {
    return post_of(self, seat);
}
