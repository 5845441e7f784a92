/* svg.h - writes the few SVG shapes that charts and pictures use. A new picture is a file beside
 * this one. */
#ifndef PICTURES_SVG_H
#define PICTURES_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* Indices of colours that remain distinct for colour-blind readers; the last one is grey. */
enum { SVG_COLOURS = 8, SVG_GREY = SVG_COLOURS };

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

void svg_begin(FILE *out, int width, int height);
void svg_end(FILE *out);
void svg_text(FILE *out, double x, double y, enum svg_anchor anchor, const char *text);
/* Text rotated upwards, centred. */
void svg_text_up(FILE *out, double x, double y, const char *text);
void svg_heading(FILE *out, double x, double y, const char *text);
void svg_line(FILE *out, double x1, double y1, double x2, double y2, int colour);
/* A thin grey line, and a dashed one. */
void svg_grid(FILE *out, double x1, double y1, double x2, double y2);
void svg_limit(FILE *out, double x1, double y1, double x2, double y2);
void svg_dot(FILE *out, double x, double y, int colour);
/* opacity: 0 to 1. */
void svg_bar(FILE *out, double x, double y, double width, double height, int colour,
             double opacity);
/* Many bars of one height, colour and opacity, each as a few characters of one path. */
void svg_spans_begin(FILE *out, double height, int colour, double opacity);
void svg_span(FILE *out, int x, double middle, int width);
void svg_spans_end(FILE *out);
void svg_box(FILE *out, double x, double y, double width, double height, const char *attributes);
/* Text without characters that XML reserves, with these attributes; it starts at x unless they say
 * otherwise. The second one is rotated upwards and ends at y. */
void svg_label(FILE *out, double x, double y, double size, const char *attributes,
               const char *text);
void svg_label_up(FILE *out, double x, double y, double size, const char *attributes,
                  const char *text);

/* The approximate width of a text and height of its digits in a font of this size, and the largest
 * font size up to `most` in which a text fits the room; 0 if no readable one does. */
double svg_width(const char *text, double size);
double svg_height(double size);
double svg_fit(const char *text, double width, double height, double most);

#endif
