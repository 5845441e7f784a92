/* arabic.h - a locale in which U+066B, of two bytes, takes the place of the decimal point. */
#ifndef TEST_ARABIC_H
#define TEST_ARABIC_H

#include <locale.h>

/* Makes the locale; 0 if that cannot be done here. Release it with freelocale(). */
locale_t arabic_locale(void);

#endif
