/* estimate.c - workloads estimated from the layouts alone; and how long a product takes, estimated
 * from a sample of ranks.
 *
 * Ranks that share a link are looked at together, since each has only its share of it. */
#include "cost/estimate.h"

#include "base/checked.h"
#include "base/status.h"
#include "cost/judge.h"
#include "plan/constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A slice that a rank needs, seen from the layout that stores it: in each dimension, the indices
 * that another axis deals to one coordinate, or a range. */
typedef struct sct_wanted_slice {
    const sct_layout *layout;
    int home;             /* home replica */
    sct_dimension dim[2]; /* axes: of the layout; and the other axis, NULL for the range */
    int coord[2];         /* coordinate of the other axis */
    bool rows[2];         /* true if the dimension runs along the layout's rows */
    double elements;
} sct_wanted_slice;

static double common(const sct_wanted_slice *want, int which, sct_cell cell) {
    const sct_dimension *d = &want->dim[which];
    sct_class own = {d->axis[0], d->offset[0], want->rows[which] ? cell.row : cell.col};
    return (double)(d->axis[1] ? sct_dimension_common(d, own.coord, want->coord[which])
                               : sct_class_size(&own, d->range));
}

/* The number of elements at a rank. */
static double elements_at(const sct_wanted_slice *want, int rank) {
    double sum = 0;
    if (sct_layout_home(want->layout, rank) != want->home)
        return 0;
    for (int block = 0; block < sct_layout_cells(want->layout, rank); block++) {
        sct_cell cell = sct_layout_cell(want->layout, rank, block);
        double first = common(want, 0, cell);
        sum += first > 0 ? first * common(want, 1, cell) : 0;
    }
    return sum;
}

static double held_by_group(const sct_wanted_slice *want, int64_t group, int ranks, int rank) {
    int64_t lo = rank / group * group, count = sct_min(group, ranks - lo);
    int looked_at = (int)sct_min(count, SCT_ESTIMATED_RANKS);
    double sum = 0;
    for (int i = 0; i < looked_at; i++)
        sum += elements_at(want, (int)(lo + sct_share(count, looked_at, i)));
    return sum * (double)count / looked_at;
}

/* Finds the elements at the other ranks of each level. Returns the local ones. */
static double elements_by_level(const sct_wanted_slice *want, const sct_machine *machine, int ranks,
                                int rank, double elements[SCT_MACHINE_LEVELS]) {
    double own = elements_at(want, rank), before = own;
    for (int level = 0; level < machine->levels; level++) {
        int64_t group = sct_level_group(machine, level, ranks);
        double all = group == ranks ? want->elements : held_by_group(want, group, ranks, rank);
        elements[level] = sct_larger(0, all - before);
        before = sct_larger(all, before);
    }
    return own;
}

/* True if all ranks in a group of a level share a matrix's memory. */
static bool is_near_in_group(const sct_product *product, const sct_machine *machine, int matrix,
                             int level) {
    return sct_level_group(machine, level, product->ranks) <= product->ranks_per_node[matrix];
}

/* The coordinates of an axis that have indices. */
static double used_coords(const sct_axis *axis) {
    if (!axis->bounds)
        return (double)sct_min(axis->coords, axis->blocks);
    int used = 0;
    for (int coord = 0; coord < axis->coords; coord++)
        used += sct_axis_class_size(axis, coord) > 0;
    return used;
}

/* The number of owners of a matrix among whom what one rank works on is split in a dimension. */
static double owner_parts(const sct_product *product, const sct_work_layout *work, int matrix,
                          int dim) {
    sct_dimension d = sct_product_dimension(product, dim);
    double owners = used_coords(d.axis[sct_matrix_side(matrix, dim)]);
    return sct_larger(1, owners / sct_work_parts(work, dim));
}

