/* agreement.c - compares the arguments of a collective call across ranks, before any rank acts. */
#include "api/world.h"

#include "base/c_locale.h"
#include "base/hash.h"
#include "base/status.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room; most texts fit without an allocation. */
static bool make_room(sct_request_text *request, size_t bytes) {
    enum { USUAL = 512 };
    if (bytes <= request->room)
        return true;
    size_t room = bytes < USUAL ? USUAL : 2 * bytes;
    char *text = realloc(request->text, room);
    if (!text)
        return false;
    request->text = text;
    request->room = room;
    return true;
}

static void add_text(sct_request_text *request, const char *text) {
    size_t more = strlen(text);
    request->cut = request->cut || !make_room(request, request->length + more + 1);
    if (request->cut)
        return;
    memcpy(request->text + request->length, text, more + 1);
    request->length += more;
    request->hash = sct_hash_more(request->hash, text, more);
}

/* Several times as fast as printf, which would take as long as a small product. */
static void add_digits(sct_request_text *request, int64_t number) {
    char text[24], *first = text + sizeof text - 1;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    *first = '\0';
    do
        *--first = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--first = '-';
    add_text(request, first);
}

static void add_name(sct_request_text *request, const char *name) {
    add_text(request, " ");
    add_text(request, name);
    add_text(request, "=");
}

sct_request_text sct_request_begin(const char *verb) {
    sct_request_text request = {.hash = sct_hash_of_nothing};
    add_text(&request, verb);
    return request;
}

void sct_request_end(sct_request_text *request) {
    free(request->text);
    request->text = NULL;
}

void sct_request_add_word(sct_request_text *request, const char *name, const char *word) {
    add_name(request, name);
    add_text(request, word);
}

void sct_request_add_number(sct_request_text *request, const char *name, int64_t number) {
    add_name(request, name);
    add_digits(request, number);
}

static void add_real(sct_request_text *request, double value) {
    static const double exact = 1e15; /* whole numbers below it print alike as integers */
    char text[32];
    bool whole = fabs(value) < exact && value == (double)(int64_t)value && !signbit(value);
    if (whole) {
        add_digits(request, (int64_t)value);
        return;
    }
    sct_c_locale locale = sct_c_locale_begin();
    snprintf(text, sizeof text, "%.17g", value);
    sct_c_locale_end(locale);
    add_text(request, text);
}

void sct_request_add_scalar(sct_request_text *request, const char *name, sct_type type,
                            sct_scalar scalar) {
    bool single = sct_type_part(type) == SCT_F32;
    add_name(request, name);
    add_real(request, single ? scalar.f32[0] : scalar.f64[0]);
    if (!sct_type_complex(type))
        return;
    add_text(request, ",");
    add_real(request, single ? scalar.f32[1] : scalar.f64[1]);
}

void sct_request_add_view(sct_request_text *request, const char *name, sct_view view) {
    const int64_t bound[] = {view.slice.rows.lo, view.slice.rows.hi, view.slice.cols.lo,
                             view.slice.cols.hi};
    static const char *const before[] = {"[", ":", ",", ":"};
    add_name(request, name);
    add_text(request, "matrix-");
    add_digits(request, view.matrix ? (int64_t)view.matrix->number : 0);
    for (int i = 0; i < 4; i++) {
        add_text(request, before[i]);
        add_digits(request, bound[i]);
    }
    add_text(request, "]");
}

void sct_request_add_layout(sct_request_text *request, const char *name, const sct_layout *layout) {
    size_t length = sct_layout_print(layout, NULL, 0);
    add_name(request, name);
    request->cut = request->cut || !make_room(request, request->length + length + 1);
    if (request->cut)
        return;
    char *text = request->text + request->length;
    sct_layout_print(layout, text, length + 1);
    request->length += length;
    request->hash = sct_hash_more(request->hash, text, length);
}

const char *sct_op_name(sct_op op) {
    static const char *const names[] = {"N", "T", "C"};
    return (unsigned)op <= SCT_C ? names[op] : "?";
}

/* ---- Comparing ---- */

/* PIECE: bytes of text compared at once. SHOWN: bytes of each text in a reason. */
enum { PIECE = 256, SHOWN = 104 };

