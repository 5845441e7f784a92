/* strides.h - rank maps described by strides: 4x16,1x4 is 0, 4, 8 to 60, then 1, 5, 9 to 61, and so
 * on. */
#ifndef SCT_LAYOUT_STRIDES_H
#define SCT_LAYOUT_STRIDES_H

#include <stdbool.h>
#include <stdint.h>

/* The first stride varies fastest. More repeated strides than this would describe more ranks than
 * an int can number. */
typedef struct sct_stride {
    int by, times;
} sct_stride;
enum { SCT_MOST_STRIDES = 31 };

/* The number of places that strides map, and the highest rank, both saturated. */
int64_t sct_strides_places(const sct_stride *stride, int strides);
int sct_strides_highest(const sct_stride *stride, int strides);
int64_t sct_strides_rank(const sct_stride *stride, int strides, int64_t place);

/* Composes two maps: the strides that map a place to what `map` makes of its rank by `stride`.
 * `map` must permute, and be joined. Returns their number; 0 if strides cannot describe it, or too
 * many would have to. */
int sct_strides_compose(const sct_stride *stride, int strides, const sct_stride *map, int maps,
                        sct_stride composed[SCT_MOST_STRIDES]);
/* Joins strides of which one continues the other. Returns how many are left, the fewest that
 * describe the map. */
int sct_strides_join(sct_stride *stride, int strides);
/* True if joined strides name each rank below the number of places once. Only then is the place of
 * a rank found by its digits. */
bool sct_strides_permute(const sct_stride *stride, int strides);
int64_t sct_strides_place(const sct_stride *stride, int strides, int64_t rank);

/* The fewest strides that describe a map. Returns their number; 0 if it has no pattern. */
int sct_strides_find(const int *rank_of, int64_t places, sct_stride stride[SCT_MOST_STRIDES]);

#endif
