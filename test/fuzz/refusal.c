/* refusal.c - checks the reason for which an input is refused, and the text of one that is not. */
#include "fuzz/fuzz.h"

#include "support/check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void fuzz_check_refusal(const char *why) {
    size_t length = strlen(why);
    CHECK(length > 0);
    for (size_t i = 0; i < length; i++)
        CHECK_CASE(why[i] >= ' ' && why[i] <= '~', "byte %zu is %d: %s", i, why[i], why);
}

static bool begins(const char *text, const char *begin) {
    return strncmp(text, begin, strlen(begin)) == 0;
}

void fuzz_check_reason(const char *begin, const char *other) {
    const char *reason = sct_last_reason();
    CHECK_CASE(begins(reason, begin) || (other && begins(reason, other)), "%s", reason);
    fuzz_check_refusal(reason);
}

static char *print(const fuzz_kind *kind, const void *object) {
    size_t length = kind->print(object, NULL, 0);
    char *text = malloc(length + 1);
    CHECK(text && kind->print(object, text, length + 1) == length && strlen(text) == length);
    return text;
}

void fuzz_check_printed(const fuzz_kind *kind, const void *object) {
    void *again;
    char *text = print(kind, object);
    if (CHECK_CASE(kind->parse(text, &again) == SCT_OK, "%s: %s", sct_last_reason(), text)) {
        char *twice = print(kind, again);
        CHECK_CASE(strcmp(text, twice) == 0, "%s prints as %s", text, twice);
        free(twice);
        kind->destroy(again);
    }
    free(text);
}
