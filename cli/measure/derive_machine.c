/* derive_machine.c - turns measured times into the numbers of a machine description. */
#include "measure/fit.h"
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
static double half_of(const struct bench *bench, const double *seconds, int dim) {
    const struct probe *probes = bench->probes;
    struct gemm_fit_point points[2 * (THIN + 1)];
    int count = 0;
    for (sct_type type = SCT_F32; type <= SCT_F64; type++) {
        int cube = PROBE_CUBES + (int)type;
        int first = PROBE_THIN + ((int)type * MEASURED_DIMS + dim) * THIN;
        double large = seconds[cube] / probe_flops(&probes[cube]);
        points[count++] = (struct gemm_fit_point){(double)bench->cube, 1};
        for (int i = first; i < first + THIN; i++)
            points[count++] = (struct gemm_fit_point){(double)probes[i].size[dim],
                                                      (seconds[i] - seconds[PROBE_CALL]) /
                                                          probe_flops(&probes[i]) / large};
    }
    return gemm_fit_half(points, count);
}

/* By how many seconds products take longer beside a tile that the rank fetches or adds and one of
 * its own that others do. */
static double longer_by(const struct probe *probes, int beside, int rounds) {
    double longer[MEASURED_ROUNDS];
    for (int i = 0; i < rounds; i++)
        longer[i] = probes[beside].seconds[i] - probes[LINK_PRODUCTS].seconds[i];
    return fmax(0, median(longer, rounds)) / probes[beside].tiles;
}

/* The processor time, in seconds, that each end of a link spends on a byte: so much longer do
 * products take beside transfers. -1 (unknown) if the transfers outlast the products, since a rank
 * then waits for them, which is not work. */
static double processor_of(const struct probe *probes, const double *seconds, int rounds,
                           double bytes) {
    bool in_time = probes[LINK_BESIDE_GETS].tiles * seconds[LINK_ALL] < seconds[LINK_PRODUCTS];
    return in_time ? longer_by(probes, LINK_BESIDE_GETS, rounds) / (2.0 * bytes) : -1;
}

/* The share of their speed that products lose beside accumulates by a device, in addition to the
 * processor time of all transfers. */
static double slowed_of(const struct probe *probes, const double *seconds, int rounds,
                        double processor, double bytes) {
    if (!probes[LINK_ADD_ALL].run)
        return 0;
    double transfers = fmax(0, processor) * 2 * bytes;
    double more = longer_by(probes, LINK_BESIDE_ADDS, rounds) - transfers;
    return fmin(0.9, fmax(0, more) / seconds[LINK_ADD_ALL]);
}

static void conclude_link(const struct probe *probes, const double *seconds, int rounds,
                          double bytes, struct measured_link *link) {
    double least = seconds[LINK_LATENCY];
    link->latency = seconds[LINK_LATENCY];
    link->pair = bytes / fmax(seconds[LINK_PAIR] - least, least);
    link->each = bytes / fmax(seconds[LINK_ALL] - least, least);
    link->accumulate = fmin(1, seconds[LINK_PAIR] / seconds[LINK_ADD]);
    link->processor = processor_of(probes, seconds, rounds, bytes);
    link->slowed = slowed_of(probes, seconds, rounds, link->processor, bytes);
}

void probe_derive(struct bench *bench, int rounds, struct measured *measured) {
    double seconds[PROBES] = {0};
    struct probe *probes = bench->probes;
    for (int i = 0; i < PROBES; i++)
        if (probes[i].run)
            seconds[i] = median(probes[i].seconds, rounds);
    double larger = 1, bytes = probe_tile_bytes(bench);
    measured->rounds = rounds;
    measured->size = bench->cube;
    measured->copied = bytes;
    measured->ranks = bench->ranks;
    measured->ranks_per_node = bench->ranks_per_node;
    measured->barrier = seconds[PROBE_BARRIER] / log2(bench->ranks);
    measured->product = seconds[PROBE_CALL];
    measured->memory = 2 * bytes / seconds[PROBE_MEMORY]; /* read and written */
    measured->host = bench->device ? bytes / seconds[PROBE_HOST] : 0;
    for (int dim = 0; dim < MEASURED_DIMS; dim++) {
        measured->half[dim] = half_of(bench, seconds, dim);
        larger *= 1 + measured->half[dim] / (double)bench->cube;
    }
    for (int type = 0; type < MEASURED_TYPES; type++)
        if (probes[PROBE_CUBES + type].run)
            measured->peak[type] =
                larger * probe_flops(&probes[PROBE_CUBES + type]) / seconds[PROBE_CUBES + type];
    if (bench->ranks_per_node > 1)
        conclude_link(&probes[PROBE_NEAR], &seconds[PROBE_NEAR], rounds, bytes, &measured->near);
    if (bench->ranks_per_node < bench->ranks)
        conclude_link(&probes[PROBE_FAR], &seconds[PROBE_FAR], rounds, bytes, &measured->far);
}
