/* service.c - gets and accumulates of any rectangles between all ranks at once, on a wire that is
 * no network: exact values, and nothing written beside them. */
#include "fabric/service.h"

#include "fabric/service_cut.h"
#include "support/element.h"
#include "support/service_team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCKS = 3, MOST_RANKS = 5, IN_FLIGHT = 12, GUARD = 0x5a };

/* ---- Memory ---- */

/* A rank's blocks, in elements, with gaps between lines; for the second segment what they should be
 * in the end, too. */
typedef struct part {
    sct_type type;
    sct_memory blocks[BLOCKS], expected[BLOCKS];
    sct_bands bands[BLOCKS];
} part;

/* What all ranks see of each other: parts[0] is read, parts[1] is added to. */
typedef struct stage {
    part parts[2][MOST_RANKS];
    pthread_mutex_t expecting;
} stage;

static size_t block_bytes(const sct_memory *block) {
    return (size_t)block->lines * block->pitch;
}

/* Some blocks are empty, some dense, few larger than a piece. */
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
    sct_ticket ticket;
} transfer;

static char *at(const sct_memory *block, const sct_place_far *place, int64_t line) {
    return block->base + (size_t)(place->line + line) * block->pitch + place->byte;
}

static sct_place_far any_place(const stage *all, int segment, int rank, uint64_t *random) {
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
        .line = line,
        .byte = (size_t)first * bytes,
        .lines = whole ? memory->lines : check_between(random, 0, memory->lines - line),
        .width = (size_t)(whole ? count : check_between(random, 0, count - first)) * bytes};
}

static void new_local(transfer *made, const stage *all, uint64_t *random) {
    size_t bytes = sct_type_bytes(all->parts[0][0].type);
    made->pitch = made->place.width + (size_t)check_between(random, 0, 1) * 3 * bytes;
    size_t size = (size_t)made->place.lines * made->pitch;
    made->local = malloc(size + 1);
    memset(made->local, GUARD, size);
}

/* What was got is what is there, and the gaps are as before. */
static void check_get(const stage *all, const transfer *done) {
    const sct_memory *block = &all->parts[0][done->place.rank].blocks[done->place.block];
    bool same = true, kept = true;
    for (int64_t i = 0; i < done->place.lines; i++) {
        const char *line = done->local + (size_t)i * done->pitch;
        same &= memcmp(line, at(block, &done->place, i), done->place.width) == 0;
        for (size_t k = done->place.width; k < done->pitch; k++)
            kept &= line[k] == GUARD;
    }
    CHECK_CASE(same && kept, "a get of %lld lines of %zu from rank %d",
               (long long)done->place.lines, done->place.width, done->place.rank);
}

static void expect_add(stage *all, const transfer *made) {
    part *there = &all->parts[1][made->place.rank];
    int64_t count = (int64_t)(made->place.width / sct_type_bytes(there->type));
    pthread_mutex_lock(&all->expecting);
    for (int64_t i = 0; i < made->place.lines; i++) {
        char *line = at(&there->expected[made->place.block], &made->place, i);
        for (int64_t j = 0; j < count; j++)
            element_put(
                there->type, line, j,
                element_plus(element_get(there->type, line, j),
                             element_get(there->type, made->local + (size_t)i * made->pitch, j)));
    }
    pthread_mutex_unlock(&all->expecting);
}

/* By the locks of the owner, as a rank within reach would. */
static void add_near(stage *all, const transfer *made, int turn) {
    part *there = &all->parts[1][made->place.rank];
    const sct_memory *block = &there->blocks[made->place.block];
    if (made->place.lines > 0 && made->place.width > 0)
        sct_transfer_run(&(sct_transfer){.from = made->local,
                                         .from_pitch = made->pitch,
                                         .to = at(block, &made->place, 0),
                                         .to_pitch = block->pitch,
                                         .lines = made->place.lines,
                                         .width = made->place.width,
                                         .bands = &there->bands[made->place.block],
                                         .type = there->type,
                                         .line = made->place.line,
                                         .block_lines = block->lines,
                                         .turn = turn});
}

