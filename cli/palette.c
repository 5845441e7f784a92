/* palette.c - a colour for each rank, light enough for black text.
 *
 * Hues go round by the golden angle, which keeps any number of them apart, and four lightnesses
 * follow each other: ranks that are close in one are far in the other. Both are those of Oklab, in
 * which equal distances look equal. */
#include "palette.h"

#include <math.h>
#include <stdio.h>

static const double golden_angle = 2.399963229728653;

static const struct shade {
    double lightness, chroma;
} shades[] = {{0.88, 0.09}, {0.73, 0.13}, {0.95, 0.06}, {0.80, 0.11}};

enum { SHADES = sizeof shades / sizeof *shades };

/* From linear light, 0 to 1, to what a file holds. */
static int encode(double light) {
    double clipped = fmin(fmax(light, 0), 1);
    double value = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * pow(clipped, 1 / 2.4) - 0.055;
    return (int)(255 * value + 0.5);
}

void palette_colour(int rank, char text[PALETTE_TEXT]) {
    const struct shade *shade = &shades[rank % SHADES];
    double hue = golden_angle * rank + 4;
    double a = shade->chroma * cos(hue), b = shade->chroma * sin(hue);
    double l = pow(shade->lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(shade->lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(shade->lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    snprintf(text, PALETTE_TEXT, "#%02x%02x%02x",
             encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) & 255,
             encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) & 255,
             encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s) & 255);
}
