/* wisdom.c - see wisdom.h. */
#include "planner/wisdom.h"

#include "base/status.h"
#include "base/text.h"
#include "plan/product.h"
#include "planner/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "sectile wisdom 1\n";

/* The letters of stationary matrices and of shapes of work layouts. */
static const char letters[SCT_MATS] = {'a', 'b', 'c'};

bool sct_wisdom_matters(const sct_options *options) {
    return options->stay == SCT_STAY_AUTO && !options->work && !options->decisions &&
           !options->ordered;
}

/* ---- Keys ---- */

static void put_layout(sct_writer *writer, const sct_layout *layout) {
    bool fits = writer->length < writer->bytes;
    writer->length += sct_layout_print(layout, fits ? writer->text + writer->length : NULL,
                                       fits ? writer->bytes - writer->length : 0);
}

static void put_size(sct_writer *writer, const char *before, int64_t size) {
    sct_writer_put(writer, "%s%lld", before, (long long)size);
}

/* How a matrix is stored, and which part of it is multiplied. */
static void put_matrix(sct_writer *writer, const sct_product *product, int matrix) {
    const sct_layout *layout = product->layout[matrix];
    const sct_slice *view = &product->view[matrix];
    sct_writer_put(writer, " %c=", letters[matrix]);
    put_layout(writer, layout);
    put_size(writer, ";", layout->rows.extent);
    put_size(writer, "x", layout->cols.extent);
    put_size(writer, "[", view->rows.lo);
    put_size(writer, ":", view->rows.hi);
    put_size(writer, ",", view->cols.lo);
    put_size(writer, ":", view->cols.hi);
    sct_writer_put(writer, "];near=%d", product->ranks_per_node[matrix]);
}

/* Whether an option counts: one that must be the same on all ranks. */
static bool matters(const sct_product *product, const sct_option *option) {
    bool idle = option->place == offsetof(sct_options, effort) ||
                (option->place == offsetof(sct_options, result) &&
                 product->layout[SCT_MAT_C]->replicas == 1);
    return option->alike && !idle;
}

static void put_options(sct_writer *writer, const sct_product *product,
                        const sct_options *options) {
    for (const sct_option *option = sct_option_list; option->name; option++) {
        int value = sct_option_value(option, options);
        bool counts = value != 0 && matters(product, option);
        if (counts && option->words)
            sct_writer_put(writer, " %s=%s", option->name, option->words[value]);
        else if (counts)
            sct_writer_put(writer, " %s=%d", option->name, value);
    }
    if (options->workspace > 0)
        sct_writer_put(writer, " workspace=%zu", options->workspace);
}

static void put_key(sct_writer *writer, const sct_product *product, const sct_options *options) {
    static const char ops[] = {'N', 'T', 'C'};
    sct_writer_put(writer, "ranks=%d", product->ranks);
    put_size(writer, " shape=", product->size[SCT_DIM_M]);
    put_size(writer, "x", product->size[SCT_DIM_N]);
    put_size(writer, "x", product->size[SCT_DIM_K]);
    sct_writer_put(writer, " type=%s;%s op=%c%c node=%d gpus=%d",
                   sct_type_name(product->type[SCT_MAT_A]), sct_type_name(product->type_c),
                   ops[product->op[SCT_MAT_A]], ops[product->op[SCT_MAT_B]], product->node,
                   product->gpus + product->halves);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        put_matrix(writer, product, matrix);
    put_options(writer, product, options);
}

/* ---- Entries ---- */

static sct_status make_key(const sct_product *product, const sct_options *options, char **key) {
    sct_writer writer = {.text = NULL};
    put_key(&writer, product, options);
    size_t bytes = writer.length + 1;
    char *text = malloc(bytes);
    if (!text)
        return sct_no_memory("the key of a product");
    writer = (sct_writer){.text = text, .bytes = bytes};
    put_key(&writer, product, options);
    *key = text;
    return SCT_OK;
}

sct_status sct_wisdom_entry_create(const sct_problem *problem, const sct_options *options,
                                   sct_wisdom_entry **entry) {
    sct_problem known;
    sct_product product;
    sct_options resolved;
    sct_status status = sct_problem_resolve(problem, &known);
    if (!status)
        status = sct_options_resolve(options, &resolved);
    if (!status)
        status = sct_product_create(&known, &product);
    if (status)
        return status;
    sct_wisdom_entry *made = calloc(1, sizeof *made);
    status = made ? make_key(&product, &resolved, &made->key) : sct_no_memory("a product");
    sct_product_clear(&product);
    if (status)
        free(made);
    else
        *entry = made;
    return status;
}

