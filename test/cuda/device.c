/* device.c - devices of CUDA keep the contract, on stand-ins; lists of devices are read, or
 * refused. */
#include "cuda/stand_in.h"
#include "device/cuda/cuda.h"
#include "rules/device_rules.h"
#include "support/check.h"

#include <string.h>

static void test_rules(stand_in_machine machine, int rounds) {
    sct_cuda_context *context;
    sct_device *device;
    stand_in_start(machine);
    if (!CHECK(sct_cuda_context_create(NULL, 1, &context) == SCT_OK))
        return;
    CHECK(context->count == machine.devices && context->gpus == machine.devices);
    if (CHECK(sct_device_cuda(context, machine.devices - 1, &device) == SCT_OK)) {
        device_rules(device, machine.seed, rounds);
        device->ops->close(device);
    }
    stand_in_end();
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
               {"-1", SCT_BAD_ARGUMENT, "'-1' is not a list"},
               {"0/2", SCT_BAD_ARGUMENT, "'0/2' is not a list"},
               {"0,3", SCT_NO_ENGINE, "CUDA has no device 3: there are 3"},
               {"99999999999999999999", SCT_NO_ENGINE, "CUDA has no device"}};
    sct_cuda_context *context;
    stand_in_start((stand_in_machine){.devices = 3});
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sct_status status = sct_cuda_context_create(bad[i].list, 1, &context);
        CHECK_CASE(status == bad[i].status && strstr(sct_last_reason(), bad[i].reason), "%s: %s",
                   bad[i].list, sct_last_reason());
    }
    if (CHECK(sct_cuda_context_create("2,0,2", 1, &context) == SCT_OK)) {
        CHECK(context->count == 3 && context->gpus == 2);
        CHECK(context->listed[0]->id == 2 && context->listed[1]->id == 0);
        CHECK(context->listed[2] == context->listed[0]);
        sct_cuda_context_leave(context, 1);
    }
    stand_in_start((stand_in_machine){.devices = 0});
    CHECK(sct_cuda_context_create(NULL, 1, &context) == SCT_NO_ENGINE);
    CHECK(strstr(sct_last_reason(), "CUDA has no device here") != NULL);
    stand_in_end();
}

int main(void) {
    uint64_t seed = check_seed(1);
    test_rules((stand_in_machine){.devices = 1, .seed = seed}, 5);
    test_rules((stand_in_machine){.devices = 2, .seed = seed, .delay_us = 50, .major = 9}, 2);
    test_lists();
    return check_report("device");
}
