/* state.h - the state of the sockets wire: messages in slots, lists of them, and connections.
 *
 * A message travels behind a head with its kind and length. A rank that ends properly sends a last
 * head of a special kind; a rank that is gone without it has failed. */
#ifndef SCT_FABRIC_SOCKETS_STATE_H
#define SCT_FABRIC_SOCKETS_STATE_H

#include "fabric/sockets/hello.h"
#include "fabric/sockets/sockets.h"

enum { SCT_NO_SLOT = -1, SCT_KIND_FAREWELL = -1 };

typedef struct sct_head {
    uint64_t bytes;
    int64_t kind;
} sct_head;

typedef enum sct_message_state {
    SCT_MESSAGE_SENDS,
    SCT_MESSAGE_RECEIVES,
    SCT_MESSAGE_DONE,
    SCT_MESSAGE_ARRIVES, /* arriving unrequested: it is buffered */
    SCT_MESSAGE_ARRIVED,
    SCT_MESSAGE_NONE
} sct_message_state;

/* A message's number is that of its slot. */
typedef struct sct_message_slot {
    sct_message_state state;
    int rank;
    int next; /* next in its list */
    sct_head head;
    char *bytes;
    size_t pitch, width; /* of sent lines */
    size_t moved;        /* bytes sent, including the head */
} sct_message_slot;

/* First in, first out. */
typedef struct sct_slot_list {
    int first, last;
} sct_slot_list;

typedef enum sct_link_state {
    SCT_LINK_NONE,     /* nothing has been sent there yet */
    SCT_LINK_CONNECTS, /* this rank calls: the system has not answered */
    SCT_LINK_GREETS,   /* this rank has said its hello, which the other has not answered */
    SCT_LINK_REFUSED,  /* the other has closed the connection instead: see connect.c */
    SCT_LINK_OPEN,
    SCT_LINK_LOST
} sct_link_state;

/* What there is between this rank and another, or itself. Descriptor -1: no connection. */
typedef struct sct_link {
    int rank, fd, host;
    sct_link_state state;
    bool full;                    /* the system accepts no more for now */
    bool ended;                   /* the other rank will send no more */
    sct_slot_list out, requested; /* messages being sent; receives without a message yet */
    int in;                       /* message being received; SCT_NO_SLOT while its head arrives */
    union {
        sct_head head;
        sct_hello hello; /* the answer to that of this rank */
    };
    size_t head_moved;
    int64_t again_ns, until_ns; /* of a refused one: when to try again, and how long */
} sct_link;

/* All that is kept for each rank, 8 bytes. */
typedef struct sct_peer {
    int32_t at;     /* of its link, or, complemented, of its address among those of hosts */
    in_port_t port; /* in network order */
} sct_peer;

typedef struct sct_sockets {
    sct_wire base;
    int poll;
    struct epoll_event *events;
    sct_peer *peers;        /* by rank */
    struct in6_addr *hosts; /* addresses, by number */
    sct_link **links;       /* in the order in which they were needed */
    int links_count;
    int64_t links_room;
    int refused; /* links in that state */
    bool starts; /* ranks connect for the first time, so that no connection is refused */
    sct_reception reception;
    sct_message_slot *slots;
    int64_t room;
    int used;
    sct_slot_list free, early; /* free slots; buffered messages */
    bool cancelled;            /* reading has stopped */
    struct sct_sockets *next;  /* of this process */
} sct_sockets;

/* What the ranks gather of each other, in memory that all have before they begin. */
typedef struct sct_survey {
    sct_endpoint *endpoints;
    struct in6_addr *addresses, *chosen;
} sct_survey;

sct_status sct_survey_open(sct_survey *survey, int ranks);
void sct_survey_close(sct_survey *survey);
/* Collective: finds where all ranks listen; `endpoint` and `mine` are what this rank says. All
 * ranks return the failure of the lowest one that has failed, also before. */
sct_status sct_peers_find(sct_sockets *self, const sct_bootstrap *ranks, sct_status status,
                          const sct_endpoint *endpoint, const sct_addresses *mine,
                          sct_survey *survey);
/* The link to a rank, which is made if there is none. */
sct_status sct_link_to(sct_sockets *self, int rank, sct_link **link);
/* Connects to the rank, unless that has begun before. */
sct_status sct_link_connect(sct_sockets *self, sct_link *link);
/* Takes the next step of connecting, once epoll has reported that the socket is ready. */
sct_status sct_link_continue(sct_sockets *self, sct_link *link);
/* For the reception; `context` is the wire. */
sct_admit sct_link_admit;
/* Calls ranks again that have refused a connection, after a delay. */
sct_status sct_links_retry(sct_sockets *self);
/* True if there is a connection to the rank. */
bool sct_link_is_open(const sct_sockets *self, int rank);

sct_status sct_slot_take(sct_sockets *self, const sct_message_slot *made, int *at);
/* For a slot in no list. */
void sct_slot_free(sct_sockets *self, int at);
void sct_slot_append(sct_sockets *self, sct_slot_list *to, int at);
/* Removes the first slot; there must be one. */
int sct_slot_first(sct_sockets *self, sct_slot_list *from);
/* Removes the first of a kind; rank -1: from any rank. arrived: only if complete. */
int sct_slot_find(sct_sockets *self, sct_slot_list *from, int rank, int64_t kind, bool arrived);

/* Sends as much as the system takes. The link must be open. */
sct_status sct_link_push(sct_sockets *self, sct_link *link);
/* Reads what has arrived, if the link is open. */
sct_status sct_link_pull(sct_sockets *self, sct_link *link);
/* Finds the destination of an announced message: the buffer of its receiver, or a new one. */
sct_status sct_link_destination(sct_sockets *self, sct_link *link, const sct_head *head, int *at);
void sct_link_finish(sct_sockets *self, int at);
/* Handles a lost connection. No failure if the other rank has ended and nothing is in flight. */
sct_status sct_link_lose(sct_sockets *self, sct_link *link);
sct_status sct_link_lost(const sct_sockets *self, int rank);
/* Shuts down the connection, even if a forked process has it too. */
void sct_link_close(sct_link *link);
/* SCT_FAILED if a message does not have the requested length. */
sct_status sct_link_check(int rank, uint64_t sent, uint64_t wanted);

#endif
