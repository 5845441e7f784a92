/* rank.h - a rank that is a process, and what its engine adds to it.
 *
 * Ranks that can map each other's memory form a node: those of one machine, unless fewer ranks per
 * node are emulated. Once they have met they need no more of the engine. The engine defines how
 * ranks meet, and how they reach memory of other nodes. */
#ifndef SCT_FABRIC_PROCESSES_RANK_H
#define SCT_FABRIC_PROCESSES_RANK_H

#include "base/shared_memory.h"
#include "fabric/backoff.h"
#include "fabric/fabric.h"
#include "fabric/service/service.h"

/* A value for ranks_per_node of the options, where matrices are on devices: no rank maps the blocks
 * of another. Ranks of one machine still use shared memory for barriers. */
enum { SCT_ALL_RANKS_FAR = -1 };

typedef struct sct_process sct_process;
typedef struct sct_cma sct_cma;
typedef struct sct_process_collective sct_process_collective;
/* What an engine needs for direct access to one segment. */
typedef struct sct_window sct_window;

/* What the processes of an engine can do together. All calls but `close` are collective. */
typedef struct sct_process_ops {
    /* An allgather, without barrier. Serves others while it waits. */
    sct_status (*gather)(sct_process *self, const void *mine, size_t bytes, void *all);
    /* Likewise: an allreduce in place. Needs no memory. */
    sct_status (*reduce)(sct_process *self, sct_reduction how, uint64_t *words, size_t count);
    /* Chooses the path to other nodes: sets `direct`, or calls sct_process_serve. */
    sct_status (*choose_path)(sct_process *self);
    /* Makes a wire for the service. Sets `path`. Succeeds on all ranks or on none. */
    sct_status (*connect)(sct_process *self, sct_wire **wire, sct_path *path);
    /* Calls sct_process_leave, if ranks can still meet, then `discard`. */
    void (*close)(sct_process *self);
    /* Local: frees the rank, with what the engine has added to it. */
    void (*discard)(sct_process *self);
} sct_process_ops;

/* How memory of one rank is reached. For rectangles that are not empty; `reached` is all zeros, and
 * stays so if the transfer is reached at once. */
typedef struct sct_routes {
    const char *name; /* in the log */
    sct_status (*get)(sct_process *self, const sct_target *from, void *to, size_t pitch,
                      sct_event *reached);
    sct_status (*accumulate)(sct_process *self, sct_type type, const void *from, size_t pitch,
                             const sct_target *to, sct_event *reached);
} sct_routes;

/* Access to allocated memory of other ranks without their help. */
typedef struct sct_direct_ops {
    /* Collective: makes the window of a segment, and frees it. A window that some ranks lack cannot
     * be freed. */
    sct_status (*open)(sct_process *self, sct_segment *segment);
    void (*close)(sct_process *self, sct_segment *segment);
    /* Makes local stores visible to gets of others, and their accumulates visible to loads. */
    void (*sync)(sct_process *self);
    sct_routes routes;
    void (*progress)(sct_process *self);
} sct_direct_ops;

/* The context of a waiting rank. */
typedef struct sct_process_waiting {
    sct_process *self;
    sct_backoff backoff;
    sct_lookout lookout;
} sct_process_waiting;

/* A process on this machine, and when it started there. */
typedef struct sct_process_id {
    int rank;
    pid_t pid;
    uint64_t since;
} sct_process_id;

