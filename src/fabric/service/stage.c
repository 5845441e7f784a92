/* stage.c - runs transfers of a service at once, or by its stage. */
#include "fabric/service/state.h"

bool sct_service_is_apart(const sct_service *service, const void *memory) {
    return service->stage && service->stage->ops->is_apart(service->stage, memory);
}

char *sct_service_outbox(const sct_service *service, int rank, int record) {
    sct_stage *stage = service->stage;
    char *outbox = stage && record < service->max_pieces ? stage->ops->outbox(stage, rank) : NULL;
    return outbox ? outbox + (size_t)record * service->piece : NULL;
}

sct_status sct_service_start(sct_service *service, const sct_transfer *transfer,
                             sct_staged *staged) {
    *staged = 0;
    if (service->stage)
        return service->stage->ops->start(service->stage, transfer, staged);
    sct_transfer_run(transfer);
    return SCT_OK;
}

sct_status sct_service_test(sct_service *service, sct_staged staged, bool *done) {
    *done = staged == 0;
    return *done ? SCT_OK : service->stage->ops->test(service->stage, staged, done);
}
