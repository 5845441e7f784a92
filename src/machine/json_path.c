/* json_path.c - the keys that lead to a position in JSON text. The JSON parser does not tell them
 * when it fails. */
#include "machine/json_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The path shows at most so many levels and so much of a key. */
enum { MOST_LEVELS = 4, MOST_KEY = 40 };

/* An object or array that is still open. */
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

void sct_machine_path(const char *text, size_t end, char path[SCT_PATH_BYTES]) {
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
