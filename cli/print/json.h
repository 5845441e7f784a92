/* json.h - writes JSON to a stream. Items of a list have no key: pass NULL. */
#ifndef CLI_PRINT_JSON_H
#define CLI_PRINT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    bool first; /* the innermost open object or list is still empty */
};

/* Opens the outermost object; closes it and ends the line. */
void json_begin(struct json *json, FILE *out);
void json_end(struct json *json);
/* The same for a result of a verb, which says the version of its format: docs/json.md. */
enum { JSON_SCHEMA = 2 };
void json_end_result(struct json *json);
/* Whether there has been a result. */
bool json_has_results(void);
/* Opens and closes an inner object or list; the bracket is that of the call: {, }, [ or ]. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
/* A NULL text becomes null. */
void json_text(struct json *json, const char *key, const char *text);
void json_whole(struct json *json, const char *key, int64_t number);
/* Negative numbers, which stand for unknown ones, become null. */
void json_known(struct json *json, const char *key, int64_t number);
void json_bytes(struct json *json, const char *key, uint64_t number);
/* The shortest text that reads back the same. NaN and infinities become null. */
void json_real(struct json *json, const char *key, double number);
void json_bool(struct json *json, const char *key, bool truth);
void json_null(struct json *json, const char *key);

#endif
