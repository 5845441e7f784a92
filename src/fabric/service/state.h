/* state.h - what the parts of a service share; its mutex guards all of it.
 *
 * A demand is what the rank asked for: a get or an accumulate. It is cut into pieces, each of which
 * is an ask while it is under way. What a rank does for the ask of another is an answer. There is a
 * fixed number of asks and of answers, and each has a buffer: what finds none waits, a piece in its
 * demand, a request in the wire. No answer waits for another answer or for an ask, only for a
 * wire that moves; so answers end, hence asks end. */
#ifndef SCT_FABRIC_SERVICE_STATE_H
#define SCT_FABRIC_SERVICE_STATE_H

#include "fabric/service/poll_interval.h"
#include "fabric/service/service.h"
#include "fabric/service/split.h"

#include <pthread.h>
#include <stdatomic.h>

/* So much is asked for at once, of one rank less, so that it does not hold up others: enough for a
 * network, not so much that what is needed first comes late. And so much is answered. */
enum { SCT_ASKED_BYTES = 3 << 19, SCT_ASKED_OF_ONE = 1 << 20, SCT_ANSWERED_BYTES = 4 << 20 };

enum {
    SCT_ASKS = 32,
    SCT_ANSWERS = 32,
    SCT_LETTER_BYTES = 1024, /* that an accumulate may bring with its request */
    SCT_PIECE_MOST_BYTES = 1 << 18
};

/* Kinds of messages. A reply, and what follows a request, have the number of the ask in theirs. */
enum { SCT_KIND_ASK = 0, SCT_KIND_REPLY = 1, SCT_KIND_DATA = SCT_KIND_REPLY + SCT_ASKS };

typedef enum sct_wish {
    SCT_WISH_GET, /* answered by the bytes */
    SCT_WISH_ADD, /* answered, when added, by nothing */
    SCT_WISH_END  /* the sender has failed, for the reason in the letter; not answered */
} sct_wish;

/* A request as it travels, between equal machines. */
typedef struct sct_letter {
    uint64_t id;
    int64_t line, lines;
    uint64_t byte, width;
    int32_t block, wish, type, ask;
    _Alignas(SCT_CUT_GRAIN) char bytes[SCT_LETTER_BYTES];
} sct_letter;

enum { SCT_LETTER_HEAD = offsetof(sct_letter, bytes) };

typedef struct sct_demand {
    uint32_t turn; /* counts the uses of this record */
    bool open;
    sct_wish wish;
    sct_type type;
    sct_place_far place;
    char *local;
    size_t pitch;
    sct_cut cut;
    int64_t asked, closed; /* pieces */
    int next;              /* in the queue or among the free ones; -1: none */
} sct_demand;

/* Requests to the wire that a piece may need. */
enum { SCT_ASKED = 1, SCT_SENT = 2, SCT_REPLIED = 4, SCT_ASK_REQUESTS = 3 };

typedef struct sct_ask {
    unsigned pending; /* which requests; 0: the ask is free */
    sct_message requests[SCT_ASK_REQUESTS];
    int demand;
    sct_letter *letter;
    char *buffer;
    sct_transfer unpack; /* of the reply; no lines: none */
} sct_ask;

typedef enum sct_answering { SCT_ANSWER_FREE, SCT_ANSWER_SENDS, SCT_ANSWER_RECEIVES } sct_answering;

typedef struct sct_answer {
    sct_answering state;
    sct_message request;
    int rank, ask;
    bool small;
    char *buffer;
    sct_transfer add; /* of what is received */
} sct_answer;

typedef struct sct_offer {
    uint64_t id;
    int count;
    const sct_memory *blocks;
    sct_bands *bands;
} sct_offer;

_Static_assert((SCT_ASKS + 1) * sizeof(sct_letter) + SCT_ASKED_BYTES + SCT_ANSWERED_BYTES <
                   SCT_SERVICE_MOST_BYTES,
               "what service.h promises");

struct sct_service {
    sct_wire *wire;
    size_t piece; /* its most bytes */
    int most_asks, most_asks_of_one, most_answers;
    char *memory; /* of letters and buffers */
    pthread_mutex_t mutex;

    pthread_t thread;
    bool has_thread;
    atomic_bool attended; /* the rank's own thread is polling */
    atomic_bool closing;

    sct_status failed;
    char reason[SCT_REASON_BYTES];
    sct_letter end; /* that tells others of it, unless one of them told this rank */
    bool told;

    sct_demand *demands;
    int demands_room, demands_used, free_demand;
    int first, last; /* the queue of demands with pieces not asked for; -1: none */
    sct_ask asks[SCT_ASKS];
    int asks_open;
    int *asks_of; /* how many are under way to each rank */
    bool may_ask; /* something has changed since pieces were last looked for */

    sct_answer answers[SCT_ANSWERS];
    int answers_open;
    sct_offer *offers;
    int offers_count, offers_room;
};

/* All with the mutex held. What fails leaves a reason, and the service is then to be ended. */

sct_status sct_asks_progress(sct_service *service, sct_activity *activity);
sct_status sct_answers_progress(sct_service *service, sct_activity *activity);

sct_status sct_demand_open(sct_service *service, sct_wish wish, sct_type type,
                           const sct_place_far *place, char *local, size_t pitch,
                           sct_ticket *ticket);
/* Lines one behind the other. */
void sct_lines_pack(const sct_lines *lines, char *to);
/* Sends them as one message, which belongs to the wire, as does a buffer of that length. */
sct_status sct_service_send(sct_service *service, int rank, int kind, const sct_lines *lines,
                            char *buffer, sct_message *request);

bool sct_demand_is_open(const sct_service *service, sct_ticket ticket);

#endif
