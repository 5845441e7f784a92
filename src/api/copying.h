/* copying.h - a copy that has been started, or is kept to be made again. */
#ifndef SCT_API_COPYING_H
#define SCT_API_COPYING_H

#include <sectile/sectile_copy.h>

void sct_copying_destroy(sct_copying *copying);

#endif