struct sct_process {
    sct_fabric base;
    const sct_process_ops *ops;
    sct_path path;         /* as requested */
    sct_process_id *known; /* by rank: those of the node or, with a table, all */
    sct_process_id *node;  /* among them, the ranks of the node */
    int known_count, node_count;
    int seat;                    /* the place of this rank among those of the node */
    sct_shared board;            /* posts of the node (node.h); none for a single rank */
    sct_process_waiting locking; /* for the lock of a block, while it adds to that */
    sct_lock_wait lock_wait;
    int64_t watched_ns;  /* when this rank last looked for others that are gone */
    sct_sign sign;       /* of this rank, unless it is in the table of all */
    int on_machine;      /* ranks on this machine, including itself, whatever is emulated */
    bool crowded;        /* see backoff.h */
    bool gathers_itself; /* by table or service, where waiting has rules, whatever the engine has */
    sct_process_collective *collective;
    sct_service *service;         /* for memory that is not mapped; NULL: not needed yet */
    bool bounces;                 /* it uses bounce buffers, and all transfers use the service */
    const sct_direct_ops *direct; /* for allocated memory that is not mapped; NULL: the service does
                                   * that too */
    sct_cma *cma;                 /* for wrapped memory of the node; NULL: none yet */
    sct_segment *locks;           /* an allocated segment: each rank's locks for its wrapped blocks;
                                   * likewise */
    sct_segment *segments;        /* open segments */
    uint64_t made;                /* number of segments so far; numbers them alike on all ranks */
};

static inline sct_process *sct_process_of(sct_fabric *fabric) {
    return (sct_process *)fabric;
}

/* The place of a rank among those of the node; -1: it is of another node. */
static inline int sct_process_seat_of(const sct_process *self, int rank) {
    int low = 0, high = self->node_count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (self->node[middle].rank <= rank)
            low = middle;
        else
            high = middle;
    }
    return self->node[low].rank == rank ? low : -1;
}

static inline bool sct_process_same_node(const sct_process *self, int rank) {
    return sct_process_seat_of(self, rank) >= 0;
}

extern const sct_fabric_ops sct_process_fabric_ops;

/* The rest that is marked SCT_API is for engines. */

/* A rank that has not joined yet. */
SCT_API sct_process sct_process_begin(const sct_process_ops *ops, const sct_bootstrap *bootstrap,
                                      const sct_world_options *options);
/* Collective: copies `first` to the heap, and lets the copy join: it finds the nodes and the path
 * between them. `first` is the beginning of the engine's own struct, of `bytes` bytes. */
SCT_API sct_status sct_process_join(sct_process *first, size_t bytes,
                                    const sct_world_options *options, sct_process **joined);
/* Serves the others until all leave. */
SCT_API void sct_process_leave(sct_process *self);
/* Local: frees what the rank points to. */
SCT_API void sct_process_discard(sct_process *self);

/* Collective: has the service use bounce buffers, and all transfers the service. `self` has no
 * segments, and all its ranks are far from each other. */
sct_status sct_process_bounce(sct_process *self, sct_bounce *bounce);

/* Collective: SCT_NO_MEMORY on all ranks if one lacks memory. */
SCT_API sct_status sct_process_all_have(sct_process *self, bool mine);
/* Collective: creates the service if there is none. */
SCT_API sct_status sct_process_serve(sct_process *self);
/* Collective: connects all ranks by TCP and returns the connections as a wire, for the service.
 * Succeeds on all ranks or on none. */
SCT_API sct_status sct_process_connect(sct_process *self, sct_wire **wire);
/* Updates the fabric's needs_progress. */
SCT_API void sct_process_note_progress(sct_process *self);

/* True if only this rank's own thread can serve others. */
static inline bool sct_process_must_serve(const sct_process *self) {
    return self->service && !sct_service_has_thread(self->service);
}

/* For sct_process_ops, of ranks that have joined, and share a table or have a service: `gather`,
 * and `reduce`. */
SCT_API sct_status sct_process_gather(sct_process *self, const void *mine, size_t bytes, void *all);
SCT_API sct_status sct_process_allreduce(sct_process *self, sct_reduction how, uint64_t *words,
                                         size_t count);
/* Collective, without barrier: the minimum of numbers that are not negative. */
SCT_API sct_status sct_process_least(sct_process *self, int mine, int *least);

SCT_API sct_process_waiting sct_process_begin_waiting(sct_process *self);
/* The wait hook; `context` is an sct_process_waiting. */
SCT_API void sct_process_idle(void *context);

#endif