void sct_wisdom_entry_destroy(sct_wisdom_entry *entry) {
    if (!entry)
        return;
    sct_layout_destroy((sct_layout *)entry->work);
    free(entry->key);
    free(entry);
}

const sct_wisdom_entry *sct_wisdom_find(const sct_wisdom *wisdom, const char *key) {
    const sct_wisdom_entry *entry = wisdom->first;
    while (entry && strcmp(entry->key, key) != 0)
        entry = entry->next;
    return entry;
}

static void append(sct_wisdom *wisdom, sct_wisdom_entry *entry) {
    sct_wisdom_entry **last = &wisdom->first;
    while (*last)
        last = &(*last)->next;
    entry->next = NULL;
    *last = entry;
}

void sct_wisdom_move(sct_wisdom *from, sct_wisdom *to) {
    sct_rates_add(&from->rates, &to->rates);
    while (from->first) {
        sct_wisdom_entry *entry = from->first;
        from->first = entry->next;
        if (sct_wisdom_find(to, entry->key))
            sct_wisdom_entry_destroy(entry);
        else
            append(to, entry);
    }
}

void sct_wisdom_clear(sct_wisdom *wisdom) {
    while (wisdom->first) {
        sct_wisdom_entry *entry = wisdom->first;
        wisdom->first = entry->next;
        sct_wisdom_entry_destroy(entry);
    }
    wisdom->rates = (sct_rates){0, 0};
}

/* ---- Texts ---- */

size_t sct_wisdom_print(const sct_wisdom *wisdom, char *text, size_t bytes) {
    sct_writer writer = {.text = text, .bytes = bytes};
    sct_writer_put(&writer, "%s", head);
    if (wisdom->rates.computing > 0 || wisdom->rates.far > 0) {
        put_size(&writer, "computing=", wisdom->rates.computing);
        put_size(&writer, " far=", wisdom->rates.far);
        sct_writer_put(&writer, "\n");
    }
    for (const sct_wisdom_entry *entry = wisdom->first; entry; entry = entry->next) {
        sct_writer_put(&writer, "stay=%c work=", letters[entry->stay - SCT_STAY_A]);
        if (entry->work)
            put_layout(&writer, entry->work);
        sct_writer_put(&writer, " %s\n", entry->key);
    }
    return writer.length;
}

/* What of a key the work layout depends on. */
typedef struct key_size {
    int64_t ranks, of[SCT_DIMS];
} key_size;

static bool read_number(const char **at, const char *before, int64_t most, int64_t *number) {
    const char *digits = *at + strlen(before);
    return sct_text_accept(at, before) && !sct_text_number(at, most, number) && *at > digits;
}

static bool read_size(const char **at, key_size *size) {
    return read_number(at, "ranks=", INT_MAX, &size->ranks) && size->ranks > 0 &&
           read_number(at, " shape=", INT64_MAX, &size->of[SCT_DIM_M]) &&
           read_number(at, "x", INT64_MAX, &size->of[SCT_DIM_N]) &&
           read_number(at, "x", INT64_MAX, &size->of[SCT_DIM_K]) && **at == ' ';
}

static bool is_printable(const char *text) {
    while (*text >= ' ' && *text <= '~')
        text++;
    return !*text;
}

/* Reads what stays. */
static bool read_stay(const char **at, sct_stay *stay) {
    if (!sct_text_accept(at, "stay="))
        return false;
    const char *letter = memchr(letters, **at, SCT_MATS);
    if (!letter)
        return false;
    *stay = (sct_stay)(SCT_STAY_A + (letter - letters));
    ++*at;
    return sct_text_accept(at, " work=");
}

/* Makes the work layout of a text; an empty text is none. */
static sct_status read_work(const char *text, const key_size *size, sct_stay stay,
                            const sct_layout **work) {
    int matrix = SCT_MAT_A + (int)(stay - SCT_STAY_A);
    sct_layout *made = NULL;
    sct_status status = SCT_OK;
    if (*text)
        status = sct_layout_parse(text, size->of[sct_matrix_dim(matrix, 0)],
                                  size->of[sct_matrix_dim(matrix, 1)], (int)size->ranks, &made);
    *work = made;
    return status;
}