/* The texts of rank 0 and of another rank. */
typedef union two_texts {
    char piece[2][PIECE];
    char shown[2][SHOWN];
    uint64_t words[2 * PIECE / sizeof(uint64_t)];
} two_texts;

/* Collective: of `bytes` bytes of each rank, gets those of rank 0 and of another. */
static sct_status get_two(sct_fabric *fabric, const char *mine, size_t bytes, int other,
                          two_texts *texts) {
    char *at = (char *)texts->words;
    memset(at, UCHAR_MAX, 2 * bytes); /* nothing: any text is less */
    if (fabric->rank == 0)
        memcpy(at, mine, bytes);
    if (fabric->rank == other)
        memcpy(at + bytes, mine, bytes);
    return fabric->ops->reduce(fabric, SCT_LEAST, texts->words, 2 * bytes / sizeof(uint64_t));
}

/* Collective: finds where the texts of two ranks begin to differ, piece by piece. */
static sct_status find_difference(sct_fabric *fabric, const sct_request_text *request, int other,
                                  size_t *at) {
    int same = PIECE;
    for (*at = 0; same == PIECE; *at += (size_t)same) {
        two_texts texts;
        char piece[PIECE] = "";
        size_t left = *at < request->length ? request->length - *at : 0;
        memcpy(piece, request->text + *at, left < PIECE ? left : PIECE);
        sct_status status = get_two(fabric, piece, PIECE, other, &texts);
        if (status)
            return status;
        same = 0;
        while (same < PIECE && texts.piece[0][same] && texts.piece[0][same] == texts.piece[1][same])
            same++;
    }
    return SCT_OK;
}

/* Copies the word at a place for a reason; of a long word its name, and the value from the
 * difference on. */
static void show(const sct_request_text *request, size_t at, char shown[SHOWN]) {
    enum { NEAR = 40, DOTS = 3 };
    const char *here = request->text + (at < request->length ? at : request->length), *word = here;
    while (word > request->text && word[-1] != ' ')
        word--;
    bool far = here - word > NEAR;
    const char *from = far ? here : word;
    while (far && isdigit((unsigned char)from[-1]))
        from--;
    int name = far ? (int)strcspn(word, "=") + 1 : 0, length = (int)strcspn(from, " ");
    int room = SHOWN - 1 - name - 2 * DOTS;
    snprintf(shown, SHOWN, "%.*s%s%.*s%s", name, word, far ? "..." : "",
             length < room ? length : room, from, length < room ? "" : "...");
}

/* Collective: the reason for a disagreement. */
static sct_status disagree(sct_fabric *fabric, const sct_request_text *request) {
    size_t at;
    char shown[SHOWN] = "";
    two_texts texts;
    sct_odd_rank odd;
    sct_status status = sct_fabric_find_odd(fabric, request->hash, &odd);
    if (!status)
        status = find_difference(fabric, request, odd.rank, &at);
    if (status)
        return status;
    show(request, at, shown);
    if ((status = get_two(fabric, shown, SHOWN, odd.rank, &texts)))
        return status;
    return sct_fail(SCT_DISAGREE, "rank %d asks for %.*s, but rank 0 for %.*s", odd.rank, SHOWN - 1,
                    texts.shown[1], SHOWN - 1, texts.shown[0]);
}

/* One reduction, unless something is wrong. */
static sct_status agree(sct_world *world, sct_status status, const sct_request_text *request) {
    const sct_collective_call mine = {.status = status,
                                      .kind = SCT_CALL_REQUEST,
                                      .number = request->hash,
                                      .slices = request->slices};
    status = sct_calls_compare(world->fabric, &mine, &world->agreed);
    return status || world->agreed.number ? status : disagree(world->fabric, request);
}

sct_status sct_world_agree_on(sct_world *world, sct_status status,
                              const sct_request_text *request) {
    if (!status && request->cut)
        status = sct_no_memory("the text of a request");
    return agree(world, status, request);
}

sct_status sct_world_agree(sct_world *world, sct_status status, sct_request_text *request) {
    status = sct_world_agree_on(world, status, request);
    sct_request_end(request);
    return status;
}
