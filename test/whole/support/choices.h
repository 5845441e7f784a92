/* choices.h - choices that several tests make by small numbers: of options, and of layouts. */
#ifndef TEST_CHOICES_H
#define TEST_CHOICES_H

#include "whole/support/kinds.h"
#include "whole/support/margin.h"

/* Of options: what is chosen, and of how many. */
enum {
    CHOICE_STAY,
    CHOICE_SLICING,
    CHOICE_RESULT,
    CHOICE_PREFETCH,
    CHOICE_PRODUCTS,
    CHOICE_ACCUMULATES,
    CHOICE_SYNC,
    CHOICE_ORDERED,
    CHOICE_SCHEDULE,
    CHOICE_START,
    CHOICE_TRANSFERS,
    OPTION_CHOICES
};
extern const int option_choices[OPTION_CHOICES];
sct_options chosen_options(const int *chosen);

/* Of layouts: the kind of each matrix, then the copies of each, the order, and whether there is
 * more around the view. */
enum { LAYOUT_CHOICES = 4 };
void put_layout_choices(int matrices, int *limits);

/* Of one of so many matrices, whose kind is chosen[0], with this around its rows and columns. */
kind_wish chosen_layout(const int *chosen, int matrices, int ranks, margin around, int64_t rows,
                        int64_t cols);

#endif
