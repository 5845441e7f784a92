/* chosen_products.h - a group of products from the command line, and the layouts chosen for it. */
#ifndef CLI_RUN_CHOSEN_PRODUCTS_H
#define CLI_RUN_CHOSEN_PRODUCTS_H

#include "args/args.h"
#include "print/json.h"

enum { MOST_FIXES = 256, PRODUCT_TEXT = 128, STYLES = SCT_STYLE_DATA + 1 };

struct chosen_products {
    const struct args *args;
    const sct_machine *machine; /* NULL: the library's default */
    sct_products *products;
    int fixes;
    sct_products_fix fix[MOST_FIXES];
    sct_products_choice choice;
    sct_products_choice style[STYLES]; /* without products, if it is not for this group */
};

/* Reads --group and its constraints, and chooses layouts; reports errors. Clear it even then. */
enum code chosen_products_find(const struct args *args, struct chosen_products *group);
void chosen_products_clear(struct chosen_products *group);

/* Finds the time and the memory of the group in the layouts of each style. Constraints do not
 * apply. Reports errors. */
enum code chosen_products_find_styles(struct chosen_products *group);
/* Chooses again within as many bytes per rank. The status may be SCT_WORKSPACE. */
sct_status chosen_products_within(const struct chosen_products *group, uint64_t memory,
                                  sct_products_choice *choice);

/* The name of a matrix; NULL for -1. */
const char *chosen_products_name(const struct chosen_products *group, int matrix);
/* A product such as "C = A * B". */
void chosen_products_text(const struct chosen_products *group, int product,
                          char text[PRODUCT_TEXT]);

/* Print a table of all matrices, or add them to the JSON object that is open. Both report errors.
 */
enum code chosen_products_print_matrices(const struct chosen_products *group);
enum code chosen_products_matrices_json(const struct chosen_products *group, struct json *json);

#endif
