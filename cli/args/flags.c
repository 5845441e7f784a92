/* flags.c - the one table of flags, for parsing and for help. */
#include "args/flags.h"

#include "args/value_list.h"

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
    ON_FILES = ON_MULTIPLY | ON_COPY,
    ON_TRIALS = ON_RUN | ON_BENCH,
    ON_WORLDS = ON_FILES | ON_TRIALS,
    ON_PROBLEMS = ON_RUN | ON_PLAN | ON_SIMULATE,
    ON_PRODUCTS = ON_MULTIPLY | ON_PROBLEMS,
    ON_STRATEGIES = ON_PRODUCTS | ON_BENCH,
    ON_ALL = ON_FILES | ON_PROBLEMS | ON_BENCH | ON_MACHINE | ON_CHOOSE
};

/* More threads than this are a mistake. */
enum { MOST_THREADS = 4096 };

static bool parse_whole(const struct flag *flag, const char *text, void *to) {
    return number_whole(text, flag->low, flag->high, to);
}

static bool parse_bytes(const struct flag *flag, const char *text, void *to) {
    (void)flag;
    return number_bytes(text, to);
}

/* The place of the text in "one|two|three". */
static bool parse_choice(const struct flag *flag, const char *text, void *to) {
    size_t length = strlen(text);
    int64_t index = 0;
    for (const char *at = flag->value;; at++, index++) {
        size_t choice = strcspn(at, "|");
        if (choice == length && memcmp(at, text, length) == 0) {
            *(int64_t *)to = index;
            return true;
        }
        at += choice;
        if (*at == '\0')
            return false;
    }
}

/* As many letters as `low`, each an op. */
static bool parse_ops(const struct flag *flag, const char *text, void *to) {
    static const char letters[] = "NTC";
    sct_op *ops = to;
    if (strlen(text) != (size_t)flag->low || strspn(text, letters) != (size_t)flag->low)
        return false;
    for (int64_t i = 0; i < flag->low; i++)
        ops[i] = (sct_op)(strchr(letters, text[i]) - letters);
    return true;
}

static bool parse_shape(const struct flag *flag, const char *text, void *to) {
    struct shape shape;
    (void)flag;
    if (!number_digits(&text, &shape.m) || *text++ != 'x' || !number_digits(&text, &shape.n) ||
        *text++ != 'x' || !number_digits(&text, &shape.k) || *text != '\0')
        return false;
    *(struct shape *)to = shape;
    return true;
}

static bool parse_view(const struct flag *flag, const char *text, void *to) {
    struct view view = {.given = true};
    (void)flag;
    if (!number_digits(&text, &view.rows) || *text++ != 'x' || !number_digits(&text, &view.cols) ||
        *text++ != '+' || !number_digits(&text, &view.row) || *text++ != '+' ||
        !number_digits(&text, &view.col) || *text != '\0')
        return false;
    *(struct view *)to = view;
    return true;
}

static bool parse_scalar(const struct flag *flag, const char *text, void *to) {
    struct scalar scalar = {.given = true};
    (void)flag;
    if (!number_scalar(text, &scalar.number))
        return false;
    *(struct scalar *)to = scalar;
    return true;
}

static bool parse_text(const struct flag *flag, const char *text, void *to) {
    (void)flag;
    if (*text == '\0')
        return false;
    *(const char **)to = text;
    return true;
}

/* What a file holds is long, and never on standard input or output: "-" would be a file's name. */
static bool parse_file(const struct flag *flag, const char *text, void *to) {
    return strcmp(text, "-") != 0 && parse_text(flag, text, to);
}

static bool copy_word(const struct flag *flag, const char *text, void *to) {
    (void)flag;
    memcpy(to, text, strlen(text) + 1);
    return *text != '\0';
}

static bool parse_shapes(const struct flag *flag, const char *text, void *to) {
    return list_parse(flag, text, to, parse_shape);
}

static bool parse_words(const struct flag *flag, const char *text, void *to) {
    return list_parse(flag, text, to, copy_word);
}

static bool parse_wholes(const struct flag *flag, const char *text, void *to) {
    return list_parse(flag, text, to, parse_whole);
}

static bool parse_choices(const struct flag *flag, const char *text, void *to) {
    return list_parse(flag, text, to, parse_choice);
}

