/* contribution.c - what there is to gain if sums leave in pieces, beside what products lose by it.
 *
 * In p pieces of n indices products take (1 + p half / n) as long, and what does not leave beside
 * them is the last of p. So it depends on the indices of k of a sum, and on how many of these it
 * takes for an index of another dimension to make both alike. A sum over many leaves faster than
 * the next is made. */
#include "plan/contribution.h"

#include <math.h>

enum { LEAST = 256 }; /* indices of a piece */

/* Over how many indices of k a sum takes as long to be made as to leave. */
static double even_depth(const sct_product *product, const sct_machine *machine) {
    enum { USUAL = 1664 }; /* of a core, on Ethernet of 1 Gbit/s */
    if (!machine)
        return USUAL;
    sct_type type = product->type[SCT_MAT_A];
    int last = machine->levels - 1;
    double flops = sct_type_complex(type) ? 8 : 2;
    double bytes = (double)sct_type_bytes(product->type[SCT_MAT_C]);
    double rate = sct_level_rate(machine, last, product->ranks) * machine->level[last].accumulate;
    return bytes * machine->peak[type] * machine->top / (flops * rate);
}

/* How many indices of k an index of another dimension is worth. */
static double worth(const sct_product *product, const sct_machine *machine, int dim) {
    enum { USUAL = 64 };
    if (!machine || machine->half[dim] == 0)
        return USUAL;
    return even_depth(product, machine) / machine->half[dim];
}

double sct_leave_cost(const sct_product *product, const sct_machine *machine, int dim,
                      double slices, double indices) {
    if (indices >= SCT_LEAVE_LARGE * slices)
        return INFINITY;
    return worth(product, machine, dim) * (1 - 1 / fmax(slices, 1));
}

double sct_leave_pieces(const sct_product *product, const sct_machine *machine, int dim,
                        double indices, double depth) {
    double best = sqrt(worth(product, machine, dim) * indices / depth);
    return fmax(1, floor(fmin(best, indices / LEAST)));
}

bool sct_leave_slowly(const sct_product *product, const sct_machine *machine, double depth) {
    return depth < even_depth(product, machine);
}

double sct_leave_halves(double indices) {
    return indices >= 2 * LEAST ? 2 : 1;
}
