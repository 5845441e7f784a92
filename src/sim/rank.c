/* rank.c - advances one rank through its script as far as possible.
 *
 * It blocks as the interpreter does: a product on its operands, a contribution on earlier ones that
 * are still in flight, a step that retires on its product, and with `sync` the end of a group on
 * everything in flight. */
#include "sim/sim.h"

#include <assert.h>

/* Index into `pending` for a kind of transfer. */
static int64_t pending_slot(const sct_sim_rank *rank, int matrix, int64_t slot) {
    return matrix == SCT_MAT_A ? slot : rank->script.slots[0] + slot;
}

static int64_t pending_slice(const sct_sim_rank *rank, int64_t slice) {
    const sct_script *script = &rank->script;
    return script->slots[0] + script->slots[1] + slice % script->accumulates;
}

static int64_t pending_pulls(const sct_sim_rank *rank) {
    const sct_script *script = &rank->script;
    return script->slots[0] + script->slots[1] + script->accumulates;
}

/* Starts a batch of transfers. Those that the rank makes itself start one by one, after its
 * products. True once the rank may go on. */
static bool ship(sct_sim *sim, sct_sim_rank *rank, sct_batch batch, const sct_purpose *purpose) {
    const sct_script_transfer *transfer = &rank->script.transfer[batch.first];
    if (!rank->shipping) {
        rank->shipping = true;
        rank->looked = 0;
        for (int64_t i = 0; i < batch.count; i++)
            if (!sct_machine_by_rank(sim->machine, rank->number, transfer[i].peer))
                sct_sim_move(sim, rank, &transfer[i], purpose, false);
    }
    while (!rank->by_hand && rank->looked < batch.count) {
        const sct_script_transfer *next = &transfer[rank->looked];
        bool own_work = sct_machine_by_rank(sim->machine, rank->number, next->peer);
        if (own_work && rank->finished < rank->submitted)
            return false;
        rank->looked++;
        if (own_work)
            sct_sim_move(sim, rank, next, purpose, true);
    }
    rank->shipping = rank->by_hand;
    return !rank->by_hand;
}

/* Enters a barrier; true once it is over. */
static bool meet(sct_sim *sim, sct_sim_rank *rank) {
    if (!rank->waiting) {
        rank->waiting = true;
        rank->met = sim->met;
        if (++sim->came == sim->count)
            sct_sim_meet(sim);
    }
    if (rank->met == sim->met)
        return false;
    rank->waiting = false;
    return true;
}

/* True if all slices of C before `slice` have arrived. */
static bool arrive(sct_sim_rank *rank, int64_t slice) {
    while (rank->arrived < slice && rank->pending[pending_slice(rank, rank->arrived)] == 0)
        rank->arrived++;
    return rank->arrived >= slice;
}

/* The part of a batch for one owner. */
static sct_batch part_for(const sct_sim_rank *rank, sct_batch batch, int owner) {
    const sct_script_transfer *transfer = &rank->script.transfer[batch.first];
    for (int64_t i = 0; i < batch.count; i++)
        if (transfer[i].peer == owner)
            return (sct_batch){batch.first + i, 1};
    return (sct_batch){batch.first, 0};
}

/* The turns of the rank's round. A rank may be one round ahead of others. */
static int64_t *turns_of(const sct_sim *sim, const sct_sim_rank *rank) {
    return sim->turns + rank->sent % 2 * sim->ranks;
}

/* Announces the turns of this round in which the rank sends. Returns true once all ranks have
 * announced theirs. */
static bool tell_turns(sct_sim *sim, sct_sim_rank *rank, sct_batch batch) {
    const sct_script_transfer *transfer = &rank->script.transfer[batch.first];
    for (int64_t i = 0; i < batch.count && !rank->waiting; i++) {
        int turn = (transfer[i].peer - rank->number + sim->ranks) % sim->ranks;
        turns_of(sim, rank)[turn] = rank->sent + 1;
    }
    return meet(sim, rank);
}

/* The first turn from this one on in which any rank sends, or the number of ranks. */
static int next_turn(const sct_sim *sim, const sct_sim_rank *rank, int turn) {
    while (turn < sim->ranks && turns_of(sim, rank)[turn] != rank->sent + 1)
        turn++;
    return turn;
}

/* With `ordered`: hands over one slice, or none, in the turns in which any rank sends. */
static bool take_turns(sct_sim *sim, sct_sim_rank *rank, sct_batch batch,
                       const sct_purpose *purpose) {
    if (!rank->announced) {
        if (!tell_turns(sim, rank, batch))
            return false;
        rank->announced = true;
        rank->turn = next_turn(sim, rank, 0);
    }
    while (rank->turn < sim->ranks) {
        int owner = (rank->number + rank->turn) % sim->ranks;
        if (!rank->turned && !ship(sim, rank, part_for(rank, batch, owner), purpose))
            return false;
        rank->turned = true;
        if (rank->pending[purpose->pending] > 0)
            return false;
        int next = next_turn(sim, rank, rank->turn + 1);
        if (next < sim->ranks && !meet(sim, rank))
            return false;
        rank->turned = false;
        rank->turn = next;
    }
    rank->announced = false;
    rank->arrived = ++rank->sent;
    return true;
}

/* True if the rank makes all transfers of a batch itself. */
static bool at_hand(const sct_sim *sim, const sct_sim_rank *rank, sct_batch batch) {
    const sct_script_transfer *transfer = &rank->script.transfer[batch.first];
    int64_t i = 0;
    while (i < batch.count && sct_machine_by_rank(sim->machine, rank->number, transfer[i].peer))
        i++;
    return i == batch.count;
}

