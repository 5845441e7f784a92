/* file_work.c - what verbs that work on files have in common. */
#include "verbs/file_work.h"

#include "args/problem.h"
#include "run/planned_product.h"
#include "values/element.h"

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

static const char *held(const struct input *input) {
    return element_format_name(&input->header.format, input->header.type);
}

/* ---- Types ---- */

static enum code refuse_whole(const struct input *input) {
    report_error("%s holds %s; --type f64 reads it as floating-point numbers", input->path,
                 held(input));
    return CODE_FAILED;
}

/* Reads an input as this type. */
static enum code set_type(struct input *input, sct_type type) {
    if (element_format_is_complex(&input->header.format, input->header.type) &&
        !element_is_complex(type)) {
        report_error("%s holds %s, whose imaginary parts would be lost in %s; --type %s keeps them",
                     input->path, held(input), sct_type_name(type), held(input));
        return CODE_FAILED;
    }
    input->header.type = type;
    return CODE_DONE;
}

enum code operand_type(struct input *input, int64_t asked, int64_t *type) {
    const struct npy_header *const headers[] = {&input->header};
    sct_type found;
    bool floating = element_format_promote(1, headers, &found);
    if (asked == TYPE_OF_FILES && !floating)
        return refuse_whole(input);
    *type = asked == TYPE_OF_FILES ? (int64_t)found : asked;
    return set_type(input, (sct_type)*type);
}

/* With --sum-c, C has the type of the sums, which must hold what is in its file. */
static enum code check_sum_type(const struct args *args, const struct input *input) {
    const sct_type sum = args_type(args, MATRIX_C);
    const struct npy_header like = {.type = sum, .format = element_format_of(sum)};
    const struct npy_header *const headers[] = {&input->header, &like};
    sct_type both = sum;
    element_format_promote(2, headers, &both);
    if (both == sum)
        return CODE_DONE;
    report_error("%s holds %s, but C is of %s with --sum-c; --type converts it", input->path,
                 held(input), sct_type_name(sum));
    return CODE_FAILED;
}

/* As NumPy promotes them; with --sum-c, that of C follows from those of A and B. */
static enum code promote(struct args *args, const struct input *inputs, int count) {
    const struct npy_header *headers[MATRICES];
    sct_type type;
    int promoted = args->sum_c && count > MATRIX_C ? MATRIX_C : count;
    for (int i = 0; i < promoted; i++)
        headers[i] = &inputs[i].header;
    if (!element_format_promote(promoted, headers, &type))
        return refuse_whole(&inputs[MATRIX_A]);
    args->type = type;
    return promoted < count ? check_sum_type(args, &inputs[MATRIX_C]) : CODE_DONE;
}

static enum code find_types(struct args *args, struct input *inputs, int count) {
    enum code code = args->type == TYPE_OF_FILES ? promote(args, inputs, count) : CODE_DONE;
    for (int i = 0; i < count && code == CODE_DONE; i++)
        code = set_type(&inputs[i], args_type(args, i));
    return code;
}

/* ---- Shapes ---- */

/* The size of op(A), op(B) or C. */
static struct place size_of(const struct args *args, const struct input *inputs, int matrix) {
    const struct npy_header *header = &inputs[matrix].header;
    return args_turned(args, matrix) ? (struct place){header->cols, header->rows}
                                     : (struct place){header->rows, header->cols};
}

static enum code find_shape(struct args *args, const struct input *inputs, int count) {
    struct place a = size_of(args, inputs, MATRIX_A), b = size_of(args, inputs, MATRIX_B);
    if (a.col != b.row) {
        report_error("op(A) of %s is %" PRId64 " x %" PRId64 " and op(B) of %s is %" PRId64
                     " x %" PRId64 "; op(A) must have as many columns as op(B) has rows",
                     inputs[MATRIX_A].path, a.row, a.col, inputs[MATRIX_B].path, b.row, b.col);
        return CODE_FAILED;
    }
    args->shape = (struct shape){a.row, b.col, a.col};
    if (count < MATRICES)
        return CODE_DONE;
    struct place c = size_of(args, inputs, MATRIX_C);
    if (c.row == a.row && c.col == b.col)
        return CODE_DONE;
    report_error("%s is %" PRId64 " x %" PRId64 ", but the product is %" PRId64 " x %" PRId64,
                 inputs[MATRIX_C].path, c.row, c.col, a.row, b.col);
    return CODE_FAILED;
}

/* A matrix, or a stack of one, is used for all matrices of the other stacks. */
static enum code broadcast(const struct input *inputs, int count, struct npy_header *product) {
    const struct input *longest = NULL;
    product->count = 1;
    for (int i = 0; i < count; i++) {
        int64_t matrices = npy_matrices(&inputs[i].header);
        product->stacked = product->stacked || inputs[i].header.stacked;
        if (matrices == 1)
            continue;
        if (longest && matrices != product->count) {
            report_error("%s is a stack of %" PRId64 " matrices, and %s one of %" PRId64
                         "; stacks must have equally many, or one",
                         longest->path, product->count, inputs[i].path, matrices);
            return CODE_FAILED;
        }
        longest = &inputs[i];
        product->count = matrices;
    }
    return CODE_DONE;
}

enum code operands_check(struct args *args, struct input *inputs, int count,
                         struct npy_header *product) {
    *product = (struct npy_header){.order = SCT_ROW_MAJOR};
    enum code code = find_types(args, inputs, count);
    if (code == CODE_DONE)
        code = find_shape(args, inputs, count);
    if (code == CODE_DONE)
        code = broadcast(inputs, count, product);
    if (code != CODE_DONE)
        return code;
    product->type = args_type(args, MATRIX_C);
    args->matrices = npy_matrices(product);
    product->rows = args->shape.m;
    product->cols = args->shape.n;
    return args_check_scalars(args, (sct_type)args->type);
}