static sct_wanted_slice want_of(const sct_product *product, const sct_work_layout *work, int matrix,
                                int rank, sct_cell cell) {
    sct_wanted_slice want = {.layout = product->layout[matrix],
                             .home = sct_layout_home(product->layout[matrix], rank),
                             .elements = 1};
    for (int i = 0; i < 2; i++) {
        int dim = sct_matrix_dim(matrix, i), side = sct_matrix_side(matrix, dim);
        sct_dimension d = sct_product_dimension(product, dim);
        want.rows[i] = d.axis[side] == &want.layout->rows;
        sct_work_indices found = sct_work_find(product, work, dim, rank, cell);
        want.dim[i] = (sct_dimension){.axis = {d.axis[side], found.class.axis},
                                      .offset = {d.offset[side], found.class.offset},
                                      .range = found.range};
        want.coord[i] = found.class.coord;
        want.elements *= (double)sct_work_extent(product, work, dim, rank, cell);
    }
    return want;
}

static void book(const sct_product *product, const sct_machine *machine, int matrix,
                 const double elements[SCT_MACHINE_LEVELS], double messages, double all,
                 sct_workload *workload) {
    double bytes = sct_product_element(product, matrix),
           rounds = 1 + (messages - 1) / SCT_MESSAGES_AT_ONCE;
    for (int level = 0; level < machine->levels; level++) {
        sct_level_traffic *traffic = &workload->traffic[level];
        bool in_place = is_near_in_group(product, machine, matrix, level);
        *(matrix == SCT_MAT_C ? &traffic->added
          : in_place          ? &traffic->read
                              : &traffic->got) += elements[level] * bytes;
        traffic->messages += all > 0 && !in_place ? rounds * elements[level] / all : 0;
    }
}

/* The parts of a dimension of work that are not empty. */
static double users(const sct_product *product, const sct_work_layout *work, int dim) {
    const sct_axis *axis = sct_work_axis(work, dim);
    return axis ? used_coords(axis)
                : (double)sct_min(sct_work_parts(work, dim), product->size[dim]);
}

/* How many ranks of a rank's group have work. */
static double workers(const sct_work_layout *work, int ranks, int rank, int64_t group) {
    const sct_layout *layout = work->layout;
    int64_t all = (int64_t)layout->positions * layout->replicas, lo = rank / group * group;
    if (all >= ranks || group == ranks || group > SCT_ESTIMATED_RANKS)
        return (double)(group * all) / ranks;
    int count = 0;
    for (int64_t i = lo; i < sct_min(lo + group, ranks); i++)
        count += sct_layout_cells(layout, (int)i) > 0;
    return count;
}

/* Adds what others fetch from a rank's part, or add to it: each element once per coordinate of the
 * work layout in the dimension that the matrix lacks. */
static void add_serving(const sct_product *product, const sct_machine *machine,
                        const sct_work_layout *work, int matrix, int rank, double own,
                        sct_workload *workload) {
    const sct_layout *layout = product->layout[matrix];
    int across = sct_free_dim(matrix);
    double before = sct_layout_cells(work->layout, rank) > 0;
    double part = (double)sct_product_held(product, matrix, rank);
    double others = workers(work, product->ranks, rank, product->ranks) - before;
    double given = sct_larger(0, part * users(product, work, across) / layout->replicas - own) *
                   sct_product_element(product, matrix);
    for (int level = 0; level < machine->levels && others > 0; level++) {
        int64_t group = sct_level_group(machine, level, product->ranks);
        double near = sct_larger(before, workers(work, product->ranks, rank, group));
        *(matrix == SCT_MAT_C ? &workload->traffic[level].received
                              : &workload->traffic[level].served) +=
            given * (near - before) / others;
        before = near;
    }
}

