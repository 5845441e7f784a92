/* serve.c - what a rank does for those that ask: finds the memory that they name, sends
 * it, or adds to it what they send. */
#include "fabric/service/state.h"

enum { SMALL = 8192 };

static bool meets(const sct_memory *block, const sct_letter *letter) {
    return letter->lines >= 1 && letter->line >= 0 &&
           letter->line <= block->lines - letter->lines && letter->width >= 1 &&
           letter->width <= block->width && letter->byte <= block->width - letter->width;
}

/* The last offer is the likeliest. */
static const sct_offer *find_offer(const sct_service *service, const sct_letter *letter) {
    int i = service->offers_count - 1;
    while (i >= 0 && service->offers[i].id != letter->id)
        i--;
    const sct_offer *offer = i >= 0 ? &service->offers[i] : NULL;
    if (!offer || letter->block < 0 || letter->block >= offer->count ||
        !meets(&offer->blocks[letter->block], letter) ||
        letter->width > service->piece / (size_t)letter->lines)
        return NULL;
    return offer;
}

static sct_status answer_get(sct_service *service, sct_answer *answer, const sct_offer *offer,
                             const sct_letter *letter) {
    const sct_memory *block = &offer->blocks[letter->block];
    const sct_lines lines = {block->base + (size_t)letter->line * block->pitch + letter->byte,
                             block->pitch, letter->width, letter->lines};
    answer->state = SCT_ANSWER_SENDS;
    return sct_service_send(service, answer->rank, SCT_KIND_REPLY + answer->ask, &lines,
                            answer->buffer, &answer->request);
}

static sct_status finish_add(sct_service *service, sct_answer *answer) {
    sct_transfer_run(&answer->add);
    answer->state = SCT_ANSWER_SENDS;
    return service->wire->ops->send(service->wire, answer->rank, SCT_KIND_REPLY + answer->ask,
                                    answer->buffer, 0, &answer->request);
}

static sct_status answer_add(sct_service *service, sct_answer *answer, const sct_offer *offer,
                             const sct_letter *letter) {
    const sct_memory *block = &offer->blocks[letter->block];
    size_t bytes = (size_t)letter->lines * letter->width;
    bool brought = bytes <= SCT_LETTER_BYTES;
    answer->add =
        (sct_transfer){.from = brought ? letter->bytes : answer->buffer,
                       .from_pitch = letter->width,
                       .to = block->base + (size_t)letter->line * block->pitch + letter->byte,
                       .to_pitch = block->pitch,
                       .lines = letter->lines,
                       .width = letter->width,
                       .bands = &offer->bands[letter->block],
                       .type = (sct_type)letter->type,
                       .line = letter->line,
                       .block_lines = block->lines,
                       .turn = answer->rank};
    if (brought)
        return finish_add(service, answer);
    answer->state = SCT_ANSWER_RECEIVES;
    return service->wire->ops->receive(service->wire, answer->rank, SCT_KIND_DATA + answer->ask,
                                       answer->buffer, bytes, &answer->request);
}

/* The letter lies in the answer's buffer. */
static sct_status open_answer(sct_service *service, sct_answer *answer, int rank) {
    const sct_letter *letter = (const void *)answer->buffer;
    if (letter->wish == SCT_WISH_END) {
        service->told = true;
        return sct_fail(SCT_FAILED, "rank %d: %.*s", rank, SCT_REASON_BYTES - 1, letter->bytes);
    }
    const sct_offer *offer = find_offer(service, letter);
    if (!offer)
        return sct_fail(SCT_FAILED, "rank %d asked rank %d for memory that it does not offer", rank,
                        service->wire->rank);
    answer->rank = rank;
    answer->ask = letter->ask;
    answer->small = letter->width <= SMALL / (size_t)letter->lines;
    service->answers_open++;
    return letter->wish == SCT_WISH_GET ? answer_get(service, answer, offer, letter)
                                        : answer_add(service, answer, offer, letter);
}

static sct_status step_answer(sct_service *service, sct_answer *answer, sct_activity *activity) {
    bool done = false;
    sct_status status = service->wire->ops->test(service->wire, answer->request, &done);
    if (status != SCT_OK || !done)
        return status;
    activity->count++;
    if (answer->state == SCT_ANSWER_RECEIVES)
        return finish_add(service, answer);
    answer->state = SCT_ANSWER_FREE;
    service->answers_open--;
    return SCT_OK;
}

/* Takes a request if there is one. */
static sct_status take(sct_service *service, sct_answer *answer, bool *taken) {
    int rank;
    sct_status status = service->wire->ops->take(service->wire, SCT_KIND_ASK, answer->buffer,
                                                 sizeof(sct_letter), &rank, taken);
    return status == SCT_OK && *taken ? open_answer(service, answer, rank) : status;
}

sct_status sct_answers_progress(sct_service *service, sct_activity *activity) {
    bool more = true;
    for (int i = 0; i < service->most_answers; i++) {
        sct_answer *answer = &service->answers[i];
        sct_status status = SCT_OK;
        if (answer->state != SCT_ANSWER_FREE)
            status = step_answer(service, answer, activity);
        if (status == SCT_OK && answer->state == SCT_ANSWER_FREE && more) {
            status = take(service, answer, &more);
            activity->count += more;
            activity->small |= more && answer->small;
        }
        if (status != SCT_OK)
            return status;
    }
    return SCT_OK;
}
