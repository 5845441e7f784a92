/* palette.h - a colour for each rank, light enough for black text. */
#ifndef CLI_DRAW_PALETTE_H
#define CLI_DRAW_PALETTE_H

/* "#rrggbb". Those of 64 ranks can be told apart, those of neighbours at once; a rank has the same
 * one in all pictures. */
enum { PALETTE_TEXT = 8 };
void palette_colour(int rank, char text[PALETTE_TEXT]);

#endif
