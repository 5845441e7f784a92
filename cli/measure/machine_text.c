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
    char rounds[100], peak[120], copies[100], host[100];
    bool late = measured->ranks_per_node < measured->ranks && measured->far.processor < 0;
    snprintf(rounds, sizeof rounds, "measured by sectile %s, the medians of %d round%s",
             sct_version(), measured->rounds, measured->rounds == 1 ? "" : "s");
    snprintf(peak, sizeof peak,
             "peak: the speed that products approach as they grow beyond %d in each dimension, so "
             "that top is 1",
             (int)measured->size);
    snprintf(copies, sizeof copies, "memory and links: by copies of %.0f MiB",
             measured->copied / (1 << 20));
    snprintf(host, sizeof host, "copies from devices to the host: %.2e bytes per second of a rank",
             measured->host);
    json_open(json, "notes", '[');
    json_text(json, NULL, rounds);
    json_text(json, NULL, peak);
    json_text(json, NULL, copies);
    if (measured->peak[SCT_F16] == 0)
        json_text(json, NULL, "f16 and bf16 are multiplied in f32");
    if (measured->host > 0)
        json_text(json, NULL, host);
    else
        json_text(json, NULL,
                  "slowed: 0, because ranks make accumulates themselves, or processor covers "
                  "their cost");
    if (late)
        json_text(json, NULL,
                  "processor: not measured, because the transfer took longer than the products "
                  "beside it");
    json_close(json, ']');
}

static void put_about(const struct measured *measured, const struct args *args, struct json *json) {
    char processor[SYSTEM_NAME], text[SYSTEM_NAME + 200];
    const char *devices = args->devices ? args->devices : "";
    system_processor(processor);
    snprintf(text, sizeof text, "%d ranks of the engine %s%s%.60s, %d to a node, on %s",
             measured->ranks, rank_group_engine(args), devices[0] ? " on devices " : "", devices,
             measured->ranks_per_node, processor);
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
        if (measured->peak[type] > 0)
            put(&json, sct_type_name((sct_type)type), measured->peak[type]);
    json_close(&json, '}');
    json_open(&json, "half", '{');
    for (int dim = 0; dim < MEASURED_DIMS; dim++)
        put(&json, dims[dim], measured->half[dim]);
    json_close(&json, '}');
    put(&json, "memory", measured->memory);
    put(&json, "product", measured->product);
    put(&json, "barrier", measured->barrier);
    if (measured->far.slowed > 0)
        put(&json, "slowed", measured->far.slowed);
    json_open(&json, "links", '[');
    if (measured->ranks_per_node > 1)
        put_link(measured, &measured->near, false, &json);
    if (measured->ranks_per_node < measured->ranks)
        put_link(measured, &measured->far, true, &json);
    json_close(&json, ']');
    json_end(&json);
}
