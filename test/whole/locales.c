/* locales.c - ranks whose locales write numbers differently agree on alpha and beta, and each keeps
 * its locale. */
#include "support/arabic.h"
#include "support/check.h"

#include <sectile/sectile.h>

enum { RANKS = 3, N = 6 };

static int rank_main(sct_world *world, void *arabic) {
    double alpha = 0.1, beta = -1.5e-7;
    sct_layout *rows;
    sct_matrix *a, *c;
    if (sct_world_rank(world) == 1)
        uselocale(*(locale_t *)arabic);
    char point = *localeconv()->decimal_point;
    CHECK(sct_layout_create_row(N, N, RANKS, &rows) == SCT_OK);
    CHECK(sct_matrix_create(world, SCT_F64, rows, &a) == SCT_OK);
    CHECK(sct_matrix_create(world, SCT_F64, rows, &c) == SCT_OK);
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &alpha, sct_whole(a), sct_whole(a), &beta, sct_whole(c),
                            NULL) == SCT_OK,
               "%s", sct_last_reason());
    CHECK(*localeconv()->decimal_point == point);
    sct_matrix_destroy(a);
    sct_matrix_destroy(c);
    sct_layout_destroy(rows);
    uselocale(LC_GLOBAL_LOCALE);
    return 0;
}

int main(void) {
    locale_t arabic = arabic_locale();
    if (!arabic)
        return 77;
    CHECK(sct_run(RANKS, NULL, rank_main, &arabic) == SCT_OK);
    freelocale(arabic);
    return check_report("locales");
}
