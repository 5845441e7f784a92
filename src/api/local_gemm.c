/* local_gemm.c - products of local blocks: on the host, in any mix of storage orders, and on a
 * rank's device. */
#include "api/block.h"
#include "api/world.h"
#include "base/status.h"
#include "base/strided.h"
#include "device/host.h"

#include <stdlib.h>

static sct_status check_block(const char *name, sct_type type, const sct_block *block) {
    if (!block)
        return sct_check_given(name, block);
    if (block->rows < 0 || block->cols < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: %lld x %lld is negative", name,
                        (long long)block->rows, (long long)block->cols);
    sct_status status = sct_block_check_memory(name, block);
    return status ? status : sct_block_check_ld(name, type, block);
}

/* The op passed to the BLAS for an operand that it sees in C's storage order. */
static sct_op seen_op(sct_type type, sct_op op, bool other_order) {
    if ((op != SCT_N) == other_order)
        return SCT_N;
    return op == SCT_C && sct_type_complex(type) ? SCT_C : SCT_T;
}

/* Makes a conjugated copy if the BLAS would have to conjugate without transposing; else NULL. */
static sct_status conjugate(sct_type type, sct_op op, const sct_block *block, bool other_order,
                            void **copy) {
    *copy = NULL;
    if (op != SCT_C || !other_order || !sct_type_complex(type))
        return SCT_OK;
    int64_t lines = sct_block_lines(block), count = sct_block_length(block);
    *copy = malloc((size_t)lines * (size_t)count * sct_type_bytes(type));
    if (!*copy)
        return sct_no_memory("a conjugated operand");
    sct_strided_copy(type, true, lines, count, block->data, block->ld, *copy, count);
    return SCT_OK;
}

/* A command that multiplies the blocks as they are. */
static sct_command command_of(sct_type type, sct_op op_a, sct_op op_b, sct_scalar alpha,
                              const sct_block *a, const sct_block *b, sct_scalar beta,
                              const sct_block *c) {
    return (sct_command){.work = SCT_DO_GEMM,
                         .type = type,
                         .gemm = {.order = c->order,
                                  .op_a = seen_op(type, op_a, a->order != c->order),
                                  .op_b = seen_op(type, op_b, b->order != c->order),
                                  .m = c->rows,
                                  .n = c->cols,
                                  .k = op_a == SCT_N ? a->cols : a->rows,
                                  .alpha = alpha,
                                  .beta = beta,
                                  .a = a->data,
                                  .b = b->data,
                                  .c = c->data,
                                  .lda = a->ld,
                                  .ldb = b->ld,
                                  .ldc = c->ld}};
}

static sct_status multiply(sct_type type, sct_op op_a, sct_op op_b, sct_scalar alpha,
                           const sct_block *a, const sct_block *b, sct_scalar beta,
                           const sct_block *c) {
    void *copy_a, *copy_b = NULL;
    sct_status status = conjugate(type, op_a, a, a->order != c->order, &copy_a);
    if (!status)
        status = conjugate(type, op_b, b, b->order != c->order, &copy_b);
    sct_command command = command_of(type, op_a, op_b, alpha, a, b, beta, c);
    if (copy_a) {
        command.gemm.a = copy_a;
        command.gemm.lda = sct_block_length(a);
    }
    if (copy_b) {
        command.gemm.b = copy_b;
        command.gemm.ldb = sct_block_length(b);
    }
    if (!status)
        status = sct_host_execute(&command);
    free(copy_a);
    free(copy_b);
    return status;
}

/* Makes a dense copy in f32. */
static sct_status widen(sct_type type, const sct_block *block, sct_block *wide) {
    int64_t lines = sct_block_lines(block), count = sct_block_length(block);
    *wide = *block;
    wide->ld = count;
    wide->data = malloc((size_t)lines * (size_t)count * sizeof(float) + 1);
    if (!wide->data)
        return sct_no_memory("a block in f32");
    sct_strided_convert(type, SCT_F32, lines, count, block->data, block->ld, wide->data, count);
    return SCT_OK;
}

static sct_status multiply_halves(sct_type type, sct_op op_a, sct_op op_b, const void *alpha,
                                  const sct_block *a, const sct_block *b, const void *beta,
                                  const sct_block *c) {
    sct_block wide_a, wide_b = {.data = NULL}, wide_c = {.data = NULL};
    sct_status status = widen(type, a, &wide_a);
    if (!status)
        status = widen(type, b, &wide_b);
    if (!status)
        status = widen(type, c, &wide_c);
    if (!status)
        status = sct_gemm_local(SCT_F32, op_a, op_b, alpha, &wide_a, &wide_b, beta, &wide_c);
    if (!status)
        sct_strided_convert(SCT_F32, type, sct_block_lines(c), wide_c.ld, wide_c.data, wide_c.ld,
                            c->data, c->ld);
    free(wide_a.data);
    free(wide_b.data);
    free(wide_c.data);
    return status;
}

