/* chart.c - draws the results of bench as SVG: the parts that dot and line charts share. */
#include "draw/chart.h"

#include "draw/svg.h"
#include "ranks/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The heading is bold at size 15, which is as wide as plain text at size 18. */
enum { MARGIN = 20, HEADING_FONT = 18, HEADING_Y = 26 };

const char *chart_quantity(const struct chart *chart) {
    static const char *const names[] = {"GFLOP/s",
                                        "ratio: time of one BLAS call / time of the product",
                                        "% of the peak of all ranks"};
    return names[chart->quantity];
}

bool chart_has_limit(const struct chart *chart) {
    return chart->quantity == QUANTITY_RATIO;
}

void chart_shape(const struct chart *chart, int shape, char *text, size_t bytes) {
    const struct shape *value = &chart->args->shapes.item[shape].shape;
    snprintf(text, bytes, "%" PRId64 "x%" PRId64 "x%" PRId64, value->m, value->n, value->k);
}

void chart_begin(const struct chart *chart, int width, int height, FILE *out) {
    char text[320], shape[80] = "";
    if (chart->args->shapes.count == 1)
        chart_shape(chart, 0, shape, sizeof shape);
    snprintf(text, sizeof text, "%s%s%s on %" PRId64 " rank%s%s%s", shape, shape[0] ? " " : "",
             sct_type_name((sct_type)chart->args->type), chart->args->ranks,
             chart->args->ranks == 1 ? "" : "s", chart->peak,
             chart->args->ranks > system_cores() ? ", oversubscribed" : "");
    svg_begin(out, (int)fmax(width, 2 * MARGIN + svg_width(text, HEADING_FONT)), height);
    svg_heading(out, MARGIN, HEADING_Y, text);
}

double chart_names(const struct chart *chart) {
    double width = 0;
    for (int64_t i = 0; i < chart->partitionings; i++)
        width = fmax(width, svg_width(chart->points[i].name, CHART_FONT));
    return width;
}

struct mean {
    int64_t partitioning;
    double value;
};

static int descending(const void *x, const void *y) {
    const struct mean *a = x, *b = y;
    return (a->value < b->value) - (a->value > b->value);
}

/* The mean over the shapes on which the partitioning did not fail. */
static double mean_of(const struct chart *chart, int64_t partitioning) {
    double sum = 0;
    int count = 0;
    for (int shape = 0; shape < chart->args->shapes.count; shape++) {
        double value = chart->points[shape * chart->partitionings + partitioning].value;
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return count > 0 ? sum / count : -INFINITY;
}

int64_t *chart_order(const struct chart *chart) {
    struct mean *means = calloc((size_t)chart->partitionings, sizeof *means);
    int64_t *order = calloc((size_t)chart->partitionings, sizeof *order);
    for (int64_t i = 0; means && order && i < chart->partitionings; i++)
        means[i] = (struct mean){i, mean_of(chart, i)};
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
