/* contribution.c - weighs earlier sending of contributions against slower, smaller products.
 *
 * Cut into p pieces of n indices, products take (1 + p half / n) as long, and only the last of the
 * p contributions is not overlapped. The best p depends on the depth in k of a contribution: deep
 * sums are sent faster than the next is computed. */
#include "plan/contribution.h"

#include <math.h>

enum { MIN_INDICES = 256 }; /* of a piece */

/* The depth in k at which computing a contribution takes as long as sending it. */
static double break_even_depth(const sct_product *product, const sct_machine *machine) {
    enum { DEFAULT = 1664 }; /* measured: one core, Ethernet of 1 Gbit/s */
    if (!machine)
        return DEFAULT;
    sct_type type = product->type[SCT_MAT_A];
    int last = machine->levels - 1;
    double flops = sct_type_complex(type) ? 8 : 2;
    double bytes = (double)sct_type_bytes(product->type[SCT_MAT_C]);
    double rate = sct_level_rate(machine, last, product->ranks) * machine->level[last].accumulate;
    return bytes * machine->peak[type] * machine->top / (flops * rate);
}

/* The indices of k that cost as much time as one half-speed size of the dimension. */
static double depth_per_index(const sct_product *product, const sct_machine *machine, int dim) {
    enum { DEFAULT = 64 };
    if (!machine || machine->half[dim] == 0)
        return DEFAULT;
    return break_even_depth(product, machine) / machine->half[dim];
}

double sct_contribution_gather_cost(const sct_product *product, const sct_machine *machine, int dim,
                                    double slices, double indices) {
    if (indices >= SCT_CONTRIBUTION_LARGE * slices)
        return INFINITY;
    return depth_per_index(product, machine, dim) * (1 - 1 / fmax(slices, 1));
}

double sct_contribution_pieces(const sct_product *product, const sct_machine *machine, int dim,
                               double indices, double depth) {
    double best = sqrt(depth_per_index(product, machine, dim) * indices / depth);
    return fmax(1, floor(fmin(best, indices / MIN_INDICES)));
}

bool sct_contribution_is_slow(const sct_product *product, const sct_machine *machine,
                              double depth) {
    return depth < break_even_depth(product, machine);
}

double sct_contribution_halves(double indices) {
    return indices >= 2 * MIN_INDICES ? 2 : 1;
}
