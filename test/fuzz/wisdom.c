/* wisdom.c - fuzzes texts of wisdom. Each is refused with a one-line reason, or prints to a text
 * that reads as the same. An input is what follows the first line. */
#include "fuzz/fuzz.h"

#include "planner/wisdom.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static void check_reason(void) {
    const char *reason = sct_last_reason();
    CHECK_CASE(strncmp(reason, "wisdom: ", 8) == 0 || strncmp(reason, "layout \"", 8) == 0, "%s",
               reason);
    for (; *reason; reason++)
        CHECK_CASE(*reason >= ' ' && *reason <= '~', "byte %d in a reason", *reason);
}

static char *print(const sct_wisdom *wisdom) {
    size_t length = sct_wisdom_print(wisdom, NULL, 0);
    char *text = malloc(length + 1);
    CHECK(text && sct_wisdom_print(wisdom, text, length + 1) == length);
    return text;
}

static void check_printed(const sct_wisdom *wisdom) {
    sct_wisdom again;
    char *text = print(wisdom);
    if (CHECK_CASE(sct_wisdom_parse(text, &again) == SCT_OK, "%s: %s", sct_last_reason(), text)) {
        char *twice = print(&again);
        CHECK_CASE(strcmp(text, twice) == 0, "%s prints as %s", text, twice);
        free(twice);
        sct_wisdom_clear(&again);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static const char head[] = "sectile wisdom 1\n";
    char *text = calloc(sizeof head + length, 1);
    sct_wisdom wisdom;
    if (!text)
        return 0;
    memcpy(text, head, sizeof head - 1);
    if (length > 0)
        memcpy(text + sizeof head - 1, bytes, length);
    if (sct_wisdom_parse(text, &wisdom) == SCT_OK) {
        check_printed(&wisdom);
        sct_wisdom_clear(&wisdom);
    } else {
        check_reason();
    }
    free(text);
    if (check_failures())
        abort();
    return 0;
}
