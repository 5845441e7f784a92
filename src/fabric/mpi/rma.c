/* rma.c - windows, and the operations in flight; and a trial whether one-sided operations of an
 * MPI are correct.
 *
 * A flush completes all operations to one rank in one window. MPI offers nothing finer that works
 * everywhere for rectangles, since requests for them may complete too early. An MPI may complete an
 * operation only while its target calls MPI, and cannot be asked whether it does: so a rank that
 * computes makes progress between parts of a product. */
#include "fabric/mpi/rma.h"

#include "base/memory.h"
#include "fabric/mpi/call.h"
#include "fabric/processes/segment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 1 << 26 }; /* of one operation */

/* Operations started and not flushed. */
typedef struct operation {
    uint64_t number;
    const sct_segment *segment;
    int rank;
} operation;

/* By rank: how many blocks it has; and these, with window offsets as bases (NULL: not fetched, or
 * mapped). */
struct sct_window {
    MPI_Win window;
    int ranks;
    int *counts;
    sct_memory *tables[];
};

struct sct_rma {
    operation *operations;
    int64_t count, room;
    uint64_t last;
};

/* ---- Creation ---- */

sct_status sct_rma_create(sct_rma **rma) {
    sct_rma *made = calloc(1, sizeof *made);
    if (!made)
        return sct_no_memory("a path by RMA");
    *rma = made;
    return SCT_OK;
}

void sct_rma_destroy(sct_rma *rma) {
    if (rma)
        free(rma->operations);
    free(rma);
}

static sct_rma *rma_of(sct_process *process) {
    return sct_mpi_of(process)->rma;
}

/* ---- Windows ---- */

/* The mapped block table of this rank, or of one on its node. */
static const sct_memory *mapped_table(const sct_segment_part *part) {
    return (const sct_memory *)(part->shared.memory + sct_process_segment_table(part->count));
}

static void free_window(sct_window *window) {
    for (int r = 0; r < window->ranks; r++)
        free(window->tables[r]);
    free(window);
}

/* Creating a window is collective, so memory for it must be there on all ranks or on none. */
static sct_status rma_open(sct_process *process, sct_segment *segment) {
    const sct_shared *own = &sct_segment_own(segment)->shared;
    size_t ranks = (size_t)process->base.size;
    sct_window *made =
        calloc(1, sizeof *made + ranks * (sizeof made->tables[0] + sizeof *made->counts));
    sct_status status = sct_process_all_have(process, made != NULL);
    if (status == SCT_OK) {
        assert(made);
        made->ranks = process->base.size;
        made->counts = (int *)(made->tables + ranks);
        status =
            process->ops->gather(process, &segment->count, sizeof segment->count, made->counts);
    }
    if (status != SCT_OK) {
        free(made);
        return status;
    }
    assert(made);
    int code = MPI_Win_create(own->memory, (MPI_Aint)own->bytes, 1, MPI_INFO_NULL,
                              sct_mpi_of(process)->comm, &made->window);
    status = sct_mpi_check(code, "MPI_Win_create");
    if (status != SCT_OK) {
        free(made);
        return status;
    }
    segment->window = made;
    MPI_Win_set_errhandler(made->window, MPI_ERRORS_RETURN);
    return sct_mpi_check(MPI_Win_lock_all(MPI_MODE_NOCHECK, made->window), "MPI_Win_lock_all");
}

static void forget(sct_rma *rma, const sct_segment *segment, int rank) {
    int64_t kept = 0;
    for (int64_t i = 0; i < rma->count; i++)
        if (rma->operations[i].segment != segment || (rank >= 0 && rma->operations[i].rank != rank))
            rma->operations[kept++] = rma->operations[i];
    rma->count = kept;
}

static void rma_close(sct_process *process, sct_segment *segment) {
    MPI_Win_unlock_all(segment->window->window);
    MPI_Win_free(&segment->window->window);
    free_window(segment->window);
    segment->window = NULL;
    forget(rma_of(process), segment, -1);
}

