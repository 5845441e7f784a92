/* text.c - machine descriptions in JSON: parses them, and prints one that parses back to the same
 * machine; docs/machines.md has the keys.
 *
 * Errors say the line and column where the text is malformed, and the path of keys where there is
 * one. Absent keys have no line. */
#include "base/text.h"
#include "base/c_locale.h"
#include "base/printable.h"
#include "base/status.h"
#include "machine/keys.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCT_PATH_BYTES = 80 };

/* The path shows at most so many levels and so much of a key. */
enum { MOST_LEVELS = 4, MOST_KEY = 40 };

/* An object or array that is still open. The JSON parser does not report the path of keys when it
 * fails. */
struct level {
    bool list, at_key;
    int item, length;
    const char *key;
};

/* Skips the string whose first quote is at `at`. */
static size_t skip_string(const char *text, size_t at, size_t end) {
    for (at++; at < end && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at;
}

static void print(const struct level *level, int count, char path[SCT_PATH_BYTES]) {
    size_t used = 0;
    path[0] = '\0';
    for (int i = 0; i < count && used < SCT_PATH_BYTES; i++) {
        const char *dot = used > 0 ? "." : "";
        int length = level[i].length < MOST_KEY ? level[i].length : MOST_KEY;
        char *to = path + used;
        size_t room = SCT_PATH_BYTES - used;
        used += (size_t)(level[i].list ? snprintf(to, room, "[%d]", level[i].item)
                                       : snprintf(to, room, "%s%.*s", dot, length, level[i].key));
    }
}

/* The path, such as "links[1].pair", of the value that ends at `end`. The text before it is well
 * formed. "": the whole text. */
static void machine_path(const char *text, size_t end, char path[SCT_PATH_BYTES]) {
    struct level level[MOST_LEVELS] = {{.item = 0}};
    int depth = 0;
    for (size_t at = 0; at < end; at++) {
        struct level *inner = depth > 0 && depth <= MOST_LEVELS ? &level[depth - 1] : NULL;
        size_t begin = at + 1;
        if (text[at] == '"')
            at = skip_string(text, at, end);
        if (inner && inner->at_key && text[begin - 1] == '"') {
            inner->key = text + begin;
            inner->length = (int)(at - begin);
            inner->at_key = false;
        } else if (inner && text[at] == ',') {
            inner->item++;
            inner->at_key = !inner->list;
        } else if (text[at] == '{' || text[at] == '[') {
            if (depth++ < MOST_LEVELS)
                level[depth - 1] =
                    (struct level){.list = text[at] == '[', .at_key = text[at] == '{', .key = ""};
        } else if (text[at] == '}' || text[at] == ']') {
            depth--;
        }
    }
    print(level, depth < MOST_LEVELS ? depth : MOST_LEVELS, path);
}

enum { MOST_SHOWN = 40, PREFIX = 32 };

/* The text being read, and the prefix of keys, such as "peak.". */
struct place {
    const char *origin;
    char prefix[PREFIX];
};

__attribute__((format(printf, 3, 4))) static sct_status
refuse(const struct place *at, const char *key, const char *format, ...) {
    char why[SCT_REASON_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return sct_fail(SCT_BAD_ARGUMENT, "%s: %s%s%s%s", at->origin, at->prefix, key,
                    *at->prefix != '\0' || *key != '\0' ? ": " : "", why);
}

static sct_status out_of_memory(const struct place *at) {
    return sct_fail(SCT_NO_MEMORY, "%s: no memory for a machine", at->origin);
}

/* A value as quoted in a reason: short and ASCII. */
static void show(const json_t *value, char shown[MOST_SHOWN]) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII |
                                       JSON_REAL_PRECISION(15));
    const char *whole = text ? text : "it";
    bool fits = strlen(whole) < MOST_SHOWN;
    snprintf(shown, MOST_SHOWN, "%.*s%s", fits ? MOST_SHOWN : MOST_SHOWN - 4, whole,
             fits ? "" : "...");
    free(text);
}

static sct_status refuse_value(const struct place *at, const char *key, const json_t *value,
                               const char *allowed) {
    char shown[MOST_SHOWN];
    show(value, shown);
    return refuse(at, key, "%s is not %s", shown, allowed);
}

