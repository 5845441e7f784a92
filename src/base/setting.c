/* setting.c - see setting.h. */
#include "base/setting.h"

#include "base/status.h"
#include "base/text.h"

#include <stdlib.h>

const char *sct_setting_text(const char *variable) {
    const char *text = getenv(variable);
    return text && text[0] != '\0' ? text : NULL;
}

sct_status sct_setting(const char *variable, int64_t least, int64_t most, int64_t usual,
                       int64_t *number) {
    const char *text = sct_setting_text(variable), *end = text;
    int64_t value;
    *number = usual;
    if (!text)
        return SCT_OK;
    sct_status status = sct_text_number(&end, most, &value);
    if (status || end == text || *end != '\0' || value < least)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: '%.40s' is not a whole number from %lld to %lld",
                        variable, text, (long long)least, (long long)most);
    *number = value;
    return SCT_OK;
}