static void begin(team_rank *self, stage *all, uint64_t id, transfer *made) {
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
    for (int64_t i = 0; i < made->place.lines; i++)
        elements_fill(type, made->local + (size_t)i * made->pitch,
                      (int64_t)(made->place.width / sct_type_bytes(type)), random);
    expect_add(all, made);
    if (made->near)
        add_near(all, made, self->rank);
    else
        CHECK(sct_service_accumulate(self->service, type, made->local, made->pitch, &made->place,
                                     &made->ticket) == SCT_OK);
}

static void complete(team_rank *self, stage *all, transfer *ended) {
    bool empty = ended->place.lines == 0 || ended->place.width == 0;
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

static void offer(team_rank *self, stage *all, uint64_t id, sct_type type) {
    for (int s = 0; s < 2; s++) {
        part *mine = &all->parts[s][self->rank];
        new_part(mine, type, &self->random);
        CHECK(sct_service_offer(self->service, id + (uint64_t)s, BLOCKS, mine->blocks,
                                mine->bands) == SCT_OK);
    }
    team_meet(self);
}

static void withdraw(team_rank *self, stage *all, uint64_t id) {
    team_meet(self);
    for (int s = 0; s < 2; s++) {
        sct_service_withdraw(self->service, id + (uint64_t)s);
        end_part(&all->parts[s][self->rank], self->rank);
    }
    team_meet(self);
}

static void run_types(team_rank *self) {
    stage *all = self->team->arg;
    for (int type = SCT_F32; type <= SCT_CF64; type++) {
        uint64_t id = (uint64_t)(10 * type);
        transfer under_way[IN_FLIGHT];
        offer(self, all, id, (sct_type)type);
        for (int i = 0; i < IN_FLIGHT; i++)
            begin(self, all, id, &under_way[i]);
        for (int i = 0; i < 2 * IN_FLIGHT; i++) {
            transfer *any = &under_way[check_between(&self->random, 0, IN_FLIGHT - 1)];
            complete(self, all, any);
            begin(self, all, id, any);
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
            stage all = {.expecting = PTHREAD_MUTEX_INITIALIZER};
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

/* ---- Many and large ones ---- */

/* Everyone adds to everyone, far more than can be under way, before anyone waits. */
static void flood(team_rank *self) {
    enum { LINES = 300, COUNT = 500, TIMES = 8 };
    int ranks = self->team->ranks;
    double *mine = calloc(LINES * COUNT, sizeof *mine),
           *ones = malloc(LINES * COUNT * sizeof *ones);
    for (int i = 0; i < LINES * COUNT; i++)
        ones[i] = 1;
    sct_memory block = {(char *)mine, COUNT * sizeof *mine, LINES, COUNT * sizeof *mine};
    sct_bands bands = {0};
    sct_ticket tickets[TIMES * MOST_RANKS];
    CHECK(sct_service_offer(self->service, 1, 1, &block, &bands) == SCT_OK);
    team_meet(self);
    for (int i = 0; i < TIMES * ranks; i++)
        CHECK(sct_service_accumulate(
                  self->service, SCT_F64, ones, block.pitch,
                  &(sct_place_far){1, (self->rank + i) % ranks, 0, 0, 0, LINES, block.width},
                  &tickets[i]) == SCT_OK);
    for (int i = 0; i < TIMES * ranks; i++)
        CHECK(sct_service_wait(self->service, tickets[i]) == SCT_OK);
    team_meet(self);
    sct_service_withdraw(self->service, 1);
    bool exact = true;
    for (int i = 0; i < LINES * COUNT; i++)
        exact &= mine[i] == TIMES * ranks;
    CHECK(exact);
    free(mine);
    free(ones);
}

/* A rank that computes answers by its thread: rank 1 makes no call until rank 0 is done. */
static void absent(team_rank *self) {
    double mine[100], got[100] = {0};
    for (int i = 0; i < 100; i++)
        mine[i] = i;
    sct_memory block = {(char *)mine, sizeof mine, 1, sizeof mine};
    sct_bands bands = {0};
    sct_ticket ticket;
    CHECK(sct_service_has_thread(self->service));
    CHECK(sct_service_offer(self->service, 1, 1, &block, &bands) == SCT_OK);
    team_meet(self);
    if (self->rank == 0) {
        sct_place_far place = {1, 1, 0, 0, 0, 1, sizeof mine};
        CHECK(sct_service_get(self->service, &place, got, sizeof got, &ticket) == SCT_OK);
        CHECK(sct_service_wait(self->service, ticket) == SCT_OK);
        CHECK(memcmp(got, mine, sizeof got) == 0);
    }
    team_meet(self);
    sct_service_withdraw(self->service, 1);
}

/* Offsets that need 64 bits. The lines between are never touched. */
static void far_apart(team_rank *self) {
    const size_t pitch = (size_t)3 << 30;
    char *mine = mmap(NULL, 3 * pitch, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!CHECK(mine != MAP_FAILED))
        return;
    float *last = (float *)(mine + 2 * pitch + pitch / 2), got[8] = {0}, ones[2] = {1, 1};
    *last = 4;
    sct_memory block = {mine, pitch, 3, pitch};
    sct_bands bands = {0};
    sct_ticket ticket;
    sct_place_far place = {1, 1 - self->rank, 0, 1, pitch / 2, 2, sizeof(float)};
    CHECK(sct_service_offer(self->service, 1, 1, &block, &bands) == SCT_OK);
    team_meet(self);
    CHECK(sct_service_accumulate(self->service, SCT_F32, ones, sizeof(float), &place, &ticket) ==
          SCT_OK);
    CHECK(sct_service_wait(self->service, ticket) == SCT_OK);
    team_meet(self);
    CHECK(sct_service_get(self->service, &place, got, 4 * sizeof(float), &ticket) == SCT_OK);
    CHECK(sct_service_wait(self->service, ticket) == SCT_OK);
    CHECK(got[0] == 1 && got[4] == 5 && *last == 5);
    team_meet(self);
    sct_service_withdraw(self->service, 1);
    munmap(mine, 3 * pitch);
}

/* ---- Cuts ---- */

/* Pieces follow each other without gaps or overlaps, and none is too large. */
static void test_cut(int64_t lines, size_t width, size_t most) {
    sct_cut cut = sct_cut_make(lines, width, most);
    int64_t line = 0, high = 0;
    size_t byte = 0;
    bool fine = true;
    for (int64_t i = 0; i < cut.pieces; i++) {
        sct_piece piece = sct_cut_piece(&cut, i);
        fine &= piece.line == line && piece.byte == byte && piece.lines >= 1 && piece.width >= 1;
        fine &= piece.width <= most / (size_t)piece.lines && byte % SCT_CUT_GRAIN == 0;
        high = piece.lines;
        byte += piece.width;
        if (byte == width) {
            line += high;
            byte = 0;
        }
    }
    CHECK_CASE(fine && line == lines && byte == 0, "cut of %lld lines of %zu at %zu",
               (long long)lines, width, most);
}

static void test_cuts(uint64_t *random) {
    for (int i = 0; i < 2000; i++)
        test_cut(check_between(random, 1, 300), (size_t)check_between(random, 1, 3000),
                 (size_t)check_between(random, 64, 5000));
    sct_cut cut = sct_cut_make((int64_t)1 << 40, 1000, 1 << 16);
    sct_piece last = sct_cut_piece(&cut, cut.pieces - 1);
    CHECK(last.line + last.lines == (int64_t)1 << 40 && cut.pieces > (int64_t)1 << 33);
    cut = sct_cut_make(3, (size_t)1 << 40, 1 << 16);
    last = sct_cut_piece(&cut, cut.pieces - 1);
    CHECK(last.line == 2 && last.byte + last.width == (size_t)1 << 40);
}

int main(void) {
    uint64_t seed = check_seed(1), random = seed;
    test_cuts(&random);
    test_all_at_once(seed);
    for (int ranks = 1; ranks <= 4; ranks += 3)
        for (int threaded = 0; threaded < 2; threaded++)
            team_run(&(team){.ranks = ranks,
                             .most_bytes = 1 << 14,
                             .threaded = threaded,
                             .delay = 5,
                             .seed = seed,
                             .body = flood});
    team_run(&(team){.ranks = 2,
                     .most_bytes = 1 << 14,
                     .threaded = true,
                     .delay = 5,
                     .seed = seed,
                     .body = absent});
    team_run(&(team){.ranks = 2,
                     .most_bytes = 1 << 14,
                     .threaded = false,
                     .delay = 5,
                     .seed = seed,
                     .body = far_apart});
    return check_report("service");
}