/* ---- Values ---- */

static sct_status read_number(const struct place *at, const sct_key *key, const json_t *value,
                              void *base) {
    const sct_key_range *range = sct_key_range_of(key);
    double number = json_number_value(value);
    bool low = range->above_low ? number > range->low : number >= range->low;
    bool high = range->below_high ? number < range->high : number <= range->high;
    bool whole = key->kind != SCT_KEY_COUNT || number == floor(number);
    if (!json_is_number(value) || !low || !high || !whole)
        return refuse_value(at, key->name, value, range->words);
    sct_key_set_number(key, number, base);
    return SCT_OK;
}

static sct_status read_truth(const struct place *at, const sct_key *key, const json_t *value,
                             void *base) {
    if (!json_is_boolean(value))
        return refuse_value(at, key->name, value, "true or false");
    *(bool *)sct_key_place(key, base) = json_is_true(value);
    return SCT_OK;
}

/* NULL if it is not text of one line, all of it printable. */
static const char *line_of(const json_t *value) {
    const char *text = json_string_value(value);
    for (const char *at = text; at && *at != '\0'; at += sct_printable_length(at))
        if (sct_printable_length(at) == 0)
            return NULL;
    return text;
}

static sct_status read_name(const struct place *at, const sct_key *key, const json_t *value,
                            void *base) {
    const char *name = line_of(value);
    if (!name || *name == '\0' || strlen(name) >= SCT_MACHINE_NAME)
        return refuse_value(at, key->name, value, "a line of 1 to 63 bytes");
    strcpy(sct_key_place(key, base), name);
    return SCT_OK;
}

static sct_status read_line(const struct place *at, const sct_key *key, const json_t *value,
                            void *base) {
    const char *line = line_of(value);
    if (!line)
        return refuse_value(at, key->name, value, "a text of one line");
    char *copy = strdup(line);
    *(char **)sct_key_place(key, base) = copy;
    return copy ? SCT_OK : out_of_memory(at);
}

static sct_status read_lines(const struct place *at, const sct_key *key, const json_t *value,
                             void *base) {
    size_t bytes = 1;
    if (!json_is_array(value))
        return refuse_value(at, key->name, value, "a list of texts");
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *line = line_of(json_array_get(value, i));
        char name[PREFIX];
        snprintf(name, sizeof name, "%s[%d]", key->name, (int)i);
        if (!line)
            return refuse_value(at, name, json_array_get(value, i), "a text of one line");
        bytes += strlen(line) + 1;
    }
    char *to = malloc(bytes);
    *(char **)sct_key_place(key, base) = to;
    if (!to)
        return out_of_memory(at);
    *to = '\0';
    for (size_t i = 0; i < json_array_size(value); i++)
        to += sprintf(to, "%s\n", json_string_value(json_array_get(value, i)));
    return SCT_OK;
}

/* ---- Objects ---- */

static sct_status read_object(const struct place *at, const char *name, const sct_key *keys,
                              const json_t *object, void *base);

static sct_status read_links(const struct place *at, const sct_key *key, const json_t *value,
                             struct sct_machine *machine) {
    size_t count = json_array_size(value);
    sct_status status = SCT_OK;
    if (!json_is_array(value) || count == 0 || count > SCT_MACHINE_LEVELS)
        return refuse_value(at, key->name, value, "a list of 1 to 8 objects");
    machine->levels = (int)count;
    for (size_t i = 0; i < count && status == SCT_OK; i++) {
        char name[PREFIX];
        snprintf(name, sizeof name, "%s[%d]", key->name, (int)i);
        status = read_object(at, name, key->inside, json_array_get(value, i), &machine->level[i]);
    }
    return status;
}

static sct_status read_value(const struct place *at, const sct_key *key, const json_t *value,
                             void *base) {
    switch (key->kind) {
    case SCT_KEY_TRUTH:
        return read_truth(at, key, value, base);
    case SCT_KEY_NAME:
        return read_name(at, key, value, base);
    case SCT_KEY_LINE:
        return read_line(at, key, value, base);
    case SCT_KEY_LINES:
        return read_lines(at, key, value, base);
    case SCT_KEY_OBJECT:
        return read_object(at, key->name, key->inside, value, base);
    case SCT_KEY_LINKS:
        return read_links(at, key, value, base);
    default:
        return read_number(at, key, value, base);
    }
}

