/* setting.h - numbers and texts that users set in the environment. An empty variable counts as
 * none.
 */
#ifndef SCT_BASE_SETTING_H
#define SCT_BASE_SETTING_H

#include <sectile/sectile.h>

/* Reads the number in a variable. Without the variable, and on failure, it is `usual`. Fails, and
 * names the variable, unless its value is decimal digits alone, from `least` to `most`. */
SCT_API sct_status sct_setting(const char *variable, int64_t least, int64_t most, int64_t usual,
                               int64_t *number);
/* NULL: none. */
const char *sct_setting_text(const char *variable);

#endif
