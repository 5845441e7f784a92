/* contribution.h - contributions to remote owners of C: whether they are gathered over owners, and
 * in how many pieces they are sent. The machine may be NULL: a default is assumed. */
#ifndef SCT_PLAN_CONTRIBUTION_H
#define SCT_PLAN_CONTRIBUTION_H

#include "machine/machine.h"
#include "plan/product.h"

/* A slice of at least this many indices is large enough for the BLAS. Smaller ones may be gathered
 * up to this size. */
enum { SCT_CONTRIBUTION_LARGE = 2048 };

/* Cost of sending `slices` contributions, of `indices` in total, as one gathered contribution: in
 * extra elements read per element of C, or INFINITY if they are large enough alone. Gathering sends
 * later, so it overlaps less. */
double sct_contribution_gather_cost(const sct_product *product, const sct_machine *machine, int dim,
                                    double slices, double indices);

/* The best number of pieces, along the outermost loop, for contributions that are sums over `depth`
 * indices of k. */
double sct_contribution_pieces(const sct_product *product, const sct_machine *machine, int dim,
                               double indices, double depth);

/* True if sending a contribution takes longer than computing the next one, which sums over `depth`
 * indices of k. */
bool sct_contribution_is_slow(const sct_product *product, const sct_machine *machine, double depth);

/* The number of parts into which an owner's indices of the outermost loop are cut if input
 * outweighs contributions: two, if halves are large enough for the BLAS. */
double sct_contribution_halves(double indices);

#endif
