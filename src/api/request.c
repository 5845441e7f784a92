/* request.c - ranks compare what they were asked to do before any of them does it. */
#include "api/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a */
static uint64_t hash_more(uint64_t hash, const char *text) {
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

void sct_request_add_text(sct_request_text *request, const char *text) {
    size_t used = strlen(request->text);
    snprintf(request->text + used, sizeof request->text - used, "%s", text);
    request->hash = hash_more(request->hash, text);
}

sct_request_text sct_request_begin(const char *verb) {
    sct_request_text request = {.hash = 14695981039346656037u};
    sct_request_add_text(&request, verb);
    return request;
}

void sct_request_add(sct_request_text *request, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sct_request_add_text(request, text);
}

void sct_request_add_scalar(sct_request_text *request, const char *name, sct_type type,
                            sct_scalar scalar) {
    bool single = sct_type_part(type) == SCT_F32;
    sct_request_add(request, " %s=%.17g", name, single ? scalar.f32[0] : scalar.f64[0]);
    if (sct_type_complex(type))
        sct_request_add(request, ",%.17g", single ? scalar.f32[1] : scalar.f64[1]);
}

void sct_request_add_view(sct_request_text *request, const char *name, sct_view view) {
    sct_range rows = view.slice.rows, cols = view.slice.cols;
    sct_request_add(request,
                    " %s=matrix-%" PRIu64 "[%" PRId64 ":%" PRId64 ",%" PRId64 ":%" PRId64 "]", name,
                    view.matrix ? view.matrix->number : 0, rows.lo, rows.hi, cols.lo, cols.hi);
}

const char *sct_op_name(sct_op op) {
    static const char *const names[] = {"N", "T", "C"};
    return (unsigned)op <= SCT_C ? names[op] : "?";
}

/* What ranks tell each other. */
typedef struct finding {
    sct_status status;
    char reason[SCT_REASON_BYTES];
    sct_request_text request;
} finding;

/* The word in which two texts first differ, as the first has it, cut to what fits. */
static int differing_word(const char *text, const char *other, const char **word) {
    size_t at = 0;
    while (text[at] && text[at] == other[at])
        at++;
    while (at > 0 && text[at - 1] != ' ')
        at--;
    *word = text + at;
    return (int)strcspn(text + at, " ");
}

static sct_status disagreement(int rank, const char *text, const char *first) {
    const char *word, *first_word;
    int length = differing_word(text, first, &word);
    int first_length = differing_word(first, text, &first_word);
    return sct_fail(SCT_DISAGREE, "rank %d asks for %.*s, rank 0 for %.*s", rank, length, word,
                    first_length, first_word);
}

static sct_status compare(const finding *all, int ranks) {
    for (int r = 0; r < ranks; r++)
        if (all[r].status)
            return sct_fail(all[r].status, "%s", all[r].reason);
    for (int r = 1; r < ranks; r++)
        if (all[r].request.hash != all[0].request.hash)
            return disagreement(r, all[r].request.text, all[0].request.text);
    return SCT_OK;
}

sct_status sct_world_agree(sct_world *world, sct_status status, const sct_request_text *request) {
    sct_fabric *fabric = world->fabric;
    finding mine = {.status = status, .request = *request};
    if (status)
        snprintf(mine.reason, sizeof mine.reason, "%s", sct_last_reason());
    finding *all = malloc((size_t)fabric->size * sizeof *all);
    sct_status ready = all ? SCT_OK : sct_fail(SCT_NO_MEMORY, "no memory to compare requests");
    if ((ready = sct_fabric_agree(fabric, ready)) ||
        (ready = fabric->ops->exchange(fabric, &mine, sizeof mine, all))) {
        free(all);
        return ready;
    }
    status = compare(all, fabric->size);
    free(all);
    return status;
}
