/* refusal.c - checks the reason for which an input is refused. */
#include "fuzz/fuzz.h"

#include "support/check.h"

#include <string.h>

void fuzz_check_refusal(const char *why) {
    size_t length = strlen(why);
    CHECK(length > 0);
    for (size_t i = 0; i < length; i++)
        CHECK_CASE(why[i] >= ' ' && why[i] <= '~', "byte %zu is %d: %s", i, why[i], why);
}
