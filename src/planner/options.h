/* options.h - the options of a plan, one by one: what is checked of each, and compared. */
#ifndef SCT_PLANNER_OPTIONS_H
#define SCT_PLANNER_OPTIONS_H

#include <sectile/sectile.h>
#include <stdbool.h>

typedef struct sct_option {
    const char *name;
    size_t place; /* in sct_options, of an int or an enum */
    int least, most;
    const char *const *words; /* for its values; NULL: they are numbers */
    bool alike;               /* all ranks must pass the same value */
} sct_option;

/* Ends with an option without a name. The work layout, the workspace, the decisions and the machine
 * are not among them. */
extern const sct_option sct_option_list[];

int sct_option_value(const sct_option *option, const sct_options *options);

/* True if plans of one problem are made from the same options. Layouts, decisions and machines are
 * compared by address. */
bool sct_options_equal(const sct_options *x, const sct_options *y);

/* Copies the options in the caller's version of the struct, fills in defaults, and checks them. */
sct_status sct_options_resolve(const sct_options *options, sct_options *resolved);

#endif
