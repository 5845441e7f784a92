/* lookout.c - a waiting rank looks whether those that it waits for are still there, and whether it
 * has been interrupted itself.
 *
 * Each service offers the sign of its rank as memory, so that looking is a get of one number. A
 * rank that does not answer does not run, or cannot be reached. */
#include "fabric/service/state.h"

#include "base/clock.h"

#include <stdlib.h>

static const uint64_t sign_id = UINT64_MAX; /* of the segment with the sign */

enum { PERIODS_PER_LOOK = 5 };
static const int64_t period_ns = 100000000;

static void show(sct_service *service, sct_sign *sign) {
    pthread_mutex_lock(&service->mutex);
    service->sign = sign;
    service->shown = SCT_FIRST_SIGN;
    pthread_mutex_unlock(&service->mutex);
}

sct_status sct_service_rule(sct_service *service, const sct_wait_rules *rules, sct_sign *sign) {
    service->rules = *rules;
    if (rules->seconds == 0)
        return SCT_OK;
    show(service, sign);
    service->shown_block = (sct_memory){.base = (char *)&service->shown,
                                        .pitch = sizeof service->shown,
                                        .lines = 1,
                                        .width = sizeof service->shown};
    return sct_service_offer(service, sign_id, 1, &service->shown_block, &service->shown_bands);
}

/* NULL: there is no memory for it, and so nobody to suspect. */
static sct_glance *glance_of(sct_service *service, int rank) {
    sct_glance *found = service->glances;
    while (found && found->rank != rank)
        found = found->next;
    sct_glance *made = found ? NULL : calloc(1, sizeof *made);
    if (made) {
        *made = (sct_glance){.next = service->glances, .rank = rank};
        service->glances = made;
    }
    return found ? found : made;
}

/* Looks at the sign that a rank had when it last answered, and asks for the next. */
static bool is_suspicious(sct_service *service, int rank, bool meets, unsigned *sign) {
    sct_glance *glance = glance_of(service, rank);
    if (!glance)
        return false;
    bool answered = sct_service_done(service, glance->ticket);
    bool seen = glance->ticket != 0;
    *sign = glance->sign;
    const sct_place_far place = {
        .id = sign_id, .rank = rank, .part = {0, 0, 1, sizeof glance->sign}};
    if (answered)
        (void)sct_service_get(service, &place, &glance->sign, place.part.width, &glance->ticket);
    return seen && (!answered || (meets && !sct_sign_is_inside(*sign)));
}

static void fail(sct_service *service, int rank, int why) {
    pthread_mutex_lock(&service->mutex);
    if (service->failed == SCT_OK)
        sct_service_fail(service, sct_rank_failure(rank, why));
    pthread_mutex_unlock(&service->mutex);
}

static void look(sct_service *service, sct_lookout *lookout, sct_concern *concerns,
                 const void *context) {
    int seconds = service->rules.seconds;
    for (int r = 0; r < service->wire->size && seconds > 0; r++) {
        unsigned sign = 0;
        bool suspicious =
            concerns(service, context, r) && is_suspicious(service, r, lookout->meets, &sign);
        if (sct_suspect_note(&lookout->suspect, r, suspicious, sign, seconds))
            fail(service, r, seconds);
    }
}

void sct_service_look_out(sct_service *service, sct_lookout *lookout, sct_concern *concerns,
                          const void *context) {
    int64_t now = sct_now_coarse_ns();
    if (!sct_wait_is_ruled(&service->rules) || now - lookout->looked_ns < period_ns)
        return;
    bool begins = lookout->looked_ns == 0;
    lookout->looked_ns = now;
    if (begins)
        return;
    if (sct_wait_is_interrupted(&service->rules))
        fail(service, service->wire->rank, SCT_INTERRUPTED);
    if (++lookout->periods % PERIODS_PER_LOOK == 0)
        look(service, lookout, concerns, context);
}

sct_status sct_service_settle(sct_service *service) {
    sct_status status = sct_service_status(service);
    for (const sct_glance *at = service->glances; at && status == SCT_OK; at = at->next)
        status = sct_service_wait(service, at->ticket);
    return status;
}
