/* strides.h - maps of ranks that are told by strides: 4x16,1x4 is 0, 4, 8 to 60, then 1, 5, 9 to
 * 61, and so on. */
#ifndef SCT_LAYOUT_STRIDES_H
#define SCT_LAYOUT_STRIDES_H

#include <stdint.h>

/* The first goes the fastest. More than so many that are gone twice make more ranks than there can
 * be. */
typedef struct sct_stride {
    int by, times;
} sct_stride;
enum { SCT_MOST_STRIDES = 31 };

/* How many places they map, and the highest rank: as many as there can be, if it is more. */
int64_t sct_strides_places(const sct_stride *stride, int strides);
int sct_strides_highest(const sct_stride *stride, int strides);
int64_t sct_strides_rank(const sct_stride *stride, int strides, int64_t place);

/* The fewest strides that make a map; how many there are, 0 if it has none. */
int sct_strides_find(const int *rank_of, int64_t places, sct_stride stride[SCT_MOST_STRIDES]);

#endif
