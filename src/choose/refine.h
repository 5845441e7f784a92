/* refine.h - refines the best choices: slicing and order of steps, by simulation. */
#ifndef SCT_CHOOSE_REFINE_H
#define SCT_CHOOSE_REFINE_H

#include "choose/search.h"

/* At least this many choices are refined, however few are wanted, because only then it shows which
 * is first. */
enum { SCT_TRIED = 6 };

/* For each choice, finds the slicing and order that are fastest in the simulator, if they clearly
 * beat the default. Sorts the choices by the resulting time. */
sct_status sct_refine_choices(const sct_search_context *context, sct_layout_triple *list,
                              int count);

#endif
