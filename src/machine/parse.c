/* parse.c - parses machine descriptions in JSON; docs/machines.md has the keys.
 *
 * Errors say the line and column where the text is malformed, and the path of keys where there is
 * one. */
#include "machine/json_path.h"
#include "machine/keys.h"

#include "base/c_locale.h"
#include "base/printable.h"
#include "base/status.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        sct_machine_path(text, (size_t)error->position, path);
    return sct_fail(SCT_BAD_ARGUMENT, "%s:%d:%d: %s%s%s", origin, error->line, error->column, path,
                    *path != '\0' ? ": " : "", error->text);
}

/* jansson itself reads and writes numbers in the thread's locale. */
static sct_status parse(const char *text, const char *origin, sct_machine **machine) {
    json_error_t error;
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
