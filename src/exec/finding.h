/* finding.h - what ranks tell each other when a collective call begins, and when a run of a job
 * ends: whether all is well, and which call it is. */
#ifndef SCT_EXEC_FINDING_H
#define SCT_EXEC_FINDING_H

#include "base/type.h"
#include "fabric/fabric.h"

/* A deferred run is one whose end the host does not wait for. */
typedef enum sct_finding_of {
    SCT_OF_REQUEST,
    SCT_OF_RUN,
    SCT_OF_DEFERRED_RUN,
    SCT_OF_GATHER
} sct_finding_of;

/* The most bytes of a rank that are gathered by the exchange of findings. */
enum { SCT_FINDING_CARRIES = 40 };

typedef struct sct_finding {
    uint64_t status;
    uint64_t of; /* an sct_finding_of */
    uint64_t
        number; /* the hash of the request, the number of the job, or how many bytes to gather */
    union {
        struct { /* of a run */
            sct_scalar alpha, beta;
        };
        int64_t slices; /* of a request for a product: slices of C that the rank will accumulate */
        unsigned char carried[SCT_FINDING_CARRIES]; /* of a gather */
    };
} sct_finding;

/* Collective: fails on all ranks if any passes a failure, with that of the lowest such rank, or if
 * they make calls of several kinds. `all` receives what each rank passes. */
sct_status sct_findings_exchange(sct_fabric *fabric, sct_finding mine, sct_finding *all);

/* The lowest rank whose number differs from that of rank 0; 0: none. */
int sct_findings_other(const sct_finding *all, int ranks);

/* The most slices of any rank. */
int64_t sct_findings_rounds(const sct_finding *all, int ranks);

#endif
