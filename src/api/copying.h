/* copying.h - the state of sct_copy: of one that runs, or that is kept for the next call with the
 * same arguments. */
#ifndef SCT_API_COPYING_H
#define SCT_API_COPYING_H

#include <sectile/sectile_copy.h>

/* Returns its streams to the device, until it is made again. */
void sct_copying_rest(sct_copying *copying);
void sct_copying_destroy(sct_copying *copying);

#endif
