/* submit.c - submits commands: moves as copies of rectangles, products to the BLAS, and the others
 * as kernels. */
#include "device/opencl/stream.h"

#include "base/checked.h"

/* ---- Moves ---- */

/* One side of a move: a rectangle in a buffer, or in memory of the host. */
typedef struct side {
    sct_cl_place place;
    size_t pitch;
} side;

/* With a single line the pitch does not matter, and OpenCL refuses one that is too short. */
static side side_of(sct_cl_context *context, const void *memory, int64_t ld,
                    const sct_strided_work *w) {
    return (side){sct_cl_find(context, memory), w->lines == 1 ? (size_t)w->count : (size_t)ld};
}

/* Within a buffer, OpenCL copies rectangles only if both have the same pitch. */
static cl_int copy_lines(sct_stream *stream, const side *from, const side *to,
                         const sct_strided_work *w) {
    cl_int error = CL_SUCCESS;
    for (int64_t i = 0; i < w->lines && !error; i++)
        error = clEnqueueCopyBuffer(stream->queue, from->place.buffer, to->place.buffer,
                                    from->place.offset + (size_t)i * from->pitch,
                                    to->place.offset + (size_t)i * to->pitch, (size_t)w->count, 0,
                                    NULL, NULL);
    return error;
}

static sct_status submit_move(sct_stream *stream, const sct_strided_work *w) {
    sct_cl_context *context = stream->device->context;
    side from = side_of(context, w->from, w->from_ld, w), to = side_of(context, w->to, w->to_ld, w);
    const size_t region[3] = {(size_t)w->count, (size_t)w->lines, 1};
    const size_t at_from[3] = {from.place.offset}, at_to[3] = {to.place.offset};
    cl_int error;
    if (w->lines == 0 || w->count == 0)
        return SCT_OK;
    if (from.place.buffer && from.place.buffer == to.place.buffer && from.pitch != to.pitch)
        error = copy_lines(stream, &from, &to, w);
    else if (from.place.buffer && to.place.buffer)
        error = clEnqueueCopyBufferRect(stream->queue, from.place.buffer, to.place.buffer, at_from,
                                        at_to, region, from.pitch, 0, to.pitch, 0, 0, NULL, NULL);
    else if (from.place.buffer)
        error = clEnqueueReadBufferRect(stream->queue, from.place.buffer, CL_FALSE, at_from, at_to,
                                        region, from.pitch, 0, to.pitch, 0, w->to, 0, NULL, NULL);
    else if (to.place.buffer)
        error =
            clEnqueueWriteBufferRect(stream->queue, to.place.buffer, CL_FALSE, at_to, at_from,
                                     region, to.pitch, 0, from.pitch, 0, w->from, 0, NULL, NULL);
    else
        return sct_fail(SCT_FAILED, "OpenCL: a move within the host");
    return sct_cl_check(error, "move memory");
}

/* ---- Kernels ---- */

typedef struct kernel_name {
    int index; /* in a stream's table */
    const char *name;
} kernel_name;

static sct_status find_kernel(sct_stream *stream, int program, kernel_name which,
                              cl_kernel *kernel) {
    cl_kernel *known = &stream->kernel[program][which.index];
    if (!*known) {
        cl_program built;
        cl_int error;
        sct_status status = sct_cl_program(stream->device->context, program, &built);
        if (status)
            return status;
        cl_kernel made = clCreateKernel(built, which.name, &error);
        if (error != CL_SUCCESS)
            return sct_cl_check(error, "make a kernel");
        *known = made;
    }
    *kernel = *known;
    return SCT_OK;
}

/* A kernel and its arguments so far. */
typedef struct call {
    cl_kernel kernel;
    cl_uint arguments;
    cl_int error;
} call;

static void pass(call *c, size_t bytes, const void *value) {
    cl_int error = clSetKernelArg(c->kernel, c->arguments++, bytes, value);
    c->error = c->error ? c->error : error;
}

static void pass_number(call *c, size_t number) {
    cl_ulong value = number;
    pass(c, sizeof value, &value);
}

/* A block: its buffer, where it begins and the distance of its lines, in elements. */
static void pass_block(call *c, sct_cl_place place, int64_t ld, size_t bytes) {
    pass(c, sizeof place.buffer, &place.buffer);
    pass_number(c, place.offset / bytes);
    pass_number(c, (size_t)ld);
}

/* Runs a work item for each of `count` elements of each line, in groups along the lines. Some
 * devices run at most 65535 groups across the lines at once. */
