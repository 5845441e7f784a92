/* device.c - devices of OpenCL keep the contract; lists of devices are read, or refused. */
#include "opencl/opened.h"
#include "rules/device_rules.h"
#include "support/check.h"

#include <string.h>

static void test_rules(uint64_t seed) {
    sct_cl_context *context = opened_parts();
    sct_device *device;
    CHECK(context->group.count == 2);
    if (CHECK(sct_device_opencl(context, 1, &device) == SCT_OK)) {
        device_rules(device, seed, 2);
        device->ops->close(device);
    }
}

static void test_lists(void) {
    static const struct {
        const char *list;
        sct_status status;
        const char *reason;
    } bad[] = {{"", SCT_BAD_ARGUMENT, "'' is not a list"},
               {"x", SCT_BAD_ARGUMENT, "'x' is not a list"},
               {"0,", SCT_BAD_ARGUMENT, "'0,' is not a list"},
               {"0;1", SCT_BAD_ARGUMENT, "'0;1' is not a list"},
               {"0/", SCT_BAD_ARGUMENT, "'0/' is not a list"},
               {"0/0", SCT_BAD_ARGUMENT, "cannot be divided into 0 parts"},
               {"0/999", SCT_BAD_ARGUMENT, "cannot be divided into 999 parts"},
               {"0,999", SCT_NO_ENGINE, "OpenCL has no device 999"}};
    sct_cl_context *context;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sct_status status = sct_cl_context_get(bad[i].list, &context);
        CHECK_CASE(status == bad[i].status && strstr(sct_last_reason(), bad[i].reason), "%s: %s",
                   bad[i].list, sct_last_reason());
    }
    static const struct {
        const char *list;
        int count;
    } good[] = {{NULL, 1}, {"0", 1}, {"0,0", 2}, {"0/2,0", 3}};
    enum { GOOD = sizeof good / sizeof *good };
    const sct_cl_context *got[GOOD];
    for (int i = 0; i < 2 * GOOD; i++)
        if (CHECK_CASE(sct_cl_context_get(good[i % GOOD].list, &context) == SCT_OK, "%s",
                       sct_last_reason())) {
            CHECK(context->group.count >= good[i % GOOD].count);
            CHECK(i < GOOD || context == got[i % GOOD]);
            for (int other = 0; other < i && i < GOOD; other++)
                CHECK(context != got[other]);
            got[i % GOOD] = context;
        }
}

/* Addresses are found in the buffers that they belong to, and in no other. */
static void test_places(uint64_t seed) {
    enum { BUFFERS = 40 };
    sct_cl_context *context = opened_parts();
    char *memory[BUFFERS];
    int64_t bytes[BUFFERS], freed = check_between(&seed, 0, BUFFERS - 1);
    for (int i = 0; i < BUFFERS; i++) {
        bytes[i] = check_between(&seed, 1, 20000);
        memory[i] = sct_cl_alloc(context, (size_t)bytes[i]);
        CHECK(memory[i] != NULL);
    }
    CHECK(sct_cl_find(context, &seed).buffer == NULL);
    CHECK(sct_cl_find(context, NULL).buffer == NULL);
    sct_cl_release(context, memory[freed]);
    for (int i = 0; i < BUFFERS; i++) {
        int64_t at = check_between(&seed, 0, bytes[i] - 1);
        sct_cl_place first = sct_cl_find(context, memory[i]);
        sct_cl_place place = sct_cl_find(context, memory[i] + at);
        CHECK((place.buffer != NULL) == (i != freed));
        CHECK(i == freed || (place.buffer == first.buffer && place.offset == (size_t)at));
    }
    for (int i = 0; i < BUFFERS; i++)
        if (i != freed)
            sct_cl_release(context, memory[i]);
    CHECK(context->ranges == 0);
}

int main(void) {
    uint64_t seed = check_seed(1);
    test_rules(seed);
    test_lists();
    test_places(seed);
    return check_report("device");
}
