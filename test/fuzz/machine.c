/* machine.c - fuzzes machine descriptions. Each is refused with a one-line reason, or describes a
 * machine that prints to an equal one and on which all operations take a time >= 0. An input is the
 * text. */
#include "fuzz/fuzz.h"

#include "machine/machine.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static void check_reason(void) {
    const char *reason = sct_last_reason();
    CHECK_CASE(strncmp(reason, "file:", 5) == 0, "%s", reason);
    for (; *reason; reason++)
        CHECK_CASE(*reason >= ' ' && *reason <= '~', "byte %d in a reason", *reason);
}

static char *print(const sct_machine *machine) {
    size_t length = sct_machine_print(machine, NULL, 0);
    char *text = malloc(length + 1);
    CHECK(text && sct_machine_print(machine, text, length + 1) == length);
    return text;
}

static void check_printed(const sct_machine *machine) {
    sct_machine *again;
    char *text = print(machine);
    if (CHECK_CASE(sct_machine_parse(text, "file", &again) == SCT_OK, "%s: %s", sct_last_reason(),
                   text)) {
        char *twice = print(again);
        CHECK_CASE(strcmp(text, twice) == 0, "%s prints as %s", text, twice);
        free(twice);
        sct_machine_destroy(again);
    }
    free(text);
}

static void check_times(const sct_machine *machine) {
    static const int ranks[] = {0, 1, 2, 3, 1000, 2147483647};
    enum { RANKS = sizeof ranks / sizeof *ranks };
    for (int i = 0; i < RANKS * RANKS; i++) {
        int rank = ranks[i / RANKS], other = ranks[i % RANKS];
        double copied = sct_machine_copy(machine, rank, other, 8);
        double added = sct_machine_accumulate(machine, rank, other, 8);
        CHECK_CASE(copied >= 0 && added >= copied, "%g and %g s", copied, added);
    }
    for (int type = SCT_F32; type <= SCT_BF16; type++)
        CHECK(sct_machine_multiply(machine, (sct_type)type, 3, 4, 5) >= 0);
    CHECK(sct_machine_ranks(machine) >= 0 && sct_machine_ranks_per_node(machine) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    char *text = calloc(length + 1, 1);
    sct_machine *machine;
    if (!text)
        return 0;
    if (length > 0)
        memcpy(text, bytes, length);
    if (sct_machine_parse(text, "file", &machine) == SCT_OK) {
        fuzz_file_line((fuzz_input){(const uint8_t *)text, strlen(text)}, "machine", "");
        check_printed(machine);
        check_times(machine);
        sct_machine_destroy(machine);
    } else {
        check_reason();
    }
    free(text);
    if (check_failures())
        abort();
    return 0;
}
