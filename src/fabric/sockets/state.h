/* state.h - what the files of the wire of sockets share: messages in slots, lists of them,
 * and connections.
 *
 * A message travels behind a head, which tells its kind and length. The last head of a rank that
 * ends well has a kind of its own: who is gone without it has failed. */
#ifndef SCT_FABRIC_SOCKETS_STATE_H
#define SCT_FABRIC_SOCKETS_STATE_H

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
    SCT_MESSAGE_COMES, /* and nobody has asked for it: its bytes are put by */
    SCT_MESSAGE_CAME,
    SCT_MESSAGE_NONE
} sct_message_state;

/* A message's number is that of its slot. */
typedef struct sct_message_slot {
    sct_message_state state;
    int rank;
    int next; /* in the one list that it is in */
    sct_head head;
    char *bytes;
    size_t pitch, width; /* of what is sent, in lines */
    size_t moved;        /* of what is sent, with the head */
} sct_message_slot;

/* First come, first. */
typedef struct sct_slot_list {
    int first, last;
} sct_slot_list;

/* To a rank: -1 is the descriptor of one that is lost, and of the rank itself. */
typedef struct sct_link {
    int fd;
    bool full;                /* the system takes no more for now */
    bool ended;               /* the other rank will send nothing more */
    sct_slot_list out, asked; /* what is sent; what has been asked for and does not come yet */
    int in;                   /* what comes, or SCT_NO_SLOT while its head does */
    sct_head head;
    size_t head_moved;
} sct_link;

typedef struct sct_sockets {
    sct_wire base;
    int poll;
    struct epoll_event *events;
    sct_link *links;
    sct_message_slot *slots;
    int room, used;
    sct_slot_list free, early; /* of no message; of those that nobody had asked for */
    bool cancelled;            /* nothing is read any more */
    int missed;                /* a rank that is gone, which the next progress tells; or -1 */
} sct_sockets;

sct_status sct_slot_take(sct_sockets *self, const sct_message_slot *made, int *at);
/* Of a slot that is in no list. */
void sct_slot_free(sct_sockets *self, int at);
void sct_slot_append(sct_sockets *self, sct_slot_list *to, int at);
/* Takes out the first, of which there is one. */
int sct_slot_first(sct_sockets *self, sct_slot_list *from);
/* Takes out the first of a kind: from a rank, unless that is -1; `came`: that is all here. */
int sct_slot_find(sct_sockets *self, sct_slot_list *from, int rank, int64_t kind, bool came);

/* Sends as much as the system takes; of a link that is not lost. */
sct_status sct_link_push(sct_sockets *self, int rank);
/* Reads what has come, if not lost. */
sct_status sct_link_pull(sct_sockets *self, int rank);
/* Finds a place for what a head tells of: where somebody has asked to have it, or apart. */
sct_status sct_link_place(sct_sockets *self, int rank, const sct_head *told, int *at);
void sct_link_finish(sct_sockets *self, int at);
/* It is no failure if the other has ended, and nothing is under way. */
sct_status sct_link_lose(sct_sockets *self, int rank);
sct_status sct_link_lost(const sct_sockets *self, int rank);
/* Ends the connection, even if a process that was forked has it, too. */
void sct_link_close(sct_link *link);
/* SCT_FAILED if a message is not as long as was asked for. */
sct_status sct_link_check(int rank, uint64_t sent, uint64_t wanted);

#endif
