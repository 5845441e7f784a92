/* palette.h - a colour per rank, light enough for black text. */
#ifndef CLI_DRAW_PALETTE_H
#define CLI_DRAW_PALETTE_H

/* Writes "#rrggbb". 64 ranks are distinguishable. A rank has the same colour in all pictures. */
enum { PALETTE_TEXT = 8 };
void palette_colour(int rank, char text[PALETTE_TEXT]);

#endif
