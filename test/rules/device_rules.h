/* device_rules.h - the contract of device/device.h as checks that any device runs. */
#ifndef TEST_DEVICE_RULES_H
#define TEST_DEVICE_RULES_H

#include "device/device.h"

/* Memory of the device is touched by commands alone; they may also read and write memory of the
 * host. `rounds` is how often races are looked for. The device stays open. */
void device_rules(sct_device *device, uint64_t seed, int rounds);

#endif
