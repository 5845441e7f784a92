/* blas.c - computation alone: each rank makes its share of the product from matrices of its own.
 * The longest dimension is cut.
 *
 * packages: libopenblas-dev
 * words 2:
 * words 4: */
#include "driver.h"

#include <cblas.h>
#include <stdlib.h>

const char peer_name[] = "blas";

static struct {
    int first[3], count[3]; /* of m, n and k */
    double *a, *b, *c;
} share;

static int longest(const int *length) {
    int which = 2;
    for (int i = 1; i >= 0; i--)
        which = length[i] > length[which] ? i : which;
    return which;
}

void peer_open(struct problem *p) {
    const int length[] = {p->m, p->n, p->k}, cut = longest(length);
    for (int i = 0; i < 3; i++) {
        int start = (int)((long)length[i] * p->rank / p->ranks);
        int end = (int)((long)length[i] * (p->rank + 1) / p->ranks);
        share.first[i] = i == cut ? start : 0;
        share.count[i] = i == cut ? end - start : length[i];
    }
    const int m = share.count[0], n = share.count[1], k = share.count[2];
    share.a = malloc((size_t)m * (size_t)k * sizeof *share.a);
    share.b = malloc((size_t)k * (size_t)n * sizeof *share.b);
    share.c = calloc((size_t)m * (size_t)n, sizeof *share.c);
    if (!share.a || !share.b || !share.c)
        fail("no memory");
    for (int l = 0; l < k; l++)
        for (int i = 0; i < m; i++)
            share.a[i + (long)l * m] = element_of_a(share.first[0] + i, share.first[2] + l);
    for (int j = 0; j < n; j++)
        for (int l = 0; l < k; l++)
            share.b[l + (long)j * k] = element_of_b(share.first[2] + l, share.first[1] + j);
}

void peer_multiply(void) {
    const int m = share.count[0], n = share.count[1], k = share.count[2];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, share.a, m, share.b, k, 0,
                share.c, m);
}

bool peer_check(void) {
    const int *first = share.first, *count = share.count;
    for (int j = 0; j < count[1]; j++)
        for (int i = 0; i < count[0]; i++)
            if (share.c[i + (long)j * count[0]] !=
                element_of_c(first[0] + i, first[1] + j, first[2], first[2] + count[2]))
                return false;
    return true;
}

void peer_close(void) {
    free(share.a);
    free(share.b);
    free(share.c);
}
