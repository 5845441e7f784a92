/* verbs.c - the one table of verbs. */
#include "args/verbs.h"

#include <string.h>

const struct verb_entry verbs[VERBS] = {
    [VERB_MULTIPLY] =
        {"multiply", 2, multiply_work, "A.npy B.npy -o C.npy [flags]",
         "multiplies two matrices in .npy files",
         "Writes alpha op(A) op(B) to a new .npy file; with -c and --beta, plus beta times a third "
         "matrix. Each rank reads and writes a share of its own, piece by piece, so that a file "
         "may be larger than the memory of any one process of mpiexec. The files hold f2, f4, f8, "
         "c8 or c16 elements, all of one type, in C or Fortran order. The output gets its name "
         "when it is "
         "complete, so that it may also be the name of an input.",
         "sectile multiply A.npy B.npy -o C.npy --op TN --a row --b cyclic:64x64"},
    [VERB_COPY] =
        {"copy", 1, copy_work, "A.npy -o B.npy [flags]",
         "copies, transposes or reorders a matrix in a .npy file",
         "Writes op(A) to a new .npy file. The output gets its name when it is complete, so that "
         "it may also be the name of the input.",
         "sectile copy A.npy -o B.npy --op T --b row/f"},
    [VERB_RUN] =
        {"run", 0, run_work, "[flags]", "makes a product up, computes it, and times or checks it",
         "Makes A, B and C from the seed, computes C = alpha op(A) op(B) + beta C, and reports its "
         "speed and the bytes it moved; these must be those of the plan. With --check, "
         "compares C exactly on small whole numbers, and then, on random ones, with the bound that "
         "rounding cannot exceed.",
         "sectile run --check --shape 100x70x50 --a row --b col*2 --c cyclic:8x8"},
    [VERB_PLAN] =
        {"plan", 0, plan_work, "[flags]", "shows what a rank would do, without any data",
         "Plans the product of one rank of any number of ranks: its steps, the bytes it gets and "
         "accumulates, its workspace and its flops.",
         "sectile plan --picture --shape 900x600x700 --ranks 6 --a row --b col --rank 2"},
    [VERB_BENCH] =
        {"bench", 0, bench_work, "[flags]", "sweeps layouts, replication and what stays, and plots",
         "Runs, one after another, all combinations of the given shapes, layouts and replicas of "
         "A, "
         "B and C, and stationary matrices, or a sample of them, and tells the speed of each and "
         "the bytes it moved. With --reference, also its ratio: the time of one plain call of the "
         "BLAS over the time of the product. A combination that fails, for want of memory say, "
         "gets "
         "a line with the reason, and the others go on.",
         "sectile bench --ranks 2 --layouts row,2d --stays best --reference --svg ratios.svg"},
    [VERB_MACHINE] =
        {"machine", 0, machine_work, "[NAME | --measure [flags]]",
         "describes machines: those that are known, or the one at hand",
         "Lists the machines that come with the library; or prints the description of one of them, "
         "or of a file; or, with --measure, describes the machine that it runs on: products by "
         "their shape, memory, copies, additions and meetings, of ranks that all work at the same "
         "time, and under mpiexec the network between nodes. That takes less than a minute.",
         "sectile machine --measure -o here.json", 1},
    [VERB_SIMULATE] =
        {"simulate", 0, simulate_work, "--machine NAME [flags]",
         "runs the plans of all ranks in virtual time, on a described machine",
         "Makes the plans that would be executed and lets them run in virtual time: products, and "
         "flows of bytes that share the machine's links. Says how long it takes, how much of the "
         "peak that is and how well computing and moving overlap; draws who did what when.",
         "sectile simulate --machine pvc12 --shape 8192x8192x8192 --type f32 --svg timeline.svg"},
    [VERB_CHOOSE] =
        {"choose", 0, choose_work, "[flags]",
         "finds the layouts with which a product takes the least",
         "Searches layouts, grids, replication and the matrix that stays by what they would take "
         "on a described machine, and plans the best; for these, slicing and order by the "
         "simulator: with a few ranks alone, and with all together where that does not take long. "
         "Each is printed as flags of other verbs. The first moves no more than the best grid of "
         "ranks, if that can be; all others are by time. That replicas of A and B have to be made "
         "is charged, divided by how often they are used; unless the matrix is fixed. With --fix, "
         "also says whether copying matrices to other layouts first would pay.",
         "sectile choose --machine cluster --ranks 64 --shape 8192x49152x12288 --fix a=row"},
};

bool verbs_thinks(enum verb verb, const struct args *args) {
    return verb == VERB_PLAN || verb == VERB_SIMULATE || verb == VERB_CHOOSE ||
           (verb == VERB_MACHINE && !args->measure);
}

enum verb verbs_find(const char *name) {
    enum verb verb = 0;
    while (verb < VERBS && strcmp(verbs[verb].name, name) != 0)
        verb++;
    return verb;
}
