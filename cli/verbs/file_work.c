/* file_work.c - what verbs that work on files have in common. */
#include "verbs/file_work.h"

#include "run/planned_product.h"

#include <inttypes.h>
#include <stdio.h>

int64_t file_matrices(const struct npy_header *output) {
    return output->rows == 0 || output->cols == 0 ? 0 : npy_matrices(output);
}

const char *file_place_text(const struct file_place *place, char text[PLACE_TEXT]) {
    int64_t pieces = pieces_count(place->pieces);
    int length = 0;
    text[0] = '\0';
    if (pieces > 1)
        length = snprintf(text, PLACE_TEXT, ", piece %" PRId64 " of %" PRId64, place->number + 1,
                          pieces);
    if (place->matrices > 1)
        snprintf(text + length, (size_t)(PLACE_TEXT - length), "%s matrix %" PRId64 " of %" PRId64,
                 pieces > 1 ? " of" : ",", place->matrix + 1, place->matrices);
    return text;
}

/* The bar shows the share of all pieces that is done. Their bytes are estimated by those of this
 * piece. */
static void show_begin(const char *work, const char *path, const struct npy_header *header,
                       const struct portion *portion, const struct file_place *place) {
    const sct_slice *slice = &portion->slice;
    int64_t bytes = (slice->rows.hi - slice->rows.lo) * (slice->cols.hi - slice->cols.lo) *
                    (int64_t)element_format_bytes(&header->format, header->type);
    int64_t pieces = pieces_count(place->pieces);
    char text[PLACE_TEXT];
    progress_begin(portion->progress, bytes * pieces * place->matrices, "%s %s%s", work, path,
                   file_place_text(place, text));
    progress_add(portion->progress, bytes * (place->matrix * pieces + place->number));
}

double file_begin(const struct worker *worker, const char *work, const char *path,
                  const struct npy_header *header, const struct portion *portion,
                  const struct file_place *place) {
    if (worker->rank == 0)
        show_begin(work, path, header, portion, place);
    return product_now();
}

void file_end(const struct worker *worker, const struct portion *portion, double start,
              double *seconds) {
    if (worker->rank != 0)
        return;
    progress_end(portion->progress);
    *seconds += product_now() - start;
}

enum code file_check_order(const char *name, const char *layout, const struct npy_header *header) {
    if (!header->stacked || header->order == SCT_ROW_MAJOR)
        return CODE_DONE;
    report_error("%s: '%s' is not allowed; allowed: a layout without /f, as a stack of matrices is "
                 "written in C order",
                 name, layout);
    return CODE_USAGE;
}

void file_print_matrix(const struct npy_header *header) {
    if (header->stacked)
        printf("%" PRId64 " matrices of ", header->count);
    printf("%" PRId64 " x %" PRId64 ", %s", header->rows, header->cols,
           sct_type_name(header->type));
}

void file_print_ranks(int64_t ranks, int64_t pieces) {
    printf(", %" PRId64 " rank%s", ranks, ranks == 1 ? "" : "s");
    if (pieces > 1)
        printf(", in %" PRId64 " pieces", pieces);
    putchar('\n');
}

void file_print_output(const struct output *output) {
    report_name(output->asked);
    fputs(output->replaces ? " (replaced): " : ": ", stdout);
}

const char *file_seconds_text(double seconds, char text[SECONDS_TEXT]) {
    snprintf(text, SECONDS_TEXT, "%.*f s", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds);
    return text;
}

void file_print_pieces(int64_t pieces, double memory) {
    char bytes[PROGRESS_BYTES];
    progress_bytes(memory, bytes);
    printf("  %" PRId64 " piece%s, %s of memory for matrices, workspace and buffers of files\n",
           pieces, pieces == 1 ? "" : "s", bytes);
}

void file_json_pieces(int64_t pieces, double memory, const struct host *host, struct json *json) {
    json_whole(json, "pieces", pieces);
    json_bytes(json, "memory", (uint64_t)memory);
    json_known(json, "memory_limit", host->memory < INT64_MAX ? host->memory : -1);
}
