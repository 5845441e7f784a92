/* finding.c - whether a collective call is well on all ranks, by one exchange unless it is not. */
#include "exec/finding.h"

#include "base/checked.h"

sct_status sct_findings_exchange(sct_fabric *fabric, sct_finding mine, sct_finding *all) {
    sct_status status = fabric->ops->exchange(fabric, &mine, sizeof mine, all);
    if (status)
        return status;
    int other = 0;
    for (int r = fabric->size - 1; r >= 0; r--) {
        if (all[r].status)
            return sct_fabric_agree(fabric, (sct_status)mine.status);
        if (all[r].of != all[0].of)
            other = r;
    }
    return other ? sct_fail(SCT_DISAGREE, "rank %d made a different collective call from rank 0",
                            other)
                 : SCT_OK;
}

int sct_findings_other(const sct_finding *all, int ranks) {
    for (int r = 1; r < ranks; r++)
        if (all[r].number != all[0].number)
            return r;
    return 0;
}

int64_t sct_findings_rounds(const sct_finding *all, int ranks) {
    int64_t rounds = 0;
    for (int r = 0; r < ranks; r++)
        rounds = sct_max(rounds, all[r].slices);
    return rounds;
}