static void rma_sync(sct_process *process) {
    for (const sct_segment *each = process->segments; each; each = each->next)
        if (each->window)
            MPI_Win_sync(each->window->window);
}

/* A rank's blocks, with window offsets as bases; fetched on first use. */
static sct_status find_table(sct_segment *segment, int rank, const sct_memory **table) {
    const sct_segment_part *part = sct_segment_part_of(segment, rank);
    MPI_Win window = segment->window->window;
    int count = segment->window->counts[rank];
    *table = part && part->shared.memory ? mapped_table(part) : segment->window->tables[rank];
    if (*table)
        return SCT_OK;
    size_t bytes = (size_t)count * sizeof(sct_memory);
    sct_memory *got = malloc(bytes);
    if (!got)
        return sct_fail(SCT_NO_MEMORY, "no memory for the blocks of rank %d", rank);
    MPI_Aint at = (MPI_Aint)sct_process_segment_table(count);
    int code = MPI_Get(got, (int)bytes, MPI_BYTE, rank, at, (int)bytes, MPI_BYTE, window);
    if (code == MPI_SUCCESS)
        code = MPI_Win_flush(rank, window);
    sct_status status = sct_mpi_check(code, "MPI_Get");
    if (status != SCT_OK) {
        free(got);
        return status;
    }
    *table = segment->window->tables[rank] = got;
    return SCT_OK;
}

/* ---- Waiting ---- */

static const operation *find(const sct_rma *rma, uint64_t number) {
    for (int64_t i = 0; i < rma->count; i++)
        if (rma->operations[i].number == number)
            return &rma->operations[i];
    return NULL;
}

static bool is_done(sct_event event) {
    return !find(event.of, event.number);
}

static sct_status await(sct_event event) {
    sct_rma *rma = event.of;
    const operation *found = find(rma, event.number);
    if (!found)
        return SCT_OK;
    const operation waited = *found;
    int code = MPI_Win_flush(waited.rank, waited.segment->window->window);
    forget(rma, waited.segment, waited.rank);
    return sct_mpi_check(code, "MPI_Win_flush");
}

static const sct_event_ops events = {is_done, await};

/* ---- Transfers ---- */

/* An operation on a rectangle of a window. */
typedef struct transfer {
    MPI_Win window;
    int rank;
    char *local;
    size_t local_pitch;
    MPI_Aint at; /* offset of its first byte in the window */
    size_t pitch;
    bool adds;
    MPI_Datatype element; /* element type on both sides */
    size_t element_bytes;
} transfer;

/* A datatype for the lines of a piece. */
static int make_type(const transfer *t, const sct_rectangle *piece, size_t pitch,
                     MPI_Datatype *type) {
    int width = (int)(piece->width / t->element_bytes);
    int code = MPI_Type_create_hvector((int)piece->lines, width, (MPI_Aint)pitch, t->element, type);
    return code == MPI_SUCCESS ? MPI_Type_commit(type) : code;
}

static sct_status begin_piece(const transfer *t, const sct_rectangle *piece) {
    char *local = t->local + sct_rectangle_offset(piece, t->local_pitch);
    MPI_Aint at = t->at + (MPI_Aint)sct_rectangle_offset(piece, t->pitch);
    MPI_Datatype here = MPI_DATATYPE_NULL, there = MPI_DATATYPE_NULL;
    int code = make_type(t, piece, t->local_pitch, &here);
    if (code == MPI_SUCCESS)
        code = make_type(t, piece, t->pitch, &there);
    if (code == MPI_SUCCESS && t->adds)
        code = MPI_Accumulate(local, 1, here, t->rank, at, 1, there, MPI_SUM, t->window);
    else if (code == MPI_SUCCESS)
        code = MPI_Get(local, 1, here, t->rank, at, 1, there, t->window);
    if (here != MPI_DATATYPE_NULL)
        MPI_Type_free(&here);
    if (there != MPI_DATATYPE_NULL)
        MPI_Type_free(&there);
    return sct_mpi_check(code, t->adds ? "MPI_Accumulate" : "MPI_Get");
}