/* Reads a line, which this changes. */
static sct_status read_line(char *line, int64_t number, sct_wisdom *wisdom) {
    key_size size;
    sct_stay stay;
    const sct_layout *work;
    const char *at = line;
    bool begins = is_printable(line) && read_stay(&at, &stay);
    char *space = begins ? strchr(at, ' ') : NULL;
    const char *key = space ? space + 1 : "", *rest = key;
    if (!space || !read_size(&rest, &size))
        return sct_fail(SCT_BAD_ARGUMENT, "wisdom: line %lld is not an entry", (long long)number);
    *space = '\0';
    sct_status status = read_work(at, &size, stay, &work);
    if (status)
        return status;
    sct_wisdom_entry *entry = calloc(1, sizeof *entry);
    char *copy = entry ? strdup(key) : NULL;
    if (!copy) {
        free(entry);
        sct_layout_destroy((sct_layout *)work);
        return sct_no_memory("wisdom");
    }
    *entry = (sct_wisdom_entry){.key = copy, .stay = stay, .work = work};
    if (sct_wisdom_find(wisdom, key))
        sct_wisdom_entry_destroy(entry);
    else
        append(wisdom, entry);
    return SCT_OK;
}

/* Reads the line with the rates, if there is one. */
static bool read_rates(const char *line, sct_rates *rates) {
    return read_number(&line, "computing=", INT32_MAX, &rates->computing) &&
           read_number(&line, " far=", INT32_MAX, &rates->far) && !*line &&
           (rates->computing > 0 || rates->far > 0);
}

static sct_status read_lines(char *lines, sct_wisdom *wisdom) {
    sct_status status = SCT_OK;
    int64_t number = 2;
    for (char *line = lines; *line && !status; number++) {
        char *end = line + strcspn(line, "\n");
        char *next = end + (*end != '\0');
        *end = '\0';
        if (number > 2 || !read_rates(line, &wisdom->rates))
            status = read_line(line, number, wisdom);
        line = next;
    }
    return status;
}

sct_status sct_wisdom_parse(const char *text, sct_wisdom *wisdom) {
    *wisdom = (sct_wisdom){.first = NULL};
    if (strncmp(text, head, sizeof head - 1) != 0)
        return sct_fail(SCT_BAD_ARGUMENT, "wisdom: the first line is not \"%.*s\"",
                        (int)sizeof head - 2, head);
    char *lines = strdup(text + sizeof head - 1);
    if (!lines)
        return sct_no_memory("wisdom");
    sct_status status = read_lines(lines, wisdom);
    free(lines);
    if (status)
        sct_wisdom_clear(wisdom);
    return status;
}

/* ---- Decisions ---- */

static sct_status check(const char *wisdom, sct_stay *stay, sct_layout **work, int *found) {
    sct_status status = sct_check_given("wisdom", wisdom);
    if (!status)
        status = sct_check_output("stay", stay);
    if (!status)
        status = sct_check_output("work", work);
    return status ? status : sct_check_output("found", found);
}

sct_status sct_wisdom_decide(const char *wisdom, const sct_problem *problem,
                             const sct_options *options, sct_stay *stay, sct_layout **work,
                             int *found) {
    sct_wisdom known;
    sct_wisdom_entry *wanted = NULL;
    struct sct_machine machine;
    sct_options own;
    sct_status status = check(wisdom, stay, work, found);
    if (!status)
        status = sct_wisdom_parse(wisdom, &known);
    if (status)
        return status;
    status = sct_wisdom_entry_create(problem, options, &wanted);
    bool matters = !status && (!options || sct_wisdom_matters(options));
    const sct_wisdom_entry *entry = matters ? sct_wisdom_find(&known, wanted->key) : NULL;
    if (entry) {
        *stay = entry->stay;
        *work = (sct_layout *)(entry->work ? sct_layout_hold(entry->work) : NULL);
    } else if (!status) {
        options = sct_rates_apply(&known.rates, problem, options, &own, &machine);
        status = sct_plan_decide(problem, options, stay, work);
    }
    if (!status)
        *found = entry != NULL;
    sct_wisdom_entry_destroy(wanted);
    sct_wisdom_clear(&known);
    return status;
}
