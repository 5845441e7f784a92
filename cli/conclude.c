/* conclude.c - what the times of single measurements say of a machine. */
#include "fit.h"
#include "probe.h"
#include "ratio.h"

#include <math.h>

/* Of both types together. */
static double half_of(const struct probe *probes, const double *seconds, int dim) {
    struct fit_point points[2 * (THIN + 1)];
    int count = 0;
    for (sct_type type = SCT_F32; type <= SCT_F64; type++) {
        int cube = PROBE_CUBES + (int)type;
        int first = PROBE_THIN + ((int)type * MEASURED_DIMS + dim) * THIN;
        double large = seconds[cube] / probe_flops(&probes[cube]);
        points[count++] = (struct fit_point){CUBE, 1};
        for (int i = first; i < first + THIN; i++)
            points[count++] = (struct fit_point){(double)probes[i].size[dim],
                                                 (seconds[i] - seconds[PROBE_CALL]) /
                                                     probe_flops(&probes[i]) / large};
    }
    return fit_half(points, count);
}

static void conclude_link(const double *seconds, double products, struct measured_link *link) {
    double bytes = TILE_BYTES, extra = seconds[LINK_BESIDE] - products;
    link->latency = seconds[LINK_LATENCY];
    link->pair = bytes / fmax(seconds[LINK_PAIR] - link->latency, link->latency);
    link->each = bytes / fmax(seconds[LINK_ALL] - link->latency, link->latency);
    link->accumulate = fmin(1, seconds[LINK_PAIR] / seconds[LINK_ADD]);
    /* A rank gets a tile and gives one. Where these took longer than the products, the time that
     * was waited for them is no work. */
    link->processor = seconds[LINK_ALL] < products ? fmax(0, extra) / (2 * bytes) : -1;
}

void probe_conclude(struct bench *bench, int rounds, struct measured *measured) {
    double seconds[PROBES] = {0};
    struct probe *probes = bench->probes;
    for (int i = 0; i < PROBES; i++)
        if (probes[i].run)
            seconds[i] = ratio_of(probes[i].seconds, rounds).median;
    double products = BESIDE * seconds[PROBE_CUBES + SCT_F64], larger = 1;
    measured->rounds = rounds;
    measured->ranks = bench->ranks;
    measured->ranks_per_node = bench->ranks_per_node;
    measured->barrier = seconds[PROBE_BARRIER] / log2(bench->ranks);
    measured->product = seconds[PROBE_CALL];
    measured->memory = 2.0 * TILE_BYTES / seconds[PROBE_MEMORY]; /* read, and written */
    for (int dim = 0; dim < MEASURED_DIMS; dim++) {
        measured->half[dim] = half_of(probes, seconds, dim);
        larger *= 1 + measured->half[dim] / CUBE;
    }
    for (int type = 0; type < MEASURED_TYPES; type++)
        measured->peak[type] =
            larger * probe_flops(&probes[PROBE_CUBES + type]) / seconds[PROBE_CUBES + type];
    if (bench->ranks_per_node > 1)
        conclude_link(&seconds[PROBE_NEAR], products, &measured->near);
    if (bench->ranks_per_node < bench->ranks)
        conclude_link(&seconds[PROBE_FAR], products, &measured->far);
}
