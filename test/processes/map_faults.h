/* map_faults.h - mappings of memory that fail, where the linker wraps them: like allocations, see
 * whole/support/alloc_faults.h, and one by itself. */
#ifndef TEST_MAP_FAULTS_H
#define TEST_MAP_FAULTS_H

/* This thread's mapping that fails, counted from 1; 0: none. */
extern _Thread_local int map_countdown;

#endif
