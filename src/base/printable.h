/* printable.h - texts from outside, such as names of files, as one line that no terminal acts on.
 */
#ifndef SCT_BASE_PRINTABLE_H
#define SCT_BASE_PRINTABLE_H

#include <stdbool.h>

/* The bytes of the printable character that begins here; 0 at a control character, which U+0080 to
 * U+009F are, too, at one that turns the direction of writing, and at bytes that are not UTF-8. */
static inline int sct_printable_length(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    /* Among characters of three and four bytes, the second byte of a surrogate, of one beyond
     * U+10FFFF and of one that a shorter form has is out of these bounds. */
    unsigned char low = at[0] == 0xc2 || at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
    int length = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (at[0] < 0x80)
        return at[0] >= ' ' && at[0] != 0x7f;
    if (at[0] < 0xc2 || at[0] > 0xf4 || at[1] < low || at[1] > high)
        return 0;
    for (int i = 2; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    /* U+202A to U+202E and U+2066 to U+2069 turn the direction of the text after them. */
    bool turns = at[0] == 0xe2 && ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
                                   (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
    return turns ? 0 : length;
}

/* Makes a text one printable line: white space becomes a space, and every other unprintable byte a
 * question mark, as in the lists of ls. */
static inline void sct_make_printable(char *text) {
    for (int length; *text != '\0'; text += length > 0 ? length : 1) {
        length = sct_printable_length(text);
        if (length == 0)
            *text = *text >= '\t' && *text <= '\r' ? ' ' : '?';
    }
}

#endif
