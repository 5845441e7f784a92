/* text_reader.c - real numbers are read with a decimal point in every locale. */
#include "base/text.h"

#include "support/arabic.h"
#include "support/check.h"

#include <string.h>

static void test_real(void) {
    const char *at = "-2.5e-1,x";
    CHECK(sct_text_real(&at) == -0.25);
    CHECK(strcmp(at, ",x") == 0);
    CHECK(sct_text_real(&at) == 0);
    CHECK(strcmp(at, ",x") == 0);
}

int main(void) {
    test_real();
    locale_t arabic = arabic_locale();
    if (arabic) {
        uselocale(arabic);
        test_real();
        CHECK(*localeconv()->decimal_point != '.'); /* it is again */
        uselocale(LC_GLOBAL_LOCALE);
        freelocale(arabic);
    }
    return check_report("text_reader");
}
