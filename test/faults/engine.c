/* engine.c - an MPI module built for another version of the tool. */
#include <stddef.h>

extern const size_t sectile_engine;
const size_t sectile_engine = 1;
