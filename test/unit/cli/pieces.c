/* pieces.c - a product is cut into pieces that fit, cover it once, and read as little as possible.
 */
#include "values/pieces.h"

#include "support/check.h"

static const double bytes[3] = {6e9, 8e9, 1.2e10}; /* of 20, 30 and 40 thousand */

static struct pieces choose(double limit, bool cuts_k) {
    struct pieces pieces = {.all = {0}};
    CHECK(pieces_choose(30000, 40000, 20000, bytes, limit, cuts_k, &pieces));
    CHECK(pieces_bytes(&pieces, bytes) <= limit);
    return pieces;
}

static void check_counts(const struct pieces *pieces, int64_t m, int64_t n, int64_t k) {
    CHECK_CASE(pieces->count[0] == m && pieces->count[1] == n && pieces->count[2] == k,
               "%lld x %lld x %lld pieces", (long long)pieces->count[0],
               (long long)pieces->count[1], (long long)pieces->count[2]);
}

/* What is read only once is preferred, then few pieces. */
static void choices(void) {
    struct pieces pieces = choose(3e10, true);
    check_counts(&pieces, 1, 1, 1);
    pieces = choose(2e10, true); /* B stays */
    check_counts(&pieces, 2, 1, 1);
    pieces = choose(9e9, true); /* A stays */
    check_counts(&pieces, 1, 8, 1);
    pieces = choose(3e9, false); /* neither, and A is smaller to read several times */
    check_counts(&pieces, 16, 4, 1);
    CHECK(!pieces_choose(30000, 40000, 20000, bytes, 100, true, &pieces));
    choose(pieces_least(30000, 40000, 20000, bytes, 100, true), true);
    CHECK(pieces_least(30000, 40000, 20000, bytes, 9e9, true) == 9e9);
    for (double limit = 110; limit < 200; limit += 10) {
        double ratio = pieces_least(30000, 40000, 20000, bytes, limit, true) /
                       pieces_least(30000, 40000, 20000, bytes, 100, true);
        CHECK(ratio > 1 / 1.03 && ratio < 1.03);
    }
    CHECK(pieces_choose(INT64_MAX, 1, 1, bytes, 9e9, true, &pieces));
    CHECK(!pieces_choose(0, 5, 5, (const double[3]){0, 200, 0}, 10, false, &pieces));
    CHECK(pieces_choose(0, 5, 5, (const double[3]){0, 200, 0}, 100, false, &pieces));
}

/* Each element product is in one piece, in the order of a sum over k. */
static void covers(int64_t m, int64_t n, int64_t k, double limit) {
    struct pieces pieces;
    const double sizes[3] = {(double)(m * k), (double)(k * n), (double)(m * n)};
    int64_t sum = 0, end_k = 0;
    if (!CHECK(pieces_choose(m, n, k, sizes, limit, true, &pieces)))
        return;
    for (int64_t i = 0; i < pieces_count(&pieces); i++) {
        struct piece piece = pieces_get(&pieces, i);
        int64_t length[DIMENSIONS];
        for (int at = 0; at < DIMENSIONS; at++)
            length[at] = pieces_end(&pieces, &piece, at) - pieces_begin(&pieces, &piece, at);
        CHECK(length[0] > 0 && length[1] > 0 && length[2] > 0);
        CHECK(pieces_begin(&pieces, &piece, 2) == end_k % k);
        end_k = pieces_end(&pieces, &piece, 2);
        sum += length[0] * length[1] * length[2];
    }
    CHECK_CASE(sum == m * n * k, "%lld of %lld", (long long)sum, (long long)(m * n * k));
}

/* With more memory there are not many more pieces. */
static void more_memory(void) {
    const double sizes[3] = {1.8e7, 1.8e7, 1.8e7}; /* of 1500 */
    int64_t least = 1024;
    for (double limit = 6e5; limit < 5.4e7; limit *= 1.1) {
        struct pieces pieces;
        CHECK(pieces_choose(1500, 1500, 1500, sizes, limit, true, &pieces));
        int64_t count = pieces_count(&pieces);
        CHECK_CASE(count <= 2 * least, "%lld pieces with %g bytes, %lld with fewer",
                   (long long)count, limit, (long long)least);
        least = count < least ? count : least;
    }
}

int main(void) {
    struct pieces whole = pieces_whole(0, 7, 0);
    check_counts(&whole, 1, 1, 1);
    CHECK(pieces_count(&whole) == 1);
    choices();
    more_memory();
    for (double limit = 400; limit > 10; limit /= 1.5)
        covers(9, 11, 13, limit);
    return check_report("pieces");
}
