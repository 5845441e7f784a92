/* submit.c - submits commands; those that are neither moves nor products as kernels. */
#include "device/cuda/kernels.h"
#include "device/cuda/symmetric.h"
#include "device/cuda/two_steps.h"

#include "base/checked.h"

/* ---- Kernels ---- */

enum { THREADS = 256, WARP = 32, MOST_BLOCKS = 1 << 14 };

/* A kernel, and how large its grid and its blocks are at most. */
typedef struct launch_how {
    void (*kernel)(sct_cuda_work work);
    int most_blocks;
    unsigned threads;
    bool urgent;
} launch_how;

/* How much of x a block has: not much more than there is. */
static unsigned width_for(int64_t x, unsigned threads) {
    unsigned wide = WARP;
    while (wide < threads && wide < x)
        wide *= 2;
    return wide;
}

static unsigned blocks_for(int64_t count, int64_t per_block, int64_t most) {
    return (unsigned)sct_max(1, sct_min((count + per_block - 1) / per_block, most));
}

/* Runs a thread for each of x positions of y lines, or for several of them. */
static sct_status launch(cudaStream_t queue, const sct_cuda_gpu *gpu, launch_how how, int64_t x,
                         int64_t y, sct_cuda_work *work) {
    union {
        void (*function)(sct_cuda_work work);
        const void *address;
    } kernel = {how.kernel};
    cudaLaunchAttribute priority = {.id = cudaLaunchAttributePriority,
                                    .val = {.priority = gpu->priority}};
    unsigned wide = width_for(x, how.threads), high = how.threads / wide;
    unsigned across = blocks_for(x, wide, how.most_blocks);
    cudaLaunchConfig_t config = {
        .gridDim = {across, blocks_for(y, high, how.most_blocks / (int)across), 1},
        .blockDim = {wide, high, 1},
        .stream = queue,
        .attrs = how.urgent ? &priority : NULL,
        .numAttrs = how.urgent};
    void *arguments[] = {work};
    return sct_cuda_check(cudaLaunchKernelExC(&config, kernel.address, arguments), "run a kernel");
}

static sct_status launch_on(sct_stream *stream, launch_how how, int64_t x, int64_t y,
                            sct_cuda_work *work) {
    return launch(stream->stream, stream->device->gpu, how, x, y, work);
}

static int parts_of(sct_type type) {
    return sct_type_part(type) == type ? 1 : 2;
}

static sct_cuda_work work_of(sct_type type, const sct_strided_work *w) {
    return (sct_cuda_work){.from = w->from,
                           .to = w->to,
                           .from_ld = w->from_ld,
                           .to_ld = w->to_ld,
                           .lines = w->lines,
                           .count = w->count,
                           .bytes = (int)sct_type_bytes(type) / parts_of(type),
                           .parts = parts_of(type),
                           .conjugate = w->conjugate && parts_of(type) == 2};
}

/* A block without gaps becomes one long line. */
static void join_lines(sct_cuda_work *work) {
    if (work->from_ld == work->count && work->to_ld == work->count) {
        work->count *= work->lines;
        work->lines = 1;
    }
}

/* With real parts as elements. */
static sct_cuda_work by_parts(sct_type type, const sct_strided_work *w) {
    sct_cuda_work work = work_of(type, w);
    work.from_ld *= work.parts;
    work.to_ld *= work.parts;
    work.count *= work.parts;
    join_lines(&work);
    return work;
}

static sct_status submit_copy(sct_stream *stream, sct_type type, const sct_strided_work *w) {
    static const launch_how how = {sct_cuda_copy_kernel, MOST_BLOCKS, THREADS, false};
    sct_cuda_work work = by_parts(type, w);
    return launch_on(stream, how, work.count, work.lines, &work);
}

static sct_status submit_transpose(sct_stream *stream, sct_type type, const sct_strided_work *w) {
    static const launch_how how = {sct_cuda_transpose_kernel, MOST_BLOCKS, THREADS, false};
    sct_cuda_work work = work_of(type, w);
    return launch_on(stream, how, w->lines, w->count, &work);
}

/* Whether each line of floats begins equally far behind a group of four in the source and the
 * target. */
static bool has_quads(const sct_cuda_work *work) {
    enum { QUAD = 4 * sizeof(float) };
    bool alike = (uintptr_t)work->from % QUAD == (uintptr_t)work->to % QUAD;
    return work->bytes == sizeof(float) && alike && work->from_ld % 4 == work->to_ld % 4;
}

/* An atomic addition is part of a contribution, which goes on beside products: so that it does not
 * take the GPU away from them, it has few blocks, which are large; so that it does not wait for
 * theirs to end, it has priority. */
