/* derive_machine.c - turns measured times into the numbers of a machine description. */
#include "measure/gemm_fit.h"
#include "measure/probe.h"
#include "run/ratio.h"

#include <math.h>
#include <string.h>

/* Leaves the numbers in the order of the rounds. */
static double median(const double *numbers, int count) {
    double sorted[MEASURED_ROUNDS];
    memcpy(sorted, numbers, (size_t)count * sizeof *sorted);
    return ratio_of(sorted, count).median;
}

/* The size of a dimension at which a GEMM has half its speed, from f32 and f64 together. */
static double half_of(const struct probe *probes, const double *seconds, int dim) {
    struct gemm_fit_point points[2 * (THIN + 1)];
    int count = 0;
    for (sct_type type = SCT_F32; type <= SCT_F64; type++) {
        int cube = PROBE_CUBES + (int)type;
        int first = PROBE_THIN + ((int)type * MEASURED_DIMS + dim) * THIN;
        double large = seconds[cube] / probe_flops(&probes[cube]);
        points[count++] = (struct gemm_fit_point){CUBE, 1};
        for (int i = first; i < first + THIN; i++)
            points[count++] = (struct gemm_fit_point){(double)probes[i].size[dim],
                                                      (seconds[i] - seconds[PROBE_CALL]) /
                                                          probe_flops(&probes[i]) / large};
    }
    return gemm_fit_half(points, count);
}

/* Seconds of processor time per byte at each end of a link: by how much products slow down while
 * the rank fetches a tile and serves one. Unknown if the transfer outlasts the products, because
 * waiting for it is not work. */
static double processor_of(const struct probe *probes, const double *seconds, int rounds) {
    double longer[MEASURED_ROUNDS];
    for (int i = 0; i < rounds; i++)
        longer[i] = probes[LINK_BESIDE].seconds[i] - probes[LINK_PRODUCTS].seconds[i];
    bool in_time = seconds[LINK_ALL] < seconds[LINK_PRODUCTS];
    return in_time ? fmax(0, median(longer, rounds)) / (2.0 * TILE_BYTES) : -1;
}

static void conclude_link(const struct probe *probes, const double *seconds, int rounds,
                          struct measured_link *link) {
    double least = seconds[LINK_LATENCY];
    link->latency = seconds[LINK_LATENCY];
    link->pair = TILE_BYTES / fmax(seconds[LINK_PAIR] - least, least);
    link->each = TILE_BYTES / fmax(seconds[LINK_ALL] - least, least);
    link->accumulate = fmin(1, seconds[LINK_PAIR] / seconds[LINK_ADD]);
    link->processor = processor_of(probes, seconds, rounds);
}

void probe_derive(struct bench *bench, int rounds, struct measured *measured) {
    double seconds[PROBES] = {0};
    struct probe *probes = bench->probes;
    for (int i = 0; i < PROBES; i++)
        if (probes[i].run)
            seconds[i] = median(probes[i].seconds, rounds);
    double larger = 1;
    measured->rounds = rounds;
    measured->ranks = bench->ranks;
    measured->ranks_per_node = bench->ranks_per_node;
    measured->barrier = seconds[PROBE_BARRIER] / log2(bench->ranks);
    measured->product = seconds[PROBE_CALL];
    measured->memory = 2.0 * TILE_BYTES / seconds[PROBE_MEMORY]; /* read and written */
    for (int dim = 0; dim < MEASURED_DIMS; dim++) {
        measured->half[dim] = half_of(probes, seconds, dim);
        larger *= 1 + measured->half[dim] / CUBE;
    }
    for (int type = 0; type < MEASURED_TYPES; type++)
        measured->peak[type] =
            larger * probe_flops(&probes[PROBE_CUBES + type]) / seconds[PROBE_CUBES + type];
    if (bench->ranks_per_node > 1)
        conclude_link(&probes[PROBE_NEAR], &seconds[PROBE_NEAR], rounds, &measured->near);
    if (bench->ranks_per_node < bench->ranks)
        conclude_link(&probes[PROBE_FAR], &seconds[PROBE_FAR], rounds, &measured->far);
}
