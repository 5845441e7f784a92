/* probe.c - the single measurements: a barrier, a copy, an addition, a GEMM. */
#include "measure/probe.h"

#include "values/element.h"

#include <math.h>

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

/* A dense block in this rank's memory of a matrix. */
static sct_block within(const sct_matrix *matrix, int64_t rows, int64_t cols) {
    sct_block own = {.data = NULL};
    int count;
    sct_matrix_blocks(matrix, 1, &own, &count);
    return dense(own.data, rows, cols);
}

double probe_tile_bytes(const struct bench *bench) {
    return (double)bench->tile_rows * TILE_COLS * sizeof *bench->tile;
}

static sct_status meet(struct bench *bench, const struct probe *probe) {
    (void)probe;
    return sct_world_barrier(bench->world);
}

static sct_status ask(struct bench *bench, const struct probe *probe) {
    sct_block word = within(bench->landing, 1, 1);
    return sct_matrix_get_tile(bench->words, partner(bench, probe->reach), SCT_HERE, &word);
}

static sct_status get(struct bench *bench, const struct probe *probe) {
    sct_block tile = within(bench->landing, bench->tile_rows, TILE_COLS);
    return sct_matrix_get_tile(bench->tiles, partner(bench, probe->reach), SCT_HERE, &tile);
}

/* From the device to the host. */
static sct_status get_to_host(struct bench *bench, const struct probe *probe) {
    sct_block tile = dense(bench->tile, bench->tile_rows, TILE_COLS);
    return sct_matrix_get_tile(bench->tiles, partner(bench, probe->reach), SCT_HERE, &tile);
}

static sct_status add(struct bench *bench, const struct probe *probe) {
    sct_block tile = within(bench->landing, bench->tile_rows, TILE_COLS);
    return sct_matrix_accumulate_tile(bench->tiles, partner(bench, probe->reach), SCT_HERE, &tile);
}

static sct_status multiply(struct bench *bench, const struct probe *probe) {
    int64_t m = probe->size[0], n = probe->size[1], k = probe->size[2];
    double one[2], zero[2];
    element_store(sct_type_sum(probe->type), (struct number){1, 0}, one);
    element_store(sct_type_sum(probe->type), (struct number){0, 0}, zero);
    sct_block a = within(bench->operand[MATRIX_A], m, k),
              b = within(bench->operand[MATRIX_B], k, n),
              c = within(bench->operand[MATRIX_C], m, n);
    return sct_world_gemm(bench->world, probe->type, SCT_N, SCT_N, one, &a, &b, zero, &c);
}

static sct_status multiply_often(struct bench *bench, const struct probe *probe) {
    sct_status status = SCT_OK;
    for (int i = 0; i < BESIDE && status == SCT_OK; i++)
        status = multiply(bench, probe);
    return status;
}

typedef sct_status begin_tile(sct_matrix *matrix, sct_tile tile, int replica,
                              const sct_block *block, sct_request *request);

/* GEMMs while tiles of another rank are fetched or added to, and as many of this rank: nothing
 * before it is known how many. */
static sct_status multiply_beside(struct bench *bench, const struct probe *probe,
                                  begin_tile *begin) {
    sct_block tile = within(bench->landing, bench->tile_rows, TILE_COLS);
    sct_request request[MOST_TILES];
    sct_status status = SCT_OK;
    int begun = 0;
    if (probe->tiles == 0)
        return SCT_OK;
    while (begun < probe->tiles && status == SCT_OK) {
        status =
            begin(bench->tiles, partner(bench, probe->reach), SCT_HERE, &tile, &request[begun]);
        begun += status == SCT_OK;
    }
    if (status == SCT_OK)
        status = multiply_often(bench, probe);
    for (int i = 0; i < begun; i++) {
        sct_status waited = sct_wait(request[i]);
        status = status == SCT_OK ? waited : status;
    }
    return status;
}

static sct_status multiply_beside_gets(struct bench *bench, const struct probe *probe) {
    return multiply_beside(bench, probe, sct_matrix_get_tile_async);
}

