/* blas_ilp64.c - creating a world detects a BLAS with 64-bit integers, linked by mistake.
 *
 * The ddot_ of this program replaces that of the BLAS and acts as such a one. */
#include "engine/emulated.h"
#include "support/check.h"

#include <sectile/sectile.h>

#include <stdint.h>
#include <string.h>

double ddot_(const int64_t *n, const double *x, const int64_t *x_step, const double *y,
             const int64_t *y_step);

double ddot_(const int64_t *n, const double *x, const int64_t *x_step, const double *y,
             const int64_t *y_step) {
    double sum = 0;
    for (int64_t i = 0; i < *n; i++)
        sum += x[i * *x_step] * y[i * *y_step];
    return sum;
}

static int do_nothing(sct_world *world, void *arg) {
    (void)world;
    *(int *)arg = 1;
    return 0;
}

int main(void) {
    emulated_options own[] = {{.host = 1, .deferred = 1}, {.host = 0}};
    const sct_world_options cases[] = {
        {.size = sizeof cases[0]}, emulated_world(&own[0]), emulated_world(&own[1])};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int ran = 0;
        sct_status status = sct_run(1, &cases[i], do_nothing, &ran);
        CHECK_CASE(status == SCT_FAILED && strstr(sct_last_reason(), "ILP64"), "case %zu: %s (%s)",
                   i, sct_status_name(status), sct_last_reason());
        CHECK(!ran);
    }
    return check_report("blas_ilp64");
}
