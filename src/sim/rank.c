/* rank.c - one rank follows its script as far as it can: a product waits for its operands, a
 * result for those before it that are still leaving, a step that retires for its product, and with
 * `sync` the end of a group for all that moves. */
#include "sim/sim.h"

/* Where in `pending` parcels of a kind are counted. */
static int64_t pending_slot(const sct_runner *runner, int matrix, int64_t slot) {
    return matrix == SCT_MAT_A ? slot : runner->script.slots[0] + slot;
}

static int64_t pending_slice(const sct_runner *runner, int64_t slice) {
    const sct_script *script = &runner->script;
    return script->slots[0] + script->slots[1] + slice % script->accumulates;
}

static int64_t pending_pulls(const sct_runner *runner) {
    const sct_script *script = &runner->script;
    return script->slots[0] + script->slots[1] + script->accumulates;
}

/* Starts a batch. What the rank moves itself it begins when its products are done, one haul after
 * another; true when it is free to go on. */
static bool ship(sct_sim *sim, sct_runner *runner, sct_batch batch, const sct_purpose *purpose) {
    const sct_haul *haul = &runner->script.haul[batch.first];
    if (!runner->shipping) {
        runner->shipping = true;
        runner->looked = 0;
        for (int64_t i = 0; i < batch.count; i++)
            if (!sct_machine_by_rank(sim->machine, runner->rank, haul[i].peer))
                sct_sim_move(sim, runner, &haul[i], purpose, false);
    }
    while (!runner->by_hand && runner->looked < batch.count) {
        const sct_haul *next = &haul[runner->looked];
        bool own_work = sct_machine_by_rank(sim->machine, runner->rank, next->peer);
        if (own_work && runner->finished < runner->submitted)
            return false;
        runner->looked++;
        if (own_work)
            sct_sim_move(sim, runner, next, purpose, true);
    }
    runner->shipping = runner->by_hand;
    return !runner->by_hand;
}

/* Comes to a meeting of all ranks; true when it is over. */
static bool meet(sct_sim *sim, sct_runner *runner) {
    if (!runner->waiting) {
        runner->waiting = true;
        runner->met = sim->met;
        if (++sim->came == sim->cast.count)
            sct_sim_meet(sim);
    }
    if (runner->met == sim->met)
        return false;
    runner->waiting = false;
    return true;
}

/* Whether all slices of C before `slice` have been added. */
static bool arrive(sct_runner *runner, int64_t slice) {
    while (runner->arrived < slice && runner->pending[pending_slice(runner, runner->arrived)] == 0)
        runner->arrived++;
    return runner->arrived >= slice;
}

/* What a batch has for one owner. */
static sct_batch part_for(const sct_runner *runner, sct_batch batch, int owner) {
    const sct_haul *haul = &runner->script.haul[batch.first];
    for (int64_t i = 0; i < batch.count; i++)
        if (haul[i].peer == owner)
            return (sct_batch){batch.first + i, 1};
    return (sct_batch){batch.first, 0};
}

/* With `ordered`: one slice of each rank, or none, in as many turns as there are ranks. */
static bool take_turns(sct_sim *sim, sct_runner *runner, sct_batch batch,
                       const sct_purpose *purpose) {
    for (; runner->turn < sim->ranks; runner->turn++) {
        int owner = (runner->rank + runner->turn) % sim->ranks;
        if (!runner->turned && !ship(sim, runner, part_for(runner, batch, owner), purpose))
            return false;
        runner->turned = true;
        if (runner->pending[purpose->pending] > 0 || !meet(sim, runner))
            return false;
        runner->turned = false;
    }
    runner->turn = 0;
    runner->arrived = ++runner->sent;
    return true;
}

/* Whether the rank moves all of a batch itself. */
static bool at_hand(const sct_sim *sim, const sct_runner *runner, sct_batch batch) {
    const sct_haul *haul = &runner->script.haul[batch.first];
    int64_t i = 0;
    while (i < batch.count && sct_machine_by_rank(sim->machine, runner->rank, haul[i].peer))
        i++;
    return i == batch.count;
}

/* Hands over a completed slice of C: what is at hand does not wait for what travels. */
static bool accumulate(sct_sim *sim, sct_runner *runner, const sct_stint *stint) {
    const sct_purpose purpose = {SCT_ACCUMULATING, stint->step,
                                 pending_slice(runner, runner->sent)};
    if (runner->script.in_rounds)
        return take_turns(sim, runner, stint->result, &purpose);
    bool travels = !at_hand(sim, runner, stint->result);
    if (travels && !runner->shipping &&
        !arrive(runner, runner->sent + 1 - runner->script.accumulates))
        return false;
    if (!ship(sim, runner, stint->result, &purpose))
        return false;
    runner->sent += travels;
    return true;
}

