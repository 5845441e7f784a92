/* host.h - the host device: this machine's processors and a BLAS. */
#ifndef SCT_DEVICE_HOST_H
#define SCT_DEVICE_HOST_H

#include "device/device.h"

/* At once: a command has run when submit returns. */
sct_status sct_device_host(sct_device **device);

/* Runs one command on the calling thread. */
sct_status sct_host_execute(const sct_command *command);

#endif