static sct_status check_product(sct_type type, sct_op op_a, sct_op op_b, const void *alpha,
                                const sct_block *a, const sct_block *b, const void *beta,
                                const sct_block *c) {
    if (!sct_type_valid(type) || (unsigned)op_a > SCT_C || (unsigned)op_b > SCT_C)
        return sct_fail(SCT_BAD_ARGUMENT, "type %d or one of op %d and op %d does not exist",
                        (int)type, (int)op_a, (int)op_b);
    sct_status status = sct_check_given("alpha", alpha);
    if (!status)
        status = sct_check_given("beta", beta);
    if (!status)
        status = check_block("a", type, a);
    if (!status)
        status = check_block("b", type, b);
    if (!status)
        status = check_block("c", sct_type_sum(type), c);
    if (status)
        return status;
    int64_t m = op_a == SCT_N ? a->rows : a->cols, k = op_a == SCT_N ? a->cols : a->rows;
    int64_t n = op_b == SCT_N ? b->cols : b->rows, k_b = op_b == SCT_N ? b->rows : b->cols;
    if (m == c->rows && n == c->cols && k == k_b)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT,
                    "op(a) is %lld x %lld, op(b) is %lld x %lld, but c is %lld x %lld",
                    (long long)m, (long long)k, (long long)k_b, (long long)n, (long long)c->rows,
                    (long long)c->cols);
}

/* Whether a product that passed the checks multiplies at all; otherwise c = beta c. */
static bool multiplies(sct_type sum, sct_op op_a, sct_scalar alpha, const sct_block *a) {
    return (op_a == SCT_N ? a->cols : a->rows) > 0 && !sct_scalar_is(sum, alpha, 0);
}

sct_status sct_gemm_local(sct_type type, sct_op op_a, sct_op op_b, const void *alpha,
                          const sct_block *a, const sct_block *b, const void *beta,
                          const sct_block *c) {
    sct_status status = check_product(type, op_a, op_b, alpha, a, b, beta, c);
    if (status)
        return status;
    if (sct_type_sum(type) != type)
        return multiply_halves(type, op_a, op_b, alpha, a, b, beta, c);
    sct_scalar scale = sct_scalar_load(type, alpha), keep = sct_scalar_load(type, beta);
    if (c->rows == 0 || c->cols == 0)
        return SCT_OK;
    if (multiplies(type, op_a, scale, a))
        return multiply(type, op_a, op_b, scale, a, b, keep, c);
    sct_strided_scale(type, sct_block_lines(c), sct_block_length(c), keep, c->data, c->ld);
    return SCT_OK;
}

int sct_world_multiplies(const sct_world *world, sct_type type) {
    return sct_type_valid(type) && sct_world_has(world, type) &&
           (sct_type_sum(type) == type || world->device->half_products);
}

static sct_status check_usable(const sct_world *world, sct_type type, const char *name,
                               const sct_block *block) {
    if (block->rows == 0 || block->cols == 0)
        return SCT_OK;
    if (!world->device->ops->can_use(world->device, block->data))
        return sct_fail(SCT_BAD_ARGUMENT, "%s is not memory that the device of rank %d can use",
                        name, world->fabric->rank);
    if (!sct_world_aligns(world, type, block->data))
        return sct_fail(SCT_BAD_ARGUMENT,
                        "%s is not aligned to its elements, as the device needs it", name);
    return SCT_OK;
}

/* Fails for what sct_gemm_local has copies for. */
static sct_status check_on_device(const sct_world *world, sct_type type, const sct_block *a,
                                  const sct_block *b, const sct_block *c) {
    if (!sct_world_multiplies(world, type))
        return sct_fail(SCT_BAD_ARGUMENT, "the device does not multiply elements of type %s",
                        sct_type_name(type));
    if (a->order != c->order || b->order != c->order)
        return sct_fail(SCT_BAD_ARGUMENT, "the blocks differ in their storage order");
    sct_status status = check_usable(world, type, "a", a);
    if (!status)
        status = check_usable(world, type, "b", b);
    return status ? status : check_usable(world, sct_type_sum(type), "c", c);
}

sct_status sct_world_gemm(sct_world *world, sct_type type, sct_op op_a, sct_op op_b,
                          const void *alpha, const sct_block *a, const sct_block *b,
                          const void *beta, const sct_block *c) {
    sct_status status = sct_check_given("world", world);
    if (!status)
        status = check_product(type, op_a, op_b, alpha, a, b, beta, c);
    if (!status)
        status = check_on_device(world, type, a, b, c);
    if (status || c->rows == 0 || c->cols == 0)
        return status;
    sct_type sum = sct_type_sum(type);
    sct_scalar scale = sct_scalar_load(sum, alpha), keep = sct_scalar_load(sum, beta);
    sct_command command = command_of(type, op_a, op_b, scale, a, b, keep, c);
    if (!multiplies(sum, op_a, scale, a))
        command = (sct_command){.work = SCT_DO_SCALE,
                                .type = sum,
                                .strided = {.lines = sct_block_lines(c),
                                            .count = sct_block_length(c),
                                            .to = c->data,
                                            .to_ld = c->ld,
                                            .factor = keep}};
    sct_fabric_enter(world->fabric);
    status = world->device->ops->submit(world->stream, &command);
    sct_status waited = sct_device_drain(world->device, world->stream);
    return sct_fabric_leave(world->fabric, status ? status : waited);
}
