/* find.c - finds machines: the default one, used where none is described; by name those of the
 * library, then files. */
#include "base/status.h"
#include "machine/embedded.h"
#include "machine/machine.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rates are those of machines/cluster.json in round numbers, measured as its notes say. The fixed
 * times of a product, a transfer and a barrier are rough. */
static const struct sct_machine plain = {
    .name = "plain",
    .peak = {[SCT_F32] = 100e9,
             [SCT_F64] = 50e9,
             [SCT_CF32] = 100e9,
             [SCT_CF64] = 50e9,
             [SCT_F16] = 100e9,
             [SCT_BF16] = 100e9},
    .top = 1,
    .half = {[SCT_DIM_M] = 12, [SCT_DIM_N] = 45, [SCT_DIM_K] = 5},
    .memory = 40e9,
    .panel = SCT_MACHINE_PANEL,
    .ahead = SCT_MACHINE_AHEAD,
    .product = 1e-6,
    .barrier = 1e-6,
    .levels = 2,
    .level = {{.pair = 10e9,
               .port = INFINITY,
               .uplink = INFINITY,
               .total = INFINITY,
               .latency = 1e-6,
               .accumulate = 1,
               .in_place = true,
               .by_rank = true},
              {.pair = 119e6,
               .port = INFINITY,
               .uplink = 119e6,
               .total = INFINITY,
               .latency = 100e-6,
               .accumulate = 1,
               .processor = 0.32e-9}},
};

/* Rates and times are those of machines/h100x8.json, whose notes say where they are from. Those
 * between ranks that share a GPU, and `half`, were measured on an H100 (docs/results/gpu.md). */
static const struct sct_machine gpus_of_ranks = {
    .name = "gpus",
    .peak = {[SCT_F32] = 67e12,
             [SCT_F64] = 67e12,
             [SCT_CF32] = 67e12,
             [SCT_CF64] = 67e12,
             [SCT_F16] = 989e12,
             [SCT_BF16] = 989e12},
    .top = 0.71,
    .half = {[SCT_DIM_M] = 57, [SCT_DIM_N] = 52, [SCT_DIM_K] = 79},
    .memory = 3.35e12,
    .panel = SCT_MACHINE_PANEL,
    .ahead = SCT_MACHINE_AHEAD,
    .product = 5e-6,
    .barrier = 5e-6,
    .slowed = 0.41,
    .levels = 2,
    .level = {{.pair = 1.4e12,
               .port = INFINITY,
               .uplink = INFINITY,
               .total = INFINITY,
               .latency = 5e-6,
               .accumulate = 0.5,
               .in_place = true,
               .by_rank = true},
              {.pair = 450e9,
               .port = 450e9,
               .uplink = INFINITY,
               .total = INFINITY,
               .latency = 5e-6,
               .accumulate = 0.8}},
};

struct sct_machine sct_machine_default(int ranks_per_node, bool gpus) {
    struct sct_machine machine = gpus ? gpus_of_ranks : plain;
    machine.level[0].ranks = ranks_per_node;
    return machine;
}

/* maximum size of a description */
enum { MOST_BYTES = 1 << 20 };

const char *sct_machine_shipped(int index) {
    return index >= 0 && index < sct_embedded_count ? sct_embedded[index].name : NULL;
}

static sct_status refuse_name(const char *name) {
    char list[120] = "";
    for (int i = 0; i < sct_embedded_count; i++)
        strcat(strcat(list, " "), sct_embedded[i].name);
    return sct_fail(SCT_BAD_ARGUMENT, "%s: neither a file (%s) nor one of the machines%s", name,
                    strerror(errno), list);
}

/* Reads a whole file as text. */
static sct_status read_file(FILE *file, const char *name, char *text) {
    size_t length = fread(text, 1, MOST_BYTES, file);
    if (ferror(file))
        return sct_fail(errno == EISDIR ? SCT_BAD_ARGUMENT : SCT_FAILED, "%s: cannot be read: %s",
                        name, strerror(errno));
    if (length == MOST_BYTES)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "%s: it has %d bytes or more, too many for a machine description", name,
                        MOST_BYTES);
    text[length] = '\0';
    if (strlen(text) != length)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: it is not a text: byte %zu is 0", name,
                        strlen(text));
    return SCT_OK;
}

static sct_status load_file(const char *name, sct_machine **machine) {
    FILE *file = fopen(name, "rb");
    if (!file)
        return refuse_name(name);
    char *text = malloc(MOST_BYTES);
    sct_status status = text ? read_file(file, name, text)
                             : sct_fail(SCT_NO_MEMORY, "%s: no memory for the file", name);
    fclose(file);
    if (status == SCT_OK)
        status = sct_machine_parse(text, name, machine);
    free(text);
    return status;
}

sct_status sct_machine_load(const char *name, sct_machine **machine) {
    sct_status status = sct_check_given("name", name);
    if (status == SCT_OK)
        status = sct_check_given("machine", machine);
    if (status != SCT_OK)
        return status;
    for (int i = 0; i < sct_embedded_count; i++)
        if (strcmp(sct_embedded[i].name, name) == 0)
            return sct_machine_parse(sct_embedded[i].text, name, machine);
    return load_file(name, machine);
}
