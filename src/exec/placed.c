/* placed.c - copies what a view has of each part between the caller's memory and the devices. */
#include "exec/placed.h"
#include "exec/scratch.h"

sct_status sct_placed_open(const sct_site *site, const sct_bound *given, sct_bound *placed) {
    *placed = *given;
    return given->staged ? sct_scratch_open(site, given, given->type, placed) : SCT_OK;
}

sct_status sct_placed_load(const sct_site *site, const sct_bound *given, const sct_bound *placed,
                           sct_stream *stream) {
    return given->staged ? sct_bound_move(site, given, placed, stream) : SCT_OK;
}

sct_status sct_placed_store(const sct_site *site, const sct_bound *placed, const sct_bound *given,
                            sct_stream *stream) {
    return given->staged ? sct_bound_move(site, placed, given, stream) : SCT_OK;
}

void sct_placed_close(const sct_site *site, const sct_bound *given, const sct_bound *placed,
                      bool keep) {
    if (given->staged)
        sct_scratch_close(site, placed, keep);
}
