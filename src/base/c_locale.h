/* c_locale.h - numbers with a decimal point, whatever the locale of the program: what one rank
 * writes is compared with what others write, and read by other programs. */
#ifndef SCT_BASE_C_LOCALE_H
#define SCT_BASE_C_LOCALE_H

#include <locale.h>

typedef struct sct_c_locale {
    locale_t c, before;
} sct_c_locale;

/* From here to the end, the calling thread has the locale "C". */
static inline sct_c_locale sct_c_locale_begin(void) {
    sct_c_locale locale = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    locale.before = uselocale(locale.c);
    return locale;
}

static inline void sct_c_locale_end(sct_c_locale locale) {
    uselocale(locale.before);
    if (locale.c) /* glibc always has one */
        freelocale(locale.c);
}

#endif
