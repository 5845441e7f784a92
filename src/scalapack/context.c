/* context.c - finds the context of a program in the part of Sectile for its MPI. */
#include "scalapack/mpi/contexts.h"

sct_status sct_context_find(sct_program *program, int number, sct_context **found) {
    sct_blacs_context blacs;
    const sct_mpi_contexts *mpi = sct_program_mpi(program);
    sct_status status = sct_program_context(program, number, &blacs);
    if (!status)
        status = mpi->find(&blacs, sct_products_clear, found);
    if (!status)
        (*found)->mpi = mpi;
    return status;
}

sct_status sct_context_exchange(const sct_context *context, const void *mine, size_t bytes,
                                void *all) {
    return context->mpi->exchange(context, mine, bytes, all);
}

sct_status sct_context_least(const sct_context *context, uint64_t *values, int count) {
    return context->mpi->least(context, values, count);
}
