/* layout.h - descriptors as layouts. */
#ifndef SCT_SCALAPACK_LAYOUT_H
#define SCT_SCALAPACK_LAYOUT_H

#include "scalapack/descriptor.h"

#include <sectile/sectile_scalapack.h>

/* The layout of a checked descriptor. Not collective. */
sct_status sct_layout_of_descriptor(const sct_descriptor *d, const sct_scalapack_grid *grid,
                                    sct_layout **layout);

#endif