static sct_status launch(sct_stream *stream, call *c, int64_t count, int64_t lines) {
    enum { GROUP = 64, MOST_LINES = 65535 };
    const size_t local[] = {GROUP, 1};
    for (int64_t line = 0; line < lines && !c->error; line += MOST_LINES) {
        const size_t first[] = {0, (size_t)line};
        const size_t global[] = {((size_t)count + GROUP - 1) / GROUP * GROUP,
                                 (size_t)sct_min(lines - line, MOST_LINES)};
        c->error = clEnqueueNDRangeKernel(stream->queue, c->kernel, 2, first, global, local, 0,
                                          NULL, NULL);
    }
    return sct_cl_check(c->error, "run a kernel");
}

/* The places of both blocks; fails if the device cannot use them. */
static sct_status find_blocks(sct_stream *stream, const sct_strided_work *w, sct_cl_place *from,
                              sct_cl_place *to) {
    *from = sct_cl_find(stream->device->context, w->from ? w->from : w->to);
    *to = sct_cl_find(stream->device->context, w->to);
    if (from->buffer && to->buffer)
        return SCT_OK;
    return sct_fail(SCT_FAILED, "OpenCL: a command is to use memory of the host");
}

/* Blocks without gaps are one long line. */
static sct_strided_work joined(const sct_strided_work *w) {
    sct_strided_work one = *w;
    if (w->from_ld == w->count && w->to_ld == w->count) {
        one.count *= w->lines;
        one.lines = 1;
    }
    return one;
}

/* A copy, or a transposed one. */
static sct_status submit_copy(sct_stream *stream, const sct_command *command) {
    static const kernel_name copy = {0, "copy"}, transpose = {1, "transpose"};
    bool turned = command->work == SCT_DO_TRANSPOSE;
    sct_strided_work w = turned ? command->strided : joined(&command->strided);
    size_t bytes = sct_type_bytes(command->type);
    cl_int conjugate = w.conjugate;
    sct_cl_place from, to;
    call c = {.error = CL_SUCCESS};
    sct_status status = find_blocks(stream, &w, &from, &to);
    if (!status)
        status = find_kernel(stream, (int)command->type, turned ? transpose : copy, &c.kernel);
    if (status)
        return status;
    pass_block(&c, from, w.from_ld, bytes);
    pass_block(&c, to, w.to_ld, bytes);
    pass_number(&c, (size_t)w.lines);
    pass_number(&c, (size_t)w.count);
    pass(&c, sizeof conjugate, &conjugate);
    return turned ? launch(stream, &c, w.lines, w.count) : launch(stream, &c, w.count, w.lines);
}

static sct_status submit_add(sct_stream *stream, sct_type type, const sct_strided_work *work) {
    static const kernel_name add = {2, "add"};
    sct_strided_work w = joined(work);
    size_t part = sct_type_bytes(sct_type_part(type));
    int64_t parts = (int64_t)(sct_type_bytes(type) / part);
    sct_cl_place from, to;
    call c = {.error = CL_SUCCESS};
    sct_status status = find_blocks(stream, &w, &from, &to);
    if (!status)
        status = find_kernel(stream, (int)sct_type_part(type), add, &c.kernel);
    if (status)
        return status;
    pass_block(&c, from, w.from_ld * parts, part);
    pass_block(&c, to, w.to_ld * parts, part);
    pass_number(&c, (size_t)w.lines);
    pass_number(&c, (size_t)(w.count * parts));
    return launch(stream, &c, w.count * parts, w.lines);
}

static sct_status submit_scale(sct_stream *stream, sct_type type, const sct_strided_work *work) {
    static const kernel_name scale = {3, "scale"};
    sct_strided_work w = *work;
    w.from = w.to;
    w.from_ld = w.to_ld;
    w = joined(&w);
    size_t bytes = sct_type_bytes(type), part = sct_type_bytes(sct_type_part(type));
    cl_int zero = sct_scalar_is(type, w.factor, 0);
    const char *factor = (const char *)&w.factor;
    sct_cl_place from, to;
    call c = {.error = CL_SUCCESS};
    sct_status status = find_blocks(stream, &w, &from, &to);
    if (!status)
        status = find_kernel(stream, (int)type, scale, &c.kernel);
    if (status)
        return status;
    pass_block(&c, to, w.to_ld, bytes);
    pass_number(&c, (size_t)w.lines);
    pass_number(&c, (size_t)w.count);
    pass(&c, part, factor);
    pass(&c, part, factor + part);
    pass(&c, sizeof zero, &zero);
    return launch(stream, &c, w.count, w.lines);
}

/* ---- Conversions ---- */