/* "a=LAYOUT", or several; a layout may have commas of its own. */
static bool parse_fixed(const struct flag *flag, const char *text, void *to) {
    const char **fixed = to;
    (void)flag;
    for (;;) {
        const char *matrix = *text != '\0' ? strchr("abc", *text) : NULL;
        size_t length = matrix && text[1] == '=' ? args_fixed_length(text + 2) : 0;
        if (length == 0 || fixed[*matrix - 'a'])
            return false;
        fixed[*matrix - 'a'] = text + 2;
        text += 2 + length;
        if (*text++ == '\0')
            return true;
    }
}

static bool parse_switch(const struct flag *flag, const char *text, void *to) {
    (void)flag;
    (void)text;
    *(bool *)to = true;
    return true;
}

static const char shapes[] = "MxNxK, three whole numbers";
static const char layouts[] = "a layout, such as row, 2d or cyclic:64x64*2";
static const char views[] = "ROWSxCOLS+ROW+COL, four whole numbers";
static const char scalars[] = "a number RE, or RE,IM";
static const char sizes[] = "a whole number of bytes, or of K, M, G or T of them; below 8388608T";
static const char two_ops[] = "two letters of N, T and C, for A and for B";
static const char one_op[] = "one letter of N, T and C";
static const char shape_lists[] = "up to 32 shapes MxNxK, separated by commas";
static const char layout_lists[] =
    "up to 32 layouts of up to 255 letters each, separated by commas; or by semicolons alone, as "
    "those with commas in them have to be";
static const char number_lists[] = "up to 32 whole numbers above 0, separated by commas";
static const char stay_lists[] = "auto, a, b, c or best, separated by commas";
static const char names[] = "a file name; one that is called - is ./-";
static const char machines[] = "the name of a machine, or of a file";
static const char fixes[] =
    "a=LAYOUT, b=LAYOUT or c=LAYOUT, each at most once, or several between commas";

