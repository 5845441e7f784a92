/* lent.c - memory of an emulated device for tests in Python, whose tensors lie in it: a device uses
 * its address, and the host finds it elsewhere. */
#include "cuda/state.h"
#include "support/check.h"

void *stand_in_lend(size_t bytes);
void stand_in_take_back(void *address);
void *stand_in_reach(const void *address);
long stand_in_failures(void);

void *stand_in_lend(size_t bytes) {
    return emulated_new(bytes, 0);
}

void stand_in_take_back(void *address) {
    CHECK(emulated_delete(address));
}

void *stand_in_reach(const void *address) {
    return emulated_reach(address);
}

/* Of checks in this process. */
long stand_in_failures(void) {
    return check_failures();
}
