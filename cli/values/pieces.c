/* pieces.c - cuts a product into pieces whose matrices fit into a limited memory. */
#include "values/pieces.h"

enum { M, N, K };
/* More would take hours to work on; and more than a few that are small would take longer than the
 * product itself, as each takes milliseconds. */
enum { MOST_PIECES = 1 << 17, FEW_PIECES = 1 << 10 };
static const double small_piece = 1 << 20;
/* How many small ones are worth it, where there is a choice. */
static const double worth = 64;
/* Limits that differ by less count as the same. */
static const double near = 1.02;

/* The dimensions of A, B and C. */
static const int sides[3][2] = {{M, K}, {K, N}, {M, N}};

static int64_t ratio_up(int64_t all, int64_t size) {
    return all / size + (all % size != 0);
}

/* Cuts a dimension into `count` pieces, or fewer of that size. */
static void cut(struct pieces *pieces, int dimension, int64_t count) {
    int64_t all = pieces->all[dimension], size = all > 0 ? ratio_up(all, count) : 1;
    pieces->size[dimension] = size;
    pieces->count[dimension] = all > 0 ? ratio_up(all, size) : 1;
}

struct pieces pieces_whole(int64_t m, int64_t n, int64_t k) {
    struct pieces pieces = {.all = {m, n, k}};
    for (int i = 0; i < DIMENSIONS; i++)
        cut(&pieces, i, 1);
    return pieces;
}

static double share(const struct pieces *pieces, int dimension) {
    int64_t all = pieces->all[dimension];
    return all > 0 ? (double)pieces->size[dimension] / (double)all : 1;
}

double pieces_bytes(const struct pieces *pieces, const double bytes[3]) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += bytes[i] * share(pieces, sides[i][0]) * share(pieces, sides[i][1]);
    return sum;
}

/* A is read once if it is one piece, and B if k is not cut. */
static double bytes_read(const struct pieces *pieces, const double bytes[3]) {
    const int64_t *count = pieces->count;
    double times_a = count[M] > 1 || count[K] > 1 ? (double)count[N] : 1;
    double times_b = count[K] > 1 ? (double)count[M] : 1;
    return bytes[0] * times_a + bytes[1] * times_b;
}

static double how_many(const struct pieces *pieces) {
    return (double)pieces->count[M] * (double)pieces->count[N] * (double)pieces->count[K];
}

static bool are_too_many(const struct pieces *pieces, const double bytes[3], double few) {
    double count = how_many(pieces);
    return count > (double)MOST_PIECES ||
           (count > few && pieces_bytes(pieces, bytes) < small_piece);
}

/* Each piece takes as long as reading a small one. */
static double effort(const struct pieces *pieces, const double bytes[3]) {
    return bytes_read(pieces, bytes) + how_many(pieces) * small_piece;
}

/* Cuts a dimension into 2^bits pieces, or at least into single indices. False if fewer do that. */
static bool cut_finer(struct pieces *pieces, int dimension, int bits) {
    int64_t all = pieces->all[dimension];
    if (bits > 0 && (bits > 62 || (int64_t)1 << (bits - 1) >= all))
        return false;
    cut(pieces, dimension, (int64_t)1 << bits < all ? (int64_t)1 << bits : all);
    return true;
}

/* Powers of two are enough to choose from. Of equal ones the first is taken, with m cut rather
 * than n, and n rather than k, since rows of a file in C order are read at once. More pieces of m
 * than are needed read no less. */
static bool choose(int64_t m, int64_t n, int64_t k, const double bytes[3], double limit,
                   bool cuts_k, double few, struct pieces *pieces) {
    bool found = false;
    struct pieces tried = pieces_whole(m, n, k);
    for (int in_k = 0; in_k <= (cuts_k ? 63 : 0) && cut_finer(&tried, K, in_k); in_k++)
        for (int in_n = 0; cut_finer(&tried, N, in_n); in_n++) {
            int in_m = 0;
            while (cut_finer(&tried, M, in_m) && pieces_bytes(&tried, bytes) > limit)
                in_m++;
            if (pieces_bytes(&tried, bytes) > limit || are_too_many(&tried, bytes, few) ||
                (found && effort(&tried, bytes) >= effort(pieces, bytes)))
                continue;
            *pieces = tried;
            found = true;
        }
    return found;
}

bool pieces_choose(int64_t m, int64_t n, int64_t k, const double bytes[3], double limit,
                   bool cuts_k, struct pieces *pieces) {
    return choose(m, n, k, bytes, limit, cuts_k, FEW_PIECES, pieces);
}

double pieces_least(int64_t m, int64_t n, int64_t k, const double bytes[3], double limit,
                    bool cuts_k) {
    struct pieces ignored;
    double least = limit > 1 ? limit : 1, low = least;
    while (!choose(m, n, k, bytes, least, cuts_k, worth, &ignored)) {
        low = least;
        least *= 2;
    }
    while (least > near * low) {
        double between = (low + least) / 2;
        if (choose(m, n, k, bytes, between, cuts_k, worth, &ignored))
            least = between;
        else
            low = between;
    }
    return least;
}

int64_t pieces_count(const struct pieces *pieces) {
    return pieces->count[M] * pieces->count[N] * pieces->count[K];
}

struct piece pieces_get(const struct pieces *pieces, int64_t number) {
    int64_t in_k = pieces->count[K], in_m = pieces->count[M];
    return (struct piece){{number / in_k % in_m, number / in_k / in_m, number % in_k}};
}

int64_t pieces_begin(const struct pieces *pieces, const struct piece *piece, int dimension) {
    return piece->at[dimension] * pieces->size[dimension];
}

int64_t pieces_end(const struct pieces *pieces, const struct piece *piece, int dimension) {
    int64_t end = pieces_begin(pieces, piece, dimension) + pieces->size[dimension];
    return end < pieces->all[dimension] ? end : pieces->all[dimension];
}
