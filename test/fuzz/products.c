/* products.c - fuzzes texts of groups of products. Each is refused with a one-line reason, or
 * describes a group that prints to an equal one, before and after its gradients are added.
 *
 * An input is a line of sizes, then the text. */
#include "fuzz/fuzz.h"

#include "support/check.h"

#include <sectile/sectile.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 2000, MOST_PRINTED = 40 * MOST_TEXT };

static void check_printed(const sct_products *products) {
    char *printed = malloc(MOST_PRINTED), *again = malloc(MOST_PRINTED);
    sct_products *read;
    size_t length = sct_products_print(products, printed, MOST_PRINTED);
    CHECK_CASE(length == strlen(printed), "prints in %zu bytes", length);
    if (CHECK_CASE(sct_products_parse(printed, NULL, &read) == SCT_OK, "%s: %s", printed,
                   sct_last_reason())) {
        sct_products_print(read, again, MOST_PRINTED);
        CHECK_CASE(strcmp(printed, again) == 0, "prints as %s and then as %s", printed, again);
        CHECK(sct_products_count(read) == sct_products_count(products));
        CHECK(sct_products_matrices(read) == sct_products_matrices(products));
        sct_products_destroy(read);
    }
    free(printed);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    fuzz_input input = {bytes, length};
    char sizes[200], text[MOST_TEXT];
    sct_products *products;
    fuzz_line(&input, sizes, sizeof sizes);
    size_t kept = input.left < sizeof text - 1 ? input.left : sizeof text - 1;
    if (kept > 0)
        memcpy(text, input.at, kept);
    text[kept] = '\0';
    if (sct_products_parse(text, sizes, &products)) {
        fuzz_check_refusal(sct_last_reason());
    } else {
        check_printed(products);
        if (sct_products_backward(products))
            fuzz_check_refusal(sct_last_reason());
        else
            check_printed(products);
        sct_products_destroy(products);
    }
    if (check_failures())
        abort();
    return 0;
}