sct_status sct_cuda_add(cudaStream_t queue, const sct_cuda_gpu *gpu, sct_type type,
                        const sct_strided_work *w) {
    enum { FEW_BLOCKS = 32, VECTORS = 9 };
    static const launch_how plain = {sct_cuda_add_kernel, MOST_BLOCKS, THREADS, false},
                            atomic = {sct_cuda_add_kernel, FEW_BLOCKS, SCT_CUDA_MOST_THREADS, true};
    sct_cuda_work work = by_parts(type, w);
    work.atomic = w->atomic;
    work.quads =
        w->atomic ? work.bytes == sizeof(float) && gpu->major >= VECTORS : has_quads(&work);
    int64_t across = work.quads ? work.count / 4 + 1 : work.count;
    return launch(queue, gpu, w->atomic ? atomic : plain, across, work.lines, &work);
}

static sct_status submit_add(sct_stream *stream, sct_type type, const sct_strided_work *w) {
    const sct_cuda_device *device = stream->device;
    sct_cuda_gpu *owner = NULL;
    cudaError_t error = cudaSuccess;
    if (w->atomic && device->mailbox)
        error = sct_cuda_find_owner(device, w->to, &owner);
    if (error)
        return sct_cuda_check(error, "find memory");
    return owner && owner != device->gpu ? sct_cuda_mail(stream, owner, type, w)
                                         : sct_cuda_add(stream->stream, device->gpu, type, w);
}

static sct_status submit_scale(sct_stream *stream, sct_type type, const sct_strided_work *w) {
    static const launch_how how = {sct_cuda_scale_kernel, MOST_BLOCKS, THREADS, false};
    sct_cuda_work work = work_of(type, w);
    bool single = sct_type_part(type) == SCT_F32;
    work.zero = sct_scalar_is(type, w->factor, 0);
    work.re = single ? (double)w->factor.f32[0] : w->factor.f64[0];
    work.im = single ? (double)w->factor.f32[1] : w->factor.f64[1];
    return launch_on(stream, how, w->count, w->lines, &work);
}

/* ---- Conversions ---- */

static size_t block_bytes(const sct_strided_work *w, int64_t ld, size_t element) {
    return (size_t)((w->lines - 1) * ld + w->count) * element;
}

static bool overlaps(const void *x, size_t x_bytes, const void *y, size_t y_bytes) {
    uintptr_t first = (uintptr_t)x, second = (uintptr_t)y;
    return first < second + y_bytes && second < first + x_bytes;
}

/* What a conversion is from and to. */
typedef struct conversion {
    sct_type from, to;
} conversion;

static sct_status convert(sct_stream *stream, const sct_strided_work *w, const void *context) {
    static const launch_how how = {sct_cuda_convert_kernel, MOST_BLOCKS, THREADS, false};
    const conversion *types = context;
    sct_cuda_work work = work_of(types->from, w);
    work.narrow = types->from == SCT_F32;
    work.bf16 = (work.narrow ? types->to : types->from) == SCT_BF16;
    join_lines(&work);
    return launch_on(stream, how, work.count, work.lines, &work);
}

static sct_status copy_source(sct_stream *stream, const sct_strided_work *w, const void *context) {
    const conversion *types = context;
    return submit_copy(stream, types->from, w);
}

/* A conversion in place reads from a copy, since its threads run in any order. Only dense blocks
 * are converted in place, and no piece of the result lies on what comes after its own source. */
static sct_status submit_convert(sct_stream *stream, sct_type type, const sct_strided_work *w) {
    const conversion types = {type, w->to_type};
    sct_cuda_two_steps how = {.from_bytes = sct_type_bytes(type),
                              .to_bytes = sct_type_bytes(w->to_type),
                              .fill = copy_source,
                              .empty = convert,
                              .context = &types};
    if (!overlaps(w->from, block_bytes(w, w->from_ld, how.from_bytes), w->to,
                  block_bytes(w, w->to_ld, how.to_bytes)))
        return convert(stream, w, &types);
    sct_status status = sct_cuda_buffer(stream, &how.buffer);
    return status ? status : sct_cuda_in_two_steps(stream, w, &how);
}

/* ---- All commands ---- */

sct_status sct_cuda_submit(sct_stream *stream, const sct_command *command) {
    const sct_strided_work *w = &command->strided;
    sct_status status = sct_cuda_check(cudaSetDevice(stream->device->gpu->id), "use a device");
    if (!status)
        status = sct_device_catch_up(&stream->device->base, stream, &stream->caught_up);
    if (status)
        return status;
    stream->marked = false;
    if (command->work == SCT_DO_GEMM)
        return sct_cuda_gemm(stream, command->type, &command->gemm);
    if (w->lines == 0 || w->count == 0)
        return SCT_OK;
    switch (command->work) {
    case SCT_DO_MOVE:
        return sct_cuda_move(stream, w);
    case SCT_DO_COPY:
        return submit_copy(stream, command->type, w);
    case SCT_DO_TRANSPOSE:
        return submit_transpose(stream, command->type, w);
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
