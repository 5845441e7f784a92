/* decisions.c - decisions as text: what is read, and what is refused and why. */
#include "plan/plan.h"
#include "support/check.h"

#include <string.h>

static void reads(const char *text, const char *printed) {
    sct_decisions decisions;
    char again[200];
    if (!CHECK(sct_decisions_parse(text, &decisions) == SCT_OK))
        return;
    CHECK(sct_decisions_print(&decisions, again, sizeof again) == strlen(printed));
    CHECK_CASE(strcmp(again, printed) == 0, "%s: %s", text, again);
}

static void refuses(const char *text, const char *reason) {
    sct_decisions decisions = {.ahead = 77};
    CHECK(sct_decisions_parse(text, &decisions) == SCT_BAD_ARGUMENT && decisions.ahead == 77);
    CHECK_CASE(strstr(sct_last_reason(), reason), "%s: %s", text, sct_last_reason());
}

int main(void) {
    reads("nest=nmk", "nest=nmk,begin=first+first+first");
    reads("ahead=3,k=7", "nest=kmn,k=7,begin=first+first+first,ahead=3");
    reads("nest=kmn,m=1,k=2,n=3,gather=am+cm+ak+bk+bn+cn,begin=shifted+own+behind",
          "nest=kmn,m=1,k=2,n=3,gather=am+cm+ak+bk+bn+cn,begin=shifted+own+behind");
    reads("begin=halfway+first+shifted", "nest=kmn,begin=halfway+first+shifted");
    reads("blocks=0+8", "nest=kmn,begin=first+first+first,blocks=0+8");
    static const char *const unknown[] = {"", "x=1", "ahead=1,,k=1", "m"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        refuses(unknown[i], "is none of nest=");
    static const struct {
        const char *text, *reason;
    } malformed[] = {
        {"nest=", "nest= takes m, k and n"},
        {"nest=kmx", "nest= takes m, k and n"},
        {"nest=kmnk", "nest= takes m, k and n"},
        {"m=", "m= takes a number"},
        {"m=-1", "m= takes a number"},
        {"m=1x", "m= takes a number"},
        {"gather=an", "gather= takes a matrix"},
        {"gather=ak+", "gather= takes a matrix"},
        {"gather=akbk", "gather= takes a matrix"},
        {"begin=own", "begin= takes first"},
        {"begin=own+own+own+own", "begin= takes first"},
        {"begin=up", "begin= takes first"},
        {"ahead=", "ahead= takes a number"},
        {"ahead=3x", "ahead= takes a number"},
        {"blocks=8", "blocks= takes two numbers"},
        {"blocks=+8", "blocks= takes two numbers"},
        {"blocks=8+", "blocks= takes two numbers"},
        {"blocks=8+8x", "blocks= takes two numbers"},
        {"blocks=-1+2", "blocks= takes two numbers"},
    };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        refuses(malformed[i].text, malformed[i].reason);
    reads("m=9223372036854775807", "nest=kmn,m=9223372036854775807,begin=first+first+first");
    refuses("m=9223372036854775808", "is more than 9223372036854775807");
    refuses("k=1,n=99999999999999999999999", "is more than 9223372036854775807");
    refuses("blocks=9223372036854775808+0", "is more than 9223372036854775807");
    refuses("ahead=33", "is more than 32");
    refuses("nest=kkm", "a dimension is missing");
    char endless[300] = "gather=";
    while (strlen(endless) + 4 < sizeof endless)
        strcat(endless, "am+");
    refuses(endless, "is too long");
    sct_decisions decisions = {.size = sizeof decisions, .nest = {0, 1, 2}};
    CHECK(sct_decisions_check(&decisions) == SCT_OK);
    decisions.begin[1] = (sct_begin)9;
    CHECK(sct_decisions_check(&decisions) == SCT_BAD_ARGUMENT);
    decisions.begin[1] = SCT_BEGIN_OWN;
    decisions.most[2] = -1;
    CHECK(sct_decisions_check(&decisions) == SCT_BAD_ARGUMENT);
    decisions.most[2] = 0;
    decisions.nest[0] = 3;
    CHECK(sct_decisions_check(&decisions) == SCT_BAD_ARGUMENT);
    decisions.nest[0] = 0;
    decisions.ahead = -1;
    CHECK(sct_decisions_check(&decisions) == SCT_BAD_ARGUMENT);
    decisions.ahead = 0;
    decisions.blocks[SCT_MAT_B] = -1;
    CHECK(sct_decisions_check(&decisions) == SCT_BAD_ARGUMENT);
    decisions.blocks[SCT_MAT_B] = 0;
    decisions.size--;
    CHECK(sct_decisions_check(&decisions) == SCT_BAD_ARGUMENT);
    return check_report("decisions");
}
