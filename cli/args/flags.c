/* flags.c - the table of flags, for parsing and for help. */
#include "args/flags.h"

#include <limits.h>
#include <string.h>

enum {
    ON_MULTIPLY = 1 << VERB_MULTIPLY,
    ON_COPY = 1 << VERB_COPY,
    ON_RUN = 1 << VERB_RUN,
    ON_PLAN = 1 << VERB_PLAN,
    ON_BENCH = 1 << VERB_BENCH,
    ON_MACHINE = 1 << VERB_MACHINE,
    ON_SIMULATE = 1 << VERB_SIMULATE,
    ON_CHOOSE = 1 << VERB_CHOOSE,
    ON_LAUNCH = 1 << VERB_LAUNCH,
    ON_FILES = ON_MULTIPLY | ON_COPY,
    ON_TRIALS = ON_RUN | ON_BENCH,
    ON_WORLDS = ON_FILES | ON_TRIALS,
    ON_PROBLEMS = ON_RUN | ON_PLAN | ON_SIMULATE,
    ON_PRODUCTS = ON_MULTIPLY | ON_PROBLEMS,
    ON_STRATEGIES = ON_PRODUCTS | ON_BENCH,
    ON_ENGINES = ON_MULTIPLY | ON_TRIALS | ON_MACHINE,
    ON_ALL = ON_FILES | ON_PROBLEMS | ON_BENCH | ON_MACHINE | ON_CHOOSE
};

/* More threads are surely a mistake. */
enum { MOST_THREADS = 4096 };
/* More than the largest machines have cores. The time of a plan grows with the number of ranks. */
enum { MOST_PLANNED = 1 << 24 };

static const char shapes[] = "MxNxK, three whole numbers from 0 to 9223372036854775807";
static const char layouts[] = "a layout, such as row, 2d or cyclic:64x64*2";
static const char views[] = "RxC+I+J, four whole numbers from 0 to 9223372036854775807";
static const char scalars[] = "a finite number RE, or two, RE,IM";
static const char sizes[] =
    "a number of bytes, with an optional suffix K, M, G or T, KiB to TiB (the same), or KB to TB "
    "(powers of 1000); below 8388608T";
static const char two_ops[] = "two letters, each N, T or C: for A, then for B";
static const char one_op[] = "N, T or C";
static const char shape_lists[] = "up to 32 shapes MxNxK, separated by commas";
static const char layout_lists[] = "up to 32 layouts of up to 255 characters, separated by commas, "
                                   "or each ended by a semicolon if one has commas in it";
static const char number_lists[] = "up to 32 whole numbers from 1 to 4096, separated by commas";
static const char stay_lists[] = "auto, a, b, c or best, separated by commas";
static const char names[] = "a file name (a file called - is ./-)";
static const char files[] = "a file name, or - (a file called - is ./-)";
static const char remote_shells[] = "the words of a command, such as ssh -p 2222";
static const char variables[] = "names of variables, separated by commas";
static const char machines[] = "the name of a machine, or a file";
static const char products[] = "products as docs/products.md describes them";
static const char named_sizes[] = "sizes such as m=8192,h=12288";
static const char matrix_layouts[] = "the name of a matrix and layouts, such as X=row or X=row|col";
static const char fixes[] =
    "a=LAYOUT, b=LAYOUT or c=LAYOUT, each at most once; several are separated by commas";

/* What a flag means for some verbs, and what they have in place of a member of the flag. */
struct flag_use {
    unsigned verbs; /* as bits 1 << verb */
    const char *help;
    const char *value, *allowed;
    bool (*parse)(const struct flag *flag, const char *text, void *to);
    int64_t low, high;
    bool advanced;
};

enum { MOST_USES = 6 };

/* A flag, and its uses by verbs; after the last one, zero. */
struct flag_entry {
    struct flag flag;
    struct flag_use use[MOST_USES + 1];
};

/* Each flag once; a group goes on until a flag begins another. Only --size is two flags of one
 * name, for different verbs. */