void sct_workload_add_moving(const sct_product *product, const sct_machine *machine,
                             const sct_work_layout *work, int matrix, int rank,
                             sct_workload *workload) {
    const sct_layout *layout = work->layout;
    double own = 0;
    double messages = owner_parts(product, work, matrix, sct_matrix_dim(matrix, 0)) *
                      owner_parts(product, work, matrix, sct_matrix_dim(matrix, 1));
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        double elements[SCT_MACHINE_LEVELS];
        sct_cell cell = sct_layout_cell(layout, rank, block);
        if (sct_work_extent(product, work, sct_free_dim(matrix), rank, cell) == 0)
            continue;
        sct_wanted_slice want = want_of(product, work, matrix, rank, cell);
        own += elements_by_level(&want, machine, product->ranks, rank, elements);
        book(product, machine, matrix, elements, messages, want.elements, workload);
    }
    add_serving(product, machine, work, matrix, rank, own, workload);
    /* Other ranks add to it too: contributions are stored in workspace, then added. */
    if (matrix == SCT_MAT_C && !sct_work_one_writer(product, work))
        workload->copied += 2 * own * sct_product_element(product, matrix);
}

void sct_far_shares(const sct_product *product, const sct_machine *machine,
                    const sct_work_layout *work, int matrix, int rank, sct_cell cell,
                    double share[SCT_MACHINE_LEVELS]) {
    sct_wanted_slice want = want_of(product, work, matrix, rank, cell);
    elements_by_level(&want, machine, product->ranks, rank, share);
    for (int level = 0; level < machine->levels; level++)
        share[level] = want.elements == 0 || is_near_in_group(product, machine, matrix, level)
                           ? 0
                           : share[level] / want.elements;
}

/* The pieces of one dimension by the number of owners, who are taken to have one block each. */
static sct_status count_pieces(void *self, int dim, int gathered, sct_judged_pieces *pieces) {
    const sct_judge *judge = self;
    *pieces = (sct_judged_pieces){.sets = 1};
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        double owners = sct_work_keeps(judge->work, matrix)
                            ? 1
                            : owner_parts(judge->product, judge->work, matrix, dim);
        bool together = gathered >> side & 1;
        pieces->scattered[side] = together && owners > 1;
        pieces->split[side] = !together && owners > 1;
        pieces->sets = together ? pieces->sets : sct_larger(pieces->sets, owners);
    }
    pieces->sets = sct_smaller(pieces->sets, judge->extent[dim]);
    return SCT_OK;
}

static sct_workload judge_work(sct_judge *judge) {
    sct_decisions decisions = {.size = sizeof decisions};
    sct_work_nest(judge->product, judge->work, decisions.nest);
    sct_judge_decide(judge, &decisions); /* cannot fail: nothing is allocated */
    return sct_judge_workload(judge, &decisions);
}

/* The workload of the rank that the judge looks at: judged before, or now. */
static sct_workload find_judgement(sct_judge *judge, sct_judgements *judgements) {
    sct_judged_work work = {.boxes = judge->boxes};
    int known = (int)sct_min(judgements->count, SCT_JUDGED);
    memcpy(work.extent, judge->extent, sizeof work.extent);
    memcpy(work.far, judge->far, sizeof work.far);
    for (int i = 0; i < known; i++)
        if (memcmp(&judgements->work[i], &work, sizeof work) == 0)
            return judgements->workload[i];
    int place = judgements->count++ % SCT_JUDGED;
    judgements->work[place] = work;
    return judgements->workload[place] = judge_work(judge);
}

void sct_workload_add_product(const sct_product *product, const sct_machine *machine,
                              const sct_work_layout *work, int rank, sct_judgements *judgements,
                              sct_workload *workload) {
    sct_judge judge = {.room = INFINITY, .gathers = true, .cuts = true};
    judge.slice = count_pieces;
    judge.self = &judge;
    sct_judge_look(product, machine, work, rank, &judge);
    if (judge.boxes == 0 || judge.extent[0] == 0 || judge.extent[1] == 0 || judge.extent[2] == 0)
        return;
    sct_workload judged = find_judgement(&judge, judgements);
    workload->steps += judged.steps;
    workload->alone += judged.alone;
    workload->computing += judged.computing;
    workload->copied += judged.copied;
}

/* ---- Replicas ---- */

static bool holds(const sct_layout *layout, int rank, int block, sct_cell cell) {
    if (sct_layout_cells(layout, rank) <= block)
        return false;
    sct_cell own = sct_layout_cell(layout, rank, block);
    return own.row == cell.row && own.col == cell.col;
}

