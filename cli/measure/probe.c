/* probe.c - the single measurements: a barrier, a copy, an addition, a GEMM. */
#include "measure/probe.h"

#include "values/element.h"

/* A measurement repeats its GEMM until it has made more operations than this. */
static const double flops_at_least = 2e8;
static const int64_t thin[THIN] = {16, 32, 64, 128, 256};

/* The tile to reach: of this rank, of the next one of its node, or of one on the next node. */
static sct_tile partner(const struct bench *bench, enum reach reach) {
    int node = bench->ranks_per_node, first = bench->rank / node * node;
    int mates = node < bench->ranks - first ? node : bench->ranks - first;
    if (reach == REACH_FAR)
        return (sct_tile){(bench->rank + node) % bench->ranks, 0};
    return (sct_tile){reach == REACH_OWN ? bench->rank : first + (bench->rank - first + 1) % mates,
                      0};
}

static sct_block dense(void *data, int64_t rows, int64_t cols) {
    return (sct_block){.data = data, .ld = cols, .rows = rows, .cols = cols};
}

static sct_status meet(struct bench *bench, const struct probe *probe) {
    (void)probe;
    return sct_world_barrier(bench->world);
}

static sct_status ask(struct bench *bench, const struct probe *probe) {
    sct_block word = dense(&bench->word, 1, 1);
    return sct_matrix_get_tile(bench->words, partner(bench, probe->reach), SCT_HERE, &word);
}

static sct_status get(struct bench *bench, const struct probe *probe) {
    sct_block tile = dense(bench->tile, TILE_ROWS, TILE_COLS);
    return sct_matrix_get_tile(bench->tiles, partner(bench, probe->reach), SCT_HERE, &tile);
}

static sct_status add(struct bench *bench, const struct probe *probe) {
    sct_block tile = dense(bench->tile, TILE_ROWS, TILE_COLS);
    return sct_matrix_accumulate_tile(bench->tiles, partner(bench, probe->reach), SCT_HERE, &tile);
}

static sct_status multiply(struct bench *bench, const struct probe *probe) {
    int64_t m = probe->size[0], n = probe->size[1], k = probe->size[2];
    double one[2], zero[2];
    element_store(probe->type, (struct number){1, 0}, one);
    element_store(probe->type, (struct number){0, 0}, zero);
    sct_block a = dense(bench->operand[MATRIX_A], m, k), b = dense(bench->operand[MATRIX_B], k, n),
              c = dense(bench->operand[MATRIX_C], m, n);
    return sct_gemm_local(probe->type, SCT_N, SCT_N, one, &a, &b, zero, &c);
}

static sct_status multiply_often(struct bench *bench, const struct probe *probe) {
    sct_status status = SCT_OK;
    for (int i = 0; i < BESIDE && status == SCT_OK; i++)
        status = multiply(bench, probe);
    return status;
}

/* GEMMs while a tile is fetched from another rank and one is served. */
static sct_status multiply_beside(struct bench *bench, const struct probe *probe) {
    sct_block tile = dense(bench->tile, TILE_ROWS, TILE_COLS);
    sct_request request;
    sct_status status = sct_matrix_get_tile_async(bench->tiles, partner(bench, probe->reach),
                                                  SCT_HERE, &tile, &request);
    if (status == SCT_OK)
        status = multiply_often(bench, probe);
    return status == SCT_OK ? sct_wait(request) : status;
}

double probe_flops(const struct probe *probe) {
    return (element_is_complex(probe->type) ? 8 : 2) * (double)probe->size[0] *
           (double)probe->size[1] * (double)probe->size[2];
}

static struct probe product_probe(sct_type type, int64_t m, int64_t n, int64_t k) {
    struct probe probe = {.run = multiply, .type = type, .size = {m, n, k}};
    probe.repeats = 1 + (int)(flops_at_least / probe_flops(&probe));
    return probe;
}

static void list_link(struct probe *probes, enum reach reach) {
    probes[LINK_LATENCY] = (struct probe){ask, true, 50, .reach = reach};
    probes[LINK_PAIR] = (struct probe){get, true, 1, .reach = reach};
    probes[LINK_ALL] = (struct probe){get, false, 1, .reach = reach};
    probes[LINK_ADD] = (struct probe){add, true, 1, .reach = reach};
    if (reach != REACH_FAR)
        return;
    probes[LINK_PRODUCTS] = (struct probe){.run = multiply_often,
                                           .repeats = 1,
                                           .reach = reach,
                                           .type = SCT_F64,
                                           .size = {CUBE, CUBE, CUBE}};
    probes[LINK_BESIDE] = probes[LINK_PRODUCTS];
    probes[LINK_BESIDE].run = multiply_beside;
}

/* Lists the GEMMs of one type with one thin dimension. */
static void list_thin(struct probe *probes, sct_type type) {
    for (int dim = 0; dim < MEASURED_DIMS; dim++)
        for (int i = 0; i < THIN; i++) {
            int64_t size[MEASURED_DIMS] = {CUBE, CUBE, CUBE};
            size[dim] = thin[i];
            probes[dim * THIN + i] = product_probe(type, size[0], size[1], size[2]);
        }
}

void probe_list(struct bench *bench) {
    struct probe *probes = bench->probes;
    probes[PROBE_BARRIER] = (struct probe){meet, false, 100, .reach = REACH_OWN};
    probes[PROBE_CALL] =
        (struct probe){.run = multiply, .repeats = 1000, .type = SCT_F64, .size = {1, 1, 1}};
    probes[PROBE_MEMORY] = (struct probe){get, false, 1, .reach = REACH_OWN};
    if (bench->ranks_per_node > 1)
        list_link(&probes[PROBE_NEAR], REACH_NEAR);
    if (bench->ranks_per_node < bench->ranks)
        list_link(&probes[PROBE_FAR], REACH_FAR);
    for (int type = 0; type < MEASURED_TYPES; type++)
        probes[PROBE_CUBES + type] = product_probe((sct_type)type, CUBE, CUBE, CUBE);
    list_thin(&probes[PROBE_THIN], SCT_F32);
    list_thin(&probes[PROBE_THIN + MEASURED_DIMS * THIN], SCT_F64);
}
