/* device_only.c - hides addresses, and finds them again in commands. */
#include "engine/device_only.h"

static const uintptr_t hidden_bit = (uintptr_t)1 << 62;

void *device_only_hide(void *memory) {
    return (void *)((uintptr_t)memory | hidden_bit);
}

void *device_only_reach(const void *memory) {
    return (void *)((uintptr_t)memory & ~hidden_bit);
}

bool device_only_hidden(const void *memory) {
    return ((uintptr_t)memory & hidden_bit) != 0;
}

bool device_only_allows(const sct_command *command) {
    const sct_strided_work *w = &command->strided;
    const sct_gemm_work *g = &command->gemm;
    if (command->work == SCT_DO_GEMM)
        return device_only_hidden(g->a) && device_only_hidden(g->b) && device_only_hidden(g->c);
    if (command->work == SCT_DO_MOVE || w->lines == 0 || w->count == 0)
        return true;
    return device_only_hidden(w->to) &&
           (command->work == SCT_DO_SCALE || device_only_hidden(w->from));
}

sct_command device_only_reached(const sct_command *command) {
    sct_command reached = *command;
    if (command->work == SCT_DO_GEMM) {
        reached.gemm.a = device_only_reach(command->gemm.a);
        reached.gemm.b = device_only_reach(command->gemm.b);
        reached.gemm.c = device_only_reach(command->gemm.c);
    } else {
        reached.strided.from = device_only_reach(command->strided.from);
        reached.strided.to = device_only_reach(command->strided.to);
    }
    return reached;
}
