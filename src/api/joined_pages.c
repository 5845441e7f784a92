/* joined_pages.c - finds what other processes of the node read by system calls, which pin memory
 * page by page: with small pages, that takes as long as to copy. */
#include "api/joined_pages.h"
#include "api/world.h"

#include "base/memory.h"

static bool is_read_by_calls(const sct_plan *plan, const sct_matrix *matrix, int which) {
    const sct_fabric *fabric = matrix->world->fabric;
    return fabric->processes && fabric->ranks_per_node > 1 && !matrix->needs_copy &&
           sct_matrix_ranks_per_node(matrix) == 1 && !sct_work_keeps(&plan->work, which);
}

static void join_part(const sct_matrix *matrix) {
    const sct_fabric *fabric = matrix->world->fabric;
    const sct_memory *own = fabric->ops->peer(matrix->segment, fabric->rank);
    for (int i = 0; i < sct_layout_cells(matrix->layout, fabric->rank); i++)
        if (own[i].base && own[i].lines > 0)
            sct_memory_join_pages(own[i].base,
                                  (size_t)(own[i].lines - 1) * own[i].pitch + own[i].width);
}

void sct_join_read_pages(const sct_plan *plan, const sct_view view[SCT_MATS]) {
    for (int i = 0; i < SCT_MATS; i++)
        if (is_read_by_calls(plan, view[i].matrix, i))
            join_part(view[i].matrix);
}
