/* args.c - parses the arguments of a verb by the table of flags. */
#include "args/args.h"

#include "args/flags.h"
#include "args/verbs.h"
#include "output/text_file.h"
#include "values/element.h"
#include "values/nearest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Default of --pairs. */
enum { PAIRS = 15 };

static struct args defaults(enum verb verb) {
    struct args args = {
        .shape = {1024, 1024, 1024},
        .matrices = 1,
        .layout = {"2d", "2d", "2d"},
        .alpha = {.number = {1, 0}},
        .type = SCT_F64,
        .engine = ENGINE_AUTO,
        .prefetch = PREFETCH_BY_REACH,
        .seed = 1,
        .uses = 1,
        .top = 5,
        .shapes = {1, {{.shape = {1024, 1024, 1024}}}},
        .layouts = {4,
                    {{.word = "row"}, {.word = "col"}, {.word = "2d"}, {.word = "cyclic:64x64"}}},
        .replicas = {1, {{.number = 1}}},
        .stays = {1, {{.number = SCT_STAY_AUTO}}},
    };
    if (verb == VERB_COPY)
        args.layout[MATRIX_A] = NULL;
    if (verbs[verb].files > 0)
        args.type = TYPE_OF_FILES;
    return args;
}

/* The values that a flag allows, in words. */
static const char *allowed(const struct flag *flag, char *text, size_t bytes) {
    if (flag->allowed)
        return flag->allowed;
    if (flag->high == 0)
        return flag->value;
    snprintf(text, bytes, "whole numbers from %" PRId64 " to %" PRId64, flag->low, flag->high);
    return text;
}

static enum code unknown_flag(enum verb verb, const char *word, size_t length) {
    struct nearest nearest = nearest_begin(word, length);
    struct flag flag;
    for (int i = 0; i < flags_count; i++)
        if (flags_get(verb, i, &flag))
            nearest_consider(&nearest, flag.name);
    if (nearest.name)
        report_error("%s: there is no flag '%.*s'; did you mean %s?", verbs[verb].name, (int)length,
                     word, nearest.name);
    else
        report_error("%s: there is no flag '%.*s'; sectile help %s --all lists all flags",
                     verbs[verb].name, (int)length, word, verbs[verb].name);
    return CODE_USAGE;
}

static enum code set_flag(const struct flag *flag, const char *value, struct args *args) {
    char text[80];
    args->given[flag->index] = true;
    if (flag->parse(flag, value, (char *)args + flag->offset))
        return CODE_DONE;
    report_error("%s: '%s' is not allowed; allowed: %s", flag->name, value,
                 allowed(flag, text, sizeof text));
    return CODE_USAGE;
}

/* Finds the flag of a word such as -n2, in which the value follows the letter. False if the word is
 * not like that. */
static bool find_attached(enum verb verb, const char *word, struct flag *flag) {
    return word[1] != '-' && flags_find(verb, word, 2, flag) && flag->value;
}

/* Parses the flag at words[*at]. If its value is the next word, advances *at to that. */
static enum code read_flag(enum verb verb, int count, char **words, int *at, struct args *args) {
    char text[80];
    const char *word = words[*at];
    size_t length = strcspn(word, "=");
    const char *value = word[length] == '=' ? word + length + 1 : NULL;
    struct flag flag;
    if (!flags_find(verb, word, length, &flag)) {
        if (!find_attached(verb, word, &flag))
            return unknown_flag(verb, word, length);
        value = word + 2;
    }
    if (!flag.value && value) {
        report_error("%s takes no value, but '%s' is given", flag.name, value);
        return CODE_USAGE;
    }
    if (flag.value && !value && *at + 1 == count) {
        report_error("%s needs a value: %s", flag.name, allowed(&flag, text, sizeof text));
        return CODE_USAGE;
    }
    if (flag.value && !value)
        value = words[++*at];
    return set_flag(&flag, value, args);
}

static enum code read_file(enum verb verb, const char *word, struct args *args) {
    int most = verbs[verb].files + verbs[verb].names;
    if (args->files == most) {
        report_error("%s: '%s' is one argument too many; %s: %d%s", verbs[verb].name, word,
                     verbs[verb].names > 0 ? "names allowed" : "files to read", most,
                     verbs[verb].files > 0 ? "; -o names the one to write" : "");
        return CODE_USAGE;
    }
    if (word[0] == '\0' || (verbs[verb].names > 0 && strcmp(word, "-") == 0)) {
        report_error("%s: '%s' is not the name of a %s", verbs[verb].name, word,
                     verbs[verb].names > 0 ? "machine" : "file");
        return CODE_USAGE;
    }
    args->file[args->files++] = word;
    return CODE_DONE;
}

size_t args_fixed_length(const char *text) {
    size_t length = 0;
    for (; text[length] != '\0'; length++)
        if (text[length] == ',' && text[length + 1] != '\0' && strchr("abc", text[length + 1]) &&
            text[length + 2] == '=')
            break;
    return length;
}

void args_shape_text(const struct shape *shape, char text[SHAPE_TEXT]) {
    snprintf(text, SHAPE_TEXT, "%" PRId64 "x%" PRId64 "x%" PRId64, shape->m, shape->n, shape->k);
}

bool args_turned(const struct args *args, int matrix) {
    return matrix != MATRIX_C && args->op[matrix] != SCT_N;
}

