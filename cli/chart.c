/* chart.c - what bench has measured, drawn as SVG: what both kinds of charts share. */
#include "chart.h"

#include "svg.h"
#include "system.h"

#include <inttypes.h>
#include <stdlib.h>

const char *chart_quantity(const struct chart *chart) {
    return chart->args->reference ? "ratio: time of one BLAS call / time of the product"
                                  : "GFLOP/s";
}

void chart_shape(const struct chart *chart, int shape, char *text, size_t bytes) {
    const struct shape *value = &chart->args->shapes.item[shape].shape;
    snprintf(text, bytes, "%" PRId64 "x%" PRId64 "x%" PRId64, value->m, value->n, value->k);
}

void chart_heading(const struct chart *chart, FILE *out) {
    char text[160], shape[80] = "";
    if (chart->args->shapes.count == 1)
        chart_shape(chart, 0, shape, sizeof shape);
    snprintf(text, sizeof text, "%s %s on %" PRId64 " rank%s%s", shape,
             sct_type_name((sct_type)chart->args->type), chart->args->ranks,
             chart->args->ranks == 1 ? "" : "s",
             chart->args->ranks > system_cores() ? ", oversubscribed" : "");
    svg_heading(out, 20, 26, text);
}

struct mean {
    int64_t partitioning;
    double value;
};

static int descending(const void *x, const void *y) {
    const struct mean *a = x, *b = y;
    return (a->value < b->value) - (a->value > b->value);
}

int64_t *chart_order(const struct chart *chart) {
    struct mean *means = calloc((size_t)chart->partitionings, sizeof *means);
    int64_t *order = calloc((size_t)chart->partitionings, sizeof *order);
    for (int64_t i = 0; means && order && i < chart->partitionings; i++) {
        means[i].partitioning = i;
        for (int shape = 0; shape < chart->args->shapes.count; shape++)
            means[i].value += chart->points[shape * chart->partitionings + i].value;
    }
    if (means && order) {
        qsort(means, (size_t)chart->partitionings, sizeof *means, descending);
        for (int64_t i = 0; i < chart->partitionings; i++)
            order[i] = means[i].partitioning;
    }
    free(means);
    return order;
}

bool chart_draw(const struct chart *chart, FILE *out) {
    int64_t *order = chart_order(chart);
    if (!order) {
        report_error("no memory for the chart");
        return false;
    }
    if (chart->args->shapes.count == 1)
        chart_dots(chart, order, out);
    else
        chart_lines(chart, order, out);
    free(order);
    return true;
}
