/* strides.c - rank maps by strides that are composed: each place is mapped where one map after the
 * other puts it. */
#include "layout/strides.h"

#include "support/check.h"

enum { CASES = 2000, DIGITS = 4, MOST_TIMES = 4 };

/* A permutation of places by digits, each of the given number of repetitions. */
static int draw_map(uint64_t *state, const int *times, sct_stride *stride) {
    int order[DIGITS], by = 1;
    for (int i = 0; i < DIGITS; i++) {
        int other = (int)check_between(state, 0, i);
        order[i] = order[other];
        order[other] = i;
    }
    for (int i = 0; i < DIGITS; i++) {
        stride[order[i]] = (sct_stride){by, times[order[i]]};
        by *= times[order[i]];
    }
    return sct_strides_join(stride, DIGITS);
}

/* The digits of a map's places, of which some are cut in two, in another order. */
static int draw_digits(uint64_t *state, const int *times, sct_stride *stride) {
    int count = 0, by = 1;
    for (int i = 0; i < DIGITS; by *= times[i++]) {
        int part = times[i] % 2 == 0 && check_between(state, 0, 1) ? 2 : times[i];
        stride[count++] = (sct_stride){by, part};
        stride[count++] = (sct_stride){by * part, times[i] / part};
    }
    for (int i = count - 1; i > 0; i--) {
        int other = (int)check_between(state, 0, i);
        sct_stride kept = stride[i];
        stride[i] = stride[other];
        stride[other] = kept;
    }
    return count;
}

static void test_composed(uint64_t *state) {
    sct_stride map[DIGITS], digits[2 * DIGITS], composed[SCT_MOST_STRIDES];
    int times[DIGITS];
    for (int i = 0; i < DIGITS; i++)
        times[i] = (int)check_between(state, 1 + (i == 0), MOST_TIMES);
    int maps = draw_map(state, times, map), count = draw_digits(state, times, digits);
    int strides = sct_strides_compose(digits, count, map, maps, composed);
    CHECK_CASE(strides > 0, "%d strides cannot be composed", count);
    for (int64_t place = 0; strides > 0 && place < sct_strides_places(map, maps); place++) {
        int64_t twice = sct_strides_rank(map, maps, sct_strides_rank(digits, count, place));
        CHECK_CASE(sct_strides_rank(composed, strides, place) == twice, "place %d", (int)place);
    }
}

/* Strides that cross those of the map in the middle have no pattern. */
static void test_crossed(void) {
    const sct_stride map[] = {{2, 3}, {1, 2}}, digits[] = {{1, 2}, {2, 3}};
    sct_stride composed[SCT_MOST_STRIDES];
    CHECK(sct_strides_compose(digits, 2, map, 2, composed) == 0);
}

int main(void) {
    uint64_t state = check_seed(41);
    for (int i = 0; i < check_cases(CASES); i++)
        test_composed(&state);
    test_crossed();
    return check_report("strides");
}
