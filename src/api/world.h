/* world.h - worlds and matrices behind their public names. */
#ifndef SCT_API_WORLD_H
#define SCT_API_WORLD_H

#include "api/recent_calls.h"
#include "exec/job.h"
#include "exec/move.h"
#include "exec/scratch.h"

/* Debug builds make expensive checks of the caller's mistakes. */
#ifdef NDEBUG
enum { SCT_DEBUG = 0 };
#else
enum { SCT_DEBUG = 1 };
#endif

struct sct_world {
    sct_fabric *fabric;
    sct_device *device;
    sct_stream *stream; /* for work outside jobs */
    sct_gpus gpus;      /* equal on all ranks */
    uint64_t bytes_in_place;
    uint64_t matrices, jobs, copies; /* numbers of objects made so far, equal on all ranks */
    sct_recent_calls recent;
    sct_scratch scratch;
    sct_trials trials;
    sct_common agreed; /* of the last request on which the ranks have agreed */
};

struct sct_matrix {
    sct_world *world;
    sct_type type;
    const sct_layout *layout;
    sct_segment *segment;
    uint64_t number; /* equal on all ranks, as is the next */
    uint64_t alike;  /* the hash of the request for it, which names its type and layout */
    bool needs_copy; /* on any rank, wrapped memory of the host that its device cannot use */
    char state;      /* of this rank's part: one of these */
    char *states;    /* of each rank's, if one is missing; otherwise NULL */
};

/* What a rank stores: PART_MISSING if it wrapped NULL where it stores elements. */
enum { PART_PRESENT, PART_MISSING, PART_OF_HOST };

/* sct_job_create with memory for the workspace, which several jobs may share, or NULL. */
sct_status sct_job_create_in(sct_world *world, const sct_plan *plan, const sct_view view[SCT_MATS],
                             void *workspace, sct_job **job);

sct_exec_context sct_world_context(sct_world *world);
sct_bound sct_matrix_bind(sct_view view);

/* False for memory that neither the host nor the device of this rank can use. */
bool sct_world_reaches(const sct_world *world, const void *memory, size_t bytes);
/* Whether memory of the device is aligned to the size of its elements, as commands of the device
 * require. Always true of memory of the host. */
bool sct_world_aligns(const sct_world *world, sct_type type, const void *memory);
/* Whether the device calculates with numbers of this type. */
bool sct_world_has(const sct_world *world, sct_type type);

/* Opens a mover with a stream of its own, and a buffer for transfers of at most all elements of the
 * matrix; `limit` is the most bytes of the buffer (0: default). Close it also if this fails. */
sct_status sct_world_open_mover(sct_world *world, const sct_matrix *matrix, size_t limit,
                                sct_mover *mover);
void sct_world_close_mover(sct_mover *mover);

/* Local: fails unless a view lies within its matrix in this world. `name` appears in the reason. */
sct_status sct_view_check(const sct_world *world, const char *name, sct_view view);
/* The world of most views, or of the last among equals, so that a rank with a missing or foreign
 * matrix can report it to the others; NULL if no view has a matrix. */
sct_world *sct_world_of(const sct_view *views, int count);
/* Local: fail if the given rank, or this one, wrapped NULL. `name` appears in the reason. */
sct_status sct_matrix_present(const char *name, const sct_matrix *matrix, int rank);
sct_status sct_view_present(const char *name, sct_view view);
/* True if two views share elements on this rank. */
bool sct_views_overlap(sct_view x, sct_view y);
/* The product of such views, which must exist as long as the problem. */
sct_problem sct_views_problem(const sct_world *world, sct_op op_a, sct_op op_b,
                              const sct_view view[SCT_MATS]);

#endif
