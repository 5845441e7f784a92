/* hex.c - see hex.h. */
#include "launch/hex.h"

#include <string.h>

static const char digits[] = "0123456789abcdef0123456789ABCDEF";

void sct_hex_write(const void *bytes, size_t count, char *text) {
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[from[i] / 16];
        text[2 * i + 1] = digits[from[i] % 16];
    }
    text[2 * count] = '\0';
}

bool sct_hex_read(const char *text, void *bytes, size_t count) {
    unsigned char *to = bytes;
    if (strlen(text) != 2 * count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *high = strchr(digits, text[2 * i]), *low = strchr(digits, text[2 * i + 1]);
        if (!high || !low)
            return false;
        to[i] = (unsigned char)((high - digits) % 16 * 16 + (low - digits) % 16);
    }
    return true;
}