/* How many ranks of a group have the same block: the rank itself, and others of other replicas. */
static double replicas_in_group(const sct_layout *layout, int64_t group, int ranks, int rank,
                                int block) {
    sct_cell cell = sct_layout_cell(layout, rank, block);
    int64_t lo = rank / group * group, count = sct_min(group, ranks - lo);
    int looked_at = (int)sct_min(count, SCT_ESTIMATED_RANKS), found = 0;
    for (int i = 0; i < looked_at; i++)
        found += holds(layout, (int)(lo + sct_share(count, looked_at, i)), block, cell);
    return sct_larger(1, (double)found * (double)count / looked_at);
}

/* What the rank fetches from all others that have the same block, an equal share from each. */
static void get_from_replicas(const sct_layout *layout, const sct_machine *machine, int ranks,
                              int rank, int block, double bytes, sct_workload *workload) {
    double before = 1, all = layout->replicas;
    for (int level = 0; level < machine->levels && all > 1; level++) {
        int64_t group = sct_level_group(machine, level, ranks);
        double near = group == ranks
                          ? all
                          : sct_smaller(all, replicas_in_group(layout, group, ranks, rank, block));
        double count = sct_larger(0, near - before);
        workload->traffic[level].got += bytes * count / (all - 1);
        workload->traffic[level].messages += count;
        before = sct_larger(near, before);
    }
}

/* Each replica reduces its share of the lines, then copies the other shares. */
void sct_workload_add_reduction(const sct_product *product, const sct_machine *machine, int rank,
                                sct_workload *workload) {
    const sct_layout *c = product->layout[SCT_MAT_C];
    int home = sct_layout_home(c, rank);
    for (int block = 0; c->replicas > 1 && block < sct_layout_cells(c, rank); block++) {
        sct_part part = sct_layout_part_in(c, &product->view[SCT_MAT_C], rank, block);
        double line = (double)part.count * sct_product_element(product, SCT_MAT_C);
        int64_t own = sct_share_size(part.lines, c->replicas, home);
        double lines = (double)own * (c->replicas - 1) + (double)(part.lines - own);
        get_from_replicas(c, machine, product->ranks, rank, block, lines * line, workload);
    }
}

void sct_workload_add_replication(const sct_layout *layout, sct_type type,
                                  const sct_machine *machine, int ranks, int rank,
                                  sct_workload *workload) {
    for (int block = 0; layout->replicas > 1 && block < sct_layout_cells(layout, rank); block++) {
        sct_cell cell = sct_layout_cell(layout, rank, block);
        double bytes = (double)sct_layout_lines(layout, cell) *
                       (double)sct_layout_line_size(layout, cell) * (double)sct_type_bytes(type);
        double others = (double)(layout->replicas - 1) / layout->replicas;
        get_from_replicas(layout, machine, ranks, rank, block, bytes * others, workload);
    }
}

void sct_workload_add_copy(const sct_layout *from, const sct_layout *to, sct_type type,
                           const sct_machine *machine, int ranks, int rank,
                           sct_workload *workload) {
    for (int block = 0; block < sct_layout_cells(to, rank); block++) {
        sct_cell cell = sct_layout_cell(to, rank, block);
        double elements[SCT_MACHINE_LEVELS];
        sct_wanted_slice want = {
            .layout = from,
            .home = sct_layout_home(from, rank),
            .dim = {{.axis = {&from->rows, &to->rows}, .range = {0, from->rows.extent}},
                    {.axis = {&from->cols, &to->cols}, .range = {0, from->cols.extent}}},
            .coord = {cell.row, cell.col},
            .rows = {true, false},
            .elements =
                (double)sct_layout_lines(to, cell) * (double)sct_layout_line_size(to, cell)};
        elements_by_level(&want, machine, ranks, rank, elements);
        for (int level = 0; level < machine->levels; level++)
            workload->traffic[level].got += elements[level] * (double)sct_type_bytes(type);
    }
}

