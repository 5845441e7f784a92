/* choose.c - the verb choose: finds the best layouts. */
#include "args/problem.h"
#include "args/verbs.h"
#include "ranks/rank_group.h"
#include "run/lower_bound.h"
#include "verbs/products.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHOICES = 16 };
/* A choice is better only if it is by more than these factors, as in the library's search. */
static const double alike_seconds = 1.02, alike_bytes = 1.01;

/* A choice, and its layouts as texts. */
struct option {
    sct_choice choice;
    char *text[MATRICES], *work; /* work: NULL if a matrix is stationary */
};

struct selection {
    const struct args *args;
    const sct_machine *machine; /* NULL: the library's default */
    sct_layout *fixed[MATRICES];
    sct_layout *work; /* given; else NULL */
    sct_lower_bound bound;
    char *fixed_text[MATRICES];
    int count;
    struct option option[MOST_CHOICES];
    bool copies;          /* there are fixed matrices, which might be copied first */
    struct option copied; /* the best choice if they are, with `copies` */
};

static const char *const names[] = {"a", "b", "c"};

/* The lower bound, compared with what the busiest rank of a choice moves. */
static struct lower_bound lower_bound_of(const struct selection *selection,
                                         const sct_choice *choice) {
    struct burden burden = {.moved = choice->bytes - choice->bytes_reduced,
                            .made = (uint64_t)choice->bytes_each - choice->bytes,
                            .reduced = choice->bytes_reduced,
                            .memory = choice->memory};
    struct lower_bound lower;
    for (int matrix = MATRIX_A; matrix <= MATRIX_B; matrix++)
        burden.copies |=
            selection->fixed[matrix] && sct_layout_replicas(selection->fixed[matrix]) > 1;
    /* Cannot fail, as the bound for this shape was found before. */
    return lower_bound_find(selection->args, &burden, &lower) == SCT_OK ? lower
                                                                        : (struct lower_bound){0};
}

static bool is_copied(const struct selection *selection, const struct option *option, int matrix) {
    const char *fixed = selection->fixed_text[matrix];
    return fixed && strcmp(fixed, option->text[matrix]) != 0;
}

/* The first choice; with --by both the fastest, if it is clearly faster than the first, which moves
 * few bytes. */
static const sct_choice *fastest(const struct selection *selection) {
    const sct_choice *first = &selection->option[0].choice, *least = first;
    for (int i = 1; i < selection->count; i++)
        if (selection->option[i].choice.expected < least->expected)
            least = &selection->option[i].choice;
    bool clearly = least->expected * alike_seconds < first->expected;
    return selection->args->aim == SCT_AIM_BOTH && clearly ? least : first;
}

/* True if copying fixed matrices first is faster or, with --by bytes, moves fewer bytes. */
static bool copying_pays(const struct selection *selection) {
    const sct_choice *copied = &selection->copied.choice, *best = fastest(selection);
    bool any = false;
    for (int matrix = 0; matrix < MATRICES; matrix++)
        any = any || is_copied(selection, &selection->copied, matrix);
    bool less = selection->args->aim == SCT_AIM_BYTES
                    ? copied->bytes_each * alike_bytes < best->bytes_each
                    : copied->expected * alike_seconds < best->expected;
    return any && less;
}

static void json_choice(const struct selection *selection, const char *key,
                        const struct option *option, struct json *json) {
    const sct_choice *choice = &option->choice;
    struct lower_bound lower = lower_bound_of(selection, choice);
    json_open(json, key, '{');
    for (int matrix = 0; matrix < MATRICES; matrix++)
        json_text(json, names[matrix], option->text[matrix]);
    problem_work_json(choice->stay, option->work, json);
    json_text(json, "slice", sct_slicing_name(choice->slicing));
    json_text(json, "order", sct_schedule_name(choice->schedule));
    json_real(json, "seconds", choice->seconds);
    json_real(json, "product_seconds", choice->product_seconds);
    json_real(json, "simulated_seconds", choice->simulated > 0 ? choice->simulated : NAN);
    json_real(json, "expected_seconds", choice->expected);
    json_whole(json, "planned_ranks", choice->planned);
    json_bytes(json, "bytes", choice->bytes);
    json_bytes(json, "bytes_made", choice->bytes_made);
    json_bytes(json, "bytes_reduced", choice->bytes_reduced);
    json_real(json, "bytes_each", choice->bytes_each);
    json_bytes(json, "memory", choice->memory);
    json_known(json, "workspace_limit", (int64_t)choice->workspace); /* null: none */
    json_whole(json, "steps", choice->steps);
    json_whole(json, "transfers", choice->transfers);
    json_real(json, "imbalance_flops", choice->imbalance);
    lower_bound_json(&lower, json);
    json_close(json, '}');
}

