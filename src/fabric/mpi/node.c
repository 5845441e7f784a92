/* node.c - teams: ranks that seem to be on one machine, and that do map each other's memory when
 * they try. */
#include "fabric/mpi/node.h"

#include "fabric/mpi/call.h"
#include "fabric/mpi/collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a rank offers its team to map, as a test. */
typedef struct offer {
    int64_t pid;
    int64_t bytes;
    uint64_t machine;
    int file;
    int lowest; /* rank of that machine: found out by all */
} offer;

/* FNV-1a over what a link or a file of /proc says. */
static uint64_t hash_more(uint64_t hash, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

/* A number that processes have in common if they may be able to map each other's memory: those of
 * one system since it was started, and of one network of it, so that machines that are only
 * pretended stay apart. The split of MPI would say so too, but it keeps processors busy. */
static uint64_t find_machine(void) {
    static const char *const links[] = {"/proc/self/ns/pid", "/proc/self/ns/net",
                                        "/proc/self/ns/uts"};
    char text[256];
    uint64_t hash = 14695981039346656037u;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file) {
        hash = hash_more(hash, text, fread(text, 1, sizeof text, file));
        fclose(file);
    }
    for (int i = 0; i < 3; i++) {
        ssize_t length = readlink(links[i], text, sizeof text);
        hash = hash_more(hash, text, length > 0 ? (size_t)length : 0);
    }
    return hash;
}

/* Most ranks are on the machine of the rank before. */
static void number_machines(offer *offers, int ranks) {
    for (int r = 0; r < ranks; r++) {
        int like = r > 0 && offers[r].machine == offers[r - 1].machine ? r - 1 : 0;
        while (offers[like].machine != offers[r].machine)
            like++;
        offers[r].lowest = like < r ? offers[like].lowest : r;
    }
}

/* The lowest rank on the same machine and, if that is pretended, among the same `per_node` ranks.
 */
static int find_leader(const offer *offers, int rank, int per_node) {
    int first = per_node > 0 ? rank / per_node * per_node : 0;
    int leader = first > offers[rank].lowest ? first : offers[rank].lowest;
    while (offers[leader].machine != offers[rank].machine)
        leader++;
    return leader;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    return b ? common_divisor(b, a % b) : a;
}

/* The most ranks in a row that are always of one team. */
static int find_ranks_per_node(const int *leader, int ranks) {
    int64_t together = 0;
    for (int r = 1; r < ranks; r++)
        if (leader[r] != leader[r - 1])
            together = common_divisor(together, r);
    return together ? (int)together : ranks;
}

static bool all_one_team(const int *leader, int ranks) {
    for (int r = 0; r < ranks; r++)
        if (leader[r] != 0)
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

/* Whether this rank can map its leader's memory and, as leader, that of all its team. */
static bool team_holds(const sct_mpi *self, const offer *offers) {
    int rank = self->base.rank, leader = self->leader[rank];
    bool holds = can_map(&offers[leader], leader);
    for (int r = rank; leader == rank && r < self->base.size && holds; r++)
        if (self->leader[r] == leader)
            holds = can_map(&offers[r], r);
    return holds;
}

/* Where one rank of a team cannot, each is on its own. */
static void dissolve(int *leader, const int *holds, int ranks) {
    for (int r = 0; r < ranks; r++)
        if (!holds[r])
            for (int s = 0, failed = leader[r]; s < ranks; s++)
                if (leader[s] == failed)
                    leader[s] = s;
}

/* The rank's number; of rank 0 the table that all may share, too. */
static offer make_offer(sct_mpi *self, sct_shared *offered) {
    int rank = self->base.rank, ranks = self->base.size;
    size_t bytes = rank == 0 ? sct_mpi_table_bytes(ranks) : sizeof(int64_t);
    offer made = {.pid = getpid(), .file = -1, .bytes = (int64_t)bytes};
    made.machine = find_machine();
    if (sct_shared_create(bytes, false, offered))
        return made; /* which nobody can map */
    if (rank == 0)
        sct_mpi_table_prepare(offered->memory, ranks);
    *(int64_t *)offered->memory = rank;
    made.file = offered->file;
    return made;
}

/* Collective: tries the teams that the offers suggest. */
static sct_status try_teams(sct_mpi *self, offer *offers, int per_node, int *holds) {
    int ranks = self->base.size;
    number_machines(offers, ranks);
    for (int r = 0; r < ranks; r++) {
        self->leader[r] = find_leader(offers, r, per_node);
        self->pid[r] = (pid_t)offers[r].pid;
        self->on_machine += offers[r].machine == offers[self->base.rank].machine;
    }
    self->crowded = sct_patience_crowd(self->on_machine);
    int mine = team_holds(self, offers);
    sct_status status = sct_mpi_gather(self, &mine, sizeof mine, holds);
    if (status == SCT_OK)
        dissolve(self->leader, holds, ranks);
    return status;
}

/* Collective: what all ranks share, if they are one team; if one cannot, none does. */
static sct_status map_table(sct_mpi *self, const offer *first, int *mapped, sct_shared *table) {
    if (!all_one_team(self->leader, self->base.size))
        return SCT_OK;
    int mine = !sct_shared_open((pid_t)first->pid, first->file, (size_t)first->bytes, true, table);
    sct_status status = sct_mpi_gather(self, &mine, sizeof mine, mapped);
    bool all = status == SCT_OK;
    for (int r = 0; r < self->base.size; r++)
        all = all && mapped[r];
    if (!all)
        sct_shared_close(table);
    return status;
}

sct_status sct_mpi_find_team(sct_mpi *self, int ranks_per_node, sct_shared *table) {
    size_t ranks = (size_t)self->base.size;
    sct_shared offered = {.file = -1};
    offer *offers = malloc(ranks * sizeof *offers);
    int *flags = malloc(ranks * sizeof *flags);
    sct_status status = sct_mpi_all_have(self, offers && flags);
    offer mine;
    if (status == SCT_OK) {
        mine = make_offer(self, &offered);
        status = sct_mpi_gather(self, &mine, sizeof mine, offers);
    }
    if (status == SCT_OK)
        status = try_teams(self, offers, ranks_per_node, flags);
    if (status == SCT_OK)
        status = map_table(self, &offers[0], flags, table);
    if (status == SCT_OK)
        self->base.ranks_per_node = find_ranks_per_node(self->leader, self->base.size);
    sct_shared_close(&offered);
    free(offers);
    free(flags);
    return status;
}
