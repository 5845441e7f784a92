/* groups.c - finds the group of a step. */
#include "plan/groups.h"

#include <stdlib.h>

void sct_group_list_clear(sct_group_list *groups) {
    free(groups->group);
    free(groups->ordered);
    free(groups->prefetch);
    *groups = (sct_group_list){.count = 0};
}

int64_t sct_group_list_find(const sct_group_list *groups, int64_t position) {
    int64_t lo = 0, hi = groups->count - 1; /* binary search for the first group that ends after the
                                             * position */
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (groups->group[middle].multiply.hi > position)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}
