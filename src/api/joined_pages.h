/* joined_pages.h - huge pages for what other processes read of a product that comes again. */
#ifndef SCT_API_JOINED_PAGES_H
#define SCT_API_JOINED_PAGES_H

#include "exec/job.h"

/* A product that has come so often will come again. To move memory to huge pages takes as long as
 * the system takes in two or three products to pin it in small ones. */
enum { SCT_USES_BEFORE_JOINING = 3 };

/* Moves this rank's parts of the matrices of a product to huge pages, as far as other processes of
 * the node read them by system calls. */
void sct_join_read_pages(const sct_plan *plan, const sct_view view[SCT_MATS]);

#endif