static const struct flag_entry entries[] = {
    {{"-o", "FILE", files, .offset = offsetof(struct args, output), .parse = value_text,
      .group = "Files"},
     {{ON_FILES, "the .npy file to write, which replaces an older one of that name; - is the "
                 "standard output, unless that is a terminal (required)"},
      {ON_MACHINE, "the file to write the description to (standard output)", .allowed = names,
       .parse = value_file}}},
    {{"--force", .offset = offsetof(struct args, force), .parse = value_switch},
     {{ON_FILES,
       "let the output replace an input, or a file that is no .npy file by its name or content"}}},
    {{"-c", "FILE", files, .offset = offsetof(struct args, addend), .parse = value_text},
     {{ON_MULTIPLY, "the file of the C that is scaled by --beta and added to the product; needs "
                    "--beta (none)"}}},
    {{"--shape", "MxNxK", shapes, .offset = offsetof(struct args, shape), .parse = value_shape,
      .group = "Product"},
     {{ON_PROBLEMS | ON_CHOOSE, "C is M x N, the inner dimension is K (1024x1024x1024)"}}},
    {{"--type", "f32|f64|cf32|cf64|f16|bf16", .offset = offsetof(struct args, type),
      .parse = value_type},
     {{ON_PROBLEMS | ON_BENCH | ON_CHOOSE,
       "element type, also by the name that NumPy has, such as float64 or f8 (f64)"},
      {ON_MULTIPLY,
       "element type, also by the name that NumPy has, such as float64 or f8, to which the files "
       "are converted while they are read (that to which NumPy promotes those of the files)",
       .value = "f32|f64|cf32|cf64|f16"},
      {ON_COPY,
       "element type of the output, also by the name that NumPy has, such as float64 or f8, to "
       "which the input is converted while it is read (that of the input)",
       .value = "f32|f64|cf32|cf64|f16"}}},
    {{"--sum-c", .offset = offsetof(struct args, sum_c), .parse = value_switch},
     {{ON_PRODUCTS, "C has the type of the sums: f32 if A and B are f16 or bf16"}}},
    {{"--op", "XX", two_ops, .offset = offsetof(struct args, op), .parse = value_ops, .low = 2},
     {{ON_STRATEGIES, "op of A, then of B: N none, T transpose, C conjugate transpose (NN)"},
      {ON_COPY, "op of A: N none, T transpose, C conjugate transpose (N)", .value = "X",
       .allowed = one_op, .low = 1}}},
    {{"--alpha", "RE[,IM]", scalars, .offset = offsetof(struct args, alpha), .parse = value_scalar},
     {{ON_MULTIPLY, "factor of the product (1)"},
      {ON_RUN, "factor of the product (1, with --check 2)"}}},
    {{"--beta", "RE[,IM]", scalars, .offset = offsetof(struct args, beta), .parse = value_scalar},
     {{ON_MULTIPLY, "factor of the C of -c, which it needs (0)"},
      {ON_RUN, "factor of C (0, with --check 3)"}}},
    {{"--ranks", "P", .offset = offsetof(struct args, ranks), .parse = value_whole, .low = 1,
      .high = MOST_THREADS, .also = "-n", .group = "Ranks and machine"},
     {{ON_LAUNCH, "number of processes to start (1; with --hosts, as many as the hosts take)"},
      {ON_MULTIPLY | ON_TRIALS,
       "number of ranks, each a thread (one per core, or 4 with devices, but no more than "
       "--machine has); under mpiexec, each of its processes is a rank"},
      {ON_COPY, "number of ranks, each a thread (one per core, or 4 with devices); under mpiexec, "
                "each of its processes is a rank"},
      {ON_MACHINE,
       "number of ranks, each a thread (one per core, but at least 2, or 4 with devices); under "
       "mpiexec, each of its processes is a rank",
       .low = 2},
      {ON_PLAN | ON_CHOOSE,
       "number of ranks to plan for (as many as --machine has; otherwise as many as mpiexec has "
       "started; otherwise 4)",
       .high = MOST_PLANNED},
      {ON_SIMULATE,
       "number of ranks to simulate (as many as --machine has; otherwise as many as mpiexec has "
       "started; otherwise 4)",
       .high = MOST_PLANNED}}},
    {{"--hosts", "FILE", names, .offset = offsetof(struct args, hosts), .parse = value_file},
     {{ON_LAUNCH, "start them on the hosts of this file: on each line the name of a host, and "
                  "optionally how many processes it takes, as 'node 2', 'node:2' or 'node "
                  "slots=2', otherwise 1 (this host)"}}},
    {{"--bind", .offset = offsetof(struct args, bind), .parse = value_switch},
     {{ON_LAUNCH, "give each process its share of the cores of its host for itself, if there are "
                  "enough; for hosts on which nothing else runs"}}},
    {{"--ssh", "COMMAND", remote_shells, .offset = offsetof(struct args, ssh), .parse = value_text},
     {{ON_LAUNCH, "the remote shell, to which the name of a host and a command are added (the "
                  "variable SECTILE_SSH, otherwise ssh)"}}},
    {{"--export", "NAMES", variables, .offset = offsetof(struct args, exported),
      .parse = value_texts},
     {{ON_LAUNCH, "also give processes on other hosts these variables of the environment; may be "
                  "repeated (none)"}}},
    {{"--measure", .offset = offsetof(struct args, measure), .parse = value_switch},
     {{ON_MACHINE, "measure this machine and describe it"}}},
    {{"--machine", "NAME", machines, .offset = offsetof(struct args, machine), .parse = value_text},
     {{ON_SIMULATE,
       "the machine to simulate: pvc12, h100x8, node, cluster, or a description file (required)"},
      {ON_STRATEGIES & ~ON_SIMULATE & ~ON_BENCH,
       "the machine for which the work layout, the cuts and the order are chosen: pvc12, h100x8, "
       "node, cluster, or a description file (small nodes on a slow network)"},
      {ON_CHOOSE, "the machine for which layouts are chosen: pvc12, h100x8, node, cluster, or a "
                  "description file (one node; with --per-node, small nodes on a slow network)"},
      {ON_BENCH, "the machine for which the work layout, the cuts and the order are chosen, and of "
                 "whose peak the speed is given in percent: pvc12, h100x8, node, cluster, or a "
                 "description file (small nodes on a slow network, and no percentages)"}}},
    {{"--memory", "BYTES", sizes, .offset = offsetof(struct args, memory), .parse = value_bytes},
     {{ON_FILES, "memory for the matrices on each host: what needs more is worked on in pieces, "
                 "one after another (0: what the host has left)"},
      {ON_CHOOSE,
       "memory limit per rank, for its parts of A, B and C and its workspace; 0: no limit (0)"}}},
    {{"--fix", "a=L", fixes, .offset = offsetof(struct args, fixed), .parse = value_fixed,
      .group = "Search"},
     {{ON_CHOOSE, "the layout of a matrix that exists already, and is kept as it is; may be "
                  "repeated for other matrices (none)"}}},
    {{"--group", "TEXT", products, .offset = offsetof(struct args, group_text),
      .parse = value_text},
     {{ON_CHOOSE,
       "choose the layouts of all matrices of several products that share matrices, such as 'Y = "
       "X[m,h] * V[h,f]; Z = Y * W[f,h]', for the least time of all (one product, of --shape)"},
      {ON_RUN,
       "run several products that share matrices, such as 'Y = X[m,h] * V[h,f]; Z = Y * W[f,h]', "
       "in the layouts that choose finds for them on --machine (one product, of --shape)"}}},
    {{"--size", "NAME=N", named_sizes, .offset = offsetof(struct args, sizes), .parse = value_text},
     {{ON_CHOOSE | ON_RUN, "the sizes that --group names, separated by commas (none)"}}},
    {{"--backward", .offset = offsetof(struct args, backward), .parse = value_switch},
     {{ON_CHOOSE | ON_RUN, "add the products that compute the gradients to --group"}}},
    {{"--layout", "NAME=L", matrix_layouts, .offset = offsetof(struct args, group_layouts),
      .parse = value_texts},
     {{ON_CHOOSE | ON_RUN, "the layout of a matrix of --group, or several to choose from, "
                           "separated by |; may be repeated (all candidates)"}}},
    {{"--uses", "N", .offset = offsetof(struct args, uses), .parse = value_whole, .low = 1,
      .high = 1000000000},
     {{ON_CHOOSE, "number of products that use the same A and B; each is charged an equal share of "
                  "the cost of replicating them (1)"}}},
    {{"--by", "both|time|bytes", .offset = offsetof(struct args, aim), .parse = value_choice},
     {{ON_CHOOSE, "minimise the time, the bytes moved by the busiest rank, or both: choices are "
                  "sorted by time, but the first one moves few bytes if any choice does (both)"}}},
    {{"--top", "N", .offset = offsetof(struct args, top), .parse = value_whole, .low = 1,
      .high = 16},
     {{ON_CHOOSE, "number of choices to show (5)"}}},
    {{"--a", "L", layouts, .offset = offsetof(struct args, layout[MATRIX_A]), .parse = value_text,
      .group = "Layouts and views"},
     {{ON_PRODUCTS, "layout of A (2d)"},
      {ON_COPY, "layout of the input (none: copy straight from the file)"}}},
    {{"--b", "L", layouts, .offset = offsetof(struct args, layout[MATRIX_B]), .parse = value_text},
     {{ON_PRODUCTS, "layout of B (2d)"},
      {ON_COPY, "layout of the output; /f writes Fortran order (2d)"}}},
    {{"--c", "L", layouts, .offset = offsetof(struct args, layout[MATRIX_C]), .parse = value_text},
     {{ON_PROBLEMS, "layout of C (2d)"},
      {ON_MULTIPLY, "layout of C; /f writes Fortran order (2d)"}}},
    {{"--view-a", "RxC+I+J", views, .offset = offsetof(struct args, view[MATRIX_A]),
      .parse = value_view},
     {{ON_PROBLEMS, "A is the part at row I, column J of a stored R x C matrix"}}},
    {{"--view-b", "RxC+I+J", views, .offset = offsetof(struct args, view[MATRIX_B]),
      .parse = value_view},
     {{ON_PROBLEMS, "the same for B"}}},
    {{"--view-c", "RxC+I+J", views, .offset = offsetof(struct args, view[MATRIX_C]),
      .parse = value_view},
     {{ON_PROBLEMS, "the same for C"}}},
    {{"--stay", "auto|a|b|c", .offset = offsetof(struct args, stay), .parse = value_choice,
      .group = "Who computes what, and in which order"},
     {{ON_PRODUCTS,
       "each rank works on its own part of this matrix, which stays where it is; with --work, the "
       "matrix whose shape the work layout has (auto: chosen by estimated time)"},
      {ON_CHOOSE, "the stationary matrix: each rank works on its own part of it, which stays where "
                  "it is; with --work, the matrix whose shape the work layout has (auto: each of "
                  "A, B and C is tried, and work layouts that are grids of ranks)"}}},
    {{"--work", "L", layouts, .offset = offsetof(struct args, work), .parse = value_text},
     {{ON_STRATEGIES | ON_CHOOSE,
       "layout of the work: which rank computes which part of C; its replicas divide k among them; "
       "with --stay a or b, a layout of op(A) or op(B), whose replicas divide n or m (chosen)"}}},
    {{"--effort", "estimate|measure", .offset = offsetof(struct args, effort),
      .parse = value_choice},
     {{ON_TRIALS, "how the work layout is chosen, unless --stay, --work, --decisions or --ordered "
                  "leaves no choice: estimate, by estimated time; measure, by running up to 4 of "
                  "those that are best by estimate, 6 times each (estimate)"}}},
    {{"--wisdom", "FILE", names, .offset = offsetof(struct args, wisdom), .parse = value_file},
     {{ON_TRIALS,
       "take the work layout from this file if it has the product; with --effort measure, one that "
       "it lacks is measured and added, and the file need not exist (none)"},
      {ON_MULTIPLY | ON_PLAN, "take the work layout from this file, which run --effort measure has "
                              "written, if it has the product (none)"}}},
    {{"--decisions", "D", "decisions as plan prints them, such as nest=kmn,k=512",
      .offset = offsetof(struct args, decisions), .parse = value_text, .advanced = true},
     {{ON_STRATEGIES,
       "how each rank does its part of the work, as plan prints it, with commas between: nest=kmn, "
       "the loops; m=N, k=N, n=N, the largest pieces; gather=ak+cn, owners brought together; "
       "begin=X+Y+Z, where the loops over m, k and n begin: first, shifted, own, behind or "
       "halfway; blocks=A+B, the most blocks of a slice of A or B that are multiplied one by one; "
       "ahead=N steps (decided for each rank by estimated time)"}}},
    {{"--slice", "class|tile", .offset = offsetof(struct args, slicing), .parse = value_choice,
      .advanced = true},
     {{ON_STRATEGIES, "class: one step for all indices that the same two owners share; tile: one "
                      "step for each pair of tiles, as in the paper, arXiv 2510.08874 (class)"}}},
    {{"--fetch", "slice|tile", .offset = offsetof(struct args, fetch), .parse = value_choice,
      .advanced = true},
     {{ON_STRATEGIES,
       "slice: fetch the slices of A and B that cannot be used in place; tile: fetch whole remote "
       "tiles, as in the paper, which implies --slice tile (slice)"}}},
    {{"--order", "direct|greedy|cost|exhaustive", .offset = offsetof(struct args, schedule),
      .parse = value_choice, .advanced = true},
     {{ON_STRATEGIES,
       "how steps and transfers are grouped: direct, one step with its prefetch; greedy, whatever "
       "is ready; cost, balanced by estimated time; exhaustive, the order with the least estimated "
       "time of all, for few steps only (direct)"}}},
    {{"--transfers", "N", .offset = offsetof(struct args, transfers), .parse = value_whole,
      .low = 1, .high = 1024, .advanced = true},
     {{ON_STRATEGIES,
       "most transfers in a group, in orders other than direct (twice --products)"}}},
    {{"--start", "shifted|alike", .offset = offsetof(struct args, start), .parse = value_choice,
      .advanced = true},
     {{ON_STRATEGIES,
       "shifted: ranks start with different steps, so that they do not all ask one owner at once; "
       "alike: each starts with its first step; not with --decisions, which say it (shifted)"}}},
    {{"--result", "all|origin|partial", .offset = offsetof(struct args, result),
      .parse = value_choice},
     {{ON_PROBLEMS | ON_BENCH,
       "where the result is: all, in every replica of C; origin, in replica 0 only; partial, each "
       "replica keeps its partial sums (all)"}}},
    {{"--workspace", "BYTES", sizes, .offset = offsetof(struct args, workspace),
      .parse = value_limit},
     {{ON_STRATEGIES, "workspace limit per rank; 0: as much as its parts of A, B and C take, but "
                      "at least 256 MiB; none: no limit, but steps are cut to keep it small (0)"}}},
    {{"--prefetch", "N", .offset = offsetof(struct args, prefetch), .parse = value_whole,
      .high = 1024, .advanced = true},
     {{ON_STRATEGIES, "number of steps to prefetch in direct order (0 if all ranks share memory; "
                      "otherwise 2, or up to 32 to keep 8 MiB in flight)"}}},
    {{"--products", "N", .offset = offsetof(struct args, products), .parse = value_whole, .low = 1,
      .high = 1024, .advanced = true},
     {{ON_STRATEGIES, "most products of a rank in flight (2; 1 if all ranks share memory)"}}},
    {{"--accumulates", "N", .offset = offsetof(struct args, accumulates), .parse = value_whole,
      .low = 1, .high = 1024, .advanced = true},
     {{ON_STRATEGIES, "most accumulates of a rank in flight (4; 1 if all ranks share memory)"}}},
    {{"--sync", .offset = offsetof(struct args, sync), .parse = value_switch, .advanced = true},
     {{ON_STRATEGIES, "let each rank wait at the end of each group until its products and "
                      "transfers are complete"}}},
    {{"--ordered", .offset = offsetof(struct args, ordered), .parse = value_switch},
     {{ON_STRATEGIES,
       "accumulate in a fixed order, so that the same plan gives the same bits in every run"}}},
    {{"--engine", "threads|processes|mpi|opencl|cuda", .offset = offsetof(struct args, engine),
      .parse = value_engine, .group = "Engine"},
     {{ON_ALL,
       "what connects the ranks, and computes (mpi under mpiexec, processes under sectile launch, "
       "srun and torchrun, otherwise threads). opencl, cuda: ranks have OpenCL devices or NVIDIA "
       "GPUs, and are threads, or processes where these have been started"}}},
    {{"--engine-options", "TEXT", .offset = offsetof(struct args, engine_options),
      .parse = value_text, .advanced = true},
     {{ON_WORLDS | ON_MACHINE, "with --engine NAME, where libsectile_NAME is an engine in a "
                               "library of its own: the options that it reads"}}},
    {{"--device", "LIST", .offset = offsetof(struct args, devices), .parse = value_text},
     {{ON_WORLDS | ON_MACHINE,
       "devices of --engine opencl or cuda: numbers such as 0,1, or, with opencl, 0/2 for two "
       "equal parts of device 0; ranks, or those of each host, are spread over them evenly (all "
       "GPUs, or the first device)"}}},
    {{"--math", "ieee|tf32", .offset = offsetof(struct args, math), .parse = value_choice},
     {{ON_ENGINES, "how --engine cuda multiplies f32 and cf32: tf32, with factors rounded to TF32, "
                   "which has 11 significant bits; ieee, as they are (ieee)"}}},
    {{"--accumulation", "auto|atomic|mailbox", .offset = offsetof(struct args, accumulation),
      .parse = value_choice, .advanced = true},
     {{ON_ENGINES, "how --engine cuda adds to C on another GPU: atomic, by a kernel with atomic "
                   "additions to its memory; mailbox, by a copy that its owner adds (auto: atomic "
                   "where GPUs can do that)"}}},
    {{"--path", "auto|service|rma|sockets|nvshmem", .offset = offsetof(struct args, path),
      .parse = value_choice},
     {{ON_WORLDS | ON_MACHINE,
       "how processes reach the memory of other nodes: service, by MPI messages; rma, by one-sided "
       "MPI; sockets, by messages on TCP sockets, the only path without MPI; nvshmem, between GPUs "
       "of --engine cuda, beside messages (auto: the best that works, but not nvshmem)"}}},
    {{"--per-node", "R", .offset = offsetof(struct args, per_node), .parse = value_whole,
      .high = INT_MAX, .also = "--nodes"},
     {{ON_WORLDS | ON_MACHINE,
       "have only R consecutive ranks share memory, as if others were on other hosts; processes "
       "with devices of opencl never do; 0: all that can (0)",
       .advanced = true},
      {ON_PLAN | ON_SIMULATE | ON_CHOOSE,
       "number of ranks per node; ranks of one node share memory; 0: as --machine says, or without "
       "--machine, all ranks share memory (0)"}}},
    {{"--seed", "S", .offset = offsetof(struct args, seed), .parse = value_whole, .high = INT64_MAX,
      .group = "Measurement"},
     {{ON_RUN, "seed of the random elements (1)"},
      {ON_BENCH, "seed of the random elements and --sample (1)"}}},
    {{"--repeat", "N", .offset = offsetof(struct args, repeat), .parse = value_whole, .low = 1,
      .high = 1000000},
     {{ON_RUN, "number of timed runs; the median is reported (3, with --check 1)"},
      {ON_BENCH, "number of timed runs; the median is reported (3); with --reference, only of the "
                 "runs in which --stays best tries each stationary matrix"},
      {ON_MACHINE,
       "most rounds of measurements; none starts after 20 seconds; medians are reported (25)",
       .high = MEASURED_ROUNDS}}},
    {{"--size", "N", .offset = offsetof(struct args, size), .parse = value_whole,
      .low = LEAST_MEASURED_SIZE, .high = MOST_MEASURED_SIZE},
     {{ON_MACHINE,
       "size of the largest products in each dimension; with a small one, measuring takes seconds, "
       "but the speed of large products is less certain (768; more on fast devices)"}}},
    {{"--reference", .offset = offsetof(struct args, reference), .parse = value_switch},
     {{ON_TRIALS,
       "alternate the product with one BLAS call on the whole problem, and report the ratio: the "
       "time of the BLAS call over that of the product. The call has min(ranks, cores) threads, in "
       "a process of its own; with an engine for devices, the device of rank 0 makes it"}}},
    {{"--pairs", "N", .offset = offsetof(struct args, pairs), .parse = value_whole, .low = 1,
      .high = 1000},
     {{ON_TRIALS,
       "number of pairs of a product and a BLAS call; the median ratio is reported (15)"}}},
    {{"--shapes", "LIST", shape_lists, .offset = offsetof(struct args, shapes),
      .parse = value_shapes},
     {{ON_BENCH, "list of shapes MxNxK (1024x1024x1024)"}}},
    {{"--layouts", "LIST", layout_lists, .offset = offsetof(struct args, layouts),
      .parse = value_layouts},
     {{ON_BENCH,
       "list of layouts, which A, B and C take in all combinations; if one has commas in it, each "
       "ends with a semicolon: 'row;cuts:3,5x-@0,1,0x0;' (row,col,2d,cyclic:64x64)"}}},
    {{"--replicas", "LIST", number_lists, .offset = offsetof(struct args, replicas),
      .parse = value_wholes, .low = 1, .high = MOST_THREADS},
     {{ON_BENCH, "list of replication factors, which A, B and C take in all combinations (1)"}}},
    {{"--stays", "auto|a|b|c|best", stay_lists, .offset = offsetof(struct args, stays),
      .parse = value_choices},
     {{ON_BENCH,
       "list of stationary matrices; best tries a, b and c and keeps the fastest (auto)"}}},
    {{"--sample", "N", .offset = offsetof(struct args, sample), .parse = value_whole,
      .high = 1000000},
     {{ON_BENCH, "run only N combinations, in which all layouts and factors occur equally often; "
                 "0: run all (0)"}}},
    {{"--svg", "FILE", names, .offset = offsetof(struct args, svg), .parse = value_file,
      .group = "Output"},
     {{ON_BENCH, "draw a chart of the percentage of the peak if --machine has one, otherwise of "
                 "the ratio with --reference, otherwise of GFLOP/s: lines over several shapes, or "
                 "sorted dots for one shape"},
      {ON_SIMULATE | ON_RUN,
       "draw a timeline of all ranks; with run, of the last timed product, if ranks are threads"},
      {ON_CHOOSE, "with --group: also draw the matrices, coloured by owner, and the time and the "
                  "memory of layouts, with the least time within less memory"},
      {ON_PLAN,
       "also draw A, B and C, with the owner of each tile and the slices that the rank uses"}}},
    {{"--trace", "FILE", names, .offset = offsetof(struct args, trace), .parse = value_file},
     {{ON_SIMULATE | ON_RUN,
       "write the timeline as Chrome trace events, for Perfetto or chrome://tracing"}}},
    {{"--check", .offset = offsetof(struct args, check), .parse = value_switch},
     {{ON_RUN, "check every element of C against a simpler computation"},
      {ON_PLAN, "also prove that the plans of all ranks do all the work exactly once"}}},
    {{"--rank", "R", .offset = offsetof(struct args, rank), .parse = value_whole, .high = INT_MAX},
     {{ON_PLAN, "the rank to show (0)"}}},
    {{"--all", .offset = offsetof(struct args, all), .parse = value_switch},
     {{ON_PLAN, "also show the totals over all ranks, and the busiest rank"}}},
    {{"--steps", .offset = offsetof(struct args, steps), .parse = value_switch},
     {{ON_PLAN, "instead, list the steps, each as one line of JSON"}}},
    {{"--picture", .offset = offsetof(struct args, picture), .parse = value_switch},
     {{ON_PLAN, "instead, draw A, B and C as text, and mark the parts that the rank uses"}}},
    {{"--dry-run", .offset = offsetof(struct args, dry_run), .parse = value_switch},
     {{ON_FILES,
       "read the headers of the files only, print what would be done, and write nothing"}}},
    {{"--verbose", .offset = offsetof(struct args, verbose), .parse = value_switch},
     {{ON_WORLDS, "say more on the standard error: versions in use, paths to other ranks, plans "
                  "and their estimated times, as SECTILE_LOG=info does; of files also print "
                  "layouts, steps, and the bytes moved between ranks"}}},
    {{"--json", .offset = offsetof(struct args, json), .parse = value_switch},
     {{ON_ALL & ~ON_BENCH, "print one JSON object on standard output, and nothing else"},
      {ON_BENCH, "print one line of JSON per combination, and nothing else"}}},
    {{"--color", "auto|always|never", .offset = offsetof(struct args, color),
      .parse = value_choice},
     {{ON_ALL | ON_LAUNCH, "colour messages and --picture: auto, on a terminal, unless the "
                           "variable NO_COLOR is set (auto)"}}},
    {{"--help", .offset = offsetof(struct args, help), .parse = value_switch, .also = "-h"},
     {{ON_ALL | ON_LAUNCH, "print this help; with --all after it, all flags"}}},
};

