/* palette.h - a colour per rank, light enough for black text. */
#ifndef PICTURES_PALETTE_H
#define PICTURES_PALETTE_H

/* Writes the rank's colour, the same in all pictures, as "#rrggbb". The colours of 64 ranks differ;
 * then they repeat. */
enum { PALETTE_TEXT = 8 };
void palette_colour(int rank, char text[PALETTE_TEXT]);

#endif
