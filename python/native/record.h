/* record.h - pictures of plans, and of simulations that were recorded. Each text is freed with
 * text_free. NULL: no memory. */
#ifndef PYTHON_RECORD_H
#define PYTHON_RECORD_H

#include <sectile/sectile.h>

/* Draws a plan as SVG, with these words below the heading. */
char *plan_picture(const sct_problem *problem, const sct_plan *plan, int rank, const char *words);

/* What the ranks of a simulation did. */
typedef struct record record;

record *record_new(void);
/* Simulates a product. */
sct_status record_simulation(record *kept, const sct_problem *problem, const sct_options *options,
                             const sct_machine *machine, sct_forecast *forecast);
/* Draws the timeline as SVG below two lines of text. */
char *record_picture(record *kept, const char *heading, const char *more, int ranks,
                     double seconds);
void record_free(record *kept);

void text_free(char *text);

#endif
