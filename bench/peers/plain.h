/* plain.h - as many bytes as a product moves, by plain TCP: a thread of each rank sends them to the
 * others and receives theirs, and does nothing else. Beside computation this is what the network
 * leaves to any library that moves them by TCP. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>

/* Collective: connects all ranks with each other. */
void plain_open(int rank, int ranks);
/* Begins to send so many bytes, in equal parts to all others. */
void plain_start(size_t bytes);
/* Until all of them are gone, and as many have come. */
void plain_wait(void);
void plain_close(void);

#endif
