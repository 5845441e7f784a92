/* verbs.c - the table of verbs, with their help texts. */
#include "args/verbs.h"

#include <string.h>

#define INPUTS                                                                             \
    "An input is a .npy file of f2, f4, f8, c8 or c16, which messages call f16, f32, "     \
    "f64, cf32 and cf64, or with --type of integers or bool, in C or Fortran order and "   \
    "any byte order; or a member of a .npz file, as FILE.npz:NAME; or an array in the "    \
    "text format of Matrix Market, which is f64 or cf64; or, if all ranks are threads, "   \
    "-, the standard input, or another pipe, such as <(COMMAND) in a shell. The headers "  \
    "of all pipes are read first, of a text its first 128 KiB, so that each needs a "      \
    "program of its own that writes to it; --dry-run reads nothing else. An array of "     \
    "three dimensions, in C order, is a stack of matrices. Matrices for which a host has " \
    "no memory are worked on in pieces, one after another (--memory). On a terminal, a "   \
    "line shows how far the work is."

const struct verb_entry verbs[VERBS] = {
    [VERB_MULTIPLY] =
        {"multiply", 2, multiply_work, "A.npy B.npy -o C.npy [flags]",
         "multiplies two matrices in .npy files",
         "Writes alpha op(A) op(B), or alpha op(A) op(B) + beta C with -c and --beta, to a new "
         ".npy file. Each rank reads and writes its share piece by piece, so that a file may be "
         "larger than the memory of one process. " INPUTS
         " The product has the type to which NumPy promotes those of the files, or that of --type. "
         "Stacks are multiplied one by one, as by numpy.matmul; a single matrix is used for all of "
         "a "
         "stack. The output file appears once it is complete, in place of an older one of that "
         "name; "
         "it replaces an input only with --force.",
         "sectile multiply A.npy B.npy -o C.npy --op TN --a row --b cyclic:64x64"},
    [VERB_COPY] = {"copy", 1, copy_work, "A.npy -o B.npy [flags]",
                   "copies or transposes a .npy file, or changes its type or storage order",
                   "Writes op(A) to a new .npy file, in C order, or in Fortran order if the layout "
                   "of --b ends with /f. " INPUTS
                   " Of a stack, each matrix is copied. The output file appears once it is "
                   "complete, in place of an older one of that name; it replaces the input only "
                   "with --force.",
                   "sectile copy A.npy -o B.npy --op T --b row/f"},
    [VERB_RUN] =
        {"run", 0, run_work, "[flags]",
         "multiplies generated matrices, and times or checks the result",
         "Generates A, B and C from the seed, computes C = alpha op(A) op(B) + beta C, and reports "
         "the speed and the bytes moved, which must be those of the plan. With --check, the "
         "product is computed twice: of small integers, where C must be exact, and of random "
         "reals, where C must be within the bound of rounding errors. With --group, chooses the "
         "layouts of several products as choose does, runs the products one after another, and "
         "times each of them alone, too; --check is then of small integers alone.",
         "sectile run --check --shape 100x70x50 --a row --b col*2 --c cyclic:8x8"},
    [VERB_PLAN] =
        {"plan", 0, plan_work, "[flags]", "shows what a rank would do, without data",
         "Plans the work of one rank out of any number of ranks, and prints its steps, the bytes "
         "that it moves, its workspace and its flops. Bytes fetched, accumulated and read in place "
         "move between ranks. Bytes gathered are copied within shared memory into the workspace. "
         "Bytes scattered are added from the workspace to the rank's own part of C. Bytes reduced "
         "are those moved to reduce the replicas of C; they are counted in the others, too.",
         "sectile plan --picture --shape 900x600x700 --ranks 6 --a row --b col --rank 2"},
    [VERB_BENCH] =
        {"bench", 0, bench_work, "[flags]", "times all combinations of layouts, and draws charts",
         "Runs all combinations of the given shapes, layouts, replication factors and stationary "
         "matrices, or a sample of them, and reports the speed of each and its bytes gathered and "
         "accumulated; with --json, also those fetched and read in place. With --reference, also "
         "reports the ratio: the time of one BLAS call over "
         "the time of the product. If a combination fails, its line gives the reason, and the "
         "others still run.",
         "sectile bench --ranks 2 --layouts row,2d --stays best --reference --svg ratios.svg"},
    [VERB_MACHINE] =
        {"machine", 0, machine_work, "[NAME | --measure [flags]]",
         "lists and prints described machines, or measures this one",
         "Without arguments, lists the machines that come with the library. With the name of one, "
         "prints its description; with the name of a file, checks the description in it and "
         "prints it. With --measure, describes this machine: times GEMMs of several shapes, "
         "copies, additions and barriers while all ranks are busy, with --engine opencl or cuda "
         "on their devices, and under mpiexec also the "
         "network between nodes. Measuring takes less than a minute, or seconds with a small "
         "--size.",
         "sectile machine --measure -o here.json", 1},
    [VERB_SIMULATE] =
        {"simulate", 0, simulate_work, "--machine NAME [flags]",
         "simulates the plans of all ranks on a described machine",
         "Makes the plans of all ranks as a real product would, and runs them in virtual time, in "
         "which transfers share the links of the machine. Reports the time, the share of the "
         "peak, and the overlap of computation and communication; --svg draws a timeline.",
         "sectile simulate --machine pvc12 --shape 8192x8192x8192 --type f32 --svg timeline.svg"},
    [VERB_CHOOSE] =
        {"choose", 0, choose_work, "[flags]", "finds the best layouts for a product on a machine",
         "Searches layouts, grids, replication and the stationary matrix by estimated time on a "
         "machine, plans the best, and tries slicings and orders for them in the simulator. Each "
         "choice is printed as flags for other verbs. If the fastest choice moves many bytes, one "
         "that moves few is listed first (see --by). Making replicas of A and B counts, divided "
         "by --uses, unless the matrix is fixed. With --fix, also reports whether copying fixed "
         "matrices to other layouts first would be faster. With --group, finds layouts for all "
         "matrices of several products at once; prints for each product what the other verbs take.",
         "sectile choose --machine cluster --ranks 64 --shape 8192x49152x12288 --fix a=row"},
    [VERB_LAUNCH] =
        {"launch", 0, launch_work, "[flags] COMMAND...",
         "starts processes that meet without MPI, here or on other hosts",
         "Starts P processes of the command, which are the ranks of a world of the engine "
         "processes: verbs of sectile, or any program that calls sct_bootstrap_launched. Each has "
         "its number in the variable SECTILE_RANK, and P in SECTILE_RANKS. Only rank 0 reads the "
         "standard input, unless --hosts is given. If a process fails, the others are ended a "
         "second later. The exit code is that of the first process that failed, 128 plus the "
         "signal that "
         "ended it, 127 if the command cannot be started, or 255 if a host is gone. With --hosts, "
         "the hosts must have sectile under the same name as here; the processes start in the "
         "folder of the same name, with the same PATH, LD_LIBRARY_PATH, PYTHONPATH and variables "
         "SECTILE_*, OMP_*, OPENBLAS_*, MKL_*, BLIS_*, UCX_* and CUDA_VISIBLE_DEVICES. All output "
         "then goes through the launcher, and the "
         "shell of a host must print nothing by itself.",
         "sectile launch -n 4 sectile run --check"},
};

bool verbs_without_ranks(enum verb verb, const struct args *args) {
    return verb == VERB_PLAN || verb == VERB_SIMULATE || verb == VERB_CHOOSE ||
           (verb == VERB_MACHINE && !args->measure);
}

enum verb verbs_find(const char *name) {
    enum verb verb = 0;
    while (verb < VERBS && strcmp(verbs[verb].name, name) != 0)
        verb++;
    return verb;
}
