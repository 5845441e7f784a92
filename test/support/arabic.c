/* arabic.c - makes the locale with localedef, since a system need not have any but "C". */
#include "support/arabic.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char script[] =
    "printf '%%s\\n' '<code_set_name> UTF-8' '<escape_char> /' '<mb_cur_max> 2' CHARMAP "
    "'<U066B> /xd9/xab' 'END CHARMAP' >%1$s/charmap\n"
    "printf '%%s\\n' LC_NUMERIC 'decimal_point \"<U066B>\"' 'thousands_sep \"\"' 'grouping -1' "
    "'END LC_NUMERIC' | localedef -c -f %1$s/charmap -i /dev/stdin %1$s/arabic 2>%1$s/log\n";

/* Runs a script in which a folder is named. */
static int run(const char *format, const char *folder) {
    char text[600];
    snprintf(text, sizeof text, format, folder);
    return system(text);
}

locale_t arabic_locale(void) {
    char folder[] = "/tmp/sectile_locale.XXXXXX";
    if (!mkdtemp(folder))
        return (locale_t)0;
    run(script, folder);          /* it fails, since the other categories have no source */
    setenv("LOCPATH", folder, 1); /* newlocale would not free its list of folders */
    bool made = setlocale(LC_NUMERIC, "arabic");
    unsetenv("LOCPATH");
    locale_t locale = made ? duplocale(LC_GLOBAL_LOCALE) : (locale_t)0;
    setlocale(LC_NUMERIC, "C");
    run("rm -r %s", folder);
    return locale;
}
