/* wisdom.c - the wisdom of worlds: measures products at once, and exchanges texts. */
#include "api/world.h"

#include "base/hash.h"
#include "base/status.h"

#include <assert.h>
#include <string.h>

/* ---- Texts ---- */

size_t sct_world_wisdom(const sct_world *world, char *text, size_t bytes) {
    return sct_wisdom_print(&world->trials.wisdom, text, bytes);
}

sct_status sct_world_add_wisdom(sct_world *world, const char *text) {
    sct_wisdom added = {.first = NULL};
    sct_status status = sct_check_given("world", world);
    if (status)
        return status;
    sct_request_text request = sct_request_begin("wisdom");
    status = sct_check_given("text", text);
    if (!status) {
        sct_request_add_number(&request, "hash",
                               (int64_t)sct_hash_more(sct_hash_of_nothing, text, strlen(text)));
        status = sct_wisdom_parse(text, &added);
    }
    sct_fabric_enter(world->fabric);
    status = sct_world_agree(world, status, &request);
    if (!status)
        sct_wisdom_move(&added, &world->trials.wisdom);
    sct_wisdom_clear(&added);
    return sct_fabric_leave(world->fabric, status);
}

/* ---- Measuring at once ---- */

/* The entry of a product of these views, if they are valid. */
static sct_status make_entry(const sct_world *world, const sct_op op[2],
                             const sct_view view[SCT_MATS], const sct_options *options,
                             sct_wisdom_entry **entry) {
    static const char *const names[SCT_MATS] = {"A", "B", "C"};
    for (int i = 0; i < SCT_MATS; i++) {
        sct_status status = sct_view_check(world, names[i], view[i]);
        if (status)
            return status;
    }
    const sct_problem problem = sct_views_problem(world, op[0], op[1], view);
    return sct_wisdom_entry_create(&problem, options, entry);
}

/* Collective. */
static sct_status agree(sct_world *world, sct_status status, const sct_wisdom_entry *entry) {
    sct_request_text request = sct_request_begin("plan");
    if (!status)
        sct_request_add_word(&request, "product", entry->key);
    return sct_world_agree(world, status, &request);
}

/* Runs a product until all of its candidates have had their turns, then sets `stay` and `work` of
 * the options to those of the fastest. Collective. */
static sct_status run_trial(sct_world *world, const sct_op op[2], const sct_view view[SCT_MATS],
                            const char *key, sct_options *options) {
    sct_type sum = sct_type_sum(view[SCT_MAT_A].matrix->type);
    sct_scalar one = sct_scalar_real(sum, 1), zero = sct_scalar_real(sum, 0);
    const sct_problem problem = sct_views_problem(world, op[0], op[1], view);
    sct_status status = SCT_OK;
    sct_turn turn;
    bool agreed;
    while (!status && sct_trials_go_on(&world->trials, key))
        status = sct_multiply(op[0], op[1], &one, view[SCT_MAT_A], view[SCT_MAT_B], &zero,
                              view[SCT_MAT_C], options);
    return status ? status : sct_trials_choose(world, &problem, options, &turn, &agreed);
}

/* The same with a C of its own in place of the given one. Collective. */
static sct_status run_apart(sct_world *world, const sct_op op[2], const sct_view given[SCT_MATS],
                            sct_options *options) {
    sct_view view[SCT_MATS] = {given[SCT_MAT_A], given[SCT_MAT_B], given[SCT_MAT_C]};
    const sct_matrix *c = given[SCT_MAT_C].matrix;
    sct_matrix *made;
    sct_wisdom_entry *entry = NULL;
    sct_status status = sct_matrix_create(world, c->type, c->layout, &made);
    if (status)
        return status;
    view[SCT_MAT_C].matrix = made;
    status = make_entry(world, op, view, options, &entry);
    status = agree(world, status, entry);
    if (!status) {
        assert(entry); /* as the ranks have agreed on its key */
        status = run_trial(world, op, view, entry->key, options);
    }
    sct_wisdom_entry_destroy(entry);
    sct_matrix_destroy(made);
    return status;
}

/* Measures a product that the wisdom lacks, which then has it, unless no candidate could run.
 * Collective. */
static sct_status measure(sct_world *world, const sct_op op[2], const sct_view view[SCT_MATS],
                          sct_options *options, sct_wisdom_entry *entry) {
    sct_status status = run_apart(world, op, view, options);
    if (status || options->stay == SCT_STAY_AUTO) {
        sct_wisdom_entry_destroy(entry);
        return status;
    }
    entry->stay = options->stay;
    entry->work = options->work ? sct_layout_hold(options->work) : NULL;
    sct_wisdom_move(&(sct_wisdom){.first = entry}, &world->trials.wisdom);
    return SCT_OK;
}

static sct_status check_measure(const sct_options *options, const sct_stay *stay,
                                sct_layout *const *work) {
    sct_status status = sct_check_output("stay", stay);
    if (!status)
        status = sct_check_output("work", work);
    if (!status && options)
        status = sct_check_size("options", options->size, sizeof *options, sizeof *options);
    return status;
}

/* Sets `stay` and `work` of the options to what the world's wisdom has of a product, or then has.
 * Collective. */
static sct_status find_or_measure(sct_world *world, sct_status status, const sct_op op[2],
                                  const sct_view view[SCT_MATS], sct_options *options) {
    sct_wisdom_entry *entry = NULL;
    if (!status)
        status = make_entry(world, op, view, options, &entry);
    status = agree(world, status, entry);
    if (status || !sct_trials_matter(options)) {
        sct_wisdom_entry_destroy(entry);
        return status;
    }
    const sct_wisdom_entry *known = sct_wisdom_find(&world->trials.wisdom, entry->key);
    if (!known)
        return measure(world, op, view, options, entry);
    options->stay = known->stay;
    options->work = known->work;
    sct_wisdom_entry_destroy(entry);
    return SCT_OK;
}

sct_status sct_plan_measure(sct_op op_a, sct_op op_b, sct_view a, sct_view b, sct_view c,
                            const sct_options *options, sct_stay *stay, sct_layout **work) {
    const sct_view view[SCT_MATS] = {a, b, c};
    const sct_op op[2] = {op_a, op_b};
    sct_world *world = sct_world_of(view, SCT_MATS);
    if (!world)
        return sct_fail(SCT_BAD_ARGUMENT, "A, B and C are NULL");
    sct_options used = {.size = sizeof used};
    sct_status status = check_measure(options, stay, work);
    if (!status && options)
        used = *options;
    used.effort = SCT_MEASURE;
    sct_stay stays;
    sct_layout *works = NULL;
    sct_fabric_enter(world->fabric);
    status = find_or_measure(world, status, op, view, &used);
    if (!status) {
        const sct_problem problem = sct_views_problem(world, op_a, op_b, view);
        status = sct_plan_decide(&problem, &used, &stays, &works);
        status = sct_world_check(world, status, status ? sct_last_reason() : "a plan");
    }
    if (status) {
        sct_layout_destroy(works);
    } else {
        *stay = stays;
        *work = works;
    }
    return sct_fabric_leave(world->fabric, status);
}