static sct_status begin(sct_rma *rma, transfer *t, const sct_target *target, sct_event *reached) {
    const sct_memory *table;
    sct_status status = find_table(target->segment, target->rank, &table);
    if (status != SCT_OK)
        return status;
    operation *operations =
        sct_memory_grow(rma->operations, rma->count, &rma->room, sizeof *operations);
    if (!operations)
        return sct_no_memory("one more transfer");
    const sct_memory *block = &table[target->block];
    t->window = target->segment->window->window;
    t->rank = target->rank;
    t->pitch = block->pitch;
    t->at = (MPI_Aint)((uintptr_t)block->base + sct_rectangle_offset(&target->part, block->pitch));
    operations[rma->count++] = (operation){++rma->last, target->segment, target->rank};
    rma->operations = operations;
    *reached = (sct_event){&events, rma, rma->last};
    sct_split cut =
        sct_split_make(target->part.lines, target->part.width, MOST_BYTES, SCT_SPLIT_GRAIN);
    for (int64_t i = 0; i < cut.pieces && status == SCT_OK; i++) {
        sct_rectangle piece = sct_split_piece(&cut, i);
        status = begin_piece(t, &piece);
    }
    return status;
}

static sct_status rma_get(sct_process *process, const sct_target *from, void *to, size_t pitch,
                          sct_event *reached) {
    transfer t = {.local = to, .local_pitch = pitch, .element = MPI_BYTE, .element_bytes = 1};
    return begin(rma_of(process), &t, from, reached);
}

/* Complex numbers are added as pairs of reals. */
static sct_status rma_accumulate(sct_process *process, sct_type type, const void *from,
                                 size_t pitch, const sct_target *to, sct_event *reached) {
    sct_type part = sct_type_part(type);
    transfer t = {.local = (char *)from,
                  .local_pitch = pitch,
                  .adds = true,
                  .element = part == SCT_F32 ? MPI_FLOAT : MPI_DOUBLE,
                  .element_bytes = sct_type_bytes(part)};
    return begin(rma_of(process), &t, to, reached);
}

/* Any call of MPI makes progress. */
static void rma_progress(sct_process *process) {
    int ignored;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, sct_mpi_of(process)->comm, &ignored, MPI_STATUS_IGNORE);
}

const sct_direct_ops sct_rma_ops = {.open = rma_open,
                                    .close = rma_close,
                                    .sync = rma_sync,
                                    .routes = {"RMA", rma_get, rma_accumulate},
                                    .progress = rma_progress};

/* ---- The trial ---- */

enum { LINES = 20, WIDTH = 7, PITCH = 11, READ = LINES * PITCH, BOTH = 2 * READ };

typedef struct trial {
    sct_mpi *self;
    MPI_Win window;
    double memory[BOTH]; /* the first half is read by others, the second is added to */
    double local[BOTH];
    int targets[]; /* by rank */
} trial;

static double value(int rank, int at) {
    return rank * 1000.0 + at;
}

/* The next rank of another node. */
static int find_target(const sct_mpi *self) {
    int target = self->process.base.rank;
    do
        target = (target + 1) % self->process.base.size;
    while (sct_process_same_node(&self->process, target));
    return target;
}

/* Collective: true if it works on all ranks. */
static sct_status agree(sct_mpi *self, bool mine, bool *all) {
    int least = 0;
    sct_status status = sct_process_least(&self->process, mine, &least);
    *all = least;
    return status;
}

/* True unless this is Open MPI before version 5, which names the file behind a window after a
 * communicator number that is unique per process, not per machine. */
static bool names_files_apart(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, version;
    MPI_Get_library_version(text, &length);
    return sscanf(text, "Open MPI v%d.", &version) != 1 || version >= 5;
}

