/* engine.c - a module of an MPI that is of another make than the tool. */
#include <stddef.h>

extern const size_t sectile_engine;
const size_t sectile_engine = 1;