/* Sets the default of an absent key, unless that is zero. */
static sct_status read_absent(const struct place *at, const sct_key *key, void *base) {
    if (key->needed)
        return refuse(at, key->name, "it is missing");
    if (key->kind < SCT_KEY_NUMBERS)
        sct_key_set_number(key, sct_key_range_of(key)->absent, base);
    return SCT_OK;
}

static sct_status check_known(const struct place *at, const sct_key *keys, const char *name) {
    char allowed[160] = "", shown[MOST_SHOWN];
    for (const sct_key *key = keys; key->name; key++) {
        if (strcmp(key->name, name) == 0)
            return SCT_OK;
        strcat(strcat(allowed, " "), key->name);
    }
    json_t *text = json_string(name);
    show(text, shown);
    json_decref(text);
    return refuse(at, "", "there is no key %s; allowed:%s", shown, allowed);
}

static sct_status read_object(const struct place *above, const char *name, const sct_key *keys,
                              const json_t *object, void *base) {
    struct place at = {.origin = above->origin};
    sct_status status = SCT_OK;
    if (!json_is_object(object))
        return refuse_value(above, name, object, "an object");
    for (void *each = json_object_iter((json_t *)object); each && status == SCT_OK;
         each = json_object_iter_next((json_t *)object, each)) {
        snprintf(at.prefix, sizeof at.prefix, "%s", name);
        status = check_known(&at, keys, json_object_iter_key(each));
    }
    snprintf(at.prefix, sizeof at.prefix, "%s%s", name, *name != '\0' ? "." : "");
    for (const sct_key *key = keys; key->name && status == SCT_OK; key++) {
        const json_t *value = json_object_get(object, key->name);
        status = value ? read_value(&at, key, value, base) : read_absent(&at, key, base);
    }
    return status;
}

/* ---- Checks across keys ---- */

/* Gives types without a peak that of a type that is computed alike. */
static sct_status complete_peaks(const struct place *at, struct sct_machine *machine) {
    static const sct_type alike[SCT_TYPES] = {
        [SCT_F32] = SCT_F32,  [SCT_F64] = SCT_F64, [SCT_CF32] = SCT_F32,
        [SCT_CF64] = SCT_F64, [SCT_F16] = SCT_F32, [SCT_BF16] = SCT_F32};
    for (int type = 0; type < SCT_TYPES; type++)
        if (machine->peak[type] == 0)
            machine->peak[type] = machine->peak[alike[type]];
    if (machine->peak[SCT_F32] == 0 && machine->peak[SCT_F64] == 0)
        return refuse(at, "peak", "it needs f32 or f64");
    return SCT_OK;
}

/* Checks that groups consist of whole groups of the level below, and that the last level has all
 * ranks. */
static sct_status check_groups(const struct place *at, const struct sct_machine *machine) {
    int64_t below = 1;
    sct_status status = SCT_OK;
    for (int i = 0; i < machine->levels && status == SCT_OK; i++) {
        assert(below > 0);
        int64_t ranks = machine->level[i].ranks;
        bool last = i == machine->levels - 1;
        char key[PREFIX];
        snprintf(key, sizeof key, "links[%d].ranks", i);
        if (last && ranks != 0)
            status = refuse(at, key,
                            "the last level of links joins all ranks, and must not have this key");
        else if (!last && ranks == 0)
            status =
                refuse(at, key, "it is missing or 0; only the last level of links joins all ranks");
        else if (!last && (ranks <= below || ranks % below != 0))
            status = refuse(at, key,
                            "%lld is not a larger multiple of %lld, the ranks of the level before",
                            (long long)ranks, (long long)below);
        below = ranks;
    }
    return status;
}

