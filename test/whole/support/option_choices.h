/* option_choices.h - options and layouts that several tests choose by small numbers. */
#ifndef TEST_OPTION_CHOICES_H
#define TEST_OPTION_CHOICES_H

#include "whole/support/layout_kinds.h"
#include "whole/support/view_margin.h"

/* Options: the index of each choice, and how many values it has. */
enum {
    CHOICE_STAY,
    CHOICE_SLICING,
    CHOICE_FETCH,
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

/* Layouts: the choices of all matrices are, one after the other, their kinds, their numbers of
 * replicas, their storage orders, and whether the matrix extends beyond its view. Sets how many
 * values each has. */
enum { LAYOUT_CHOICES = 4 };
void put_layout_choices(int matrices, int *limits);

/* The layout of one of so many matrices, whose kind is chosen[0]: of a matrix whose view has these
 * rows and columns, with up to `most` rows or columns on each side of the view if chosen. */
layout_spec chosen_layout(const int *chosen, int matrices, int ranks, int64_t most, int64_t rows,
                          int64_t cols, uint64_t *random, margin *around);

#endif
