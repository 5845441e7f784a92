/* service.c - gets and accumulates of random rectangles between all ranks at once, on wires without
 * a network and on sockets: values are exact, and nothing else is written. */
#include "fabric/service/service.h"

#include "support/element.h"
#include "support/service_team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3, MOST_RANKS = 5, IN_FLIGHT = 12, GUARD = 0x5a };

/* ---- Memory ---- */

/* The blocks of a rank, in elements, with gaps between lines; for the second segment also their
 * expected final contents. */
typedef struct part {
    sct_type type;
    sct_memory blocks[BLOCKS], expected[BLOCKS];
    sct_bands bands[BLOCKS];
} part;

/* The segments of all ranks: parts[0] is read, parts[1] is added to. */
typedef struct bounce {
    part parts[2][MOST_RANKS];
    pthread_mutex_t expecting;
} bounce;

static size_t block_bytes(const sct_memory *block) {
    return (size_t)block->lines * block->pitch;
}

/* Some blocks are empty, some have no gaps, a few exceed a piece of a transfer. */
static sct_memory new_block(sct_type type, uint64_t *random) {
    size_t bytes = sct_type_bytes(type);
    bool large = check_between(random, 0, 3) == 0;
    int64_t lines = check_between(random, large ? 1 : 0, large ? 80 : 20);
    int64_t count = check_between(random, 1, large ? 400 : 40);
    if (check_between(random, 0, 5) == 0)
        count *= 1 + 20 / (lines + 1);
    int64_t gap = check_between(random, 0, 1) * check_between(random, 0, 5);
    sct_memory block = {NULL, (size_t)(count + gap) * bytes, lines, (size_t)count * bytes};
    block.base = malloc(block_bytes(&block) + 1);
    memset(block.base, GUARD, block_bytes(&block));
    return block;
}

static void fill_block(sct_type type, const sct_memory *block, uint64_t *random) {
    for (int64_t i = 0; i < block->lines; i++)
        elements_fill(type, block->base + (size_t)i * block->pitch,
                      (int64_t)(block->width / sct_type_bytes(type)), random);
}

static void new_part(part *made, sct_type type, uint64_t *random) {
    memset(made, 0, sizeof *made);
    made->type = type;
    for (int b = 0; b < BLOCKS; b++) {
        sct_memory *block = &made->blocks[b];
        *block = new_block(type, random);
        fill_block(type, block, random);
        made->expected[b] = *block;
        made->expected[b].base = malloc(block_bytes(block) + 1);
        memcpy(made->expected[b].base, block->base, block_bytes(block));
    }
}

static void end_part(part *ended, int rank) {
    for (int b = 0; b < BLOCKS; b++) {
        CHECK_CASE(memcmp(ended->blocks[b].base, ended->expected[b].base,
                          block_bytes(&ended->blocks[b])) == 0,
                   "block %d of rank %d, %s", b, rank, sct_type_name(ended->type));
        free(ended->blocks[b].base);
        free(ended->expected[b].base);
    }
}

/* ---- Transfers ---- */

typedef struct transfer {
    bool get, near;
    sct_place_far place;
    char *local;
    size_t pitch;
    uint64_t ticket;
} transfer;

static char *at(const sct_memory *block, const sct_place_far *place, int64_t line) {
    return block->base + (size_t)(place->part.line + line) * block->pitch + place->part.byte;
}

static sct_place_far any_place(const bounce *all, int segment, int rank, uint64_t *random) {
    int block = (int)check_between(random, 0, BLOCKS - 1);
    const part *there = &all->parts[segment][rank];
    const sct_memory *memory = &there->blocks[block];
    size_t bytes = sct_type_bytes(there->type);
    int64_t count = (int64_t)(memory->width / bytes);
    bool whole = check_between(random, 0, 2) == 0;
    int64_t line = whole ? 0 : check_between(random, 0, memory->lines);
    int64_t first = whole ? 0 : check_between(random, 0, count);
    return (sct_place_far){
        .rank = rank,
        .block = block,
        .part = {line, (size_t)first * bytes,
                 whole ? memory->lines : check_between(random, 0, memory->lines - line),
                 (size_t)(whole ? count : check_between(random, 0, count - first)) * bytes}};
}

static void new_local(transfer *made, const bounce *all, uint64_t *random) {
    size_t bytes = sct_type_bytes(all->parts[0][0].type);
    made->pitch = made->place.part.width + (size_t)check_between(random, 0, 1) * 3 * bytes;
    size_t size = (size_t)made->place.part.lines * made->pitch;
    made->local = malloc(size + 1);
    memset(made->local, GUARD, size);
}

/* A get returns what the owner stores and leaves the gaps alone. */
static void check_get(const bounce *all, const transfer *done) {
    const sct_memory *block = &all->parts[0][done->place.rank].blocks[done->place.block];
    bool same = true, kept = true;
    for (int64_t i = 0; i < done->place.part.lines; i++) {
        const char *line = done->local + (size_t)i * done->pitch;
        same &= memcmp(line, at(block, &done->place, i), done->place.part.width) == 0;
        for (size_t k = done->place.part.width; k < done->pitch; k++)
            kept &= line[k] == GUARD;
    }
    CHECK_CASE(same && kept, "a get of %lld lines of %zu from rank %d",
               (long long)done->place.part.lines, done->place.part.width, done->place.rank);
}