sct_type args_type(const struct args *args, int matrix) {
    sct_type type = (sct_type)args->type;
    return matrix == MATRIX_C && args->sum_c ? sct_type_sum(type) : type;
}

static enum code check_scalar(const char *name, const struct scalar *scalar, sct_type type) {
    sct_type sum = sct_type_sum(type);
    struct number number = scalar->number, held = element_round(sum, number);
    char text[64];
    int length = snprintf(text, sizeof text, "%g", number.re);
    if (number.im != 0)
        snprintf(text + length, sizeof text - (size_t)length, ",%g", number.im);
    if (number.im != 0 && !element_is_complex(type))
        report_error("%s: '%s' is not allowed; allowed: a real number, as the type is %s", name,
                     text, sct_type_name(type));
    else if (!isfinite(held.re) || !isfinite(held.im))
        report_error("%s: '%s' is not allowed; allowed: numbers in the range of %s", name, text,
                     sct_type_name(sum));
    else
        return CODE_DONE;
    return CODE_USAGE;
}

bool args_computes_on_host(const struct args *args) {
    return args->engine <= ENGINE_MPI;
}

enum code args_check_scalars(const struct args *args, sct_type type) {
    enum code code = check_scalar("--alpha", &args->alpha, type);
    return code == CODE_DONE ? check_scalar("--beta", &args->beta, type) : code;
}

/* How many inputs are the standard input. */
static int count_standard(const struct args *args) {
    int count = args->addend && strcmp(args->addend, "-") == 0;
    for (int i = 0; i < args->files; i++)
        count += strcmp(args->file[i], "-") == 0;
    return count;
}

/* Endings of file names, where a matrix is written and where a text is. */
static const char *const not_matrices[] = {".npz",         ".txt", ".csv", ".mtx",
                                           ".safetensors", ".gz",  NULL};
static const char *const not_texts[] = {".npz", ".npy", ".mtx", ".safetensors", ".gz", NULL};

/* The ending of a file name for which something else is expected than what is written; NULL: none.
 * A member of an archive cannot be written either. */
static const char *other_format(const char *name, const char *const *endings) {
    size_t length = strcspn(name, ":");
    for (; *endings; endings++) {
        size_t ending = strlen(*endings);
        if (length >= ending && strncasecmp(name + length - ending, *endings, ending) == 0)
            return *endings;
    }
    return NULL;
}

/* Fails if a text would take the place of a matrix. NULL: no file. */
static bool is_of_matrix(const char *flag, const char *name) {
    const char *ending = name ? other_format(name, not_texts) : NULL;
    if (ending)
        report_error("%s: '%s' is not allowed, as a %s file is not what is written, but a text",
                     flag, name, ending);
    return ending;
}

/* Checks the names of files to write. */
static enum code check_outputs(enum verb verb, const struct args *args) {
    const char *name = args->output;
    if (is_of_matrix("--svg", args->svg) || is_of_matrix("--trace", args->trace) ||
        (verb == VERB_MACHINE && is_of_matrix("-o", name)))
        return CODE_USAGE;
    if (verbs[verb].files == 0 || (!name && args->dry_run))
        return CODE_DONE;
    if (!name)
        report_error("%s needs -o FILE, the .npy file to write", verbs[verb].name);
    else if (args->json && strcmp(name, "-") == 0)
        report_error("--json prints on the standard output, which -o - takes");
    else if (other_format(name, not_matrices))
        report_error("-o: '%s' is not allowed, as a %s file is not what is written; allowed: the "
                     "name of a .npy file",
                     name, other_format(name, not_matrices));
    else
        return CODE_DONE;
    return CODE_USAGE;
}

/* Checks that required files and flags are given, and that outputs are different files. */
static enum code check_names(enum verb verb, const struct args *args) {
    if (args->files < verbs[verb].files)
        report_error("%s needs %d file%s to read; %d given", verbs[verb].name, verbs[verb].files,
                     verbs[verb].files == 1 ? "" : "s", args->files);
    else if (verbs[verb].files > 0 && count_standard(args) > 1)
        report_error("only one of the files can be -, the standard input");
    else if (verb == VERB_LAUNCH && !args->command)
        report_error("launch needs a command to start");
    else if (verb == VERB_SIMULATE && !args->machine)
        report_error("simulate needs --machine NAME, the machine to simulate");
    else if (text_file_same(args->svg, args->trace) || text_file_same(args->svg, args->machine) ||
             text_file_same(args->trace, args->machine))
        report_error("--svg, --trace and --machine need different files");
    else
        return check_outputs(verb, args);
    return CODE_USAGE;
}

enum code args_parse(enum verb verb, int count, char **words, struct rank_group *group,
                     struct args *args) {
    enum code code = CODE_DONE;
    bool only_files = false;
    *args = defaults(verb);
    args->group = group;
    for (int at = 0; at < count && code == CODE_DONE && !args->help; at++) {
        const char *word = words[at];
        if (!only_files && strcmp(word, "--") == 0)
            only_files = true;
        else if (!only_files && word[0] == '-' && word[1] != '\0')
            code = read_flag(verb, count, words, &at, args);
        else if (verb == VERB_LAUNCH) {
            args->command = words + at;
            break;
        } else
            code = read_file(verb, word, args);
    }
    if (args->pairs == 0)
        args->pairs = PAIRS;
    return code != CODE_DONE || args->help ? code : check_names(verb, args);
}
