/* device_only.h - memory that the host cannot touch by mistake: its addresses have a bit set that
 * no valid address has. Calculating with them works; using one ends the program. */
#ifndef TEST_ENGINE_DEVICE_ONLY_H
#define TEST_ENGINE_DEVICE_ONLY_H

#include "device/device.h"

/* The address that the host cannot use, and back. An address of the host stays as it is. */
void *device_only_hide(void *memory);
void *device_only_reach(const void *memory);
bool device_only_hidden(const void *memory);

/* Whether a command uses memory of the host only where it may: in a move. */
bool device_only_allows(const sct_command *command);
/* The same command with addresses that the host can use. */
sct_command device_only_reached(const sct_command *command);

#endif
