/* cleanup_signal.h - removes an unfinished file when a signal ends the program. */
#ifndef CLI_OUTPUT_CLEANUP_SIGNAL_H
#define CLI_OUTPUT_CLEANUP_SIGNAL_H

#include <stdbool.h>

/* From now on, SIGINT, SIGTERM and SIGHUP remove the file and end the program with 128 + their
 * number. SIGHUP stays ignored if it is. */
void cleanup_signal_catch(void);

/* Sets the file to remove; "": none. Call it while these signals are blocked. */
void cleanup_signal_remove(const char *path);

/* Blocks or unblocks these signals in the calling thread. */
void cleanup_signal_hold(bool hold);

#endif
