/* placed.h - a matrix of memory that devices cannot use, as a copy on the devices. */
#ifndef SCT_EXEC_PLACED_H
#define SCT_EXEC_PLACED_H

#include "exec/binding.h"

/* Collective. Sets `placed` to a bound matrix that devices can use: the given one, or, if that is
 * staged, a new one of the same layout. */
sct_status sct_placed_open(const sct_site *site, const sct_bound *given, sct_bound *placed);
/* Copy the local parts to and from the placed matrix, if it is another than the given one; wait. */
sct_status sct_placed_load(const sct_site *site, const sct_bound *given, const sct_bound *placed,
                           sct_stream *stream);
sct_status sct_placed_store(const sct_site *site, const sct_bound *placed, const sct_bound *given,
                            sct_stream *stream);
/* Collective. */
void sct_placed_close(const sct_site *site, const sct_bound *given, const sct_bound *placed);
/* Collective: allocates a matrix of this type, with the layout and slice of another, as far as the
 * slice goes. */
sct_status sct_bound_open(const sct_site *site, const sct_bound *like, sct_type type,
                          sct_bound *made);

#endif
