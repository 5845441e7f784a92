/* tile_size.c - tiles grow only on devices, as long as their copies are short, up to a limit. */
#include "measure/fit.h"

#include "support/check.h"

/* The rows of the tile that is found where a row is copied in this time. */
static int64_t grown(bool device, double seconds_per_row) {
    int64_t rows = LEAST_TILE_ROWS;
    while (!tile_is_enough(rows, device, seconds_per_row * (double)rows))
        rows *= 2;
    return rows;
}

int main(void) {
    CHECK(grown(true, 1e-9) == MOST_TILE_ROWS);
    CHECK(grown(true, 3e-7) == 4 * LEAST_TILE_ROWS);
    CHECK(grown(true, 1e-5) == LEAST_TILE_ROWS);
    CHECK(grown(false, 1e-9) == LEAST_TILE_ROWS);
    return check_report("tile_size");
}