/* True if this machine has ranks of the job outside this communicator, whose files may have the
 * same names. mpiexec says how many ranks the machine has. */
static bool has_rivals(const sct_mpi *self) {
    const char *started = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    return self->process.on_machine > 1 && !names_files_apart() &&
           (!started || strtol(started, NULL, 10) > self->process.on_machine);
}

static bool create_window(trial *t) {
    return !MPI_Win_create(t->memory, sizeof t->memory, sizeof(double), MPI_INFO_NULL,
                           t->self->comm, &t->window);
}

static bool open_window(trial *t) {
    int *model, known = 0;
    MPI_Win_set_errhandler(t->window, MPI_ERRORS_RETURN);
    return !MPI_Win_lock_all(MPI_MODE_NOCHECK, t->window) &&
           !MPI_Win_get_attr(t->window, MPI_WIN_MODEL, &model, &known) && known &&
           *model == MPI_WIN_UNIFIED;
}

static bool get(trial *t, int target) {
    MPI_Datatype lines;
    MPI_Type_vector(LINES, WIDTH, PITCH, MPI_DOUBLE, &lines);
    MPI_Type_commit(&lines);
    for (int i = 0; i < READ; i++)
        t->local[i] = -1;
    int code = MPI_Get(t->local, 1, lines, target, 0, 1, lines, t->window);
    MPI_Type_free(&lines);
    if (code || MPI_Win_flush(target, t->window))
        return false;
    for (int i = 0; i < READ; i++)
        if (t->local[i] != (i % PITCH < WIDTH ? value(target, i) : -1))
            return false;
    return true;
}

/* Adds this rank's number plus one. */
static bool add(trial *t, int target) {
    for (int i = 0; i < READ; i++)
        t->local[i] = t->self->process.base.rank + 1;
    return !MPI_Accumulate(t->local, READ, MPI_DOUBLE, target, READ, READ, MPI_DOUBLE, MPI_SUM,
                           t->window) &&
           !MPI_Win_flush(target, t->window);
}

/* True if all accumulates of others have arrived. */
static bool sums_hold(trial *t) {
    double sum = 0;
    for (int r = 0; r < t->self->process.base.size; r++)
        if (t->targets[r] == t->self->process.base.rank)
            sum += r + 1;
    MPI_Win_sync(t->window);
    for (int i = 0; i < READ; i++)
        if (t->memory[READ + i] != sum)
            return false;
    return true;
}

/* Collective. Each step is taken only if the previous one succeeded on all ranks. */
static sct_status try(trial *t, bool *works) {
    sct_process *process = &t->self->process;
    int target = find_target(t->self);
    sct_status status = process->ops->gather(process, &target, sizeof target, t->targets);
    if (status != SCT_OK)
        return status;
    status = agree(t->self, open_window(t) && get(t, target) && add(t, target), works);
    return status || !*works ? status : agree(t->self, sums_hold(t), works);
}

sct_status sct_rma_trial(sct_mpi *self, bool *works) {
    size_t ranks = (size_t)self->process.base.size;
    trial *t = calloc(1, sizeof *t + ranks * sizeof t->targets[0]);
    sct_status status = sct_process_all_have(&self->process, t != NULL);
    if (status != SCT_OK) {
        free(t);
        return status;
    }
    assert(t);
    t->self = self;
    t->window = MPI_WIN_NULL;
    for (int i = 0; i < READ; i++)
        t->memory[i] = value(self->process.base.rank, i);
    status = agree(self, !has_rivals(self), works);
    if (status == SCT_OK && *works)
        status = agree(self, create_window(t), works);
    if (status == SCT_OK && *works) {
        status = try(t, works);
        MPI_Win_unlock_all(t->window);
        MPI_Win_free(&t->window);
    }
    /* A window that some ranks lack cannot be freed, since MPI_Win_free is collective; its memory
     * must stay allocated. */
    if (t->window == MPI_WIN_NULL)
        free(t);
    return status;
}
