/* machine_text.c - writes the measurements as a machine description; docs/machines.md explains its
 * keys. */
#include "measure/measure.h"
#include "print/json.h"
#include "ranks/rank_group.h"
#include "ranks/system.h"

#include <stdlib.h>

/* Three significant digits; the measurements have no more. */
static void put(struct json *json, const char *key, double number) {
    char text[32];
    snprintf(text, sizeof text, "%.2e", number);
    json_real(json, key, strtod(text, NULL));
}

static void put_link(const struct measured *measured, const struct measured_link *link, bool far,
                     struct json *json) {
    int sharing = measured->ranks_per_node;
    json_open(json, NULL, '{');
    if (!far && sharing < measured->ranks)
        json_whole(json, "ranks", sharing);
    put(json, "pair", link->pair);
    put(json, far ? "uplink" : "total", link->each * sharing);
    put(json, "latency", link->latency);
    put(json, "accumulate", link->accumulate);
    if (far && link->processor >= 0)
        put(json, "processor", link->processor);
    json_bool(json, "in_place", !far);
    json_bool(json, "by_rank", !far);
    json_close(json, '}');
}

static void put_notes(const struct measured *measured, struct json *json) {
    char text[100];
    bool late = measured->ranks_per_node < measured->ranks && measured->far.processor < 0;
    const char *const notes[] = {
        text,
        "peak: the speed that products approach as they grow, so that top is 1; "
        "f16 and bf16 are multiplied in f32",
        "slowed: 0, because ranks make accumulates themselves, or processor covers their cost",
        late ? "processor: not measured, because the transfer took longer than the products beside "
               "it"
             : NULL};
    snprintf(text, sizeof text, "measured by sectile %s, the medians of %d rounds", sct_version(),
             measured->rounds);
    json_open(json, "notes", '[');
    for (size_t i = 0; i < sizeof notes / sizeof *notes && notes[i]; i++)
        json_text(json, NULL, notes[i]);
    json_close(json, ']');
}

static void put_about(const struct measured *measured, const struct args *args, struct json *json) {
    char processor[SYSTEM_NAME], text[SYSTEM_NAME + 100];
    system_processor(processor);
    snprintf(text, sizeof text, "%d ranks of the engine %s, %d to a node, on %s", measured->ranks,
             rank_group_engine(args), measured->ranks_per_node, processor);
    json_text(json, "about", text);
}

void measured_print(const struct measured *measured, const struct args *args, FILE *out) {
    static const char *const dims[MEASURED_DIMS] = {"m", "n", "k"};
    struct json json;
    json_begin(&json, out);
    json_text(&json, "name", "measured");
    put_about(measured, args, &json);
    put_notes(measured, &json);
    json_whole(&json, "ranks", measured->ranks);
    json_open(&json, "peak", '{');
    for (int type = 0; type < MEASURED_TYPES; type++)
        put(&json, sct_type_name((sct_type)type), measured->peak[type]);
    json_close(&json, '}');
    json_open(&json, "half", '{');
    for (int dim = 0; dim < MEASURED_DIMS; dim++)
        put(&json, dims[dim], measured->half[dim]);
    json_close(&json, '}');
    put(&json, "memory", measured->memory);
    put(&json, "product", measured->product);
    put(&json, "barrier", measured->barrier);
    json_open(&json, "links", '[');
    if (measured->ranks_per_node > 1)
        put_link(measured, &measured->near, false, &json);
    if (measured->ranks_per_node < measured->ranks)
        put_link(measured, &measured->far, true, &json);
    json_close(&json, ']');
    json_end(&json);
}
