/* request.h - the arguments of a collective call as text, by which ranks check that they make the
 * same call. */
#ifndef SCT_API_REQUEST_H
#define SCT_API_REQUEST_H

#include "base/type.h"

#include <sectile/sectile.h>
#include <stdbool.h>

/* Equal texts mean equal calls. */
typedef struct sct_request_text {
    char *text; /* words of the form name=value */
    size_t length, room;
    uint64_t hash;
    bool cut;       /* incomplete for lack of memory */
    int64_t slices; /* of C that this rank accumulates in a product; the ranks need not agree */
} sct_request_text;

/* Starts the text that describes a call. sct_world_agree frees it, and so does sct_request_end. */
sct_request_text sct_request_begin(const char *verb);
void sct_request_end(sct_request_text *request);
void sct_request_add_word(sct_request_text *request, const char *name, const char *word);
void sct_request_add_number(sct_request_text *request, const char *name, int64_t number);
void sct_request_add_scalar(sct_request_text *request, const char *name, sct_type type,
                            sct_scalar scalar);
void sct_request_add_layout(sct_request_text *request, const char *name, const sct_layout *layout);
void sct_request_add_view(sct_request_text *request, const char *name, sct_view view);
/* "N", "T" or "C". */
const char *sct_op_name(sct_op op);

/* Collective. Fails on all ranks with the reason of the lowest failed rank, or if requests differ.
 * Ends the request. */
sct_status sct_world_agree(sct_world *world, sct_status status, sct_request_text *request);
/* The same, and the text stays. */
sct_status sct_world_agree_on(sct_world *world, sct_status status, const sct_request_text *request);

#endif
