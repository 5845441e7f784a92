/* strides.c - rank maps by strides. A place is a number whose digits count the repetitions of each
 * stride. */
#include "layout/strides.h"

#include "base/checked.h"

#include <limits.h>
#include <stddef.h>

int64_t sct_strides_places(const sct_stride *stride, int strides) {
    int64_t places = 1;
    for (int i = 0; i < strides; i++)
        if (!sct_multiply_fits(places, stride[i].times, &places))
            return INT64_MAX;
    return places;
}

int sct_strides_highest(const sct_stride *stride, int strides) {
    int64_t highest = 0;
    for (int i = 0; i < strides; i++)
        highest += sct_min((int64_t)stride[i].by * sct_max(stride[i].times - 1, 0), INT_MAX);
    return (int)sct_min(highest, INT_MAX);
}

int64_t sct_strides_rank(const sct_stride *stride, int strides, int64_t place) {
    int64_t rank = 0;
    for (int i = 0; i < strides; i++) {
        rank += place % stride[i].times * stride[i].by;
        place /= stride[i].times;
    }
    return rank;
}

int sct_strides_join(sct_stride *stride, int strides) {
    int joined = 0;
    for (int i = 0; i < strides; i++) {
        sct_stride *last = joined > 0 ? &stride[joined - 1] : NULL;
        if (last && stride[i].by == (int64_t)last->by * last->times)
            last->times *= stride[i].times;
        else if (stride[i].times != 1)
            stride[joined++] = stride[i];
    }
    return joined;
}

/* The part of a stride that lies within one stride of a map; `times` is 0 if there is none. */
static sct_stride first_part(sct_stride stride, const sct_stride *map, int maps) {
    int64_t block = 1;
    for (int i = 0; i < maps; block *= map[i++].times) {
        int64_t step = stride.by / block;
        if (step >= map[i].times)
            continue;
        int64_t times = sct_min(map[i].times / step, stride.times);
        bool fits = stride.by % block == 0 && stride.times % times == 0 &&
                    (times == stride.times || map[i].times % step == 0);
        return (sct_stride){(int)(map[i].by * step), fits ? (int)times : 0};
    }
    return (sct_stride){0, 0};
}

int sct_strides_compose(const sct_stride *stride, int strides, const sct_stride *map, int maps,
                        sct_stride composed[SCT_MOST_STRIDES]) {
    int count = 0;
    for (int i = 0; i < strides; i++)
        for (sct_stride rest = stride[i]; rest.times > 1;) {
            sct_stride part = first_part(rest, map, maps);
            if (part.times < 2 || count == SCT_MOST_STRIDES)
                return 0;
            composed[count++] = part;
            rest = (sct_stride){rest.by * part.times, rest.times / part.times};
        }
    return count;
}

bool sct_strides_permute(const sct_stride *stride, int strides) {
    int64_t named = 1;
    for (int found = 0; found < strides; found++) {
        int i = 0;
        while (i < strides && (stride[i].by != named || stride[i].times < 2))
            i++;
        if (i == strides)
            return false;
        named *= stride[i].times;
    }
    return strides > 0;
}

int64_t sct_strides_place(const sct_stride *stride, int strides, int64_t rank) {
    int64_t place = 0, block = 1;
    for (int i = 0; i < strides; i++) {
        place += rank / stride[i].by % stride[i].times * block;
        block *= stride[i].times;
    }
    return place;
}

/* The stride between blocks of `places` places, repeated as often as possible. */
static sct_stride next_stride(const int *rank_of, int64_t places, int64_t block) {
    sct_stride stride = {rank_of[block], 2};
    while ((stride.times + 1) * block <= places &&
           rank_of[stride.times * block] == (int64_t)stride.times * stride.by)
        stride.times++;
    return stride;
}

int sct_strides_find(const int *rank_of, int64_t places, sct_stride stride[SCT_MOST_STRIDES]) {
    int strides = 0;
    for (int64_t block = 1; block < places; strides++) {
        stride[strides] = next_stride(rank_of, places, block);
        block *= stride[strides].times;
        if (places % block > 0)
            return 0;
    }
    for (int64_t place = 0; place < places; place++)
        if (rank_of[place] != sct_strides_rank(stride, strides, place))
            return 0;
    return strides;
}