static size_t block_bytes(const sct_strided_work *w, int64_t ld, size_t element) {
    return (size_t)((w->lines - 1) * ld + w->count) * element;
}

/* A conversion in place reads from a copy, since its work items run in any order. */
static sct_status copy_if_overlapping(sct_stream *stream, const sct_strided_work *w, size_t bytes,
                                      size_t to_bytes, sct_cl_place *from, const sct_cl_place *to) {
    size_t size = block_bytes(w, w->from_ld, bytes), to_size = block_bytes(w, w->to_ld, to_bytes);
    if (from->buffer != to->buffer || from->offset >= to->offset + to_size ||
        to->offset >= from->offset + size)
        return SCT_OK;
    sct_status status = sct_cl_room_grow(&stream->room, size);
    if (status)
        return status;
    cl_mem copy = stream->room.buffer;
    cl_int error = clEnqueueCopyBuffer(stream->queue, from->buffer, copy, from->offset, 0, size, 0,
                                       NULL, NULL);
    *from = (sct_cl_place){copy, 0};
    return sct_cl_check(error, "copy what is to be converted");
}

static sct_status submit_convert(sct_stream *stream, sct_type type, const sct_strided_work *w) {
    static const kernel_name kernels[] = {
        {0, "widen_f16"}, {1, "narrow_f16"}, {2, "widen_bf16"}, {3, "narrow_bf16"}};
    bool narrows = type == SCT_F32;
    bool bf16 = (narrows ? w->to_type : type) == SCT_BF16;
    size_t bytes = sct_type_bytes(type), to_bytes = sct_type_bytes(w->to_type);
    sct_cl_place from, to;
    call c = {.error = CL_SUCCESS};
    sct_status status = find_blocks(stream, w, &from, &to);
    if (!status)
        status = find_kernel(stream, SCT_CL_CONVERT, kernels[2 * bf16 + narrows], &c.kernel);
    if (!status)
        status = copy_if_overlapping(stream, w, bytes, to_bytes, &from, &to);
    if (status)
        return status;
    pass_block(&c, from, w->from_ld, bytes);
    pass_block(&c, to, w->to_ld, to_bytes);
    pass_number(&c, (size_t)w->lines);
    pass_number(&c, (size_t)w->count);
    return launch(stream, &c, w->count, w->lines);
}

/* ---- All commands ---- */

static sct_status submit_product(sct_stream *stream, sct_type type, const sct_gemm_work *w) {
    sct_cl_context *context = stream->device->context;
    sct_cl_operands in = {sct_cl_find(context, w->a), sct_cl_find(context, w->b),
                          sct_cl_find(context, w->c)};
    if (!in.a.buffer || !in.b.buffer || !in.c.buffer)
        return sct_fail(SCT_FAILED, "OpenCL: a product is to use memory of the host");
    return stream->device->blas->gemm(stream->queue, type, w, &in, &stream->room);
}

/* Submits one product for each piece of k. The pieces are about equally long, and none is longer
 * than suits the device. */
static sct_status submit_gemm(sct_stream *stream, sct_type type, const sct_gemm_work *w) {
    int64_t pieces = 1 + (w->k - 1) / stream->device->most_k;
    sct_gemm_size from = {0, 0, 0}, size = {w->m, (w->k + pieces - 1) / pieces, w->n};
    sct_status status = SCT_OK;
    for (; from.k < w->k && !status; from.k += size.k) {
        sct_gemm_work piece = sct_gemm_part(type, w, from, size);
        status = submit_product(stream, type, &piece);
    }
    return status;
}

sct_status sct_cl_submit(sct_stream *stream, const sct_command *command) {
    const sct_strided_work *w = &command->strided;
    sct_status status = sct_device_catch_up(&stream->device->base, stream, &stream->caught_up);
    if (status)
        return status;
    stream->marked = false;
    if (command->work == SCT_DO_GEMM)
        return submit_gemm(stream, command->type, &command->gemm);
    if (command->work == SCT_DO_MOVE)
        return submit_move(stream, w);
    if (w->lines == 0 || w->count == 0)
        return SCT_OK;
    switch (command->work) {
    case SCT_DO_COPY:
    case SCT_DO_TRANSPOSE:
        return submit_copy(stream, command);
    case SCT_DO_CONVERT:
        return submit_convert(stream, command->type, w);
    case SCT_DO_ADD:
        return submit_add(stream, command->type, w);
    case SCT_DO_SCALE:
        return submit_scale(stream, command->type, w);
    default:
        return sct_fail(SCT_BAD_ARGUMENT, "%d is not a kind of work", (int)command->work);
    }
}
