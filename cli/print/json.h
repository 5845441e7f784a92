/* json.h - writes JSON to a stream. A key is NULL inside a list. */
#ifndef CLI_PRINT_JSON_H
#define CLI_PRINT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    bool first; /* the innermost object or list is empty */
};

/* bracket: '{' or '['. Closing the outermost one ends its line. */
void json_begin(struct json *json, FILE *out);
void json_end(struct json *json);
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_text(struct json *json, const char *key, const char *text);
void json_whole(struct json *json, const char *key, int64_t number);
void json_bytes(struct json *json, const char *key, uint64_t number);
/* The shortest text that reads back the same. NaN and infinities become null. */
void json_real(struct json *json, const char *key, double number);
void json_bool(struct json *json, const char *key, bool truth);
void json_null(struct json *json, const char *key);

#endif
