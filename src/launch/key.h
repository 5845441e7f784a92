/* key.h - the key by which the ranks of a job know each other: from the variable SECTILE_KEY, or
 * else from a file that only their user can read; and bytes as hexadecimal digits. */
#ifndef SCT_LAUNCH_KEY_H
#define SCT_LAUNCH_KEY_H

#include "base/hash.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes two digits for each byte, and a zero byte. */
void sct_hex_write(const void *bytes, size_t count, char *text);
/* False unless the text is the digits of so many bytes. */
bool sct_hex_read(const char *text, void *bytes, size_t count);

/* Reads SECTILE_KEY, if it is set. */
sct_status sct_key_given(sct_siphash_key *key, bool *given);
/* Draws a key that nobody can guess. */
sct_status sct_key_draw(sct_siphash_key *key);

/* The file is in the folder .sectile of the user's home, where ranks on other hosts find it, too.
 * All fail if others than the user could have made or read it. */

/* Fails where no rank could keep or find a file; the folder need not be there yet. */
sct_status sct_key_check_folder(void);
/* Writes the file anew, and removes files that are more than a day old. */
sct_status sct_key_write(const char *name, sct_siphash_key key);
/* *found is false if there is no such file, or it is not complete. */
sct_status sct_key_read(const char *name, sct_siphash_key *key, bool *found);
void sct_key_remove(const char *name);

#endif
