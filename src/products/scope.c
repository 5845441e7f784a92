/* scope.c - checks a search, and lists classes of matrices, their candidates, how long they live,
 * and the meshes of a machine, of which layouts are made.
 *
 * On a machine with nodes, a mesh is one arrangement of the nodes with one of the ranks in a node.
 * One of the two has one direction, the other up to two. Without nodes, there are up to three. */
#include "products/scope.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

static sct_status no_memory(void) {
    return sct_no_memory("the candidates of a group");
}

/* ---- Meshes ---- */

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

/* Lists the meshes of all ranks, the plainest first. */
static sct_status meshes_list(const sct_machine *machine, int ranks, sct_meshes *meshes) {
    int node = node_of(machine, ranks);
    sct_arrangements *level = malloc(2 * sizeof *level);
    if (!level)
        return no_memory();
    sct_arrangements *outer = &level[0], *inner = &level[1];
    arrange_level(ranks / node, false, outer);
    arrange_level(node, node == ranks, inner);
    for (int sum = 0; sum < outer->count + inner->count - 1; sum++)
        for (int i = 0; i <= sum && i < outer->count; i++)
            if (sum - i < inner->count &&
                (outer->mesh[i].runs < 2 || inner->mesh[sum - i].runs < 2))
                add(meshes, &outer->mesh[i], &inner->mesh[sum - i]);
    free(level);
    return SCT_OK;
}

/* The ranks at the positions of a layout, whose columns vary fastest: of each direction, its runs
 * from the innermost. Returns the number of strides. */
static int map(const sct_mesh *mesh, const int way[SCT_MESH_WAYS], int ranks,
               sct_stride stride[SCT_MESH_RUNS]) {
    int below[SCT_MESH_RUNS], strides = 0;
    for (int i = 0, left = ranks; i < mesh->runs; i++)
        below[i] = left /= mesh->run[i].times;
    for (int to = SCT_MESH_WAYS - 1; to >= 0; to--)
        for (int i = mesh->runs - 1; i >= 0; i--)
            if (way[mesh->run[i].way] == to)
                stride[strides++] = (sct_stride){below[i], mesh->run[i].times};
    return sct_strides_join(stride, strides);
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
    sct_layout *plain = NULL;
    sct_stride stride[SCT_MESH_RUNS];
    sct_status status = sct_layout_parse(text, rows, cols, ranks, &plain);
    int strides = map(mesh, way, ranks, stride);
    if (!status && strides > 1) {
        status = sct_layout_map_strides(plain, stride, strides, layout);
        sct_layout_destroy(plain);
    } else if (!status) {
        *layout = plain;
    }
    return status;
}

/* ---- The scope ---- */

/* With more ranks, a search would take minutes. */
enum { MOST_RANKS = 1048576 };

static sct_status check(const sct_products *products, const sct_products_search *search) {
    const sct_machine *machine = search->machine;
    sct_status status = sct_check_type(search->type);
    if (status)
        return status;
    if (products->count == 0)
        return sct_fail(SCT_BAD_ARGUMENT, "the group has no products");
    if (search->ranks < 1 || search->ranks > MOST_RANKS)
        return sct_fail(SCT_BAD_ARGUMENT, "ranks: %d is not between 1 and %d", search->ranks,
                        MOST_RANKS);
    if (search->ranks_per_node < 0 || search->fixes < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: a negative number",
                        search->fixes < 0 ? "fixes" : "ranks per node");
    if (machine && machine->ranks > 0 && search->ranks != machine->ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "ranks: machine %s has %lld, not %d", machine->name,
                        (long long)machine->ranks, search->ranks);
    if (machine && machine->peak[search->type] <= 0)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: its peak for %s is not known", machine->name,
                        sct_type_name(search->type));
    return search->fixes ? sct_check_given("the fixed layouts", search->fix) : SCT_OK;
}

static sct_status fill_in(sct_scope *scope) {
    sct_products_search *search = &scope->search;
    if (search->ranks_per_node == 0 && search->machine)
        search->ranks_per_node = sct_machine_ranks_per_node(search->machine);
    if (search->ranks_per_node == 0 || search->ranks_per_node > search->ranks)
        search->ranks_per_node = search->ranks;
    scope->assumed = sct_machine_default(search->ranks_per_node, false);
    scope->machine = search->machine ? search->machine : &scope->assumed;
    return meshes_list(scope->machine, search->ranks, &scope->meshes);
}

