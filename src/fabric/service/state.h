/* state.h - the state of a service, guarded by its mutex.
 *
 * A request is a get or accumulate of the rank. It is split into pieces; a piece in flight occupies
 * a record with a buffer. Serving another rank's piece occupies a reply, with a buffer. Both are
 * limited in number: a piece without a record waits in its request, a request without a reply waits
 * in the wire. No reply waits for another reply or for a piece, only for the wire; so replies
 * complete, and hence pieces do. */
#ifndef SCT_FABRIC_SERVICE_STATE_H
#define SCT_FABRIC_SERVICE_STATE_H

#include "fabric/service/poll_interval.h"
#include "fabric/service/service.h"
#include "fabric/service/split.h"

#include <pthread.h>
#include <stdatomic.h>

/* Bytes in flight: in total; of one rank, less, so that it does not delay others, enough to fill a
 * network and not so many that urgent data comes late. And bytes of replies. */
enum { SCT_ASKED_BYTES = 3 << 19, SCT_ASKED_OF_ONE = 1 << 20, SCT_REPLIED_BYTES = 4 << 20 };

enum {
    SCT_MAX_PIECES = 32,
    SCT_MAX_REPLIES = 32,
    SCT_REQUEST_BYTES = 1024, /* that an accumulate may carry within its request */
    SCT_PIECE_MOST_BYTES = 1 << 18
};

/* Kinds of messages. A reply, and data that follow a request, carry the number of the piece in
 * their kind. */
enum { SCT_KIND_ASK = 0, SCT_KIND_REPLY = 1, SCT_KIND_DATA = SCT_KIND_REPLY + SCT_MAX_PIECES };

typedef enum sct_request_kind {
    SCT_REQUEST_GET, /* the reply is the data */
    SCT_REQUEST_ADD, /* the reply, once added, is empty */
    SCT_REQUEST_END  /* the sender has failed, for the reason in the message; no reply */
} sct_request_kind;

/* A request message; all ranks have the same byte order and types. */
typedef struct sct_request_message {
    uint64_t id;
    int64_t line, lines;
    uint64_t byte, width;
    int32_t block, kind, type, in_flight;
    _Alignas(SCT_SPLIT_GRAIN) char bytes[SCT_REQUEST_BYTES];
} sct_request_message;

enum { SCT_REQUEST_HEAD = offsetof(sct_request_message, bytes) };

typedef struct sct_service_request {
    uint32_t turn; /* use count of this record */
    bool open;
    sct_request_kind kind;
    sct_type type;
    sct_place_far place;
    char *local;
    size_t pitch;
    sct_split cut;
    int64_t asked, closed; /* pieces sent, and completed */
    int next;              /* next in the queue or the free list; -1: none */
} sct_service_request;

/* The wire requests of one piece. */
enum { SCT_ASKED = 1, SCT_SENT = 2, SCT_REPLIED = 4, SCT_ASK_REQUESTS = 3 };

typedef struct sct_request_piece {
    unsigned pending; /* pending wire requests; 0: the record is free */
    sct_message requests[SCT_ASK_REQUESTS];
    int request;
    sct_request_message *message;
    char *buffer;
    sct_transfer unpack; /* where to unpack the reply; no lines: nowhere */
} sct_request_piece;

typedef enum sct_answering { SCT_ANSWER_FREE, SCT_ANSWER_SENDS, SCT_ANSWER_RECEIVES } sct_answering;

typedef struct sct_reply {
    sct_answering state;
    sct_message request;
    int rank, in_flight;
    bool small;
    char *buffer;
    sct_transfer add; /* the addition of received data */
} sct_reply;

typedef struct sct_offer {
    uint64_t id;
    int count;
    const sct_memory *blocks;
    sct_bands *bands;
} sct_offer;

_Static_assert((SCT_MAX_PIECES + 1) * sizeof(sct_request_message) + SCT_ASKED_BYTES +
                       SCT_REPLIED_BYTES <
                   SCT_SERVICE_MOST_BYTES,
               "what service.h promises");

struct sct_service {
    sct_wire *wire;
    size_t piece; /* maximum bytes of a piece */
    int max_pieces, max_pieces_of_one, max_replies;
    char *memory; /* for messages and buffers */
    pthread_mutex_t mutex;

    pthread_t thread;
    bool has_thread;
    atomic_bool rank_polls; /* the rank's own thread is polling */
    atomic_bool closing;

    sct_status failed;
    char reason[SCT_REASON_BYTES];
    sct_request_message end; /* message that reports a failure to others, unless one of them
                              * reported it */
    bool told;

    sct_service_request *requests;
    int demands_room, demands_used, free_demand;
    int first, last; /* queue of requests with unsent pieces; -1: none */
    sct_request_piece pieces_in_flight[SCT_MAX_PIECES];
    int asks_open;
    int *asked_of;    /* pieces in flight to each rank */
    bool may_request; /* set when something changed since pieces were last looked for */

    sct_reply replies[SCT_MAX_REPLIES];
    int answers_open;
    sct_offer *offers;
    int offers_count, offers_room;
};

/* All with the mutex held. A failure leaves a reason, and the service must then be ended. */

sct_status sct_asks_progress(sct_service *service, sct_activity *activity);
sct_status sct_answers_progress(sct_service *service, sct_activity *activity);

sct_status sct_demand_open(sct_service *service, sct_request_kind kind, sct_type type,
                           const sct_place_far *place, char *local, size_t pitch,
                           sct_ticket *ticket);
/* Packs lines densely. */
void sct_lines_pack(const sct_lines *lines, char *to);
/* Sends lines as one message. They, or a buffer of that size, belong to the wire until it is done.
 */
sct_status sct_service_send(sct_service *service, int rank, int kind, const sct_lines *lines,
                            char *buffer, sct_message *request);

bool sct_demand_is_open(const sct_service *service, sct_ticket ticket);

#endif
