/* machine.h - finds which processes are on one machine. */
#ifndef SCT_FABRIC_MACHINE_H
#define SCT_FABRIC_MACHINE_H

#include <stdint.h>

/* A number shared by processes that may be able to map each other's memory: those of one boot of
 * one system in one network namespace, so that emulated hosts stay apart. */
uint64_t sct_find_machine(void);

#endif
