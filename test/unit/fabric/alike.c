/* alike.c - sct_find_alike against a search from the beginning, on random items, of which many are
 * alike. */
#include "fabric/machine.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { CASES = 300, MOST = 200, PITCH = 24 };

static int search(const char *items, size_t bytes, int at) {
    int first = 0;
    while (memcmp(items + first * PITCH, items + at * PITCH, bytes) != 0)
        first++;
    return first;
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0; i < CASES; i++) {
        int count = (int)check_between(&random, 1, MOST), first[MOST];
        int kinds = (int)check_between(&random, 1, 2 * MOST);
        size_t bytes = (size_t)check_between(&random, 2, PITCH);
        char items[MOST * PITCH];
        for (int at = 0; at < count; at++) {
            const int64_t kind = check_between(&random, 0, kinds);
            memset(items + at * PITCH, (int)check_between(&random, 0, 255), PITCH);
            memset(items + at * PITCH, 0, bytes);
            memcpy(items + at * PITCH + bytes % 2, &kind, bytes < 9 ? bytes - bytes % 2 : 8);
        }
        CHECK(sct_find_alike(items, PITCH, bytes, count, first));
        for (int at = 0; at < count; at++)
            CHECK_CASE(first[at] == search(items, bytes, at), "item %d of %d: %d", at, count,
                       first[at]);
    }
    return check_report("alike");
}