/* Hands over a completed slice of C. A slice that the rank adds itself does not wait for slices in
 * flight. */
static bool accumulate(sct_sim *sim, sct_sim_rank *rank, const sct_script_product *product) {
    const sct_purpose purpose = {SCT_ACCUMULATING, product->step, pending_slice(rank, rank->sent)};
    if (rank->script.in_rounds)
        return take_turns(sim, rank, product->result, &purpose);
    bool travels = !at_hand(sim, rank, product->result);
    if (travels && !rank->shipping && !arrive(rank, rank->sent + 1 - rank->script.accumulates))
        return false;
    if (!ship(sim, rank, product->result, &purpose))
        return false;
    rank->sent += travels;
    return true;
}

/* Hands over the slices that products before this one have completed. */
static bool flush_until(sct_sim *sim, sct_sim_rank *rank, int64_t product) {
    for (; rank->flushed < product; rank->flushed++) {
        const sct_script_product *flushed = &rank->script.product[rank->flushed];
        if (flushed->flush && !accumulate(sim, rank, flushed))
            return false;
    }
    return true;
}

static bool fetch(sct_sim *sim, sct_sim_rank *rank) {
    const sct_script_fetch *fetched = &rank->script.fetch[rank->fetched];
    const sct_purpose purpose = {SCT_GETTING, fetched->step,
                                 pending_slot(rank, fetched->matrix, fetched->slot)};
    if (!ship(sim, rank, fetched->transfers, &purpose))
        return false;
    rank->fetched++;
    return true;
}

static bool has_operands(const sct_sim_rank *rank, const sct_script_product *product) {
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        int64_t slot = product->slot[matrix];
        if (slot >= 0 && rank->pending[pending_slot(rank, matrix, slot)] > 0)
            return false;
    }
    return true;
}

static bool multiply(sct_sim *sim, sct_sim_rank *rank) {
    if (!rank->submitting) {
        if (!has_operands(rank, &rank->script.product[rank->submitted]))
            return false;
        sct_sim_submit(sim, rank);
        rank->submitting = true;
    }
    if (!flush_until(sim, rank, rank->finished))
        return false;
    rank->submitting = false;
    return true;
}

static bool retire(sct_sim *sim, sct_sim_rank *rank) {
    if (rank->finished <= rank->retired || !flush_until(sim, rank, rank->retired + 1))
        return false;
    rank->retired++;
    return true;
}

/* Waits for all accumulates and prefetches. */
static bool settle(sct_sim *sim, sct_sim_rank *rank) {
    (void)sim;
    for (int64_t i = 0; i < pending_pulls(rank); i++)
        if (rank->pending[i] > 0)
            return false;
    return arrive(rank, rank->sent);
}

static bool start(sct_sim *sim, sct_sim_rank *rank) {
    (void)sim;
    (void)rank;
    return true;
}

/* Runs all steps, and with `ordered` the rounds of ranks with more slices. */
static bool make_steps(sct_sim *sim, sct_sim_rank *rank) {
    static bool (*const act[])(sct_sim *, sct_sim_rank *) = {[SCT_ACT_FETCH] = fetch,
                                                             [SCT_ACT_MULTIPLY] = multiply,
                                                             [SCT_ACT_RETIRE] = retire,
                                                             [SCT_ACT_SETTLE] = settle};
    const sct_script *script = &rank->script;
    for (; rank->act < script->acts; rank->act++)
        if (!act[script->act[rank->act]](sim, rank))
            return false;
    const sct_purpose none = {SCT_ACCUMULATING, -1, pending_slice(rank, 0)};
    while (script->in_rounds && rank->sent < sim->rounds)
        if (!take_turns(sim, rank, (sct_batch){.count = 0}, &none))
            return false;
    return arrive(rank, rank->sent);
}

/* Adds the shares of other replicas, one after another. */
static bool add_shares(sct_sim *sim, sct_sim_rank *rank) {
    sct_batch batch = rank->script.add;
    const sct_purpose purpose = {SCT_REDUCING, -1, pending_pulls(rank)};
    while (rank->pending[purpose.pending] == 0) {
        if (rank->pulled == batch.count)
            return true;
        if (!ship(sim, rank, (sct_batch){batch.first + rank->pulled, 1}, &purpose))
            return false;
        rank->pulled++;
    }
    return false;
}

static bool copy_shares(sct_sim *sim, sct_sim_rank *rank) {
    sct_batch batch = rank->script.copy;
    const sct_purpose purpose = {SCT_SHARING, -1, pending_pulls(rank)};
    if (rank->pulled < batch.count) {
        if (!ship(sim, rank, batch, &purpose))
            return false;
        rank->pulled = batch.count;
    }
    return rank->pending[purpose.pending] == 0;
}

void sct_sim_rank_advance(sct_sim *sim, sct_sim_rank *rank) {
    static bool (*const stages[])(sct_sim *, sct_sim_rank *) = {[SCT_STAGE_START] = start,
                                                                [SCT_STAGE_STEPS] = make_steps,
                                                                [SCT_STAGE_ADD] = add_shares,
                                                                [SCT_STAGE_COPY] = copy_shares};
    while (rank->stage <= sim->last && !sim->status) {
        assert(rank->stage <= SCT_STAGE_COPY);
        if (!stages[rank->stage](sim, rank))
            return;
        if (rank->stage == SCT_STAGE_STEPS && !rank->waiting)
            rank->done = sim->now;
        if (!meet(sim, rank))
            return;
        rank->stage++;
        rank->pulled = 0;
    }
}
