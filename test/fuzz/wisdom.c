/* wisdom.c - fuzzes texts of wisdom. Each is refused with a one-line reason, or prints to a text
 * that reads as the same. An input is what follows the first line. */
#include "fuzz/fuzz.h"

#include "planner/wisdom.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static size_t print(const void *wisdom, char *text, size_t bytes) {
    return sct_wisdom_print(wisdom, text, bytes);
}

static void destroy(void *wisdom) {
    sct_wisdom_clear(wisdom);
    free(wisdom);
}

static sct_status parse(const char *text, void **wisdom) {
    *wisdom = calloc(1, sizeof(sct_wisdom));
    sct_status status = sct_wisdom_parse(text, *wisdom);
    if (status)
        destroy(*wisdom);
    return status;
}

static const fuzz_kind kind = {print, parse, destroy};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static const char head[] = "sectile wisdom 1\n";
    char *text = calloc(sizeof head + length, 1);
    void *wisdom;
    if (!text)
        return 0;
    memcpy(text, head, sizeof head - 1);
    if (length > 0)
        memcpy(text + sizeof head - 1, bytes, length);
    if (parse(text, &wisdom) == SCT_OK) {
        fuzz_check_printed(&kind, wisdom);
        destroy(wisdom);
    } else {
        fuzz_check_reason("wisdom: ", "layout \"");
    }
    free(text);
    if (check_failures())
        abort();
    return 0;
}
