/* world.h - what the public objects are made of, and how ranks make sure that they agree. */
#ifndef SCT_API_WORLD_H
#define SCT_API_WORLD_H

#include "exec/job.h"
#include "exec/move.h"

struct sct_world {
    sct_fabric *fabric;
    sct_device *device;
    sct_stream *stream; /* for what is not part of a job */
    uint64_t bytes_in_place;
    uint64_t matrices, jobs; /* made so far: numbers them, alike on all ranks */
};

struct sct_matrix {
    sct_world *world;
    sct_type type;
    const sct_layout *layout;
    sct_segment *segment;
    uint64_t number;
    bool wrapped;
    bool missing; /* this rank's part is wrapped and has no memory */
};

/* What a rank was asked to do, in words; ranks that mean the same have the same words. */
typedef struct sct_request_text {
    char *text; /* words, each name=value */
    size_t length, room;
    uint64_t hash;
    bool cut; /* there was no memory for all of it */
} sct_request_text;

/* What is begun has to be agreed on, which ends it. */
sct_request_text sct_request_begin(const char *verb);
void sct_request_add(sct_request_text *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Text of any length. */
void sct_request_add_text(sct_request_text *request, const char *text);
void sct_request_add_scalar(sct_request_text *request, const char *name, sct_type type,
                            sct_scalar scalar);
void sct_request_add_view(sct_request_text *request, const char *name, sct_view view);
/* "N", "T" or "C". */
const char *sct_op_name(sct_op op);

/* Collective. Fails on all ranks with the reason of the lowest that failed, or if requests differ.
 * Ends the request. */
sct_status sct_world_agree(sct_world *world, sct_status status, sct_request_text *request);

sct_site sct_world_site(sct_world *world);
sct_bound sct_matrix_bind(sct_view view);

/* A mover with a buffer of at most `limit` bytes (0: as is good); its release. */
sct_status sct_world_open_mover(sct_world *world, sct_type type, size_t limit, sct_mover *mover);
void sct_world_close_mover(sct_mover *mover);

/* Not collective: whether a view is one of its matrix, in this world. `name` is for the reason. */
sct_status sct_view_check(const sct_world *world, const char *name, sct_view view);
/* The world of most of the views that have a matrix, and of the last one among equals, so that a
 * rank which lacks one, or has one of another world, can still tell the others; NULL if none has.
 */
sct_world *sct_world_of(const sct_view *views, int count);
/* Whether this rank has the memory that the view is of. */
sct_status sct_view_present(const char *name, sct_view view);
/* Collective: SCT_BAD_ARGUMENT if replicas of a view differ in a bit. */
sct_status sct_view_alike(const char *name, sct_view view);
/* Whether two views share elements of this rank. */
bool sct_views_overlap(sct_view x, sct_view y);

#endif
