/* trial_text.c - writes a trial flag by flag. */
#include "whole/support/trial_text.h"

#include "whole/support/text.h"

static void add_scalar(const text *w, const char *flag, element value) {
    text_add(w, " %s %g", flag, value.re);
    if (value.im != 0)
        text_add(w, ",%g", value.im);
}

static void add_matrix(const text *w, const trial *t, int matrix) {
    margin around = t->margin[matrix];
    int64_t rows, cols;
    trial_stored(t, matrix, &rows, &cols);
    text_add(w, " --%c %s", 'a' + matrix, t->layout[matrix]);
    if (around.above || around.below || around.left || around.right)
        text_add(w, " --view-%c %lldx%lld+%lld+%lld", 'a' + matrix,
                 (long long)(margin_rows(around, rows)), (long long)(margin_cols(around, cols)),
                 (long long)around.above, (long long)around.left);
}

static void add_options(const text *w, const sct_options *o) {
    text_add(w, " --stay %s --result %s", sct_stay_name(o->stay), sct_result_name(o->result));
    if (o->fetch)
        text_add(w, " --fetch %s", sct_fetch_name(o->fetch));
    else
        text_add(w, " --slice %s", sct_slicing_name(o->slicing));
    if (o->schedule)
        text_add(w, " --order %s", sct_schedule_name(o->schedule));
    if (o->start)
        text_add(w, " --start alike");
    if (o->transfers_in_group)
        text_add(w, " --transfers %d", o->transfers_in_group);
    if (o->prefetch)
        text_add(w, " --prefetch %d", o->prefetch < 0 ? 0 : o->prefetch);
    if (o->workspace)
        text_add(w, " --workspace %zu", o->workspace);
    if (o->sync)
        text_add(w, " --sync");
    if (o->ordered)
        text_add(w, " --ordered");
}

static void add_world(const text *w, const emulated_options *o) {
    text_add(w, " --engine emulated --engine-options host=%d,deferred=%d,delay_us=%d", o->host,
             o->deferred, o->delay_us);
    if (o->ranks_per_node)
        text_add(w, " --per-node %d", o->ranks_per_node);
}

void trial_text(const trial *t, char *to, size_t bytes) {
    text w = {to, bytes};
    to[0] = '\0';
    text_add(&w, "sectile run --ranks %d --shape %lldx%lldx%lld --type %s%s --op %c%c", t->ranks,
             (long long)t->m, (long long)t->n, (long long)t->k, sct_type_name(t->type),
             t->sum_c ? " --sum-c" : "", "NTC"[t->op[TRIAL_A]], "NTC"[t->op[TRIAL_B]]);
    for (int matrix = 0; matrix < TRIAL_MATRICES; matrix++)
        add_matrix(&w, t, matrix);
    if (t->work[0])
        text_add(&w, " --work %s", t->work);
    add_options(&w, &t->options);
    if (t->engine)
        text_add(&w, " --engine %s --per-node %d", t->engine, t->emulated.ranks_per_node);
    else
        add_world(&w, &t->emulated);
    add_scalar(&w, "--alpha", t->alpha);
    add_scalar(&w, "--beta", t->beta);
    text_add(&w, " --seed %llu --check # in flight: %d products, %d accumulates; wrapped %u%s",
             (unsigned long long)t->seed, t->options.products_in_flight,
             t->options.accumulates_in_flight, t->wrapped,
             t->emulated.wrapped_alone ? " alone" : "");
}