/* Hands over what products before `stint` have completed; these are made. */
static bool flush_until(sct_sim *sim, sct_runner *runner, int64_t stint) {
    for (; runner->flushed < stint; runner->flushed++) {
        const sct_stint *flushed = &runner->script.stint[runner->flushed];
        if (flushed->flush && !accumulate(sim, runner, flushed))
            return false;
    }
    return true;
}

static bool fetch(sct_sim *sim, sct_runner *runner) {
    const sct_fetched *fetched = &runner->script.fetch[runner->fetched];
    const sct_purpose purpose = {SCT_GETTING, fetched->step,
                                 pending_slot(runner, fetched->matrix, fetched->slot)};
    if (!ship(sim, runner, fetched->hauls, &purpose))
        return false;
    runner->fetched++;
    return true;
}

static bool has_operands(const sct_runner *runner, const sct_stint *stint) {
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        int64_t slot = stint->slot[matrix];
        if (slot >= 0 && runner->pending[pending_slot(runner, matrix, slot)] > 0)
            return false;
    }
    return true;
}

static bool multiply(sct_sim *sim, sct_runner *runner) {
    if (!runner->submitting) {
        if (!has_operands(runner, &runner->script.stint[runner->submitted]))
            return false;
        sct_sim_submit(sim, runner);
        runner->submitting = true;
    }
    if (!flush_until(sim, runner, runner->finished))
        return false;
    runner->submitting = false;
    return true;
}

static bool retire(sct_sim *sim, sct_runner *runner) {
    if (runner->finished <= runner->retired || !flush_until(sim, runner, runner->retired + 1))
        return false;
    runner->retired++;
    return true;
}

/* Waits for all accumulates, and for what was fetched for later steps. */
static bool settle(sct_sim *sim, sct_runner *runner) {
    (void)sim;
    for (int64_t i = 0; i < pending_pulls(runner); i++)
        if (runner->pending[i] > 0)
            return false;
    return arrive(runner, runner->sent);
}

static bool start(sct_sim *sim, sct_runner *runner) {
    (void)sim;
    (void)runner;
    return true;
}

/* All steps, and with `ordered` the rounds of those who have more slices. */
static bool make_steps(sct_sim *sim, sct_runner *runner) {
    static bool (*const act[])(sct_sim *, sct_runner *) = {[SCT_ACT_FETCH] = fetch,
                                                           [SCT_ACT_MULTIPLY] = multiply,
                                                           [SCT_ACT_RETIRE] = retire,
                                                           [SCT_ACT_SETTLE] = settle};
    const sct_script *script = &runner->script;
    for (; runner->act < script->acts; runner->act++)
        if (!act[script->act[runner->act]](sim, runner))
            return false;
    const sct_purpose none = {SCT_ACCUMULATING, -1, pending_slice(runner, 0)};
    while (script->in_rounds && runner->sent < sim->rounds)
        if (!take_turns(sim, runner, (sct_batch){.count = 0}, &none))
            return false;
    return arrive(runner, runner->sent);
}

/* Adds other replicas' shares, each when the one before has come. */
static bool add_shares(sct_sim *sim, sct_runner *runner) {
    sct_batch batch = runner->script.add;
    const sct_purpose purpose = {SCT_REDUCING, -1, pending_pulls(runner)};
    while (runner->pending[purpose.pending] == 0) {
        if (runner->pulled == batch.count)
            return true;
        if (!ship(sim, runner, (sct_batch){batch.first + runner->pulled, 1}, &purpose))
            return false;
        runner->pulled++;
    }
    return false;
}

static bool copy_shares(sct_sim *sim, sct_runner *runner) {
    sct_batch batch = runner->script.copy;
    const sct_purpose purpose = {SCT_SHARING, -1, pending_pulls(runner)};
    if (runner->pulled < batch.count) {
        if (!ship(sim, runner, batch, &purpose))
            return false;
        runner->pulled = batch.count;
    }
    return runner->pending[purpose.pending] == 0;
}

void sct_runner_advance(sct_sim *sim, sct_runner *runner) {
    static bool (*const stages[])(sct_sim *, sct_runner *) = {[SCT_STAGE_START] = start,
                                                              [SCT_STAGE_STEPS] = make_steps,
                                                              [SCT_STAGE_ADD] = add_shares,
                                                              [SCT_STAGE_COPY] = copy_shares};
    while (runner->stage <= sim->last && !sim->status) {
        if (!stages[runner->stage](sim, runner))
            return;
        if (runner->stage == SCT_STAGE_STEPS && !runner->waiting)
            runner->done = sim->now;
        if (!meet(sim, runner))
            return;
        runner->stage++;
        runner->pulled = 0;
    }
}