const struct flag flags[] = {
    {"-o", "FILE", names, "the .npy file to write; needed", ON_FILES, offsetof(struct args, output),
     parse_file, 0, 0},
    {"-o", "FILE", names, "the file to write what was measured to (standard output)", ON_MACHINE,
     offsetof(struct args, output), parse_file, 0, 0},
    {"-c", "FILE", names, "the C that --beta scales and that is added", ON_MULTIPLY,
     offsetof(struct args, addend), parse_file, 0, 0},
    {"--shape", "MxNxK", shapes, "C is M x N, the inner dimension is K (1024x1024x1024)",
     ON_PROBLEMS | ON_CHOOSE, offsetof(struct args, shape), parse_shape, 0, 0},
    {"--type", "f32|f64|cf32|cf64|f16|bf16", NULL, "type of the elements (f64)",
     ON_PROBLEMS | ON_BENCH | ON_CHOOSE, offsetof(struct args, type), parse_choice, 0, 0},
    {"--sum-c", NULL, NULL, "C has the type that sums are kept in: f32 if A and B are f16 or bf16",
     ON_PRODUCTS, offsetof(struct args, sum_c), parse_switch, 0, 0},
    {"--op", "XX", two_ops, "op of A and of B: as is, transposed, conjugate transposed (NN)",
     ON_STRATEGIES, offsetof(struct args, op), parse_ops, 2, 0},
    {"--op", "X", one_op, "as is, transposed, conjugate transposed (N)", ON_COPY,
     offsetof(struct args, op), parse_ops, 1, 0},
    {"--alpha", "RE[,IM]", scalars, "factor of the product (1)", ON_MULTIPLY,
     offsetof(struct args, alpha), parse_scalar, 0, 0},
    {"--beta", "RE[,IM]", scalars, "factor of the C of -c (0)", ON_MULTIPLY,
     offsetof(struct args, beta), parse_scalar, 0, 0},
    {"--alpha", "RE[,IM]", scalars, "factor of the product (1, with --check 2)", ON_RUN,
     offsetof(struct args, alpha), parse_scalar, 0, 0},
    {"--beta", "RE[,IM]", scalars, "factor of C (0, with --check 3)", ON_RUN,
     offsetof(struct args, beta), parse_scalar, 0, 0},
    {"--ranks", "P", NULL,
     "ranks, each a thread (as many as --machine has, or cores); under mpiexec what it starts",
     ON_FILES, offsetof(struct args, ranks), parse_whole, 1, MOST_THREADS},
    {"--ranks", "P", NULL,
     "ranks, each a thread (as many as --machine has, or 4); under mpiexec what it starts",
     ON_TRIALS, offsetof(struct args, ranks), parse_whole, 1, MOST_THREADS},
    {"--measure", NULL, NULL, "measure the machine at hand, and describe it", ON_MACHINE,
     offsetof(struct args, measure), parse_switch, 0, 0},
    {"--ranks", "P", NULL,
     "ranks that are measured, each a thread (as many as cores); under mpiexec what it starts",
     ON_MACHINE, offsetof(struct args, ranks), parse_whole, 2, MOST_THREADS},
    {"--ranks", "P", NULL,
     "ranks to plan for (as many as --machine has, or 4, or what mpiexec starts)",
     ON_PLAN | ON_CHOOSE, offsetof(struct args, ranks), parse_whole, 1, INT_MAX},
    {"--ranks", "P", NULL,
     "ranks to simulate (as many as --machine has, or 4, or what mpiexec starts)", ON_SIMULATE,
     offsetof(struct args, ranks), parse_whole, 1, INT_MAX},
    {"--machine", "NAME", machines,
     "the machine: pvc12, h100x8, node, cluster, or a file that describes another; needed",
     ON_SIMULATE, offsetof(struct args, machine), parse_text, 0, 0},
    {"--machine", "NAME", machines,
     "the machine by which is chosen what is not given: pvc12, h100x8, node, cluster, or a file "
     "that describes another (small nodes on a slow network)",
     (ON_STRATEGIES & ~ON_SIMULATE & ~ON_BENCH) | ON_CHOOSE, offsetof(struct args, machine),
     parse_text, 0, 0},
    {"--machine", "NAME", machines,
     "the machine by which what stays and orders are chosen, and whose peak speeds are a part of: "
     "pvc12, h100x8, node, cluster, or a file that describes another (small nodes on a slow "
     "network, of no known peak)",
     ON_BENCH, offsetof(struct args, machine), parse_text, 0, 0},
    {"--memory", "BYTES", sizes, "of each rank, for its parts and workspace; 0: no limit (0)",
     ON_CHOOSE, offsetof(struct args, memory), parse_bytes, 0, 0},
    {"--fix", "a=L", fixes, "a layout that is not to be chosen; once for each matrix (none)",
     ON_CHOOSE, offsetof(struct args, fixed), parse_fixed, 0, 0},
    {"--uses", "N", NULL, "how many products A and B are used for (1)", ON_CHOOSE,
     offsetof(struct args, uses), parse_whole, 1, 1000000000},
    {"--by", "both|time|bytes", NULL,
     "what is to be little: the time, the bytes that the busiest rank moves, or both: of the first "
     "choice the bytes, of the others the time (both)",
     ON_CHOOSE, offsetof(struct args, aim), parse_choice, 0, 0},
    {"--top", "N", NULL, "how many choices to show (5)", ON_CHOOSE, offsetof(struct args, top),
     parse_whole, 1, 16},
    {"--a", "L", layouts, "layout of A (2d)", ON_PRODUCTS, offsetof(struct args, layout[MATRIX_A]),
     parse_text, 0, 0},
    {"--b", "L", layouts, "layout of B (2d)", ON_PRODUCTS, offsetof(struct args, layout[MATRIX_B]),
     parse_text, 0, 0},
    {"--c", "L", layouts, "layout of C (2d)", ON_PROBLEMS, offsetof(struct args, layout[MATRIX_C]),
     parse_text, 0, 0},
    {"--c", "L", layouts, "layout of C; with /f the output is in Fortran order (2d)", ON_MULTIPLY,
     offsetof(struct args, layout[MATRIX_C]), parse_text, 0, 0},
    {"--a", "L", layouts, "layout of the input (none: copied from the file itself)", ON_COPY,
     offsetof(struct args, layout[MATRIX_A]), parse_text, 0, 0},
    {"--b", "L", layouts, "layout of the output; with /f it is in Fortran order (2d)", ON_COPY,
     offsetof(struct args, layout[MATRIX_B]), parse_text, 0, 0},
    {"--view-a", "RxC+I+J", views, "A lies at row I, column J of a matrix stored as R x C",
     ON_PROBLEMS, offsetof(struct args, view[MATRIX_A]), parse_view, 0, 0},
    {"--view-b", "RxC+I+J", views, "so does B", ON_PROBLEMS, offsetof(struct args, view[MATRIX_B]),
     parse_view, 0, 0},
    {"--view-c", "RxC+I+J", views, "so does C", ON_PROBLEMS, offsetof(struct args, view[MATRIX_C]),
     parse_view, 0, 0},
    {"--stay", "auto|a|b|c", NULL, "the matrix that is not moved (auto)", ON_PRODUCTS | ON_CHOOSE,
     offsetof(struct args, stay), parse_choice, 0, 0},
    {"--slice", "class|tile", NULL, "what makes a step: all that two ranks share, or tiles (class)",
     ON_STRATEGIES, offsetof(struct args, slicing), parse_choice, 0, 0},
    {"--fetch", "slice|tile", NULL,
     "what is fetched of A and B: what a step cannot use in place, or all of each tile of another "
     "rank, as in the paper; tile implies --slice tile (slice)",
     ON_STRATEGIES, offsetof(struct args, fetch), parse_choice, 0, 0},
    {"--order", "direct|greedy|cost|exhaustive", NULL,
     "how steps become groups: as they come, filled with what can be begun, with what takes as "
     "long, or the best way of all, for few steps (direct)",
     ON_STRATEGIES, offsetof(struct args, schedule), parse_choice, 0, 0},
    {"--transfers", "N", NULL,
     "transfers of a group, in all orders but direct (two for each of --products)", ON_STRATEGIES,
     offsetof(struct args, transfers), parse_whole, 1, 1024},
    {"--start", "shifted|alike", NULL,
     "whether ranks start with different steps or all with their first (shifted)", ON_STRATEGIES,
     offsetof(struct args, start), parse_choice, 0, 0},
    {"--result", "all|origin|partial", NULL, "what becomes of a replicated C (all)",
     ON_PROBLEMS | ON_BENCH, offsetof(struct args, result), parse_choice, 0, 0},
    {"--workspace", "BYTES", sizes,
     "limit of each rank's workspace; 0: none, but steps are cut to keep it modest (0)",
     ON_STRATEGIES, offsetof(struct args, workspace), parse_bytes, 0, 0},
    {"--prefetch", "N", NULL,
     "steps to fetch ahead in direct order (the next 2 to 32 that lack something, as many as lack "
     "8 to 12 MiB; 0 where ranks see each other's memory)",
     ON_STRATEGIES, offsetof(struct args, prefetch), parse_whole, 0, 1024},
    {"--products", "N", NULL,
     "products under way at once (2; 1 where ranks see each other's memory)", ON_STRATEGIES,
     offsetof(struct args, products), parse_whole, 1, 1024},
    {"--accumulates", "N", NULL,
     "accumulations under way at once (3, or 4 of four ranks and more; 1 where ranks see each "
     "other's memory)",
     ON_STRATEGIES, offsetof(struct args, accumulates), parse_whole, 1, 1024},
    {"--sync", NULL, NULL, "wait at the end of each group", ON_STRATEGIES,
     offsetof(struct args, sync), parse_switch, 0, 0},
    {"--ordered", NULL, NULL, "the same bits each time that the same plan is run", ON_STRATEGIES,
     offsetof(struct args, ordered), parse_switch, 0, 0},
    {"--engine", "threads|mpi|cuda", NULL,
     "what connects the ranks (under mpiexec mpi, else threads)", ON_ALL,
     offsetof(struct args, engine), parse_choice, 0, 0},
    {"--path", "auto|service|rma|sockets", NULL,
     "of MPI: how ranks reach beyond a node, by messages that the owner answers, of MPI or through "
     "sockets, or by a network that gets at its memory (auto: what works well)",
     ON_WORLDS | ON_MACHINE, offsetof(struct args, path), parse_choice, 0, 0},
    {"--nodes", "R", NULL,
     "pretend that only R ranks each see each other's memory; 0: as it is (0)", ON_ALL,
     offsetof(struct args, nodes), parse_whole, 0, INT_MAX},
    {"--delay", "US", NULL,
     "hold transfers between pretended nodes of threads and what is --deferred back, for at "
     "most so many microseconds (0)",
     ON_WORLDS, offsetof(struct args, delay), parse_whole, 0, 1000000},
    {"--deferred", NULL, NULL, "run local work behind the rank's back, as on a GPU", ON_WORLDS,
     offsetof(struct args, deferred), parse_switch, 0, 0},
    {"--seed", "S", NULL, "of the elements and of the delays (1)", ON_RUN,
     offsetof(struct args, seed), parse_whole, 0, INT64_MAX},
    {"--seed", "S", NULL, "of the elements, of the delays and of --sample (1)", ON_BENCH,
     offsetof(struct args, seed), parse_whole, 0, INT64_MAX},
    {"--repeat", "N", NULL, "timed runs, of which the median counts (3, with --check 1)", ON_RUN,
     offsetof(struct args, repeat), parse_whole, 1, 1000000},
    {"--repeat", "N", NULL,
     "timed runs, of which the median counts (3); with --reference, of a "
     "stationary matrix that is tried",
     ON_BENCH, offsetof(struct args, repeat), parse_whole, 1, 1000000},
    {"--repeat", "N", NULL,
     "rounds of measurements, of which the median counts; none begins after 20 seconds (25)",
     ON_MACHINE, offsetof(struct args, repeat), parse_whole, 1, MEASURED_ROUNDS},
    {"--reference", NULL, NULL,
     "compare with one call of the BLAS in a process of its own, with as many threads as ranks or "
     "cores, whichever are fewer, in turns",
     ON_TRIALS, offsetof(struct args, reference), parse_switch, 0, 0},
    {"--pairs", "N", NULL, "such turns, of which the median counts (15)", ON_TRIALS,
     offsetof(struct args, pairs), parse_whole, 1, 1000},
    {"--shapes", "LIST", shape_lists, "shapes MxNxK (1024x1024x1024)", ON_BENCH,
     offsetof(struct args, shapes), parse_shapes, 0, 0},
    {"--layouts", "LIST", layout_lists,
     "layouts of A, of B and of C, in all combinations; between semicolons if there are commas in "
     "them: 'row;cuts:3,5x-@0,1,0x0;' (row,col,2d,cyclic:64x64)",
     ON_BENCH, offsetof(struct args, layouts), parse_words, 0, 0},
    {"--replicas", "LIST", number_lists, "replicas of A, of B and of C, in all combinations (1)",
     ON_BENCH, offsetof(struct args, replicas), parse_wholes, 1, MOST_THREADS},
    {"--stays", "auto|a|b|c|best", stay_lists,
     "matrices that are not moved, a list; best tries a, b and c and keeps the fastest (auto)",
     ON_BENCH, offsetof(struct args, stays), parse_choices, 0, 0},
    {"--sample", "N", NULL,
     "only N combinations, in which all layouts and replicas come in all places alike; 0 for all "
     "(0)",
     ON_BENCH, offsetof(struct args, sample), parse_whole, 0, 1000000},
    {"--svg", "FILE", names,
     "draw percent of the peak if --machine knows it, else ratios if there is --reference, else "
     "GFLOP/s: by size, or of one shape in order",
     ON_BENCH, offsetof(struct args, svg), parse_file, 0, 0},
    {"--svg", "FILE", names, "draw what each rank does when", ON_SIMULATE,
     offsetof(struct args, svg), parse_file, 0, 0},
    {"--trace", "FILE", names,
     "write the same as trace events, which Perfetto and Chrome show (chrome://tracing)",
     ON_SIMULATE, offsetof(struct args, trace), parse_file, 0, 0},
    {"--svg", "FILE", names,
     "also draw, as SVG, who owns what of A, B and C, and which slices the rank's steps use",
     ON_PLAN, offsetof(struct args, svg), parse_file, 0, 0},
    {"--check", NULL, NULL, "compare with a product made in a simpler way", ON_RUN,
     offsetof(struct args, check), parse_switch, 0, 0},
    {"--check", NULL, NULL, "check that the plans of all ranks do all the work, once", ON_PLAN,
     offsetof(struct args, check), parse_switch, 0, 0},
    {"--rank", "R", NULL, "the rank whose plan is shown (0)", ON_PLAN, offsetof(struct args, rank),
     parse_whole, 0, INT_MAX},
    {"--all", NULL, NULL, "also the sums over all ranks, and the busiest rank", ON_PLAN,
     offsetof(struct args, all), parse_switch, 0, 0},
    {"--steps", NULL, NULL, "instead, each step as a line of JSON", ON_PLAN,
     offsetof(struct args, steps), parse_switch, 0, 0},
    {"--picture", NULL, NULL, "instead, draw which parts of A, B and C the rank uses", ON_PLAN,
     offsetof(struct args, picture), parse_switch, 0, 0},
    {"--json", NULL, NULL, "print one JSON object and nothing else", ON_ALL & ~ON_BENCH,
     offsetof(struct args, json), parse_switch, 0, 0},
    {"--json", NULL, NULL, "print a JSON object on a line for each combination, and nothing else",
     ON_BENCH, offsetof(struct args, json), parse_switch, 0, 0},
    {"--help", NULL, NULL, "print this", ON_ALL, offsetof(struct args, help), parse_switch, 0, 0},
};

const int flags_count = sizeof flags / sizeof *flags;
_Static_assert(sizeof flags / sizeof *flags <= MOST_FLAGS, "struct args has a place for each");

const struct flag *flags_find(enum verb verb, const char *word, size_t length) {
    for (int i = 0; i < flags_count; i++)
        if ((flags[i].verbs & 1u << verb) && strlen(flags[i].name) == length &&
            memcmp(flags[i].name, word, length) == 0)
            return &flags[i];
    return NULL;
}
