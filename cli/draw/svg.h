/* svg.h - the few shapes that charts and pictures are made of, as SVG. */
#ifndef CLI_DRAW_SVG_H
#define CLI_DRAW_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* The colours that differ most to all eyes, as names of classes; the last one is grey. */
enum { SVG_COLOURS = 8, SVG_GREY = SVG_COLOURS };

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

void svg_begin(FILE *out, int width, int height);
void svg_end(FILE *out);
void svg_text(FILE *out, double x, double y, enum svg_anchor anchor, const char *text);
/* Upwards, about its middle. */
void svg_text_up(FILE *out, double x, double y, const char *text);
void svg_heading(FILE *out, double x, double y, const char *text);
void svg_line(FILE *out, double x1, double y1, double x2, double y2, int colour);
/* A thin line of the grid; a dashed one of a limit. */
void svg_grid(FILE *out, double x1, double y1, double x2, double y2);
void svg_limit(FILE *out, double x1, double y1, double x2, double y2);
void svg_dot(FILE *out, double x, double y, int colour);
/* opacity: 0 to 1. */
void svg_bar(FILE *out, double x, double y, double width, double height, int colour,
             double opacity);
/* Bars of one height, colour and opacity, with little text for each. */
void svg_spans_begin(FILE *out, double height, int colour, double opacity);
void svg_span(FILE *out, int x, double middle, int width);
void svg_spans_end(FILE *out);
void svg_box(FILE *out, double x, double y, double width, double height, const char *attributes);
/* The text's left end is at x; the size is that of the font. Upwards it ends at y. */
void svg_label(FILE *out, double x, double y, double size, const char *attributes,
               const char *text);
void svg_label_up(FILE *out, double x, double y, double size, const char *attributes,
                  const char *text);

/* About how wide and high a text of digits is, and the font, of at most that size, in which it fits
 * into so much room; 0: in none that can be read. */
double svg_width(const char *text, double size);
double svg_height(double size);
double svg_fit(const char *text, double width, double height, double most);

#endif
