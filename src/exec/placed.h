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
/* Collective. The copy may be kept for another call: see scratch.h. */
void sct_placed_close(const sct_site *site, const sct_bound *given, const sct_bound *placed,
                      bool keep);

#endif
