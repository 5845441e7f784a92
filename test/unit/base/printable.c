/* printable.c - texts become one line of printable characters, reasons among them. */
#include "base/printable.h"
#include "base/status.h"
#include "support/check.h"

#include <string.h>

static void check_becomes(const char *text, const char *wanted) {
    char made[64];
    strcpy(made, text);
    sct_make_printable(made);
    CHECK_CASE(strcmp(made, wanted) == 0, "'%s' is not '%s'", made, wanted);
}

static void check_characters(void) {
    check_becomes("", "");
    check_becomes("a ~.npy", "a ~.npy");
    check_becomes("two\nlines\r\n\tand\va\f", "two lines   and a ");
    check_becomes("\033[31mred\a\177", "?[31mred??");
    check_becomes("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xf4\x8f\xbf\xbf",
                  "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xf4\x8f\xbf\xbf");
    check_becomes("\xc2\x9b"
                  "31m \xc2\xa0",
                  "??31m \xc2\xa0"); /* U+009B begins what terminals act on */
    /* what turns the direction of writing, and the characters beside it */
    check_becomes("\xe2\x80\xae"
                  "a"
                  "\xe2\x81\xa6",
                  "???a???");
    check_becomes("\xe2\x80\xaf \xe2\x80\xa9 \xe2\x81\xa5",
                  "\xe2\x80\xaf \xe2\x80\xa9 \xe2\x81\xa5");
    /* bytes that are not UTF-8: alone, cut off, too long a form, a surrogate, too large */
    check_becomes("\x9b \xff \xe2\x82", "? ? ??");
    check_becomes("\xc0\xaf \xc1\xbf \xe0\x9f\xbf \xf0\x8f\xbf\xbf", "?? ?? ??? ????");
    check_becomes("\xed\xa0\x80 \xf4\x90\x80\x80 \xf5\x80\x80\x80", "??? ???? ????");
}

int main(void) {
    char name[300];
    check_characters();
    CHECK(sct_fail(SCT_FAILED, "%s: %s", "a\033c", "it says:\n  no\n") == SCT_FAILED);
    CHECK(strcmp(sct_last_reason(), "a?c: it says:   no ") == 0);
    /* a reason that is cut within a character */
    memset(name, 'a', sizeof name);
    memcpy(name + SCT_REASON_BYTES - 2, "\xc3\xa9", 3);
    sct_fail(SCT_FAILED, "%s", name);
    CHECK(sct_last_reason()[SCT_REASON_BYTES - 2] == '?');
    return check_report("printable");
}
