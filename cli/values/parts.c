/* parts.c - cuts a product into parts whose matrices fit into a limited memory. */
#include "values/parts.h"

enum { M, N, K };
enum { MOST_PARTS = 1 << 24 };

/* The dimensions of A, B and C. */
static const int sides[3][2] = {{M, K}, {K, N}, {M, N}};

static int64_t ratio_up(int64_t all, int64_t size) {
    return all / size + (all % size != 0);
}

/* Cuts a dimension into `count` parts, or fewer of that size. */
static void cut(struct parts *parts, int dimension, int64_t count) {
    int64_t all = parts->all[dimension], size = all > 0 ? ratio_up(all, count) : 1;
    parts->size[dimension] = size;
    parts->count[dimension] = all > 0 ? ratio_up(all, size) : 1;
}

struct parts parts_whole(int64_t m, int64_t n, int64_t k) {
    struct parts parts = {.all = {m, n, k}};
    for (int i = 0; i < DIMENSIONS; i++)
        cut(&parts, i, 1);
    return parts;
}

static double share(const struct parts *parts, int dimension) {
    int64_t all = parts->all[dimension];
    return all > 0 ? (double)parts->size[dimension] / (double)all : 1;
}

double parts_bytes(const struct parts *parts, const double bytes[3]) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += bytes[i] * share(parts, sides[i][0]) * share(parts, sides[i][1]);
    return sum;
}

/* A is read once if it is one part, and B if k is not cut. */
static double bytes_read(const struct parts *parts, const double bytes[3]) {
    const int64_t *count = parts->count;
    double times_a = count[M] > 1 || count[K] > 1 ? (double)count[N] : 1;
    double times_b = count[K] > 1 ? (double)count[M] : 1;
    return bytes[0] * times_a + bytes[1] * times_b;
}

static double how_many(const struct parts *parts) {
    return (double)parts->count[M] * (double)parts->count[N] * (double)parts->count[K];
}

static bool is_better(const struct parts *one, const struct parts *best, const double bytes[3]) {
    double read = bytes_read(one, bytes), least = bytes_read(best, bytes);
    return read != least ? read < least : how_many(one) < how_many(best);
}

/* Whether a dimension can be cut into 2^bits parts. */
static bool can_be_cut(int64_t all, int bits) {
    return bits == 0 || (bits < 62 && (int64_t)1 << bits <= all);
}

/* Powers of two are enough to choose from. Of equal ones the first is taken, with m cut rather
 * than n, and n rather than k, since rows of a file in C order are read at once. More parts of m
 * than are needed read no less. */
bool parts_choose(int64_t m, int64_t n, int64_t k, const double bytes[3], double limit, bool cuts_k,
                  struct parts *parts) {
    bool found = false;
    struct parts tried = parts_whole(m, n, k);
    for (int in_k = 0; can_be_cut(cuts_k ? k : 1, in_k); in_k++)
        for (int in_n = 0; can_be_cut(n, in_n); in_n++) {
            int in_m = 0;
            cut(&tried, K, (int64_t)1 << in_k);
            cut(&tried, N, (int64_t)1 << in_n);
            cut(&tried, M, 1);
            while (parts_bytes(&tried, bytes) > limit && can_be_cut(m, ++in_m))
                cut(&tried, M, (int64_t)1 << in_m);
            if (parts_bytes(&tried, bytes) > limit || how_many(&tried) > (double)MOST_PARTS ||
                (found && !is_better(&tried, parts, bytes)))
                continue;
            *parts = tried;
            found = true;
        }
    return found;
}

int64_t parts_count(const struct parts *parts) {
    return parts->count[M] * parts->count[N] * parts->count[K];
}

struct part parts_get(const struct parts *parts, int64_t number) {
    int64_t in_k = parts->count[K], in_m = parts->count[M];
    return (struct part){{number / in_k % in_m, number / in_k / in_m, number % in_k}};
}

int64_t parts_begin(const struct parts *parts, const struct part *part, int dimension) {
    return part->at[dimension] * parts->size[dimension];
}

int64_t parts_end(const struct parts *parts, const struct part *part, int dimension) {
    int64_t end = parts_begin(parts, part, dimension) + parts->size[dimension];
    return end < parts->all[dimension] ? end : parts->all[dimension];
}
