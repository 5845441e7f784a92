/* cleanup_signal.h - leaves no half-written file behind when the program is interrupted. */
#ifndef CLI_FILES_CLEANUP_SIGNAL_H
#define CLI_FILES_CLEANUP_SIGNAL_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP end the program with 128 + their number. */
void interrupt_catch(void);

/* The file to remove on such an end; "": none. Signals that come meanwhile must be held. */
void interrupt_remove(const char *path);

/* Holds these signals back from the calling thread, or lets them through again. */
void interrupt_hold(bool hold);

#endif
