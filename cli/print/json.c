/* json.c - writes JSON to a stream. */
#include "print/json.h"

#include "src/base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The number, below U+10000, of the character that begins here and is not printable; and its bytes.
 * Bytes that are not UTF-8, which JSON has no way to write, become the replacement character. */
static unsigned unprintable(const char *text, int *length) {
    const unsigned char *at = (const unsigned char *)text;
    *length = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : 3;
    if (at[0] < 0x80)
        return at[0];
    /* U+0080 to U+009F; and characters of U+2000 to U+207F */
    if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
        return at[1];
    if (at[0] == 0xe2 && (at[1] == 0x80 || at[1] == 0x81) && at[2] >= 0x80 && at[2] < 0xc0)
        return 0x2000u + (at[1] - 0x80u) * 0x40u + (at[2] - 0x80u);
    *length = 1;
    return 0xfffd;
}

static void quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (int length; *text != '\0'; text += length) {
        length = sct_printable_length(text);
        if (length > 0)
            fprintf(out, "%s%.*s", *text == '"' || *text == '\\' ? "\\" : "", length, text);
        else
            fprintf(out, "\\u%04x", unprintable(text, &length));
    }
    fputc('"', out);
}

/* Like stdout it belongs to the whole process, so no function passes it by argument. */
static bool has_results;

bool json_has_results(void) {
    return has_results;
}

static void item(struct json *json, const char *key) {
    if (!json->first)
        fputc(',', json->out);
    json->first = false;
    if (!key)
        return;
    quoted(json->out, key);
    fputc(':', json->out);
}

void json_begin(struct json *json, FILE *out) {
    *json = (struct json){.out = out, .first = true};
    json_open(json, NULL, '{');
}

void json_end(struct json *json) {
    json_close(json, '}');
    fputc('\n', json->out);
}

void json_end_result(struct json *json) {
    has_results = true;
    json_whole(json, "schema", JSON_SCHEMA);
    json_end(json);
}

void json_open(struct json *json, const char *key, char bracket) {
    item(json, key);
    fputc(bracket, json->out);
    json->first = true;
}

void json_close(struct json *json, char bracket) {
    fputc(bracket, json->out);
    json->first = false;
}

void json_text(struct json *json, const char *key, const char *text) {
    item(json, key);
    if (text)
        quoted(json->out, text);
    else
        fputs("null", json->out);
}

void json_whole(struct json *json, const char *key, int64_t number) {
    item(json, key);
    fprintf(json->out, "%" PRId64, number);
}

void json_known(struct json *json, const char *key, int64_t number) {
    if (number >= 0)
        json_whole(json, key, number);
    else
        json_null(json, key);
}

void json_bytes(struct json *json, const char *key, uint64_t number) {
    item(json, key);
    fprintf(json->out, "%" PRIu64, number);
}

void json_real(struct json *json, const char *key, double number) {
    char text[40] = "null";
    for (int digits = 6; isfinite(number) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    item(json, key);
    fputs(text, json->out);
}

void json_bool(struct json *json, const char *key, bool truth) {
    item(json, key);
    fputs(truth ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key) {
    json_text(json, key, NULL);
}
