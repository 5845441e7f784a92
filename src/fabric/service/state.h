/* state.h - the state of a service, guarded by its mutex.
 *
 * A request is a get or accumulate of the rank. It is split into pieces; a piece in flight occupies
 * a record with a buffer. Serving another rank's piece occupies a reply, with a buffer. Both are
 * limited in number: a piece without a record waits in its request, a request without a reply waits
 * in the wire. No reply waits for another reply or for a piece, only for the wire; so replies
 * complete, and hence pieces do. Copies through bounce buffers wait for no rank. */
#ifndef SCT_FABRIC_SERVICE_STATE_H
#define SCT_FABRIC_SERVICE_STATE_H

#include "fabric/backoff.h"
#include "fabric/service/service.h"

#include <pthread.h>
#include <stdatomic.h>

/* Limits of bytes. SCT_PIECES_BYTES: of a rank's pieces in flight, enough to fill a network, and
 * not so many that urgent data comes late. SCT_PIECES_BYTES_OF_ONE: of those for one owner, less,
 * so that it does not delay the others. SCT_REPLIES_BYTES: of replies. */
enum {
    SCT_PIECES_BYTES = SCT_OUTBOX_BYTES,
    SCT_PIECES_BYTES_OF_ONE = 1 << 20,
    SCT_REPLIES_BYTES = 4 << 20
};

enum {
    SCT_MAX_PIECES = 32,
    SCT_MAX_REPLIES = 32,
    SCT_REQUEST_BYTES = 1024 /* that an accumulate may carry within its request */
};

/* Kinds of messages. To the last two, the number of the piece's record is added, so that each reply
 * and the data of each request have a kind of their own. */
enum {
    SCT_KIND_REQUEST = 0,
    SCT_KIND_GATHER = 1,
    SCT_KIND_REPLY = 2,
    SCT_KIND_DATA = SCT_KIND_REPLY + SCT_MAX_PIECES
};

typedef enum sct_request_kind {
    SCT_REQUEST_GET,      /* the reply is the data */
    SCT_REQUEST_ADD,      /* the reply, once added, is empty */
    SCT_REQUEST_END,      /* rank `record` has failed, for the reason in the message; no reply */
    SCT_REQUEST_FETCH_ADD /* an addition of what lies in the sender's outbox */
} sct_request_kind;

/* A request message; all ranks have the same byte order and types. */
typedef struct sct_request_message {
    uint64_t id;
    sct_rectangle part;
    int32_t block, kind, type, record;
    _Alignas(SCT_SPLIT_GRAIN) char bytes[SCT_REQUEST_BYTES];
} sct_request_message;

enum { SCT_REQUEST_HEAD = offsetof(sct_request_message, bytes) };

typedef struct sct_service_request {
    uint32_t turn; /* how many requests this entry has held; the lower half of a ticket */
    bool open;
    sct_request_kind kind;
    sct_type type;
    sct_place_far place;
    char *local;
    size_t pitch;
    sct_split cut;
    int64_t sent, completed; /* pieces */
    int next;                /* next in the queue or the free list; -1: none */
} sct_service_request;

/* The messages of one piece that the wire sends or receives; and what bounce buffers do for it. */
enum {
    SCT_WIRE_REQUEST = 1,
    SCT_WIRE_DATA = 2,
    SCT_WIRE_REPLY = 4,
    SCT_WIRE_MESSAGES = 3,
    SCT_BOUNCE_PACKS = 8,
    SCT_BOUNCE_UNPACKS = 16
};

typedef struct sct_piece_record {
    unsigned pending; /* what is not done yet; 0: the record is free */
    sct_message messages[SCT_WIRE_MESSAGES];
    int request;
    sct_request_message *message;
    char *buffer;
    sct_transfer unpack; /* where to unpack the reply; no lines: nowhere */
    sct_event copied;
    sct_memory packed; /* the data of an addition, once it is packed; in the outbox, if
                         there is one, otherwise in the buffer */
} sct_piece_record;

typedef enum sct_reply_state {
    SCT_REPLY_FREE,
    SCT_REPLY_COPIES, /* data to send, by bounce buffers */
    SCT_REPLY_RECEIVES,
    SCT_REPLY_FETCHES, /* data to add, by bounce buffers */
    SCT_REPLY_ADDS,    /* likewise */
    SCT_REPLY_SENDS
} sct_reply_state;

