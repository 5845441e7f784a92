/* option_names.c - each value of an option has a name, and other numbers are unknown. */
#include <sectile/sectile.h>

#include "support/check.h"

#include <string.h>

static void check_name(const char *name, const char *expected) {
    CHECK_CASE(strcmp(name, expected) == 0, "%s, not %s", name, expected);
}

int main(void) {
    check_name(sct_stay_name(SCT_STAY_AUTO), "auto");
    check_name(sct_stay_name(SCT_STAY_A), "a");
    check_name(sct_stay_name(SCT_STAY_C), "c");
    check_name(sct_stay_name((sct_stay)(SCT_STAY_C + 1)), "unknown");
    check_name(sct_style_name(SCT_STYLE_TENSOR), "Megatron-LM");
    check_name(sct_style_name((sct_style)(SCT_STYLE_DATA + 1)), "unknown");
    check_name(sct_slicing_name(SCT_SLICE_CLASS), "class");
    check_name(sct_slicing_name(SCT_SLICE_TILE), "tile");
    check_name(sct_slicing_name((sct_slicing)(SCT_SLICE_TILE + 1)), "unknown");
    check_name(sct_fetch_name(SCT_FETCH_SLICE), "slice");
    check_name(sct_fetch_name(SCT_FETCH_TILE), "tile");
    check_name(sct_fetch_name((sct_fetch)(SCT_FETCH_TILE + 1)), "unknown");
    check_name(sct_result_name(SCT_RESULT_ALL), "all");
    check_name(sct_result_name(SCT_RESULT_PARTIAL), "partial");
    check_name(sct_result_name((sct_result)(SCT_RESULT_PARTIAL + 1)), "unknown");
    check_name(sct_schedule_name(SCT_DIRECT), "direct");
    check_name(sct_schedule_name(SCT_EXHAUSTIVE), "exhaustive");
    check_name(sct_schedule_name((sct_schedule)-1), "unknown");
    check_name(sct_start_name(SCT_START_SHIFTED), "shifted");
    check_name(sct_start_name(SCT_START_ALIKE), "alike");
    check_name(sct_start_name((sct_start)(SCT_START_ALIKE + 1)), "unknown");
    check_name(sct_effort_name(SCT_ESTIMATE), "estimate");
    check_name(sct_effort_name(SCT_MEASURE), "measure");
    check_name(sct_effort_name((sct_effort)(SCT_MEASURE + 1)), "unknown");
    return check_report("option_names");
}