static void print_json(const struct selection *selection) {
    const struct args *args = selection->args;
    char shape[SHAPE_TEXT];
    struct json json;
    args_shape_text(&args->shape, shape);
    json_begin(&json, stdout);
    json_bool(&json, "ok", true);
    json_whole(&json, "ranks", args->ranks);
    json_text(&json, "shape", shape);
    json_text(&json, "type", sct_type_name((sct_type)args->type));
    json_text(&json, "machine", selection->machine ? sct_machine_name(selection->machine) : NULL);
    json_whole(&json, "uses", args->uses);
    json_real(&json, "bound", selection->bound.bytes);
    json_text(&json, "regime", lower_bound_regime(&selection->bound));
    json_open(&json, "choices", '[');
    for (int i = 0; i < selection->count; i++)
        json_choice(selection, NULL, &selection->option[i], &json);
    json_close(&json, ']');
    if (selection->copies) {
        json_choice(selection, "copied", &selection->copied, &json);
        json_bool(&json, "copying_pays", copying_pays(selection));
    }
    json_end_result(&json);
}

/* Prints a choice, with its layouts last as flags for other verbs, since they may be long. */
static void print_choice(const struct selection *selection, const struct option *option) {
    const sct_choice *choice = &option->choice;
    struct lower_bound lower = lower_bound_of(selection, choice);
    printf("%10.4g%10.4g", choice->expected, choice->seconds - choice->product_seconds);
    if (choice->simulated > 0)
        printf("%11.4g", choice->simulated);
    else
        printf("%11s", "no");
    printf("%11.4g", choice->bytes_each / 1048576);
    if (lower.known)
        printf("%9.3f%11.3f", lower.times, lower.reduced);
    else
        printf("%9s%11s", "n/a", "n/a");
    printf("%11.3f%12.4g ", choice->imbalance, (double)choice->memory / 1048576);
    for (int matrix = 0; matrix < MATRICES; matrix++)
        printf(" --%s %s", names[matrix], option->text[matrix]);
    printf(" --stay %s", sct_stay_name(choice->stay));
    if (option->work)
        printf(" --work %s", option->work);
    printf(" --slice %s --order %s", sct_slicing_name(choice->slicing),
           sct_schedule_name(choice->schedule));
    if (choice->workspace == SCT_NO_LIMIT)
        printf(" --workspace none");
    else if (choice->workspace > 0)
        printf(" --workspace %" PRIu64, choice->workspace);
    putchar('\n');
}

static void print_copied(const struct selection *selection) {
    const sct_choice *copied = &selection->copied.choice, *best = fastest(selection);
    if (!copying_pays(selection)) {
        puts("\nCopying fixed matrices to other layouts first does not pay.");
        return;
    }
    puts("\nCopying fixed matrices to other layouts first pays:");
    print_choice(selection, &selection->copied);
    printf("This takes %.4g s and moves %.4g MiB, copies included. Without copies, the %s choice "
           "takes\n%.4g s and moves %.4g MiB.\n",
           copied->expected, copied->bytes_each / 1048576,
           selection->args->aim == SCT_AIM_BYTES ? "first" : "fastest", best->expected,
           best->bytes_each / 1048576);
}

static void print_sample(const struct selection *selection) {
    int64_t ranks = selection->args->ranks, least = ranks;
    for (int i = 0; i < selection->count; i++)
        least = selection->option[i].choice.planned < least ? selection->option[i].choice.planned
                                                            : least;
    if (least < ranks)
        printf("\nOnly a sample of ranks was planned, %" PRId64
               " or more. Bytes and memory are those of the\nbusiest rank of the sample.\n",
               least);
}

/* Says so if a faster choice is listed below the first. */
static void print_faster(const struct selection *selection) {
    const sct_choice *first = &selection->option[0].choice, *other = fastest(selection);
    if (other != first)
        printf(
            "\nThe first choice moves few bytes. Choices below it move more and take less time, at "
            "best %.2f\nof it; with --by time they come first.\n",
            other->expected / first->expected);
}

static void print_table(const struct selection *selection) {
    const struct args *args = selection->args;
    printf("C is %" PRId64 " x %" PRId64 ", k is %" PRId64 ", %s, on %" PRId64 " rank%s of %s\n",
           args->shape.m, args->shape.n, args->shape.k, sct_type_name((sct_type)args->type),
           args->ranks, args->ranks == 1 ? "" : "s",
           selection->machine   ? sct_machine_name(selection->machine)
           : args->per_node > 0 ? "small nodes on a slow network"
                                : "one node");
    printf(
        "Lower bound (%s), with one copy of each matrix and balanced work: some rank moves\n"
        "%.4g MiB\n\n"
        "Times are in seconds, per product: expected = to make (replicas of A and B) + product.\n"
        "The product is simulated, or estimated where that would be too much work. MiB moved: by\n"
        "the busiest rank; x bound and to reduce (replicas of C): multiples of the lower bound;\n"
        "imbalance: most flops of a rank over the mean; MiB total: parts and workspace of a "
        "rank.\n\n",
        lower_bound_regime(&selection->bound), selection->bound.bytes / 1048576);
    printf("%10s%10s%11s%11s%9s%11s%11s%12s  %s\n", "expected", "to make", "simulated", "MiB moved",
           "x bound", "to reduce", "imbalance", "MiB total", "flags");
    for (int i = 0; i < selection->count; i++)
        print_choice(selection, &selection->option[i]);
    print_faster(selection);
    print_sample(selection);
    if (selection->copies)
        print_copied(selection);
}

