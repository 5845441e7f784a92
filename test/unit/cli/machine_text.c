/* machine_text.c - what was measured becomes a machine that the library reads, with notes on what
 * was not measured. */
#include "measure/measure.h"
#include "ranks/rank_group.h"
#include "ranks/system.h"
#include "support/check.h"

#include <sectile/sectile_model.h>

#include <stdlib.h>
#include <string.h>

const char *rank_group_engine(const struct args *args) {
    (void)args;
    return "processes";
}

void system_processor(char name[SYSTEM_NAME]) {
    strcpy(name, "a processor");
}

/* Prints the machine into a text, which the caller frees. */
static char *text_of(const struct measured *measured) {
    const struct args args = {.ranks = measured->ranks};
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    measured_print(measured, &args, file);
    fclose(file);
    return text;
}

static void check(const struct measured *measured, const char *const says[], int count, bool late) {
    char *text = text_of(measured);
    sct_machine *machine = NULL;
    CHECK_CASE(sct_machine_parse(text, "measured", &machine) == SCT_OK, "%s: %s", sct_last_reason(),
               text);
    for (int i = 0; i < count; i++)
        CHECK_CASE(strstr(text, says[i]), "not '%s': %s", says[i], text);
    CHECK((strstr(text, "processor: not measured") != NULL) == late);
    sct_machine_destroy(machine);
    free(text);
}

int main(void) {
    static const char *const on_nodes[] = {
        "4 ranks of the engine processes, 2 to a node, on a processor", "medians of 5 rounds",
        "f16 and bf16 are multiplied in f32", "slowed: 0", "memory and links: by copies of 8 MiB"};
    static const char *const on_devices[] = {"copies from devices to the host: 3.00e+09 bytes",
                                             "\"f16\"", "\"processor\""};
    const struct measured_link near = {1e-6, 2e9, 1e9, 0.5, -1, 0};
    struct measured_link far = {1e-5, 1e9, 5e8, 0.25, -1, 0};
    struct measured measured = {.ranks = 4,
                                .ranks_per_node = 2,
                                .rounds = 5,
                                .half = {8, 9, 10},
                                .memory = 1e10,
                                .copied = 8 << 20,
                                .product = 1e-6,
                                .barrier = 1e-6,
                                .near = near,
                                .far = far};
    for (int type = 0; type < SCT_F16; type++)
        measured.peak[type] = 1e11;
    check(&measured, on_nodes, sizeof on_nodes / sizeof *on_nodes, true);
    measured.far.processor = 1e-10;
    measured.host = 3e9;
    measured.peak[SCT_F16] = measured.peak[SCT_BF16] = 2e11;
    check(&measured, on_devices, sizeof on_devices / sizeof *on_devices, false);
    return check_report("machine_text");
}