static sct_status read_machine(const char *origin, const json_t *root, sct_machine **machine) {
    struct place at = {.origin = origin};
    struct sct_machine *made = calloc(1, sizeof *made);
    if (!made)
        return out_of_memory(&at);
    sct_status status = read_object(&at, "", sct_machine_keys, root, made);
    if (status == SCT_OK)
        status = complete_peaks(&at, made);
    if (status == SCT_OK)
        status = check_groups(&at, made);
    if (status == SCT_OK)
        *machine = made;
    else
        sct_machine_destroy(made);
    return status;
}

/* Reports malformed JSON, with the path of keys if a key or number is at fault. The message may
 * quote any part of the text. Out of memory is not reported here. */
static sct_status refuse_text(const char *origin, const char *text, json_error_t *error) {
    enum json_error_code code = json_error_code(error);
    char path[SCT_PATH_BYTES] = "";
    if (error->text[0] == '\0')
        return out_of_memory(&(struct place){.origin = origin});
    if (code == json_error_null_character)
        return sct_fail(SCT_BAD_ARGUMENT, "%s:%d:%d: a text has the character \\u0000", origin,
                        error->line, error->column);
    if (code == json_error_numeric_overflow || code == json_error_duplicate_key)
        machine_path(text, (size_t)error->position, path);
    return sct_fail(SCT_BAD_ARGUMENT, "%s:%d:%d: %s%s%s", origin, error->line, error->column, path,
                    *path != '\0' ? ": " : "", error->text);
}

/* More than any machine has. jansson's parser recurses, and stacks may be small. */
enum { MOST_DEPTH = 16 };

/* Whether objects and arrays nest no deeper, as far as the text is well formed. */
static bool is_shallow(const char *text) {
    size_t end = strlen(text);
    int depth = 0;
    for (size_t at = 0; at < end && depth <= MOST_DEPTH; at++) {
        if (text[at] == '"')
            at = skip_string(text, at, end);
        else if (text[at] == '{' || text[at] == '[')
            depth++;
        else if (text[at] == '}' || text[at] == ']')
            depth--;
    }
    return depth <= MOST_DEPTH;
}

/* jansson itself reads and writes numbers in the thread's locale. */
static sct_status parse(const char *text, const char *origin, sct_machine **machine) {
    json_error_t error;
    if (!is_shallow(text))
        return refuse(&(struct place){.origin = origin}, "",
                      "it is no machine: objects and arrays nest deeper than %d levels",
                      MOST_DEPTH);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        return refuse_text(origin, text, &error);
    sct_status status = read_machine(origin, root, machine);
    json_decref(root);
    return status;
}

sct_status sct_machine_parse(const char *text, const char *origin, sct_machine **machine) {
    sct_status status = sct_check_given("text", text);
    if (status == SCT_OK)
        status = sct_check_given("origin", origin);
    if (status == SCT_OK)
        status = sct_check_given("machine", machine);
    if (status != SCT_OK)
        return status;
    sct_c_locale locale = sct_c_locale_begin();
    status = parse(text, origin, machine);
    sct_c_locale_end(locale);
    return status;
}

/* ---- Printing ---- */

enum { MOST_DIGITS = 17 };

/* ---- Numbers ---- */

/* The fewest digits that read back the same number, and the exponent of the first digit. The
 * decimal point depends on the locale and is skipped. */
static void take_digits(double number, char digits[MOST_DIGITS + 1], int *exponent) {
    char text[40];
    int count = 0, precision = 0;
    do
        snprintf(text, sizeof text, "%.*e", precision, number);
    while (strtod(text, NULL) != number && ++precision < MOST_DIGITS);
    const char *at = text;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    digits[count] = '\0';
    *exponent = atoi(at + 1);
}

/* A number as people write it: 0.71, 4096, 22.7e12, 5e-6. */
static void put_number(sct_writer *writer, double number) {
    char digits[MOST_DIGITS + 1];
    int exponent;
    take_digits(number, digits, &exponent);
    int count = (int)strlen(digits);
    bool plain = exponent >= -3 && exponent < 5;
    int scale = plain ? 0 : (int)floor(exponent / 3.0) * 3;
    int before = exponent - scale + 1; /* digits before the point */
    if (before <= 0)
        sct_writer_put(writer, "0.%.*s%s", -before, "000", digits);
    else if (count <= before)
        sct_writer_put(writer, "%s%.*s", digits, before - count, "00000");
    else
        sct_writer_put(writer, "%.*s.%s", before, digits, digits + before);
    if (scale != 0)
        sct_writer_put(writer, "e%d", scale);
}

