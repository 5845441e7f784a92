/* contribution.h - sums of C that leave for owners beyond reach: whether these part them, and in
 * how many pieces they go. Machines: NULL if none is described. */
#ifndef SCT_PLAN_CONTRIBUTION_H
#define SCT_PLAN_CONTRIBUTION_H

#include "machine/machine.h"
#include "plan/product.h"

/* A slice with so many indices of a dimension is large enough for products: it is not brought
 * together with others, nor are others made larger. */
enum { SCT_LEAVE_LARGE = 2048 };

/* What it costs if so many slices, of so many indices of a dimension together, leave as one: as
 * much as if products read so many elements more for each element of C; or more than anything. */
double sct_leave_cost(const sct_product *product, const sct_machine *machine, int dim,
                      double slices, double indices);

/* In how many pieces of the outermost loop it is best for them to leave, each of them a sum over
 * `depth` indices of k. */
double sct_leave_pieces(const sct_product *product, const sct_machine *machine, int dim,
                        double indices, double depth);

/* Whether a sum over so many indices of k takes longer to leave than the next takes to be made. */
bool sct_leave_slowly(const sct_product *product, const sct_machine *machine, double depth);

/* In how many parts an owner's indices of the outermost loop are used, if more comes of them from
 * beyond reach than leaves: in two if that is large enough for products. */
double sct_leave_halves(double indices);

#endif