typedef struct sct_reply {
    sct_reply_state state;
    sct_message pending; /* what the wire sends or receives for it */
    sct_event copied;    /* what bounce buffers do for it */
    int rank, record;    /* where the request came from */
    bool small;
    char *buffer;
    sct_transfer transfer; /* the copy of data to send, or the addition of received data */
} sct_reply;

typedef struct sct_offer {
    uint64_t id;
    int count;
    const sct_memory *blocks;
    sct_bands *bands;
} sct_offer;

/* What this rank has seen of another one, at which it has looked. */
typedef struct sct_glance {
    struct sct_glance *next;
    int rank;
    unsigned sign;
    uint64_t ticket; /* of the get of its sign; 0: it was never asked */
} sct_glance;

_Static_assert((SCT_MAX_PIECES + 1) * sizeof(sct_request_message) + SCT_PIECES_BYTES +
                       SCT_REPLIES_BYTES <
                   SCT_SERVICE_MOST_BYTES,
               "what service.h says");

struct sct_service {
    sct_wire *wire;
    size_t piece; /* maximum bytes of a piece */
    int max_pieces, max_pieces_of_one, max_replies;
    char *memory;       /* for messages and buffers */
    sct_bounce *bounce; /* NULL: the host can touch all memory */
    pthread_mutex_t mutex;

    pthread_t thread;
    bool has_thread;
    atomic_bool rank_polls; /* the rank's own thread is polling */
    atomic_bool closing;

    sct_status failed;
    char reason[SCT_REASON_BYTES];
    sct_request_message end; /* once it is written: the report of a failure */

    sct_service_request *requests;
    int64_t requests_room;
    int requests_used, free_request;
    int first, last; /* queue of requests with unsent pieces; -1: none */
    sct_piece_record records[SCT_MAX_PIECES];
    int pieces_open; /* pieces in flight: records that are not free */
    bool may_send;   /* a piece may have become ready to send */

    sct_reply replies[SCT_MAX_REPLIES];
    int replies_open;
    sct_offer *offers;
    int64_t offers_count, offers_room;

    sct_wait_rules rules;
    sct_sign *sign; /* of this rank; NULL: waiting is not limited */
    unsigned shown; /* the sign as of the last poll, which is offered */
    sct_memory shown_block;
    sct_bands shown_bands;
    sct_glance *glances; /* a list, used by the rank's thread */
};

/* All with the mutex held. After a failure, which leaves a reason, the caller ends all transfers.
 */

sct_status sct_requests_progress(sct_service *service, sct_activity *activity);
/* Pieces in flight whose memory a rank owns. */
int sct_requests_pieces_to(const sct_service *service, int rank);
sct_status sct_replies_progress(sct_service *service, sct_activity *activity);
/* A rank that is lost may have reported why it failed: if so, fails with its reason; otherwise with
 * the status and the reason that there are. */
sct_status sct_service_find_report(sct_service *service, sct_status status);
/* Writes the report that goes to all other ranks: `rank` has failed, for this reason. */
void sct_service_write_report(sct_service *service, int rank, const char *reason);

sct_status sct_request_open(sct_service *service, sct_request_kind kind, sct_type type,
                            const sct_place_far *place, char *local, size_t pitch,
                            uint64_t *ticket);
/* Packs lines densely. */
void sct_lines_pack(const sct_memory *lines, char *to);
/* Sends lines as one message. They, or a buffer of that size, belong to the wire until it is done.
 */
sct_status sct_service_send(sct_service *service, int rank, int kind, const sct_memory *lines,
                            char *buffer, sct_message *request);

/* Moves what is in flight; polls as long as something arrives. */
sct_activity sct_service_poll(sct_service *service);
/* Ends all transfers after a failure, and sends the reason to the other ranks, if the wire still
 * works. */
void sct_service_fail(sct_service *service, sct_status status);
/* The failure as the caller's own. */
sct_status sct_service_failure(const sct_service *service);

/* Whether the host cannot touch this memory. */
bool sct_service_is_device_only(const sct_service *service, const void *memory);
/* The place of a piece in the outbox of a rank; NULL: there is no such place. */
char *sct_service_outbox(const sct_service *service, int rank, int record);
/* Runs a transfer, or has bounce buffers start it. */
sct_status sct_service_start(sct_service *service, const sct_transfer *transfer,
                             sct_event *reached);
sct_status sct_service_test(sct_event event, bool *done);

/* The ticket of the request that an entry holds, or held last. */
uint64_t sct_request_ticket(const sct_service *service, int index);
bool sct_request_is_open(const sct_service *service, uint64_t ticket);

#endif
