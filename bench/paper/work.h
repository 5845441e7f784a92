/* work.h - what work layouts gain that are those of no matrix, as Markdown. */
#ifndef PAPER_WORK_H
#define PAPER_WORK_H

#include "stand.h"

/* For each named partitioning and batch: the best stationary matrix, and the work layout that the
 * library chooses; with the factors of replication that are best for each, and without copies. */
void print_work(FILE *out, const struct stand *stand);

#endif
