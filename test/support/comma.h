/* comma.h - a locale in which numbers have a decimal comma. */
#ifndef TEST_COMMA_H
#define TEST_COMMA_H

#include <locale.h>

/* Makes the locale; 0 if that cannot be done here. Release it with freelocale(). */
locale_t comma_locale(void);

#endif