const int flags_count = sizeof entries / sizeof *entries;
_Static_assert(sizeof entries / sizeof *entries <= MOST_FLAGS, "struct args has a place for each");

bool flags_has_letter(const struct flag *flag) {
    return flag->also && flag->also[1] != '-';
}

/* The group that a flag is in. */
static const char *group_of(int index) {
    while (!entries[index].flag.group)
        index--;
    return entries[index].flag.group;
}

static void apply(const struct flag_use *use, struct flag *flag) {
    flag->help = use->help;
    flag->value = use->value ? use->value : flag->value;
    flag->allowed = use->allowed ? use->allowed : flag->allowed;
    flag->parse = use->parse ? use->parse : flag->parse;
    flag->low = use->low > 0 ? use->low : flag->low;
    flag->high = use->high > 0 ? use->high : flag->high;
    flag->advanced = use->advanced || flag->advanced;
}

bool flags_get(enum verb verb, int index, struct flag *flag) {
    const struct flag_use *use = entries[index].use;
    while (use->verbs != 0 && !(use->verbs & 1u << verb))
        use++;
    if (use->verbs == 0)
        return false;
    *flag = entries[index].flag;
    flag->group = group_of(index);
    flag->index = index;
    apply(use, flag);
    return true;
}

static bool is_name(const char *name, const char *word, size_t length) {
    return name && strlen(name) == length && memcmp(name, word, length) == 0;
}

bool flags_find(enum verb verb, const char *word, size_t length, struct flag *flag) {
    for (int i = 0; i < flags_count; i++)
        if (flags_get(verb, i, flag) &&
            (is_name(flag->name, word, length) || is_name(flag->also, word, length)))
            return true;
    return false;
}
