/* sim.h - ranks in virtual time, all of them or one: the state of each, and the transfers in
 * flight.
 *
 * A rank follows its script as the interpreter (exec/interpret.c) follows the walk, and is blocked
 * where the interpreter is. Its products run one after another; transfers run meanwhile. */
#ifndef SCT_SIM_SIM_H
#define SCT_SIM_SIM_H

#include "sim/network.h"
#include "sim/script.h"

/* The stages of a rank, each ended by a barrier. */
typedef enum sct_sim_stage {
    SCT_STAGE_START,
    SCT_STAGE_STEPS,
    SCT_STAGE_ADD,
    SCT_STAGE_COPY
} sct_sim_stage;

/* Transfers that wait until others have ended, or until their latency is over. */
typedef struct sct_queue {
    int64_t first, last; /* of those that wait; -1: none */
    int unfinished,
        most; /* with a limit: in flight or waiting; and the most in flight, 0: no limit */
} sct_queue;

enum { SCT_QUEUE_GETS, SCT_QUEUE_ACCUMULATES, SCT_QUEUES };

typedef struct sct_sim_rank {
    int number;
    sct_script script;
    sct_sim_stage stage;
    /* Counts of: acts done, fetches started, products submitted, finished and retired, products
     * whose contributions were handed over, slices of C sent, and arrived. */
    int64_t act, fetched, submitted, finished, retired, flushed, sent, arrived;
    bool submitting; /* the current act is a product already submitted */
    bool shipping;   /* a batch is being started */
    bool by_hand;    /* the rank is making a transfer itself */
    int64_t looked;  /* transfers of the batch before it are made, or not made by the rank itself */
    int64_t pulled;  /* transfers started in a reduction stage */
    bool announced;  /* with `ordered`: all have announced in which turns of the round they send */
    int turn;        /* with `ordered`: the turn in its round */
    bool turned;     /* with `ordered`: has sent what it sends in this turn */
    bool waiting;    /* in a barrier */
    int64_t met;     /* barriers that were over when it entered this one */
    int64_t *pending; /* transfers not ended: by slot of A, of B, by slice of C, then reductions */
    sct_queue queue[SCT_QUEUES];
    bool touched; /* may be able to advance */
    /* The current product: seconds left at time `since`, and progress per second. */
    double left, since, speed, begun;
    double burden; /* share of its time spent on transfers */
    int adding;    /* accumulates in flight */
    bool stale;    /* the speed must be recomputed */
    int moving;    /* transfers in flight to or from other ranks */
    /* Seconds until the time `noted`: computing, with transfers in flight, and both. */
    double noted, computing, moved, both;
    double done; /* end of its steps */
} sct_sim_rank;

/* A transfer in flight or waiting. */
typedef struct sct_sim_transfer {
    sct_trace_kind kind;
    int rank, peer;
    bool by_hand;
    uint64_t bytes;
    int64_t step, pending;
    double begin;
    int64_t next; /* next in its queue or in the free list */
} sct_sim_transfer;

/* What a route's flows cost the ranks at its ends: a share of their processor time. */
typedef struct sct_cpu_share {
    double rate;   /* per flow, that is charged */
    double *pace;  /* by rank: paces of the flows it sends, then of those it receives */
    int64_t grain; /* ranks at each end */
} sct_cpu_share;

typedef struct sct_sim {
    const sct_machine *machine;
    const sct_observer *observer;
    int world; /* ranks of the product */
    int ranks; /* that have numbers here: all, or those near the one simulated and its partners */
    int first, count;   /* of those simulated; others only hold their parts of the matrices */
    sct_sim_stage last; /* SCT_STAGE_STEPS unless replicas of C are reduced */
    int64_t rounds;     /* with `ordered`: the most slices of C that a rank accumulates */
    int64_t *turns; /* with `ordered`, of even and of odd rounds, by turn: the last in which a rank
                       sends */
    double now;
    sct_status status;        /* first error */
    sct_priority_queue queue; /* of the ranks' products, the barrier, the levels' latencies, the
                               * routes */
    sct_network network;
    sct_sim_rank *rank;
    sct_sim_transfer *transfer;
    sct_queue late[SCT_MACHINE_LEVELS]; /* by level: transfers waiting for its latency */
    sct_cpu_share *cpu_share;           /* by route */
    int64_t room, unused;
    int64_t *place; /* by rank: scratch for scripts */
    int *touched, *stale;
    int touches, stales;
    int came;    /* ranks in the current barrier */
    int64_t met; /* barriers so far */
    int64_t products, finished;
    int64_t events;   /* events: acts and transfers of all scripts, and work of that order */
    double most_work; /* limit on work */
    uint64_t bytes_moved;
} sct_sim;

