/* svg.c - writes the few SVG shapes that charts and pictures use. */
#include "pictures/svg.h"

#include <math.h>
#include <string.h>

/* The smallest readable font. */
static const double least_font = 6;

static const char *const colours[SVG_COLOURS + 1] = {"#0072b2", "#d55e00", "#009e73",
                                                     "#cc79a7", "#e69f00", "#56b4e9",
                                                     "#000000", "#8a6d3b", "#c4c4c4"};
static const char *const anchors[] = {"start", "middle", "end"};

void svg_begin(FILE *out, int width, int height) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
}

void svg_end(FILE *out) {
    fputs("</svg>\n", out);
}

/* Escapes the characters that XML text does not allow. */
static void put_text(FILE *out, const char *text) {
    for (; *text != '\0'; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
}

static void text_element(FILE *out, const char *attributes, double x, double y, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    put_text(out, text);
    fputs("</text>\n", out);
}

void svg_text(FILE *out, double x, double y, enum svg_anchor anchor, const char *text) {
    char attributes[40];
    snprintf(attributes, sizeof attributes, "text-anchor=\"%s\"", anchors[anchor]);
    text_element(out, attributes, x, y, text);
}

void svg_text_up(FILE *out, double x, double y, const char *text) {
    char attributes[100];
    snprintf(attributes, sizeof attributes,
             "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    text_element(out, attributes, x, y, text);
}

void svg_heading(FILE *out, double x, double y, const char *text) {
    text_element(out, "font-size=\"15\" font-weight=\"bold\"", x, y, text);
}

static void line_element(FILE *out, const char *attributes, double x1, double y1, double x2,
                         double y2) {
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
            attributes);
}

void svg_line(FILE *out, double x1, double y1, double x2, double y2, int colour) {
    char attributes[60];
    snprintf(attributes, sizeof attributes, "stroke=\"%s\" stroke-width=\"2\"", colours[colour]);
    line_element(out, attributes, x1, y1, x2, y2);
}

void svg_grid(FILE *out, double x1, double y1, double x2, double y2) {
    line_element(out, "stroke=\"#dddddd\"", x1, y1, x2, y2);
}

void svg_limit(FILE *out, double x1, double y1, double x2, double y2) {
    line_element(out, "stroke=\"#555555\" stroke-dasharray=\"6 4\"", x1, y1, x2, y2);
}

void svg_dot(FILE *out, double x, double y, int colour) {
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x, y, colours[colour]);
}

void svg_bar(FILE *out, double x, double y, double width, double height, int colour,
             double opacity) {
    fprintf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"", x, y,
            width, height, colours[colour]);
    if (opacity < 1)
        fprintf(out, " fill-opacity=\"%.1f\"", opacity);
    fputs("/>\n", out);
}

void svg_spans_begin(FILE *out, double height, int colour, double opacity) {
    fprintf(out, "<path stroke=\"%s\" stroke-opacity=\"%.1f\" stroke-width=\"%g\" d=\"",
            colours[colour], opacity, height);
}

void svg_span(FILE *out, int x, double middle, int width) {
    fprintf(out, "M%d %gh%d", x, middle, width);
}

void svg_spans_end(FILE *out) {
    fputs("\"/>\n", out);
}

void svg_box(FILE *out, double x, double y, double width, double height, const char *attributes) {
    fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" %s/>\n", x, y, width, height,
            attributes);
}

void svg_label(FILE *out, double x, double y, double size, const char *attributes,
               const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" %s>%s</text>\n", x, y, size,
            attributes, text);
}

void svg_label_up(FILE *out, double x, double y, double size, const char *attributes,
                  const char *text) {
    char turned[200];
    snprintf(turned, sizeof turned, "%s text-anchor=\"end\" transform=\"rotate(-90 %.1f %.1f)\"",
             attributes, x, y);
    svg_label(out, x, y, size, turned, text);
}

double svg_width(const char *text, double size) {
    return 0.62 * size * (double)strlen(text);
}

double svg_height(double size) {
    return 0.73 * size;
}

double svg_fit(const char *text, double width, double height, double most) {
    double size = fmin(fmin(most, 0.9 * height / svg_height(1)), width / svg_width(text, 1));
    return size < least_font ? 0 : size;
}
