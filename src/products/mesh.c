/* mesh.c - lists the meshes of a machine, and makes layouts of them.
 *
 * On a machine with nodes, a mesh is one arrangement of the nodes with one of the ranks in a node.
 * One of the two has one direction, the other up to two. Without nodes, there are up to three. */
#include "products/mesh.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

/* At most so many sizes of the first of two directions are tried, spread over all divisors. */
enum { SPLITS = 4, FEW_RANKS = 64 };

/* The arrangements of the ranks, or groups, of one level. */
enum { ARRANGEMENTS = 64 };
typedef struct sct_arrangements {
    int count;
    sct_mesh mesh[ARRANGEMENTS];
} sct_arrangements;

/* Adds runs of up to three ways; those of one rank are left out. */
static void arrange(sct_arrangements *list, const sct_run_of_ranks *run, int runs) {
    if (list->count == ARRANGEMENTS)
        return;
    sct_mesh *mesh = &list->mesh[list->count++];
    *mesh = (sct_mesh){.size = {1, 1, 1}};
    for (int i = 0; i < runs; i++)
        if (run[i].times > 1) {
            mesh->run[mesh->runs++] = run[i];
            mesh->size[run[i].way] *= run[i].times;
        }
}

/* Two ways, of which the first has `times` ranks. */
static void arrange_two(sct_arrangements *list, int ranks, int times, bool any_order) {
    for (int i = 0; i < SCT_MESH_WAYS; i++)
        for (int j = any_order ? 0 : i + 1; j < SCT_MESH_WAYS; j++)
            if (i != j)
                arrange(list, (sct_run_of_ranks[]){{i, times}, {j, ranks / times}}, 2);
}

static void arrange_three(sct_arrangements *list, int ranks) {
    for (int i = 2; i < ranks; i++)
        for (int j = 2; ranks % i == 0 && j < ranks / i; j++)
            if (ranks / i % j == 0)
                arrange(list,
                        (sct_run_of_ranks[]){{SCT_MESH_REPLICAS, i},
                                             {SCT_MESH_ROWS, j},
                                             {SCT_MESH_COLS, ranks / i / j}},
                        3);
}

/* whole: there is no other level. */
static void arrange_level(int ranks, bool whole, sct_arrangements *list) {
    static const int plain[SCT_MESH_WAYS] = {SCT_MESH_ROWS, SCT_MESH_COLS, SCT_MESH_REPLICAS};
    int divisors = 0, seen = 0;
    list->count = 0;
    for (int i = 0; i < (ranks > 1 ? SCT_MESH_WAYS : 1); i++)
        arrange(list, &(sct_run_of_ranks){plain[i], ranks}, 1);
    for (int times = 2; times < ranks; times++)
        divisors += ranks % times == 0;
    for (int times = 2; times < ranks; times++)
        if (ranks % times == 0 && seen++ * SPLITS % divisors < SPLITS)
            arrange_two(list, ranks, times, whole);
    if (whole && ranks <= FEW_RANKS)
        arrange_three(list, ranks);
}

/* The ranks of the smallest group that divides all of them; all, if there are no groups. */
static int node_of(const sct_machine *machine, int ranks) {
    for (int level = 0; level < machine->levels; level++) {
        int64_t group = sct_level_group(machine, level, ranks);
        if (group > 1 && group < ranks && ranks % group == 0)
            return (int)group;
    }
    return ranks;
}

static bool is_same(const sct_mesh *x, const sct_mesh *y) {
    bool same = x->runs == y->runs;
    for (int i = 0; i < x->runs && same; i++)
        same = x->run[i].way == y->run[i].way && x->run[i].times == y->run[i].times;
    return same;
}

/* Adds an arrangement of nodes with one of the ranks in a node. Two runs along one direction are
 * one. */
static void add(sct_meshes *meshes, const sct_mesh *outer, const sct_mesh *inner) {
    sct_mesh mesh = *outer;
    for (int i = 0; i < inner->runs; i++) {
        const sct_run_of_ranks *run = &inner->run[i];
        mesh.size[run->way] *= run->times;
        if (mesh.runs > 0 && mesh.run[mesh.runs - 1].way == run->way)
            mesh.run[mesh.runs - 1].times *= run->times;
        else
            mesh.run[mesh.runs++] = *run;
    }
    for (int i = 0; i < meshes->count; i++)
        if (is_same(&meshes->mesh[i], &mesh))
            return;
    if (meshes->count < SCT_MESHES)
        meshes->mesh[meshes->count++] = mesh;
}

void sct_meshes_list(const sct_machine *machine, int ranks, sct_meshes *meshes) {
    sct_arrangements outer, inner;
    int node = node_of(machine, ranks);
    arrange_level(ranks / node, false, &outer);
    arrange_level(node, node == ranks, &inner);
    meshes->count = 0;
    for (int sum = 0; sum < outer.count + inner.count - 1; sum++)
        for (int i = 0; i <= sum && i < outer.count; i++)
            if (sum - i < inner.count && (outer.mesh[i].runs < 2 || inner.mesh[sum - i].runs < 2))
                add(meshes, &outer.mesh[i], &inner.mesh[sum - i]);
}

/* Tells which rank each position of a layout is on. False: each on its own number. */
static bool map(const sct_mesh *mesh, const int way[SCT_MESH_WAYS], int ranks, int *rank_of) {
    bool moved = false;
    int size[SCT_MESH_WAYS];
    for (int i = 0; i < SCT_MESH_WAYS; i++)
        size[way[i]] = mesh->size[i];
    for (int rank = 0; rank < ranks; rank++) {
        int at[SCT_MESH_WAYS] = {0}, below = ranks;
        for (int i = 0; i < mesh->runs; i++) {
            below /= mesh->run[i].times;
            int *coord = &at[way[mesh->run[i].way]];
            *coord = *coord * mesh->run[i].times + rank / below % mesh->run[i].times;
        }
        int position = (at[SCT_MESH_REPLICAS] * size[SCT_MESH_ROWS] + at[SCT_MESH_ROWS]) *
                           size[SCT_MESH_COLS] +
                       at[SCT_MESH_COLS];
        rank_of[position] = rank;
        moved |= position != rank;
    }
    return moved;
}

sct_status sct_mesh_layout(const sct_mesh *mesh, const int way[SCT_MESH_WAYS], int64_t rows,
                           int64_t cols, int ranks, sct_layout **layout) {
    int size[SCT_MESH_WAYS];
    char text[64];
    for (int i = 0; i < SCT_MESH_WAYS; i++)
        size[way[i]] = mesh->size[i];
    if (size[SCT_MESH_ROWS] > 1 && size[SCT_MESH_COLS] > 1)
        snprintf(text, sizeof text, "2d:%dx%d*%d", size[SCT_MESH_ROWS], size[SCT_MESH_COLS],
                 size[SCT_MESH_REPLICAS]);
    else
        snprintf(text, sizeof text, "%s*%d", size[SCT_MESH_COLS] > 1 ? "col" : "row",
                 size[SCT_MESH_REPLICAS]);
    int *rank_of = malloc((size_t)ranks * sizeof *rank_of);
    sct_layout *plain = NULL;
    sct_status status =
        rank_of ? sct_layout_parse(text, rows, cols, ranks, &plain) : sct_no_memory("a candidate");
    if (!status && map(mesh, way, ranks, rank_of)) {
        status = sct_layout_map_ranks(plain, rank_of, layout);
        sct_layout_destroy(plain);
    } else if (!status) {
        *layout = plain;
    }
    free(rank_of);
    return status;
}