static sct_status multiply_beside_adds(struct bench *bench, const struct probe *probe) {
    return multiply_beside(bench, probe, sct_matrix_accumulate_tile_async);
}

static int tiles_beside(double products, double tile) {
    double tiles = tile > 0 ? products / 2 / tile : 1;
    return (int)fmax(1, fmin(tiles, MOST_TILES));
}

void probe_fill(struct probe *link, int round) {
    double products = link[LINK_PRODUCTS].seconds[round];
    link[LINK_BESIDE_GETS].tiles = tiles_beside(products, link[LINK_ALL].seconds[round]);
    link[LINK_BESIDE_ADDS].tiles = tiles_beside(products, link[LINK_ADD_ALL].seconds[round]);
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

/* GEMMs of a link's ranks, with nothing or transfers beside them. */
static struct probe beside_probe(const struct bench *bench, enum reach reach,
                                 sct_status (*run)(struct bench *, const struct probe *)) {
    return (struct probe){.run = run,
                          .repeats = 1,
                          .reach = reach,
                          .type = SCT_F64,
                          .size = {bench->cube, bench->cube, bench->cube}};
}

static void list_link(const struct bench *bench, struct probe *probes, enum reach reach) {
    probes[LINK_LATENCY] = (struct probe){ask, true, 50, .reach = reach};
    probes[LINK_PAIR] = (struct probe){get, true, 1, .reach = reach};
    probes[LINK_ALL] = (struct probe){get, false, 1, .reach = reach};
    probes[LINK_ADD] = (struct probe){add, true, 1, .reach = reach};
    if (reach != REACH_FAR)
        return;
    probes[LINK_PRODUCTS] = beside_probe(bench, reach, multiply_often);
    probes[LINK_BESIDE_GETS] = beside_probe(bench, reach, multiply_beside_gets);
    if (!bench->device)
        return;
    probes[LINK_ADD_ALL] = (struct probe){add, false, 1, .reach = reach};
    probes[LINK_BESIDE_ADDS] = beside_probe(bench, reach, multiply_beside_adds);
}

/* Lists the GEMMs of one type with one thin dimension. */
static void list_thin(const struct bench *bench, struct probe *probes, sct_type type) {
    for (int dim = 0; dim < MEASURED_DIMS; dim++)
        for (int i = 0; i < THIN; i++) {
            int64_t size[MEASURED_DIMS] = {bench->cube, bench->cube, bench->cube};
            size[dim] = thin[i] * bench->cube / CUBE;
            probes[dim * THIN + i] = product_probe(type, size[0], size[1], size[2]);
        }
}

static void list_products(struct bench *bench) {
    struct probe *probes = bench->probes;
    int64_t cube = bench->cube;
    for (int type = 0; type < MEASURED_TYPES; type++)
        if (sct_world_multiplies(bench->world, (sct_type)type))
            probes[PROBE_CUBES + type] = product_probe((sct_type)type, cube, cube, cube);
    list_thin(bench, &probes[PROBE_THIN], SCT_F32);
    list_thin(bench, &probes[PROBE_THIN + MEASURED_DIMS * THIN], SCT_F64);
}

void probe_list(struct bench *bench) {
    struct probe *probes = bench->probes;
    probes[PROBE_BARRIER] = (struct probe){meet, false, 100, .reach = REACH_OWN};
    probes[PROBE_CALL] =
        (struct probe){.run = multiply, .repeats = 1000, .type = SCT_F64, .size = {1, 1, 1}};
    probes[PROBE_MEMORY] = (struct probe){get, false, 1, .reach = REACH_OWN};
    if (bench->device)
        probes[PROBE_HOST] = (struct probe){get_to_host, false, 1, .reach = REACH_OWN};
    if (bench->ranks_per_node > 1)
        list_link(bench, &probes[PROBE_NEAR], REACH_NEAR);
    if (bench->ranks_per_node < bench->ranks)
        list_link(bench, &probes[PROBE_FAR], REACH_FAR);
    list_products(bench);
}
