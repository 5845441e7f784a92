/* fuzz.h - what every fuzzer has: one function, called with one input after another, and helpers to
 * read an input. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <sectile/sectile.h>
#include <stddef.h>
#include <stdint.h>

/* Aborts if something is wrong; returns 0. libFuzzer prescribes the name. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* The unread part of an input. */
typedef struct fuzz_input {
    const uint8_t *at;
    size_t left;
} fuzz_input;

/* The next byte modulo `limit`; 0 at the end of the input. */
static inline int fuzz_below(fuzz_input *input, int limit) {
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++ % limit;
}

/* Copies the text up to the next line end or the end of the input; a line that is too long is cut.
 */
static inline void fuzz_line(fuzz_input *input, char *to, size_t bytes) {
    size_t length = 0;
    for (; input->left > 0 && *input->at != '\n'; input->left--, input->at++)
        if (length + 1 < bytes)
            to[length++] = (char)*input->at;
    to[length] = '\0';
    if (input->left > 0) {
        input->left--;
        input->at++;
    }
}

/* If check_prints_lines(), writes the rest of the input to a file in the current folder, and prints
 * the command line that runs a verb on it; `more` follows the file's name. */
void fuzz_file_line(fuzz_input file, const char *verb, const char *more);

/* Checks that a reason is one line of printable characters. */
void fuzz_check_refusal(const char *why);
/* The same of the last reason of the library, which begins in one of these ways; `other` may be
 * NULL.
 */
void fuzz_check_reason(const char *begin, const char *other);

/* A kind of object that is written as text. */
typedef struct fuzz_kind {
    size_t (*print)(const void *object, char *text, size_t bytes);
    sct_status (*parse)(const char *text, void **object);
    void (*destroy)(void *object);
} fuzz_kind;

/* Checks that an object prints to a text that reads as an object with the same text. */
void fuzz_check_printed(const fuzz_kind *kind, const void *object);

#endif