/* What a batch of transfers is for. */
typedef struct sct_purpose {
    sct_trace_kind kind;
    int64_t step, pending; /* the step, or -1; where the rank counts them */
} sct_purpose;

/* Creates a simulation of all ranks, in which none does anything yet. sct_sim_add passes it the
 * plan of a rank, which may be destroyed afterwards. */
sct_status sct_sim_create(const sct_machine *machine, const sct_observer *observer, int ranks,
                          sct_sim *sim);
sct_status sct_sim_add(sct_sim *sim, const sct_plan *plan);
/* alone.c: creates a simulation of the rank of a plan, whose memory grows with its partners. */
sct_status sct_sim_create_alone(const sct_machine *machine, const sct_plan *plan, sct_sim *sim);
void sct_sim_clear(sct_sim *sim);

/* sim.c: creates a simulation of `count` ranks from `first` on, none of which has anything to do.
 */
sct_status sct_sim_begin(const sct_machine *machine, int ranks, int first, int count, sct_sim *sim);
/* sim.c: gives a rank its script. The simulation clears the script. */
sct_status sct_sim_give(sct_sim *sim, int rank, const sct_plan *plan, const sct_script *script);

/* transfers.c */
sct_status sct_sim_prepare(sct_sim *sim);
/* Starts a transfer, or lets it wait for its turn. by_hand: the rank makes it itself. */
void sct_sim_move(sct_sim *sim, sct_sim_rank *rank, const sct_script_transfer *asked,
                  const sct_purpose *purpose, bool by_hand);
/* Starts the flows of transfers whose latency is over by then. */
void sct_sim_begin_flows(sct_sim *sim, int level, double until);
/* Completes the flows of a route that have ended by then. */
void sct_sim_end_flows(sct_sim *sim, int64_t route, double until);
/* Recomputes the rates of flows and the speeds of products after changes. */
void sct_sim_settle(sct_sim *sim);

/* The processor time of transfers. */
sct_status sct_cpu_shares_grow(sct_sim *sim, int64_t room);
void sct_cpu_shares_clear(sct_sim *sim);
/* Adds a flow to its route's charges; with a negative pace, removes it. */
sct_status sct_cpu_shares_add(sct_sim *sim, int64_t flow, int from, int to, double pace);
/* Updates the charges of a route with a new rate. */
void sct_cpu_shares_charge(sct_sim *sim, int64_t route);

/* Submits the rank's next product behind those already submitted. */
void sct_sim_submit(sct_sim *sim, sct_sim_rank *rank);
void sct_sim_finish_product(sct_sim *sim, sct_sim_rank *rank);
/* Recomputes the speeds of disturbed products. */
void sct_sim_refresh(sct_sim *sim);
/* Marks the rank's product: its speed must be recomputed. */
void sct_sim_disturb(sct_sim *sim, sct_sim_rank *rank);
/* Adds the time since the last call to the rank's sums. Call it before the rank starts or ends
 * anything. */
void sct_sim_note(const sct_sim *sim, sct_sim_rank *rank);
/* Marks the rank as possibly able to advance. */
void sct_sim_touch(sct_sim *sim, sct_sim_rank *rank);
/* Calls the observer, if there is one. */
void sct_sim_report(const sct_sim *sim, const sct_trace_event *event);

/* rank.c: does all that the rank can do now. */
void sct_sim_rank_advance(sct_sim *sim, sct_sim_rank *rank);

/* sim.c */
/* All ranks have entered the barrier: schedules its end. */
void sct_sim_meet(sct_sim *sim);
/* The work of the simulation so far, in events. */
double sct_sim_work(const sct_sim *sim);
/* Fails if it exceeds the limit. */
sct_status sct_sim_check_work(const sct_sim *sim);
/* Runs until nothing is left to happen. */
sct_status sct_sim_run(sct_sim *sim);

#endif