/* ---- Texts, without control characters ---- */

static void put_text(sct_writer *writer, int length, const char *text) {
    sct_writer_put(writer, "\"");
    for (const char *end = text + length; text < end; text++)
        sct_writer_put(writer, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    sct_writer_put(writer, "\"");
}

static void put_lines(sct_writer *writer, const char *lines) {
    sct_writer_put(writer, "[");
    for (const char *at = lines; *at != '\0'; at = strchr(at, '\n') + 1) {
        sct_writer_put(writer, "%s\n        ", at == lines ? "" : ",");
        put_text(writer, (int)strcspn(at, "\n"), at);
    }
    sct_writer_put(writer, "\n    ]");
}

/* ---- Objects ---- */

/* The text before the first key of a JSON object, between two keys, and after the last one. */
struct style {
    const char *first, *next, *end;
};

static const struct style in_line = {"{", ", ", "}"};
static const struct style in_lines = {"{\n    ", ",\n    ", "\n}\n"};
static const struct style in_list = {"{\n            ", ",\n            ", "\n        }"};

static bool is_absent(const sct_key *key, const void *base) {
    const void *at = sct_key_place(key, base);
    bool absent = true;
    switch (key->kind) {
    case SCT_KEY_TRUTH:
        return !*(const bool *)at;
    case SCT_KEY_NAME:
    case SCT_KEY_LINKS:
        return false;
    case SCT_KEY_LINE:
    case SCT_KEY_LINES:
        return !*(char *const *)at || **(char *const *)at == '\0';
    case SCT_KEY_OBJECT:
        for (const sct_key *each = key->inside; each->name; each++)
            absent = absent && is_absent(each, base);
        return absent;
    default:
        return sct_key_number(key, base) == sct_key_range_of(key)->absent;
    }
}

static void put_object(sct_writer *writer, const struct style *style, const sct_key *keys,
                       const void *base);

static void put_links(sct_writer *writer, const sct_key *key, const struct sct_machine *machine) {
    sct_writer_put(writer, "[");
    for (int i = 0; i < machine->levels; i++) {
        sct_writer_put(writer, "%s\n        ", i > 0 ? "," : "");
        put_object(writer, &in_list, key->inside, &machine->level[i]);
    }
    sct_writer_put(writer, "\n    ]");
}

static void put_value(sct_writer *writer, const sct_key *key, const void *base) {
    const void *at = sct_key_place(key, base);
    switch (key->kind) {
    case SCT_KEY_TRUTH:
        sct_writer_put(writer, "true");
        break;
    case SCT_KEY_NAME:
        put_text(writer, (int)strlen(at), at);
        break;
    case SCT_KEY_LINE:
        put_text(writer, (int)strlen(*(char *const *)at), *(char *const *)at);
        break;
    case SCT_KEY_LINES:
        put_lines(writer, *(char *const *)at);
        break;
    case SCT_KEY_OBJECT:
        put_object(writer, &in_line, key->inside, base);
        break;
    case SCT_KEY_LINKS:
        put_links(writer, key, base);
        break;
    default:
        put_number(writer, sct_key_number(key, base));
    }
}

static void put_object(sct_writer *writer, const struct style *style, const sct_key *keys,
                       const void *base) {
    const char *before = style->first;
    for (const sct_key *key = keys; key->name; key++) {
        if (is_absent(key, base))
            continue;
        sct_writer_put(writer, "%s\"%s\": ", before, key->name);
        put_value(writer, key, base);
        before = style->next;
    }
    sct_writer_put(writer, "%s%s", before == style->first ? "{" : "",
                   before == style->first ? "}" : style->end);
}

size_t sct_machine_print(const sct_machine *machine, char *text, size_t bytes) {
    sct_writer writer = {text, bytes, 0};
    put_object(&writer, &in_lines, sct_machine_keys, machine);
    return writer.length;
}
