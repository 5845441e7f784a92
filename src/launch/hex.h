/* hex.h - bytes as hexadecimal digits. */
#ifndef SCT_LAUNCH_HEX_H
#define SCT_LAUNCH_HEX_H

#include <stdbool.h>
#include <stddef.h>

/* Writes two digits for each byte, and a zero byte. */
void sct_hex_write(const void *bytes, size_t count, char *text);
/* False unless the text is the digits of so many bytes. */
bool sct_hex_read(const char *text, void *bytes, size_t count);

#endif
