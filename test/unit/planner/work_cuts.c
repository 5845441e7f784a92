/* work_cuts.c - what owners and the parts of a cut have in common, compared with a count of each
 * index by itself. */
#include "planner/work_cuts.h"

#include "support/check.h"
#include "support/problems.h"

enum { CASES = 1500, MOST = 60, MOST_PARTS = 6 };

static void check_cut(int number, const sct_product *product, int dim, const sct_work_cut *cut) {
    sct_dimension d = sct_product_dimension(product, dim);
    for (int side = 0; side < 2; side++) {
        int wrong = 0;
        for (int coord = 0; coord < d.axis[side]->coords; coord++)
            for (int part = 0; part < cut->parts; part++) {
                int common = 0;
                for (int64_t i = d.range.lo; i < d.range.hi; i++) {
                    const sct_axis *axis = d.axis[side];
                    int64_t block = sct_axis_block(axis, i + d.offset[side]);
                    common += sct_axis_owner(axis, block) == coord &&
                              sct_axis_owner(&cut->axis, sct_axis_block(&cut->axis, i)) == part;
                }
                wrong += cut->common[side][coord * cut->parts + part] != common;
            }
        CHECK_CASE(wrong == 0, "case %d, dimension %d, style %d, %d parts: %d are wrong", number,
                   dim, (int)cut->style, cut->parts, wrong);
    }
}

/* Counts the cuts of more blocks than pairs of owners. */
static int test_case(int number, uint64_t *random) {
    sct_layout *layout[SCT_MATS];
    sct_product product;
    int64_t size[SCT_DIMS];
    for (int dim = 0; dim < SCT_DIMS; dim++)
        size[dim] = check_between(random, 1, MOST);
    int ranks =
            make_random_three(random, size[SCT_DIM_M], size[SCT_DIM_K], size[SCT_DIM_N], layout),
        fine = 0;
    sct_problem problem = problem_with(SCT_F64, layout, ranks);
    CHECK(sct_product_create(&problem, &product) == SCT_OK);
    sct_work_cuts cuts = {.product = &product};
    for (int dim = 0; dim < SCT_DIMS; dim++)
        for (sct_cut_style style = 0; style < SCT_CUT_STYLES; style++) {
            sct_work_cut *cut;
            int parts = (int)check_between(random, 1, MOST_PARTS);
            CHECK(sct_work_cuts_find(&cuts, dim, parts, style, &cut) == SCT_OK);
            if (!cut || !CHECK(sct_work_cut_count(&product, cut) == SCT_OK))
                continue;
            check_cut(number, &product, dim, cut);
            fine += cut->axis.blocks > (int64_t)cut->parts * cut->parts;
        }
    sct_work_cuts_clear(&cuts);
    sct_product_clear(&product);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy(layout[matrix]);
    return fine;
}

int main(void) {
    uint64_t random = check_seed(1);
    int fine = 0;
    for (int i = 0; i < CASES; i++)
        fine += test_case(i, &random);
    CHECK_CASE(fine > CASES / 10, "only %d cuts are of many blocks", fine);
    return check_report("work_cuts");
}
