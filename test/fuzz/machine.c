/* machine.c - fuzzes machine descriptions. Each is refused with a one-line reason, or describes a
 * machine that prints to an equal one and on which all operations take a time >= 0. An input is the
 * text. */
#include "fuzz/fuzz.h"

#include "machine/machine.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static size_t print(const void *machine, char *text, size_t bytes) {
    return sct_machine_print(machine, text, bytes);
}

static sct_status parse(const char *text, void **machine) {
    sct_machine *parsed;
    sct_status status = sct_machine_parse(text, "file", &parsed);
    *machine = parsed;
    return status;
}

static void destroy(void *machine) {
    sct_machine_destroy(machine);
}

static const fuzz_kind kind = {print, parse, destroy};

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
    void *machine;
    if (!text)
        return 0;
    if (length > 0)
        memcpy(text, bytes, length);
    if (parse(text, &machine) == SCT_OK) {
        fuzz_file_line((fuzz_input){(const uint8_t *)text, strlen(text)}, "machine", "");
        fuzz_check_printed(&kind, machine);
        check_times(machine);
        destroy(machine);
    } else {
        fuzz_check_reason("file:", NULL);
    }
    free(text);
    if (check_failures())
        abort();
    return 0;
}
