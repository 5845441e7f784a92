/* print.c - prints a machine description that parses back to the same machine. Absent keys have no
 * line. */
#include "machine/keys.h"

#include "base/text_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The separators of an object: before the first key, and between keys. */
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
