/* serve.c - serves the requests of other ranks: finds the memory, sends it, or adds what arrives.
 * Whatever a request says, only memory that is offered is read and written. */
#include "fabric/service/state.h"

#include "base/type.h"

#include <stdio.h>

enum { SMALL = 8192 };

static bool meets(const sct_memory *block, const sct_rectangle *part) {
    return part->lines >= 1 && part->line >= 0 && part->line <= block->lines - part->lines &&
           part->width >= 1 && part->width <= block->width &&
           part->byte <= block->width - part->width;
}

/* The last number of a request is below 0 until it has arrived. */
static bool has_arrived(const sct_request_message *message) {
    return message->record >= 0;
}

/* True if a rank may send such a request at all. */
static bool is_sound(const sct_request_message *message) {
    return (message->kind == SCT_REQUEST_GET || message->kind == SCT_REQUEST_ADD ||
            message->kind == SCT_REQUEST_FETCH_ADD) &&
           has_arrived(message) && message->record < SCT_MAX_PIECES;
}

/* Whether a request may add to a block: its type has sums, which f16 and bf16 do not, and what it
 * adds to are whole elements. */
static bool can_add(const sct_memory *block, const sct_request_message *message) {
    sct_type type = (sct_type)message->type;
    if (!sct_type_valid(type) || sct_type_sum(type) != type)
        return false;
    size_t bytes = sct_type_bytes(type);
    uintptr_t first = (uintptr_t)block->base + message->part.byte;
    return first % sct_type_bytes(sct_type_part(type)) == 0 && block->pitch % bytes == 0 &&
           message->part.width % bytes == 0;
}

/* Searches from the end, since the last offer is the likeliest. */
static const sct_offer *find_offer(const sct_service *service, const sct_request_message *message) {
    if (!is_sound(message))
        return NULL;
    int64_t i = service->offers_count - 1;
    while (i >= 0 && service->offers[i].id != message->id)
        i--;
    const sct_offer *offer = i >= 0 ? &service->offers[i] : NULL;
    if (!offer || message->block < 0 || message->block >= offer->count ||
        !meets(&offer->blocks[message->block], &message->part) ||
        message->part.width > service->piece / (size_t)message->part.lines)
        return NULL;
    bool adds = message->kind != SCT_REQUEST_GET;
    return adds && !can_add(&offer->blocks[message->block], message) ? NULL : offer;
}

static const sct_request_message *message_of(const sct_reply *reply) {
    return (const void *)reply->buffer;
}

static sct_status reply_to_get(sct_service *service, sct_reply *reply, const sct_offer *offer) {
    const sct_request_message *message = message_of(reply);
    sct_transfer get = sct_transfer_get(&offer->blocks[message->block], &message->part,
                                        reply->buffer, message->part.width);
    if (sct_service_is_device_only(service, get.from)) {
        reply->state = SCT_REPLY_COPIES;
        reply->transfer = get;
        return sct_service_start(service, &get, &reply->copied);
    }
    const sct_memory lines = {(char *)get.from, get.from_pitch, get.lines, get.width};
    reply->state = SCT_REPLY_SENDS;
    return sct_service_send(service, reply->rank, SCT_KIND_REPLY + reply->record, &lines,
                            reply->buffer, &reply->pending);
}

/* Sends what is in the buffer. */
static sct_status send_buffer(sct_service *service, sct_reply *reply, size_t bytes) {
    reply->state = SCT_REPLY_SENDS;
    return service->wire->ops->send(service->wire, reply->rank, SCT_KIND_REPLY + reply->record,
                                    reply->buffer, bytes, &reply->pending);
}

static sct_status start_add(sct_service *service, sct_reply *reply) {
    reply->state = SCT_REPLY_ADDS;
    sct_status status = sct_service_start(service, &reply->transfer, &reply->copied);
    return status != SCT_OK || reply->copied.ops ? status : send_buffer(service, reply, 0);
}

/* The addition of what lies at `from`. */
static sct_transfer addition(const sct_reply *reply, const sct_offer *offer, const char *from) {
    const sct_request_message *message = message_of(reply);
    return sct_transfer_accumulate(&offer->blocks[message->block], &offer->bands[message->block],
                                   &message->part, (sct_type)message->type, from,
                                   message->part.width, reply->rank);
}

static sct_status reply_to_add(sct_service *service, sct_reply *reply, const sct_offer *offer) {
    const sct_request_message *message = message_of(reply);
    size_t bytes = (size_t)message->part.lines * message->part.width;
    bool inside = bytes <= SCT_REQUEST_BYTES;
    reply->transfer = addition(reply, offer, inside ? message->bytes : reply->buffer);
    if (inside)
        return start_add(service, reply);
    reply->state = SCT_REPLY_RECEIVES;
    return service->wire->ops->receive(service->wire, reply->rank, SCT_KIND_DATA + reply->record,
                                       reply->buffer, bytes, &reply->pending);
}

