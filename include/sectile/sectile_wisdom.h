/* sectile_wisdom.h - measures which work layout is fastest, and keeps what was found as text.
 *
 * The first products with SCT_MEASURE take turns: each runs one of up to 4 work layouts, those that
 * are best by estimate, 6 times each. All compute the product, though the last bits of C may
 * differ. From then on the world runs the one that was fastest, by the times of the slowest rank
 * (docs/model.md). It does so for all products of the same shape, types, ops, layouts, views and
 * options.
 *
 * These products also show how fast ranks compute and reach other nodes. Products that are not
 * measured are then planned for a machine of these rates, where none is described.
 *
 * What a world has found is its wisdom: a text with a line for the rates, and one for each such
 * product. It is for one machine, and for one number of ranks and of ranks per node. sectile.h
 * includes this file. */
#include <sectile/sectile.h> /* first, which includes this file before others that need it */

#ifndef SECTILE_WISDOM_H
#define SECTILE_WISDOM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Measures a product at once, unless the world knows what is fastest, and returns it as
 * sct_plan_decide does. It runs the product up to 24 times, into memory for another C; the elements
 * of A and B must be initialized, and C is unchanged. Where SCT_MEASURE does not matter, it is
 * sct_plan_decide. Errors: as sct_multiply. Collective. */
SCT_API sct_status sct_plan_measure(sct_op op_a, sct_op op_b, sct_view a, sct_view b, sct_view c,
                                    const sct_options *options, sct_stay *stay, sct_layout **work);

/* Writes the wisdom of a world, cut to `bytes` bytes with the final '\0', and returns the length of
 * the whole text, which is the same on all ranks. No errors. Not collective. */
SCT_API size_t sct_world_wisdom(const sct_world *world, char *text, size_t bytes);
/* Adds wisdom that a world wrote. What the world has found already stays. Errors: SCT_BAD_ARGUMENT
 * for a text that is not wisdom of this version; then nothing is added. Collective. */
SCT_API sct_status sct_world_add_wisdom(sct_world *world, const char *text);

/* Decides as sct_plan_decide, but as `wisdom` says if it has this product, and then sets `*found`
 * to 1, otherwise to 0. Errors: as sct_plan_decide and sct_world_add_wisdom. Not collective. */
SCT_API sct_status sct_wisdom_decide(const char *wisdom, const sct_problem *problem,
                                     const sct_options *options, sct_stay *stay, sct_layout **work,
                                     int *found);

#ifdef __cplusplus
}
#endif

#endif