/* ---- Classes ---- */

static bool is_fixed(const sct_scope *scope, int matrix) {
    for (int i = 0; i < scope->search.fixes; i++)
        if (sct_products_matrix_find(scope->products, scope->search.fix[i].matrix) == matrix)
            return true;
    return false;
}

/* A gradient leaves the class of its matrix if it is fixed itself. */
static void list_classes(sct_scope *scope) {
    const sct_products *products = scope->products;
    for (int i = 0; i < products->matrices; i++) {
        int root = sct_products_root(products, i);
        bool leaves = products->matrix[i].gradient && is_fixed(scope, i);
        scope->class_of[i] = root == i || leaves ? scope->classes++ : scope->class_of[root];
    }
}

/* ---- Candidates ---- */

static sct_status add_candidate(const sct_scope *scope, const sct_layout *layout,
                                sct_domain *domain) {
    uint64_t most;
    for (int i = 0; i < domain->count; i++)
        if (sct_layout_equal(domain->candidate[i].layout, layout))
            return SCT_OK;
    sct_status status = sct_layout_largest_part(layout, scope->search.type, &most);
    if (!status)
        domain->candidate[domain->count++] =
            (sct_candidate){.layout = sct_layout_hold(layout),
                            .bytes = (double)most,
                            .letters = (int)sct_layout_print(layout, NULL, 0)};
    return status;
}

/* The layouts that the caller gives for a class. */
static sct_status list_given(const sct_scope *scope, int class, sct_domain *domain) {
    sct_status status = SCT_OK;
    for (int i = 0; i < scope->search.fixes && !status; i++) {
        const sct_products_fix *fix = &scope->search.fix[i];
        int matrix = sct_products_matrix_find(scope->products, fix->matrix);
        if (scope->class_of[matrix] != class)
            continue;
        if (sct_layout_rows(fix->layout) != domain->rows ||
            sct_layout_cols(fix->layout) != domain->cols ||
            sct_layout_ranks(fix->layout) > scope->search.ranks)
            return sct_fail(SCT_BAD_ARGUMENT,
                            "%s: the layout is for %lld x %lld on %d ranks, but the matrix is %lld "
                            "x %lld on %d",
                            fix->matrix, (long long)sct_layout_rows(fix->layout),
                            (long long)sct_layout_cols(fix->layout), sct_layout_ranks(fix->layout),
                            (long long)domain->rows, (long long)domain->cols, scope->search.ranks);
        status = add_candidate(scope, fix->layout, domain);
    }
    return status;
}

/* One layout for each mesh that leaves no rank without a part. */
static sct_status list_meshes(const sct_scope *scope, sct_domain *domain) {
    static const int way[] = {SCT_MESH_REPLICAS, SCT_MESH_ROWS, SCT_MESH_COLS};
    sct_status status = SCT_OK;
    for (int i = 0; i < scope->meshes.count && !status; i++) {
        const sct_mesh *mesh = &scope->meshes.mesh[i];
        sct_layout *layout = NULL;
        if (mesh->size[SCT_MESH_ROWS] > domain->rows || mesh->size[SCT_MESH_COLS] > domain->cols)
            continue;
        status =
            sct_mesh_layout(mesh, way, domain->rows, domain->cols, scope->search.ranks, &layout);
        if (!status)
            status = add_candidate(scope, layout, domain);
        sct_layout_destroy(layout);
    }
    if (!status && domain->count == 0)
        status = sct_fail(SCT_BAD_ARGUMENT,
                          "a matrix of %lld x %lld cannot be spread over %d ranks, nor copied",
                          (long long)domain->rows, (long long)domain->cols, scope->search.ranks);
    return status;
}

/* Classes of one shape share their candidates, unless the caller gives some. */
static int find_domain(const sct_scope *scope, int64_t rows, int64_t cols) {
    int i = scope->domains - 1;
    while (i >= 0 && (scope->domain[i].given || scope->domain[i].rows != rows ||
                      scope->domain[i].cols != cols))
        i--;
    return i;
}