/* Memory that the host can touch gets the data by way of the reply's buffer. */
static sct_status reply_to_fetch_add(sct_service *service, sct_reply *reply,
                                     const sct_offer *offer) {
    const char *outbox = sct_service_outbox(service, reply->rank, reply->record);
    if (!outbox)
        return sct_fail(SCT_FAILED, "rank %d has no outbox", reply->rank);
    reply->transfer = addition(reply, offer, outbox);
    if (sct_service_is_device_only(service, reply->transfer.to))
        return start_add(service, reply);
    const sct_transfer fetch = {.from = outbox,
                                .from_pitch = reply->transfer.width,
                                .to = reply->buffer,
                                .to_pitch = reply->transfer.width,
                                .lines = reply->transfer.lines,
                                .width = reply->transfer.width};
    reply->transfer.from = reply->buffer;
    reply->state = SCT_REPLY_FETCHES;
    return sct_service_start(service, &fetch, &reply->copied);
}

static bool is_report(const sct_request_message *message) {
    return message->kind == SCT_REQUEST_END && has_arrived(message);
}

/* The reason in the message may be printed: it keeps to one line. */
static sct_status fail_as_reported(sct_service *service, const sct_request_message *message) {
    char reason[SCT_REASON_BYTES];
    snprintf(reason, sizeof reason, "%.*s", SCT_REASON_BYTES - 1, message->bytes);
    for (char *at = reason; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?';
    sct_service_write_report(service, message->record, reason);
    return sct_fail(SCT_FAILED, "rank %d: %s", message->record, reason);
}

sct_status sct_service_find_report(sct_service *service, sct_status status) {
    sct_wire *wire = service->wire;
    char reason[SCT_REASON_BYTES];
    bool taken = service->end.kind != SCT_REQUEST_END;
    snprintf(reason, sizeof reason, "%s", sct_last_reason());
    while (taken) {
        sct_request_message message = {.record = -1};
        int rank;
        if (wire->ops->take(wire, SCT_KIND_REQUEST, &message, sizeof message, &rank, &taken) !=
            SCT_OK)
            break;
        if (taken && is_report(&message))
            return fail_as_reported(service, &message);
    }
    return sct_fail(status, "%s", reason);
}

void sct_service_write_report(sct_service *service, int rank, const char *reason) {
    service->end.kind = SCT_REQUEST_END;
    service->end.record = rank;
    snprintf(service->end.bytes, SCT_REASON_BYTES, "%s", reason);
}

/* Reads the request message, which lies in the reply's buffer. */
static sct_status open_reply(sct_service *service, sct_reply *reply, int rank) {
    const sct_request_message *message = (const void *)reply->buffer;
    if (is_report(message))
        return fail_as_reported(service, message);
    const sct_offer *offer = find_offer(service, message);
    if (!offer)
        return sct_fail(SCT_FAILED, "rank %d asked rank %d for memory that it does not offer", rank,
                        service->wire->rank);
    reply->rank = rank;
    reply->record = message->record;
    reply->small = message->part.width <= SMALL / (size_t)message->part.lines;
    service->replies_open++;
    switch (message->kind) {
    case SCT_REQUEST_GET:
        return reply_to_get(service, reply, offer);
    case SCT_REQUEST_ADD:
        return reply_to_add(service, reply, offer);
    default:
        return reply_to_fetch_add(service, reply, offer);
    }
}

static sct_status test(sct_service *service, const sct_reply *reply, bool *done) {
    bool by_wire = reply->state == SCT_REPLY_RECEIVES || reply->state == SCT_REPLY_SENDS;
    return by_wire ? service->wire->ops->test(service->wire, reply->pending, done)
                   : sct_service_test(reply->copied, done);
}

static sct_status continue_reply(sct_service *service, sct_reply *reply, sct_activity *activity) {
    bool done = false;
    sct_status status = test(service, reply, &done);
    if (status != SCT_OK || !done)
        return status;
    activity->count++;
    switch (reply->state) {
    case SCT_REPLY_COPIES:
        return send_buffer(service, reply, (size_t)reply->transfer.lines * reply->transfer.width);
    case SCT_REPLY_RECEIVES:
    case SCT_REPLY_FETCHES:
        return start_add(service, reply);
    case SCT_REPLY_ADDS:
        return send_buffer(service, reply, 0);
    default:
        reply->state = SCT_REPLY_FREE;
        service->replies_open--;
        return SCT_OK;
    }
}

/* Takes a request, if one has arrived. One that is cut short does not become that before it. */
static sct_status take(sct_service *service, sct_reply *reply, bool *taken) {
    sct_request_message *message = (void *)reply->buffer;
    int rank;
    message->record = -1;
    sct_status status = service->wire->ops->take(service->wire, SCT_KIND_REQUEST, reply->buffer,
                                                 sizeof(sct_request_message), &rank, taken);
    return status == SCT_OK && *taken ? open_reply(service, reply, rank) : status;
}

sct_status sct_replies_progress(sct_service *service, sct_activity *activity) {
    bool more = true;
    for (int i = 0; i < service->max_replies; i++) {
        sct_reply *reply = &service->replies[i];
        sct_status status = SCT_OK;
        if (reply->state != SCT_REPLY_FREE)
            status = continue_reply(service, reply, activity);
        if (status == SCT_OK && reply->state == SCT_REPLY_FREE && more) {
            status = take(service, reply, &more);
            activity->count += more;
            activity->small |= more && reply->small;
        }
        if (status != SCT_OK)
            return status;
    }
    return SCT_OK;
}