static void expect_add(bounce *all, const transfer *made) {
    part *there = &all->parts[1][made->place.rank];
    int64_t count = (int64_t)(made->place.part.width / sct_type_bytes(there->type));
    pthread_mutex_lock(&all->expecting);
    for (int64_t i = 0; i < made->place.part.lines; i++) {
        char *line = at(&there->expected[made->place.block], &made->place, i);
        for (int64_t j = 0; j < count; j++)
            element_put(
                there->type, line, j,
                element_plus(element_get(there->type, line, j),
                             element_get(there->type, made->local + (size_t)i * made->pitch, j)));
    }
    pthread_mutex_unlock(&all->expecting);
}

/* Adds under the owner's locks, as a rank of the same node would. */
static void add_near(bounce *all, const transfer *made, int turn) {
    part *there = &all->parts[1][made->place.rank];
    const sct_memory *block = &there->blocks[made->place.block];
    if (made->place.part.lines > 0 && made->place.part.width > 0)
        sct_transfer_run(&(sct_transfer){.from = made->local,
                                         .from_pitch = made->pitch,
                                         .to = at(block, &made->place, 0),
                                         .to_pitch = block->pitch,
                                         .lines = made->place.part.lines,
                                         .width = made->place.part.width,
                                         .bands = &there->bands[made->place.block],
                                         .type = there->type,
                                         .line = made->place.part.line,
                                         .block_lines = block->lines,
                                         .turn = turn});
}

static void begin(team_rank *self, bounce *all, uint64_t id, transfer *made) {
    uint64_t *random = &self->random;
    int rank = (int)check_between(random, 0, self->team->ranks - 1);
    memset(made, 0, sizeof *made);
    made->get = check_between(random, 0, 1);
    made->near = !made->get && check_between(random, 0, 3) == 0;
    made->place = any_place(all, made->get ? 0 : 1, rank, random);
    made->place.id = id + (made->get ? 0 : 1);
    new_local(made, all, random);
    sct_type type = all->parts[1][rank].type;
    if (made->get) {
        CHECK(sct_service_get(self->service, &made->place, made->local, made->pitch,
                              &made->ticket) == SCT_OK);
        return;
    }
    for (int64_t i = 0; i < made->place.part.lines; i++)
        elements_fill(type, made->local + (size_t)i * made->pitch,
                      (int64_t)(made->place.part.width / sct_type_bytes(type)), random);
    expect_add(all, made);
    if (made->near)
        add_near(all, made, self->rank);
    else
        CHECK(sct_service_accumulate(self->service, type, made->local, made->pitch, &made->place,
                                     &made->ticket) == SCT_OK);
}

static void complete(team_rank *self, bounce *all, transfer *ended) {
    bool empty = ended->place.part.lines == 0 || ended->place.part.width == 0;
    CHECK(!empty || ended->ticket == 0);
    bool done = sct_service_done(self->service, ended->ticket);
    if (!done || check_between(&self->random, 0, 1))
        CHECK(sct_service_wait(self->service, ended->ticket) == SCT_OK);
    CHECK(sct_service_done(self->service, ended->ticket));
    if (ended->get)
        check_get(all, ended);
    free(ended->local);
}

/* ---- One team ---- */

static void offer(team_rank *self, bounce *all, uint64_t id, sct_type type) {
    for (int s = 0; s < 2; s++) {
        part *mine = &all->parts[s][self->rank];
        new_part(mine, type, &self->random);
        CHECK(sct_service_offer(self->service, id + (uint64_t)s, BLOCKS, mine->blocks,
                                mine->bands) == SCT_OK);
    }
    team_barrier(self);
}

static void withdraw(team_rank *self, bounce *all, uint64_t id) {
    team_barrier(self);
    for (int s = 0; s < 2; s++) {
        sct_service_withdraw(self->service, id + (uint64_t)s);
        end_part(&all->parts[s][self->rank], self->rank);
    }
    team_barrier(self);
}

static void run_types(team_rank *self) {
    bounce *all = self->team->arg;
    for (int type = SCT_F32; type <= SCT_CF64; type++) {
        uint64_t id = (uint64_t)(10 * type);
        transfer under_way[IN_FLIGHT];
        offer(self, all, id, (sct_type)type);
        for (int i = 0; i < IN_FLIGHT; i++)
            begin(self, all, id, &under_way[i]);
        for (int i = 0; i < 2 * IN_FLIGHT; i++) {
            transfer *any = &under_way[check_between(&self->random, 0, IN_FLIGHT - 1)];
            uint64_t old = any->ticket;
            complete(self, all, any);
            begin(self, all, id, any);
            CHECK(sct_service_done(self->service, old));
        }
        for (int i = 0; i < IN_FLIGHT; i++)
            complete(self, all, &under_way[i]);
        withdraw(self, all, id);
    }
}

static void test_all_at_once(uint64_t seed) {
    static const size_t most_bytes[] = {1088, 4000, 1 << 20};
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        for (int i = 0; i < 6; i++) {
            bounce all = {.expecting = PTHREAD_MUTEX_INITIALIZER};
            team_run(&(team){.ranks = ranks,
                             .most_bytes = most_bytes[i / 2],
                             .threaded = i % 2,
                             .delay = ranks % 2 ? 0 : 20,
                             .seed = seed + (uint64_t)(10 * ranks + i),
                             .body = run_types,
                             .arg = &all});
        }
    }
}

static void test_sockets(uint64_t seed) {
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        bounce all = {.expecting = PTHREAD_MUTEX_INITIALIZER};
        team_run(&(team){.ranks = ranks,
                         .sockets = true,
                         .seed = seed + (uint64_t)ranks,
                         .body = run_types,
                         .arg = &all});
    }
}

int main(void) {
    uint64_t seed = check_seed(1);
    test_all_at_once(seed);
    test_sockets(seed);
    return check_report("service");
}