static enum code create_fixed(struct selection *selection) {
    const struct args *args = selection->args;
    const struct shape *shape = &args->shape;
    for (int i = 0; i < MATRICES; i++) {
        const char *given = args->fixed[i];
        char name[] = "--fix a";
        if (!given)
            continue;
        name[sizeof name - 2] = "abc"[i];
        char *text = strndup(given, args_fixed_length(given));
        enum code code = CODE_FAILED;
        if (text)
            code = problem_layout(name, text, i == MATRIX_B ? shape->k : shape->m,
                                  i == MATRIX_A ? shape->k : shape->n, args->ranks,
                                  &selection->fixed[i]);
        else
            report_error("no memory for a layout");
        free(text);
        if (code != CODE_DONE)
            return code;
        selection->copies = true;
    }
    return problem_work_layout(args, &selection->work);
}

static sct_status choose(struct selection *selection) {
    const struct args *args = selection->args;
    sct_options options = {
        .size = sizeof options, .stay = (sct_stay)args->stay, .work = selection->work};
    sct_search search = {.size = sizeof search,
                         .type = (sct_type)args->type,
                         .m = args->shape.m,
                         .n = args->shape.n,
                         .k = args->shape.k,
                         .ranks = (int)args->ranks,
                         .ranks_per_node = (int)args->per_node,
                         .machine = selection->machine,
                         .memory = (uint64_t)args->memory,
                         .a = selection->fixed[MATRIX_A],
                         .b = selection->fixed[MATRIX_B],
                         .c = selection->fixed[MATRIX_C],
                         .uses = (int)args->uses,
                         .aim = (sct_aim)args->aim,
                         .options = &options};
    sct_choice choices[MOST_CHOICES];
    sct_status status = sct_lower_bound_find(search.type, search.m, search.n, search.k,
                                             search.ranks, search.memory, &selection->bound);
    if (status == SCT_OK)
        status = sct_choose(&search, (int)args->top, choices, &selection->count);
    for (int i = 0; i < selection->count; i++)
        selection->option[i].choice = choices[i];
    if (status != SCT_OK || !selection->copies)
        return status;
    int count;
    search.redistribute = 1;
    search.aim = search.aim == SCT_AIM_BOTH ? SCT_AIM_TIME : search.aim;
    return sct_choose(&search, 1, &selection->copied.choice, &count);
}

static enum code option_texts(struct option *option) {
    const sct_layout *layout[] = {option->choice.a, option->choice.b, option->choice.c};
    enum code code = problem_texts(layout, option->text);
    return code == CODE_DONE && option->choice.work
               ? problem_layout_text(option->choice.work, &option->work)
               : code;
}

static enum code find_texts(struct selection *selection) {
    enum code code =
        problem_texts((const sct_layout *const *)selection->fixed, selection->fixed_text);
    for (int i = 0; i < selection->count && code == CODE_DONE; i++)
        code = option_texts(&selection->option[i]);
    return code == CODE_DONE ? option_texts(&selection->copied) : code;
}

static void clear_option(struct option *option) {
    problem_clear_texts(option->text);
    free(option->work);
    sct_choices_clear(&option->choice, 1);
}

static void clear(struct selection *selection) {
    for (int i = 0; i < selection->count; i++)
        clear_option(&selection->option[i]);
    clear_option(&selection->copied);
    problem_clear_texts(selection->fixed_text);
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(selection->fixed[i]);
    sct_layout_destroy(selection->work);
}

static enum code find(struct selection *selection) {
    enum code code = problem_machine(selection->args, &selection->machine);
    if (code == CODE_DONE)
        code = create_fixed(selection);
    if (code != CODE_DONE)
        return code;
    code = report_status(choose(selection));
    return code == CODE_DONE ? find_texts(selection) : code;
}

/* Runs on rank 0's process alone. */
enum code choose_work(const struct args *args) {
    struct selection selection = {.args = args};
    if (!rank_group_leads(args->group))
        return CODE_DONE;
    if (args->group_text)
        return choose_products(args);
    enum code code = find(&selection);
    if (code == CODE_DONE && args->json)
        print_json(&selection);
    else if (code == CODE_DONE)
        print_table(&selection);
    clear(&selection);
    return code;
}
