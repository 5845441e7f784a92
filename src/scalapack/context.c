/* context.c - finds the context of a program in the part of Sectile for its MPI. */
#include "scalapack/mpi/contexts.h"

/* The contexts of the last calls, by their numbers: most calls are small, and finding an attribute
 * of a communicator takes a part of their time. */
enum { PLACES = 64 };
static struct {
    const sct_program *program;
    sct_context *context; /* NULL: none */
} last[PLACES];

static void end(sct_context *context) {
    int place = context->number % PLACES;
    if (last[place].context == context)
        last[place].context = NULL;
    sct_products_clear(&context->products);
}

static sct_context *find_last(const sct_program *program, int number) {
    sct_context *found = number >= 0 ? last[number % PLACES].context : NULL;
    bool same = found && found->number == number && last[number % PLACES].program == program;
    return same ? found : NULL;
}

/* Collective the first time. */
static sct_status find(sct_program *program, int number, const sct_settings *own,
                       sct_context **found) {
    sct_blacs_context blacs;
    const sct_mpi_contexts *mpi = sct_program_mpi(program);
    sct_status status = sct_program_context(program, number, &blacs);
    if (!status)
        status = mpi->find(&blacs, own, end, found);
    if (status)
        return status;
    (*found)->mpi = mpi;
    (*found)->number = number;
    last[number % PLACES].program = program;
    last[number % PLACES].context = *found;
    return SCT_OK;
}

/* Whether this process is one of a context that can be used. */
static bool is_inside(const sct_program *program, int number) {
    sct_grid grid;
    return number >= 0 && sct_program_mpi(program) && !sct_program_grid(program, number, &grid) &&
           grid.row >= 0;
}

sct_passing sct_context_passing(sct_program *program, int number, const sct_call_shape *shape) {
    const sct_settings own = sct_settings_own(program);
    sct_context *context = find_last(program, number);
    sct_status status = SCT_OK;
    if (!context && is_inside(program, number))
        status = find(program, number, &own, &context);
    if (status)
        return sct_passing_after(status);
    return sct_settings_passing(context && context->differs ? &context->settings : &own, shape);
}

sct_status sct_context_find(sct_program *program, int number, sct_context **found) {
    const sct_settings own = sct_settings_own(program);
    sct_blacs_context blacs;
    sct_status status = find(program, number, &own, found);
    if (!status)
        status = sct_program_context(program, number, &blacs);
    return status ? status : (*found)->mpi->open(*found, &blacs);
}

sct_status sct_context_exchange(const sct_context *context, const void *mine, size_t bytes,
                                void *all) {
    return context->mpi->exchange(context, mine, bytes, all);
}

sct_status sct_context_least(const sct_context *context, uint64_t *values, int count) {
    return context->mpi->least(context, values, count);
}
