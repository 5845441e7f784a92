/* flags.c - the table of flags, for parsing and for help. */
#include "args/flags.h"

#include "args/flag_values.h"

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

const struct flag flags[] = {
    {"--ranks", "P", NULL,
     "number of processes to start (1; with --hosts, as many as the hosts take)", ON_LAUNCH,
     offsetof(struct args, ranks), value_whole, 1, MOST_THREADS, .also = "-n"},
    {"--hosts", "FILE", names,
     "start them on the hosts of this file: on each line the name of a host, and optionally how "
     "many processes it takes, as 'node 2', 'node:2' or 'node slots=2', otherwise 1 (this host)",
     ON_LAUNCH, offsetof(struct args, hosts), value_file, 0, 0},
    {"--bind", NULL, NULL,
     "give each process its share of the cores of its host for itself, if there are enough; for "
     "hosts on which nothing else runs",
     ON_LAUNCH, offsetof(struct args, bind), value_switch, 0, 0},
    {"--ssh", "COMMAND", remote_shells,
     "the remote shell, to which the name of a host and a command are added (the variable "
     "SECTILE_SSH, otherwise ssh)",
     ON_LAUNCH, offsetof(struct args, ssh), value_text, 0, 0},
    {"--export", "NAMES", variables,
     "also give processes on other hosts these variables of the environment; may be repeated "
     "(none)",
     ON_LAUNCH, offsetof(struct args, exported), value_texts, 0, 0},
    {"-o", "FILE", files,
     "the .npy file to write, which replaces an older one of that name; - is the standard output "
     "(required)",
     ON_FILES, offsetof(struct args, output), value_text, 0, 0},
    {"--force", NULL, NULL,
     "let the output replace an input, or a file that is no .npy file by its name or content",
     ON_FILES, offsetof(struct args, force), value_switch, 0, 0},
    {"--memory", "BYTES", sizes,
     "memory for the matrices on each host: what needs more is worked on in pieces, one after "
     "another (0: what the host has left)",
     ON_FILES, offsetof(struct args, memory), value_bytes, 0, 0},
    {"-o", "FILE", names, "the file to write the description to (standard output)", ON_MACHINE,
     offsetof(struct args, output), value_file, 0, 0},
    {"-c", "FILE", files,
     "the file of the C that is scaled by --beta and added to the product; needs --beta (none)",
     ON_MULTIPLY, offsetof(struct args, addend), value_text, 0, 0},
    {"--shape", "MxNxK", shapes, "C is M x N, the inner dimension is K (1024x1024x1024)",
     ON_PROBLEMS | ON_CHOOSE, offsetof(struct args, shape), value_shape, 0, 0},
    {"--type", "f32|f64|cf32|cf64|f16|bf16", NULL,
     "element type, also by the name that NumPy has, such as float64 or f8 (f64)",
     ON_PROBLEMS | ON_BENCH | ON_CHOOSE, offsetof(struct args, type), value_type, 0, 0},
    {"--type", "f32|f64|cf32|cf64|f16", NULL,
     "element type, also by the name that NumPy has, such as float64 or f8, to which the files are "
     "converted while they are read (that to which NumPy promotes those of the files)",
     ON_MULTIPLY, offsetof(struct args, type), value_type, 0, 0},
    {"--type", "f32|f64|cf32|cf64|f16", NULL,
     "element type of the output, also by the name that NumPy has, such as float64 or f8, to which "
     "the input is converted while it is read (that of the input)",
     ON_COPY, offsetof(struct args, type), value_type, 0, 0},
    {"--sum-c", NULL, NULL, "C has the type of the sums: f32 if A and B are f16 or bf16",
     ON_PRODUCTS, offsetof(struct args, sum_c), value_switch, 0, 0},
    {"--op", "XX", two_ops, "op of A, then of B: N none, T transpose, C conjugate transpose (NN)",
     ON_STRATEGIES, offsetof(struct args, op), value_ops, 2, 0},
    {"--op", "X", one_op, "op of A: N none, T transpose, C conjugate transpose (N)", ON_COPY,
     offsetof(struct args, op), value_ops, 1, 0},
    {"--alpha", "RE[,IM]", scalars, "factor of the product (1)", ON_MULTIPLY,
     offsetof(struct args, alpha), value_scalar, 0, 0},
    {"--beta", "RE[,IM]", scalars, "factor of the C of -c, which it needs (0)", ON_MULTIPLY,
     offsetof(struct args, beta), value_scalar, 0, 0},
    {"--alpha", "RE[,IM]", scalars, "factor of the product (1, with --check 2)", ON_RUN,
     offsetof(struct args, alpha), value_scalar, 0, 0},
    {"--beta", "RE[,IM]", scalars, "factor of C (0, with --check 3)", ON_RUN,
     offsetof(struct args, beta), value_scalar, 0, 0},
    {"--ranks", "P", NULL,
     "number of ranks, each a thread (one per core, or 4 with devices, but no more than --machine "
     "has); under mpiexec, each of its processes is a rank",
     ON_MULTIPLY | ON_TRIALS, offsetof(struct args, ranks), value_whole, 1, MOST_THREADS,
     .also = "-n"},
    {"--ranks", "P", NULL,
     "number of ranks, each a thread (one per core, or 4 with devices); under mpiexec, each of its "
     "processes is a rank",
     ON_COPY, offsetof(struct args, ranks), value_whole, 1, MOST_THREADS, .also = "-n"},
    {"--measure", NULL, NULL, "measure this machine and describe it", ON_MACHINE,
     offsetof(struct args, measure), value_switch, 0, 0},
    {"--ranks", "P", NULL,
     "number of ranks, each a thread (one per core, but at least 2, or 4 with devices); under "
     "mpiexec, each of its processes is a rank",
     ON_MACHINE, offsetof(struct args, ranks), value_whole, 2, MOST_THREADS, .also = "-n"},
    {"--ranks", "P", NULL,
     "number of ranks to plan for (as many as --machine has; otherwise as many as mpiexec has "
     "started; otherwise 4)",
     ON_PLAN | ON_CHOOSE, offsetof(struct args, ranks), value_whole, 1, MOST_PLANNED, .also = "-n"},
    {"--ranks", "P", NULL,
     "number of ranks to simulate (as many as --machine has; otherwise as many as mpiexec has "
     "started; otherwise 4)",
     ON_SIMULATE, offsetof(struct args, ranks), value_whole, 1, MOST_PLANNED, .also = "-n"},
    {"--machine", "NAME", machines,
     "the machine to simulate: pvc12, h100x8, node, cluster, or a description file (required)",
     ON_SIMULATE, offsetof(struct args, machine), value_text, 0, 0},
    {"--machine", "NAME", machines,
     "the machine for which the work layout, the cuts and the order are chosen: "
     "pvc12, h100x8, node, cluster, or a description file (small nodes on a slow network)",
     ON_STRATEGIES & ~ON_SIMULATE & ~ON_BENCH, offsetof(struct args, machine), value_text, 0, 0},
    {"--machine", "NAME", machines,
     "the machine for which layouts are chosen: pvc12, h100x8, node, cluster, or a description "
     "file (one node; with --per-node, small nodes on a slow network)",
     ON_CHOOSE, offsetof(struct args, machine), value_text, 0, 0},
    {"--machine", "NAME", machines,
     "the machine for which the work layout, the cuts and the order are chosen, and of whose "
     "peak the speed is given in percent: pvc12, h100x8, node, cluster, or a description file "
     "(small nodes on a slow network, and no percentages)",
     ON_BENCH, offsetof(struct args, machine), value_text, 0, 0},
    {"--memory", "BYTES", sizes,
     "memory limit per rank, for its parts of A, B and C and its workspace; 0: no limit (0)",
     ON_CHOOSE, offsetof(struct args, memory), value_bytes, 0, 0},
    {"--fix", "a=L", fixes,
     "the layout of a matrix that exists already, and is kept as it is; may be repeated for other "
     "matrices (none)",
     ON_CHOOSE, offsetof(struct args, fixed), value_fixed, 0, 0},
    {"--group", "TEXT", products,
     "choose the layouts of all matrices of several products that share matrices, such as "
     "'Y = X[m,h] * V[h,f]; Z = Y * W[f,h]', for the least time of all (one product, of --shape)",
     ON_CHOOSE, offsetof(struct args, group_text), value_text, 0, 0},
    {"--group", "TEXT", products,
     "run several products that share matrices, such as 'Y = X[m,h] * V[h,f]; Z = Y * W[f,h]', in "
     "the layouts that choose finds for them on --machine (one product, of --shape)",
     ON_RUN, offsetof(struct args, group_text), value_text, 0, 0},
    {"--size", "NAME=N", named_sizes, "the sizes that --group names, separated by commas (none)",
     ON_CHOOSE | ON_RUN, offsetof(struct args, sizes), value_text, 0, 0},
    {"--backward", NULL, NULL, "add the products that compute the gradients to --group",
     ON_CHOOSE | ON_RUN, offsetof(struct args, backward), value_switch, 0, 0},
    {"--layout", "NAME=L", matrix_layouts,
     "the layout of a matrix of --group, or several to choose from, separated by |; may be "
     "repeated (all candidates)",
     ON_CHOOSE | ON_RUN, offsetof(struct args, group_layouts), value_texts, 0, 0},
    {"--uses", "N", NULL,
     "number of products that use the same A and B; each is charged an equal share of the cost of "
     "replicating them (1)",
     ON_CHOOSE, offsetof(struct args, uses), value_whole, 1, 1000000000},
    {"--by", "both|time|bytes", NULL,
     "minimise the time, the bytes moved by the busiest rank, or both: choices are sorted by time, "
     "but the first one moves few bytes if any choice does (both)",
     ON_CHOOSE, offsetof(struct args, aim), value_choice, 0, 0},
    {"--top", "N", NULL, "number of choices to show (5)", ON_CHOOSE, offsetof(struct args, top),
     value_whole, 1, 16},
    {"--a", "L", layouts, "layout of A (2d)", ON_PRODUCTS, offsetof(struct args, layout[MATRIX_A]),
     value_text, 0, 0},
    {"--b", "L", layouts, "layout of B (2d)", ON_PRODUCTS, offsetof(struct args, layout[MATRIX_B]),
     value_text, 0, 0},
    {"--c", "L", layouts, "layout of C (2d)", ON_PROBLEMS, offsetof(struct args, layout[MATRIX_C]),
     value_text, 0, 0},
    {"--c", "L", layouts, "layout of C; /f writes Fortran order (2d)", ON_MULTIPLY,
     offsetof(struct args, layout[MATRIX_C]), value_text, 0, 0},
    {"--a", "L", layouts, "layout of the input (none: copy straight from the file)", ON_COPY,
     offsetof(struct args, layout[MATRIX_A]), value_text, 0, 0},
    {"--b", "L", layouts, "layout of the output; /f writes Fortran order (2d)", ON_COPY,
     offsetof(struct args, layout[MATRIX_B]), value_text, 0, 0},
    {"--view-a", "RxC+I+J", views, "A is the part at row I, column J of a stored R x C matrix",
     ON_PROBLEMS, offsetof(struct args, view[MATRIX_A]), value_view, 0, 0},
    {"--view-b", "RxC+I+J", views, "the same for B", ON_PROBLEMS,
     offsetof(struct args, view[MATRIX_B]), value_view, 0, 0},
    {"--view-c", "RxC+I+J", views, "the same for C", ON_PROBLEMS,
     offsetof(struct args, view[MATRIX_C]), value_view, 0, 0},
    {"--stay", "auto|a|b|c", NULL,
     "each rank works on its own part of this matrix, which stays where it is; with --work, the "
     "matrix whose shape the work layout has (auto: chosen by estimated time)",
     ON_PRODUCTS, offsetof(struct args, stay), value_choice, 0, 0},
    {"--stay", "auto|a|b|c", NULL,
     "the stationary matrix: each rank works on its own part of it, which stays where it is; with "
     "--work, the matrix whose shape the work layout has (auto: each of A, B and C is tried, and "
     "work layouts that are grids of ranks)",
     ON_CHOOSE, offsetof(struct args, stay), value_choice, 0, 0},
    {"--work", "L", layouts,
     "layout of the work: which rank computes which part of C; its replicas divide k among them; "
     "with --stay a or b, a layout of op(A) or op(B), whose replicas divide n or m (chosen)",
     ON_STRATEGIES | ON_CHOOSE, offsetof(struct args, work), value_text, 0, 0},
    {"--effort", "estimate|measure", NULL,
     "how the work layout is chosen, unless --stay, --work, --decisions or --ordered leaves no "
     "choice: estimate, by estimated time; measure, by running up to 4 of those that are best by "
     "estimate, 6 times each (estimate)",
     ON_TRIALS, offsetof(struct args, effort), value_choice, 0, 0},
    {"--wisdom", "FILE", names,
     "take the work layout from this file if it has the product; with --effort measure, one that "
     "it lacks is measured and added, and the file need not exist (none)",
     ON_TRIALS, offsetof(struct args, wisdom), value_file, 0, 0},
    {"--wisdom", "FILE", names,
     "take the work layout from this file, which run --effort measure has written, if it has the "
     "product (none)",
     ON_MULTIPLY | ON_PLAN, offsetof(struct args, wisdom), value_file, 0, 0},
    {"--decisions", "D", "decisions as plan prints them, such as nest=kmn,k=512",
     "how each rank does its part of the work, as plan prints it, with commas between: nest=kmn, "
     "the loops; m=N, k=N, n=N, the largest pieces; gather=ak+cn, owners brought together; "
     "begin=X+Y+Z, where the loops over m, k and n begin: first, shifted, own, behind or halfway; "
     "blocks=A+B, the most blocks of a slice of A or B that are multiplied one by one; "
     "ahead=N steps (decided for each rank by estimated time)",
     ON_STRATEGIES, offsetof(struct args, decisions), value_text, 0, 0, .advanced = true},
    {"--slice", "class|tile", NULL,
     "class: one step for all indices that the same two owners share; tile: one step for each pair "
     "of tiles, as in the paper, arXiv 2510.08874 (class)",
     ON_STRATEGIES, offsetof(struct args, slicing), value_choice, 0, 0, .advanced = true},
    {"--fetch", "slice|tile", NULL,
     "slice: fetch the slices of A and B that cannot be used in place; tile: fetch whole remote "
     "tiles, as in the paper, which implies --slice tile (slice)",
     ON_STRATEGIES, offsetof(struct args, fetch), value_choice, 0, 0, .advanced = true},
    {"--order", "direct|greedy|cost|exhaustive", NULL,
     "how steps and transfers are grouped: direct, one step with its prefetch; greedy, whatever is "
     "ready; cost, balanced by estimated time; exhaustive, the order with the least estimated time "
     "of all, for few steps only (direct)",
     ON_STRATEGIES, offsetof(struct args, schedule), value_choice, 0, 0, .advanced = true},
    {"--transfers", "N", NULL,
     "most transfers in a group, in orders other than direct (twice --products)", ON_STRATEGIES,
     offsetof(struct args, transfers), value_whole, 1, 1024, .advanced = true},
    {"--start", "shifted|alike", NULL,
     "shifted: ranks start with different steps, so that they do not all ask one owner at once; "
     "alike: each starts with its first step; not with --decisions, which say it (shifted)",
     ON_STRATEGIES, offsetof(struct args, start), value_choice, 0, 0, .advanced = true},
    {"--result", "all|origin|partial", NULL,
     "where the result is: all, in every replica of C; origin, in replica 0 only; partial, each "
     "replica keeps its partial sums (all)",
     ON_PROBLEMS | ON_BENCH, offsetof(struct args, result), value_choice, 0, 0},
    {"--workspace", "BYTES", sizes,
     "workspace limit per rank; 0: as much as its parts of A, B and C take, but at least 256 MiB; "
     "none: no limit, but steps are cut to keep it small (0)",
     ON_STRATEGIES, offsetof(struct args, workspace), value_limit, 0, 0},
    {"--prefetch", "N", NULL,
     "number of steps to prefetch in direct order (0 if all ranks share memory; otherwise 2, or up "
     "to 32 to keep 8 MiB in flight)",
     ON_STRATEGIES, offsetof(struct args, prefetch), value_whole, 0, 1024, .advanced = true},
    {"--products", "N", NULL, "most products of a rank in flight (2; 1 if all ranks share memory)",
     ON_STRATEGIES, offsetof(struct args, products), value_whole, 1, 1024, .advanced = true},
    {"--accumulates", "N", NULL,
     "most accumulates of a rank in flight (4; 1 if all ranks share memory)", ON_STRATEGIES,
     offsetof(struct args, accumulates), value_whole, 1, 1024, .advanced = true},
    {"--sync", NULL, NULL,
     "let each rank wait at the end of each group until its products and transfers are complete",
     ON_STRATEGIES, offsetof(struct args, sync), value_switch, 0, 0, .advanced = true},
    {"--ordered", NULL, NULL,
     "accumulate in a fixed order, so that the same plan gives the same bits in every run",
     ON_STRATEGIES, offsetof(struct args, ordered), value_switch, 0, 0},
    {"--engine", "threads|processes|mpi|opencl|cuda", NULL,
     "what connects the ranks, and computes (mpi under mpiexec, processes under sectile launch, "
     "srun and torchrun, otherwise threads). opencl, cuda: ranks have OpenCL devices or NVIDIA "
     "GPUs, and are threads, or processes where these have been started",
     ON_ALL, offsetof(struct args, engine), value_engine, 0, 0},
    {"--engine-options", "TEXT", NULL,
     "with --engine NAME, where libsectile_NAME is an engine in a library of its own: the options "
     "that it reads",
     ON_WORLDS | ON_MACHINE, offsetof(struct args, engine_options), value_text, 0, 0,
     .advanced = true},
    {"--device", "LIST", NULL,
     "devices of --engine opencl or cuda: numbers such as 0,1, or, with opencl, 0/2 for two equal "
     "parts of device 0; ranks, or those of each host, are spread over them evenly (all GPUs, or "
     "the first "
     "device)",
     ON_WORLDS | ON_MACHINE, offsetof(struct args, devices), value_text, 0, 0},
    {"--math", "ieee|tf32", NULL,
     "how --engine cuda multiplies f32 and cf32: tf32, with factors rounded to TF32, which has 11 "
     "significant bits; ieee, as they are (ieee)",
     ON_ENGINES, offsetof(struct args, math), value_choice, 0, 0},
    {"--accumulation", "auto|atomic|mailbox", NULL,
     "how --engine cuda adds to C on another GPU: atomic, by a kernel with atomic additions to its "
     "memory; mailbox, by a copy that its owner adds (auto: atomic where GPUs can do that)",
     ON_ENGINES, offsetof(struct args, accumulation), value_choice, 0, 0, .advanced = true},
    {"--path", "auto|service|rma|sockets|nvshmem", NULL,
     "how processes reach the memory of other nodes: service, by MPI messages; rma, by one-sided "
     "MPI; "
     "sockets, by messages on TCP sockets, the only path without MPI; nvshmem, "
     "between GPUs of --engine cuda, beside messages (auto: the best that works, but not nvshmem)",
     ON_WORLDS | ON_MACHINE, offsetof(struct args, path), value_choice, 0, 0},
    {"--per-node", "R", NULL,
     "have only R consecutive ranks share memory, as if others were on other hosts; processes with "
     "devices of opencl never do; 0: all that can (0)",
     ON_WORLDS | ON_MACHINE, offsetof(struct args, per_node), value_whole, 0, INT_MAX,
     .also = "--nodes", .advanced = true},
    {"--per-node", "R", NULL,
     "number of ranks per node; ranks of one node share memory; 0: as --machine says, or without "
     "--machine, all ranks share memory (0)",
     ON_PLAN | ON_SIMULATE | ON_CHOOSE, offsetof(struct args, per_node), value_whole, 0, INT_MAX,
     .also = "--nodes"},
    {"--seed", "S", NULL, "seed of the random elements (1)", ON_RUN, offsetof(struct args, seed),
     value_whole, 0, INT64_MAX},
    {"--seed", "S", NULL, "seed of the random elements and --sample (1)", ON_BENCH,
     offsetof(struct args, seed), value_whole, 0, INT64_MAX},
    {"--repeat", "N", NULL, "number of timed runs; the median is reported (3, with --check 1)",
     ON_RUN, offsetof(struct args, repeat), value_whole, 1, 1000000},
    {"--repeat", "N", NULL,
     "number of timed runs; the median is reported (3); with --reference, only of the runs in "
     "which "
     "--stays best tries each stationary matrix",
     ON_BENCH, offsetof(struct args, repeat), value_whole, 1, 1000000},
    {"--repeat", "N", NULL,
     "most rounds of measurements; none starts after 20 seconds; medians are reported (25)",
     ON_MACHINE, offsetof(struct args, repeat), value_whole, 1, MEASURED_ROUNDS},
    {"--size", "N", NULL,
     "size of the largest products in each dimension; with a small one, measuring takes seconds, "
     "but the speed of large products is less certain (768; more on fast devices)",
     ON_MACHINE, offsetof(struct args, size), value_whole, LEAST_MEASURED_SIZE, MOST_MEASURED_SIZE},
    {"--reference", NULL, NULL,
     "alternate the product with one BLAS call on the whole problem, and report the ratio: the "
     "time "
     "of the BLAS call over that of the product. The call has min(ranks, cores) threads, in a "
     "process of its own; with an engine for devices, the device of rank 0 makes it",
     ON_TRIALS, offsetof(struct args, reference), value_switch, 0, 0},
    {"--pairs", "N", NULL,
     "number of pairs of a product and a BLAS call; the median ratio is reported (15)", ON_TRIALS,
     offsetof(struct args, pairs), value_whole, 1, 1000},
    {"--shapes", "LIST", shape_lists, "list of shapes MxNxK (1024x1024x1024)", ON_BENCH,
     offsetof(struct args, shapes), value_shapes, 0, 0},
    {"--layouts", "LIST", layout_lists,
     "list of layouts, which A, B and C take in all combinations; if one has commas in it, each "
     "ends with a semicolon: 'row;cuts:3,5x-@0,1,0x0;' (row,col,2d,cyclic:64x64)",
     ON_BENCH, offsetof(struct args, layouts), value_layouts, 0, 0},
    {"--replicas", "LIST", number_lists,
     "list of replication factors, which A, B and C take in all combinations (1)", ON_BENCH,
     offsetof(struct args, replicas), value_wholes, 1, MOST_THREADS},
    {"--stays", "auto|a|b|c|best", stay_lists,
     "list of stationary matrices; best tries a, b and c and keeps the fastest (auto)", ON_BENCH,
     offsetof(struct args, stays), value_choices, 0, 0},
    {"--sample", "N", NULL,
     "run only N combinations, in which all layouts and factors occur equally often; 0: run all "
     "(0)",
     ON_BENCH, offsetof(struct args, sample), value_whole, 0, 1000000},
    {"--svg", "FILE", names,
     "draw a chart of the percentage of the peak if --machine has one, otherwise of the ratio with "
     "--reference, otherwise of GFLOP/s: lines over several shapes, or sorted dots for one shape",
     ON_BENCH, offsetof(struct args, svg), value_file, 0, 0},
    {"--svg", "FILE", names,
     "draw a timeline of all ranks; with run, of the last timed product, if ranks are threads",
     ON_SIMULATE | ON_RUN, offsetof(struct args, svg), value_file, 0, 0},
    {"--trace", "FILE", names,
     "write the timeline as Chrome trace events, for Perfetto or chrome://tracing",
     ON_SIMULATE | ON_RUN, offsetof(struct args, trace), value_file, 0, 0},
    {"--svg", "FILE", names,
     "also draw A, B and C, with the owner of each tile and the slices that the rank uses", ON_PLAN,
     offsetof(struct args, svg), value_file, 0, 0},
    {"--check", NULL, NULL, "check every element of C against a simpler computation", ON_RUN,
     offsetof(struct args, check), value_switch, 0, 0},
    {"--check", NULL, NULL, "also prove that the plans of all ranks do all the work exactly once",
     ON_PLAN, offsetof(struct args, check), value_switch, 0, 0},
    {"--rank", "R", NULL, "the rank to show (0)", ON_PLAN, offsetof(struct args, rank), value_whole,
     0, INT_MAX},
    {"--all", NULL, NULL, "also show the totals over all ranks, and the busiest rank", ON_PLAN,
     offsetof(struct args, all), value_switch, 0, 0},
    {"--steps", NULL, NULL, "instead, list the steps, each as one line of JSON", ON_PLAN,
     offsetof(struct args, steps), value_switch, 0, 0},
    {"--picture", NULL, NULL,
     "instead, draw A, B and C as text, and mark the parts that the rank uses", ON_PLAN,
     offsetof(struct args, picture), value_switch, 0, 0},
    {"--dry-run", NULL, NULL,
     "read the headers of the files only, print what would be done, and write nothing", ON_FILES,
     offsetof(struct args, dry_run), value_switch, 0, 0},
    {"--verbose", NULL, NULL,
     "say more on the standard error: versions in use, paths to other ranks, plans and their "
     "estimated times, as SECTILE_LOG=info does; of files also print layouts, steps, and the bytes "
     "moved between ranks",
     ON_WORLDS, offsetof(struct args, verbose), value_switch, 0, 0},
    {"--json", NULL, NULL, "print one JSON object on standard output, and nothing else",
     ON_ALL & ~ON_BENCH, offsetof(struct args, json), value_switch, 0, 0},
    {"--json", NULL, NULL, "print one line of JSON per combination, and nothing else", ON_BENCH,
     offsetof(struct args, json), value_switch, 0, 0},
    {"--color", "auto|always|never", NULL,
     "colour messages and --picture: auto, on a terminal, unless the variable NO_COLOR is set "
     "(auto)",
     ON_ALL | ON_LAUNCH, offsetof(struct args, color), value_choice, 0, 0},
    {"--help", NULL, NULL, "print this help; with --all after it, all flags", ON_ALL | ON_LAUNCH,
     offsetof(struct args, help), value_switch, 0, 0, .also = "-h"},
};

const int flags_count = sizeof flags / sizeof *flags;
_Static_assert(sizeof flags / sizeof *flags <= MOST_FLAGS, "struct args has a place for each");

bool flags_has_letter(const struct flag *flag) {
    return flag->also && flag->also[1] != '-';
}

static bool is_name(const char *name, const char *word, size_t length) {
    return name && strlen(name) == length && memcmp(name, word, length) == 0;
}

const struct flag *flags_find(enum verb verb, const char *word, size_t length) {
    for (int i = 0; i < flags_count; i++)
        if ((flags[i].verbs & 1u << verb) &&
            (is_name(flags[i].name, word, length) || is_name(flags[i].also, word, length)))
            return &flags[i];
    return NULL;
}
