/* groups.c - finds the group of a step. */
#include "plan/groups.h"

#include <stdlib.h>

void sct_agenda_clear(sct_agenda *agenda) {
    free(agenda->group);
    free(agenda->turn);
    free(agenda->errand);
    *agenda = (sct_agenda){.groups = 0};
}

int64_t sct_agenda_group(const sct_agenda *agenda, int64_t position) {
    int64_t lo = 0, hi = agenda->groups - 1; /* the first whose steps end after the position */
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (agenda->group[middle].multiply.hi > position)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}
