/* device_rules.h - the contract of device/device.h, as checks for any device. */
#ifndef TEST_DEVICE_RULES_H
#define TEST_DEVICE_RULES_H

#include "device/device.h"

/* Only commands touch the device's memory; moves also read and write host memory. The checks
 * that look for races run `rounds` times. The device stays open. */
void device_rules(sct_device *device, uint64_t seed, int rounds);

#endif