/* ---- A sample of ranks ---- */

int sct_sample_rank(int ranks, int sample, int place) {
    /* A stride without common divisors with grids, so that a sample is not all in one column. */
    const int64_t step = 2654435761;
    return sample < ranks ? (int)(place * step % ranks) : place;
}

/* The ranks of the largest groups that share a link, if they fit into a sample; otherwise 1. */
static int sharing(const sct_machine *machine, int ranks) {
    int64_t most = 1;
    for (int level = 1; level < machine->levels; level++)
        if (isfinite(machine->level[level].uplink))
            most = sct_max(most, sct_level_group(machine, level - 1, ranks));
    return most <= SCT_ESTIMATED_RANKS ? (int)most : 1;
}

/* Ranks of a group share the link that joins it to others: each gets its share of what all of them
 * move. Called with consecutive ranks, of which the first begins a group. */
static void share_links(const sct_machine *machine, int ranks, int count, sct_workload *workload) {
    for (int level = 1; level < machine->levels && count > 1; level++) {
        int group = (int)sct_level_group(machine, level - 1, ranks);
        for (int lo = 0; lo < count && isfinite(machine->level[level].uplink); lo += group) {
            int hi = (int)sct_min(lo + group, count);
            sct_level_traffic sum = {.got = 0};
            for (int rank = lo; rank < hi; rank++) {
                const sct_level_traffic *t = &workload[rank].traffic[level];
                sum.got += t->got / group;
                sum.added += t->added / group;
                sum.served += t->served;
                sum.received += t->received;
            }
            for (int rank = lo; rank < hi; rank++) {
                sct_level_traffic *t = &workload[rank].traffic[level];
                sum.read = t->read;
                sum.messages = t->messages;
                *t = sum;
            }
        }
    }
}

double sct_estimate_weight(sct_estimate estimate) {
    return estimate.slowest + sct_estimate_beside * estimate.moving;
}

/* Looks at ranks `first` and following; `workload` has room for them. */
static void add_ranks(const sct_product *product, const sct_machine *machine,
                      const sct_work_layout *work, int first, int count, sct_judgements *judgements,
                      sct_workload *workload, sct_estimate *estimate) {
    for (int i = 0; i < count; i++) {
        int rank = first + i;
        workload[i] = (sct_workload){.computing = 0};
        sct_workload_add_product(product, machine, work, rank, judgements, &workload[i]);
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            if (!sct_work_keeps(work, matrix))
                sct_workload_add_moving(product, machine, work, matrix, rank, &workload[i]);
    }
    share_links(machine, product->ranks, count, workload);
    for (int i = 0; i < count; i++) {
        double seconds = sct_workload_seconds(machine, product->ranks, &workload[i]);
        estimate->slowest = sct_larger(estimate->slowest, seconds);
        workload[i].computing = workload[i].alone = 0;
        double moving = sct_workload_seconds(machine, product->ranks, &workload[i]);
        estimate->moving = sct_larger(estimate->moving, moving);
    }
}

sct_status sct_estimate_find(const sct_product *product, const sct_machine *machine,
                             const sct_work_layout *work, double most, sct_estimate *found) {
    int ranks = product->ranks, group = sharing(machine, ranks), groups = (ranks - 1) / group + 1;
    int sample = ranks > SCT_ESTIMATED_RANKS ? SCT_ESTIMATED_RANKS / group : groups;
    sct_estimate estimate = {0, 0};
    sct_judgements judgements = {.count = 0};
    sct_workload *workload = malloc((size_t)group * sizeof *workload);
    if (!workload)
        return sct_no_memory("an estimate");
    for (int i = 0; i < sample && sct_estimate_weight(estimate) <= most; i++) {
        int first = sct_sample_rank(groups, sample, i) * group;
        add_ranks(product, machine, work, first, (int)sct_min(group, ranks - first), &judgements,
                  workload, &estimate);
    }
    free(workload);
    *found = estimate;
    return SCT_OK;
}
