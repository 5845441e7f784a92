/* machine.h - what the tool asks the system about itself. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <stdint.h>

/* How many are there to run threads. */
int machine_cores(void);

/* The most memory, in bytes, that this process has had at a time since it started, or since it last
 * asked to forget that; -1 if the system does not say. Of memory that it shares, what others share
 * now counts as theirs in equal parts. */
int64_t machine_peak_memory(void);
void machine_forget_peak_memory(void);

#endif