static sct_status list_candidates(sct_scope *scope, int matrix) {
    const sct_symbol *symbol = &scope->products->matrix[matrix];
    int class = scope->class_of[matrix], known;
    sct_domain domain = {.rows = symbol->rows.size, .cols = symbol->cols.size};
    domain.candidate =
        malloc((size_t)sct_max(SCT_MESHES, scope->search.fixes) * sizeof *domain.candidate);
    if (!domain.candidate)
        return no_memory();
    sct_status status = list_given(scope, class, &domain);
    domain.given = domain.count > 0;
    known = domain.given ? -1 : find_domain(scope, domain.rows, domain.cols);
    if (!status && known < 0 && !domain.given)
        status = list_meshes(scope, &domain);
    if (known >= 0) {
        free(domain.candidate);
        scope->domain_of[class] = known;
    } else {
        scope->domain_of[class] = scope->domains;
        scope->domain[scope->domains++] = domain;
    }
    return status;
}

/* ---- Lives ---- */

/* A matrix lives from the start if it is given, else from its product; to its last use if it is
 * computed and used, else to the end. */
static void count_lives(sct_scope *scope) {
    const sct_products *products = scope->products;
    for (int matrix = 0; matrix < products->matrices; matrix++) {
        const sct_symbol *symbol = &products->matrix[matrix];
        int first = symbol->computed < 0 ? 0 : symbol->computed, last = products->count - 1;
        if (symbol->computed >= 0 && symbol->used >= 0)
            for (last = products->count - 1; last > first; last--) {
                const int *of = products->term[last].matrix;
                if (of[SCT_MAT_A] == matrix || of[SCT_MAT_B] == matrix || of[SCT_MAT_C] == matrix)
                    break;
            }
        for (int i = first; i <= last; i++)
            scope->live[i * scope->classes + scope->class_of[matrix]]++;
    }
}

double sct_scope_stored(const sct_scope *scope, int product, const int *choice) {
    double sum = 0;
    for (int class = 0; class < scope->classes; class ++)
        sum += scope->live[product * scope->classes + class] *
               sct_scope_domain(scope, class)->candidate[choice[class]].bytes;
    return sum;
}

/* ---- All of it ---- */

static sct_status check_fixes(const sct_scope *scope) {
    for (int i = 0; i < scope->search.fixes; i++) {
        const sct_products_fix *fix = &scope->search.fix[i];
        sct_status status = sct_check_given("the name of a fixed matrix", fix->matrix);
        if (!status)
            status = sct_check_given("the layout of a fixed matrix", fix->layout);
        if (status)
            return status;
        if (sct_products_matrix_find(scope->products, fix->matrix) < 0)
            return sct_fail(SCT_BAD_ARGUMENT, "there is no matrix %.40s to fix", fix->matrix);
    }
    return SCT_OK;
}

static sct_status allocate(sct_scope *scope) {
    size_t matrices = (size_t)scope->products->matrices, count = (size_t)scope->products->count;
    scope->class_of = calloc(matrices, sizeof *scope->class_of);
    scope->domain_of = calloc(matrices, sizeof *scope->domain_of);
    scope->domain = calloc(matrices, sizeof *scope->domain);
    scope->live = calloc(matrices * count, sizeof *scope->live);
    scope->meshes.mesh = calloc(SCT_MESHES, sizeof *scope->meshes.mesh);
    bool all = scope->class_of && scope->domain_of && scope->domain && scope->live;
    return all && scope->meshes.mesh ? SCT_OK : no_memory();
}

sct_status sct_scope_create(const sct_products *products, const sct_products_search *search,
                            sct_scope *scope) {
    sct_status status = check(products, search);
    *scope = (sct_scope){.products = products, .search = *search};
    if (!status)
        status = check_fixes(scope);
    if (!status)
        status = allocate(scope);
    if (!status)
        status = fill_in(scope);
    if (status)
        return status;
    list_classes(scope);
    for (int i = 0, class = 0; i < products->matrices && !status; i++)
        if (scope->class_of[i] == class) {
            status = list_candidates(scope, i);
            class ++;
        }
    count_lives(scope);
    return status;
}

void sct_scope_clear(sct_scope *scope) {
    for (int i = 0; i < scope->domains; i++) {
        for (int j = 0; j < scope->domain[i].count; j++)
            sct_layout_destroy((sct_layout *)scope->domain[i].candidate[j].layout);
        free(scope->domain[i].candidate);
    }
    free(scope->class_of);
    free(scope->domain_of);
    free(scope->domain);
    free(scope->live);
    free(scope->meshes.mesh);
}
