/* sectile_group.h - groups of products on a world: matrices in the layouts that were chosen, and
 * the products, planned once and run often. sectile.h includes this file. */
#ifndef SECTILE_GROUP_H
#define SECTILE_GROUP_H

#include <sectile/sectile_plan.h>
#include <sectile/sectile_products.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The matrices of a group of products, and a job for each product. */
typedef struct sct_group sct_group;

/* Makes all matrices of a group, uninitialized, and plans its products. choice: what
 * sct_products_choose found for as many ranks as the world has. options: how products are done;
 * `stay`, `work` and `workspace` are those of the choice; NULL: all defaults. The machine may be
 * the one that layouts were chosen for. All products use the same workspace. Errors: as
 * sct_matrix_create, sct_plan_create and sct_job_create; SCT_BAD_ARGUMENT also for a choice that is
 * not for these products. Collective. */
SCT_API sct_status sct_group_create(sct_world *world, const sct_products *products,
                                    const sct_products_choice *choice, sct_type type,
                                    const sct_options *options, sct_group **group);
/* Frees a group and its matrices. No errors. Collective. */
SCT_API void sct_group_destroy(sct_group *group);

/* Returns matrix `index` of the group, which owns it. Fill those that are given before a run. No
 * errors. Not collective. */
SCT_API sct_matrix *sct_group_matrix(const sct_group *group, int index);
/* Returns the job of product `index`, to run it alone or to observe it. alpha is 1, and beta 1 for
 * a product that is added, else 0. The group owns the job. No errors. Not collective. */
SCT_API sct_job *sct_group_job(const sct_group *group, int index);
/* Writes what product `index` costs this rank, as sct_plan_cost. Errors: SCT_BAD_ARGUMENT if there
 * is no such product. Not collective. */
SCT_API sct_status sct_group_cost(const sct_group *group, int index, sct_cost *cost);

/* Runs all products in their order, and returns when the last one is done. Matrices that are given
 * and added to accumulate from run to run. Errors: as sct_job_start and sct_job_wait. Collective.
 */
SCT_API sct_status sct_group_run(sct_group *group);

#ifdef __cplusplus
}
#endif

#endif
