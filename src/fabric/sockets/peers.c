/* peers.c - finds the address and the port of each rank. A rank may have several addresses: one of
 * each rank is gathered at a time, so that memory is needed only for that and for the best so far.
 */
#include "fabric/bootstrap.h"
#include "fabric/machine.h"
#include "fabric/sockets/state.h"

#include <assert.h>
#include <stdlib.h>

sct_status sct_survey_open(sct_survey *survey, int ranks) {
    size_t count = (size_t)ranks;
    *survey = (sct_survey){malloc(count * sizeof *survey->endpoints),
                           malloc(count * sizeof *survey->addresses),
                           malloc(count * sizeof *survey->chosen)};
    return survey->endpoints && survey->addresses && survey->chosen
               ? SCT_OK
               : sct_no_memory("the addresses of all ranks");
}

void sct_survey_close(sct_survey *survey) {
    free(survey->endpoints);
    free(survey->addresses);
    free(survey->chosen);
    *survey = (sct_survey){.endpoints = NULL};
}

/* A rank that cannot listen says why itself. */
static sct_status check(const sct_endpoint *endpoints, int ranks, int *most) {
    *most = 0;
    for (int rank = 0; rank < ranks; rank++) {
        int count = endpoints[rank].addresses;
        if (endpoints[rank].port != 0 && !sct_addresses_can_be(count))
            return sct_fail(SCT_NO_ENGINE, "sockets: rank %d has no address", rank);
        *most = count > *most ? count : *most;
    }
    return SCT_OK;
}

/* Collective: all ranks know how many addresses to gather, whatever fails meanwhile. */
static sct_status choose(const sct_bootstrap *ranks, const sct_addresses *mine, int most,
                         const sct_survey *all) {
    sct_status status = SCT_OK;
    for (int i = 0; i < most; i++) {
        sct_status met = sct_bootstrap_gather(ranks, &mine->of[i < mine->count ? i : 0],
                                              sizeof mine->of[0], all->addresses);
        status = status == SCT_OK ? met : status;
        for (int rank = 0; rank < ranks->ranks && met == SCT_OK; rank++) {
            if (i == 0)
                all->chosen[rank] = all->addresses[rank];
            else if (i < all->endpoints[rank].addresses)
                sct_address_choose(mine, &all->addresses[rank], &all->chosen[rank]);
        }
    }
    return status;
}

/* Keeps each address once. */
static sct_status keep(sct_sockets *self, const sct_survey *all) {
    int ranks = self->base.size, hosts = 0;
    int *first = calloc((size_t)ranks, sizeof *first);
    self->peers = calloc((size_t)ranks, sizeof *self->peers);
    bool found =
        first && self->peers &&
        sct_find_alike(all->chosen, sizeof *all->chosen, sizeof *all->chosen, ranks, first);
    for (int rank = 0; rank < ranks && found; rank++) {
        int at = first[rank] < rank ? self->peers[first[rank]].at : ~hosts++;
        self->peers[rank] = (sct_peer){at, all->endpoints[rank].port};
    }
    assert(!found || hosts > 0);
    self->hosts = found ? calloc((size_t)hosts, sizeof *self->hosts) : NULL;
    for (int rank = 0; rank < ranks && self->hosts; rank++)
        self->hosts[~self->peers[rank].at] = all->chosen[rank];
    free(first);
    return self->hosts ? SCT_OK : sct_no_memory("the addresses of all ranks");
}

sct_status sct_peers_find(sct_sockets *self, const sct_bootstrap *ranks, sct_status status,
                          const sct_endpoint *endpoint, const sct_addresses *mine,
                          sct_survey *survey) {
    int most = 0;
    sct_status met = sct_bootstrap_gather(ranks, endpoint, sizeof *endpoint, survey->endpoints);
    status = status == SCT_OK ? met : status;
    if (status == SCT_OK)
        status = check(survey->endpoints, ranks->ranks, &most);
    status = sct_bootstrap_agree(ranks, status);
    if (status != SCT_OK)
        return status;
    self->reception.key = survey->endpoints[0].key;
    status = choose(ranks, mine, most, survey);
    if (status == SCT_OK)
        status = keep(self, survey);
    return sct_bootstrap_agree(ranks, status);
}
