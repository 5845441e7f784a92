/* palette.c - a colour per rank, light enough for black text.
 *
 * There are 16 hues in 4 shades of lightness in Oklab, where equal distances look equally large.
 * Consecutive ranks differ strongly in both. Ranks 16 apart share a hue and differ in lightness. */
#include "pictures/palette.h"

#include <math.h>
#include <stdio.h>

enum { SHADES = 4, HUES = 16, HUE_STEP = 7 };

static const struct shade {
    double lightness, chroma;
} shades[SHADES] = {{0.90, 0.09}, {0.72, 0.13}, {0.82, 0.12}, {0.63, 0.14}};

static const double full_turn = 6.283185307179586, first_hue = 4.2;

/* Converts linear light, 0 to 1, to an sRGB byte. */
static unsigned char encode(double light) {
    double clipped = fmin(fmax(light, 0), 1);
    double value = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * pow(clipped, 1 / 2.4) - 0.055;
    return (unsigned char)(255 * value + 0.5);
}

void palette_colour(int rank, char text[PALETTE_TEXT]) {
    const struct shade *shade = &shades[(rank + rank / HUES) % SHADES];
    double hue = full_turn * (rank % HUES * HUE_STEP) / HUES + first_hue;
    double a = shade->chroma * cos(hue), b = shade->chroma * sin(hue);
    double l = pow(shade->lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(shade->lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(shade->lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    snprintf(text, PALETTE_TEXT, "#%02x%02x%02x",
             encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
             encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
             encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}
