/* sim.h - all ranks in virtual time: what each is at, and what is on its way.
 *
 * A rank follows its script as exec/interpret.c follows the walk, and waits where that waits. It
 * makes its products one after another; what it has started moves meanwhile. */
#ifndef SCT_SIM_SIM_H
#define SCT_SIM_SIM_H

#include "sim/network.h"
#include "sim/script.h"
#include "sim/single_rank.h"

/* What a rank goes through; all ranks meet at the end of each. */
typedef enum sct_stage {
    SCT_STAGE_START,
    SCT_STAGE_STEPS,
    SCT_STAGE_ADD,
    SCT_STAGE_COPY
} sct_stage;

/* What cannot be started yet because too much is under way, or waits for its latency. */
typedef struct sct_queue {
    int64_t first, last; /* parcels; -1: none */
    int under_way, most; /* 0: no limit */
} sct_queue;

enum { SCT_QUEUE_GETS, SCT_QUEUE_ACCUMULATES, SCT_QUEUES };

typedef struct sct_runner {
    int rank;
    sct_script script;
    sct_stage stage;
    /* Acts that are done, fetches begun, products submitted, made and retired, those whose results
     * have been handed over; slices of C that are being added, and that have been. */
    int64_t act, fetched, submitted, finished, retired, flushed, sent, arrived;
    bool submitting;  /* the act is a product that has been submitted */
    bool shipping;    /* is starting a batch */
    bool by_hand;     /* is moving something itself */
    int64_t looked;   /* at so many hauls of the batch, to move them itself */
    int64_t pulled;   /* hauls of the stage, if it has any */
    int turn;         /* with `ordered`, of its round */
    bool turned;      /* has done what it has to do in that turn */
    bool waiting;     /* for the others */
    int64_t met;      /* meetings when it came */
    int64_t *pending; /* parcels under way: by slot of A, then of B, by slice of C, then pulls */
    sct_queue queue[SCT_QUEUES];
    bool touched; /* may have something to do */
    /* The product that is being made: seconds left at a time, and what of a second it gets done in
     * one. */
    double left, since, speed, begun;
    double burden; /* the share of its time that it spends on what flows */
    int adding;    /* accumulates that flow */
    bool stale;    /* the speed may be another */
    /* Seconds until `noted` in which it computed, had something under way, and both. */
    int moving;
    double noted, computing, moved, both;
    double done; /* when it had done its steps */
} sct_runner;

/* A haul that has been started, or waits to be. */
typedef struct sct_parcel {
    sct_doing doing;
    int rank, peer;
    bool by_hand;
    uint64_t bytes;
    int64_t step, pending;
    double begin;
    int64_t next; /* in a queue, or among those not in use */
} sct_parcel;

/* What a route's flows cost the ranks at its ends. */
typedef struct sct_fee {
    double rate;   /* that is charged */
    double *pace;  /* by rank, what it sends, then what comes in: the paces of these flows */
    int64_t grain; /* room for so many ranks at each end */
} sct_fee;

typedef struct sct_sim {
    const sct_machine *machine;
    const sct_observer *observer;
    int ranks;
    sct_cast cast;  /* of these */
    sct_stage last; /* SCT_STAGE_STEPS if there are no replicas of C to be made equal */
    int64_t rounds; /* with `ordered`: the most slices of any rank */
    double now;
    sct_status status; /* what went wrong */
    sct_clock clock;   /* of each rank's product, the meeting, each level's latency, each route */
    sct_network network;
    sct_runner *runner;
    sct_parcel *parcel;
    sct_queue late[SCT_MACHINE_LEVELS]; /* by level, what waits for its latency */
    sct_fee *fee;                       /* of each route */
    int64_t room, unused;
    int *touched, *stale;
    int touches, stales;
    int came;    /* to the meeting that is to be */
    int64_t met; /* meetings that have been */
    int64_t stints, finished;
    int64_t events;   /* acts and hauls of all scripts, and what takes as long */
    double most_work; /* more is not done */
    uint64_t bytes_moved;
} sct_sim;

/* One thing that a rank asks for: what the hauls of a batch are for. */
typedef struct sct_purpose {
    sct_doing doing;
    int64_t step, pending;
} sct_purpose;

/* parcels.c */
sct_status sct_sim_prepare(sct_sim *sim);
void sct_sim_move(sct_sim *sim, sct_runner *runner, const sct_haul *haul,
                  const sct_purpose *purpose, bool by_hand);
/* Parcels of a level whose latency is over by then begin to flow. */
void sct_sim_begin_flows(sct_sim *sim, int level, double until);
/* Flows of a route that have ended by then are done. */
void sct_sim_end_flows(sct_sim *sim, int64_t route, double until);
/* Finds out what has changed for flows and products by what has happened. */
void sct_sim_settle(sct_sim *sim);

/* fees.c */
sct_status sct_fees_grow(sct_sim *sim, int64_t room);
void sct_fees_clear(sct_sim *sim);
/* A flow has come to its route; or, if the pace is negative, is about to leave it. */
sct_status sct_fees_add(sct_sim *sim, int64_t flow, int from, int to, double pace);
/* A route's flows may have another rate. */
void sct_fees_charge(sct_sim *sim, int64_t route);

/* products.c */
/* The next product of the runner's script comes behind those that it has submitted. */
void sct_sim_submit(sct_sim *sim, sct_runner *runner);
void sct_sim_finish_product(sct_sim *sim, sct_runner *runner);
/* Finds the speeds of products that have been disturbed. */
void sct_sim_refresh(sct_sim *sim);
/* The runner's product may have another speed. */
void sct_sim_disturb(sct_sim *sim, sct_runner *runner);
/* To be called before the runner begins or ends anything. */
void sct_sim_note(const sct_sim *sim, sct_runner *runner);
/* The runner may have something to do. */
void sct_sim_touch(sct_sim *sim, sct_runner *runner);
void sct_sim_tell(const sct_sim *sim, const sct_deed *deed);

/* runner.c: does all that the rank can do now. */
void sct_runner_advance(sct_sim *sim, sct_runner *runner);

/* sim.c */
/* All have come to the meeting, which takes its time. */
void sct_sim_meet(sct_sim *sim);
/* What has been done, in events that disturb nobody; whether that is too much. */
double sct_sim_work(const sct_sim *sim);
sct_status sct_sim_check_work(const sct_sim *sim);
/* Runs until nothing is left to happen. */
sct_status sct_sim_run(sct_sim *sim);

#endif
