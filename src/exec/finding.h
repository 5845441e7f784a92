/* finding.h - what ranks tell each other when a collective call begins, and when a run of a job
 * ends: whether all is well, and which call it is. */
#ifndef SCT_EXEC_FINDING_H
#define SCT_EXEC_FINDING_H

#include "base/type.h"
#include "fabric/fabric.h"

typedef enum sct_finding_of { SCT_OF_REQUEST, SCT_OF_RUN } sct_finding_of;

typedef struct sct_finding {
    uint64_t status;
    uint64_t of;     /* an sct_finding_of */
    uint64_t number; /* the hash of the request, or the number of the job */
    /* Of a run: */
    sct_scalar alpha, beta;
    int64_t slices; /* slices of C that the rank will accumulate */
} sct_finding;

/* Collective: fails on all ranks if any passes a failure, with that of the lowest such rank, or if
 * some pass a request and others a run. `all` receives what each rank passes. */
sct_status sct_findings_exchange(sct_fabric *fabric, sct_finding mine, sct_finding *all);

#endif
