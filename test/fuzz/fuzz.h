/* fuzz.h - what every fuzzer is: one function, called with input after input; and how it takes an
 * input apart. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Ends the program if something does not hold; returns 0. The name is libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* What is left of an input. */
typedef struct fuzz_input {
    const uint8_t *at;
    size_t left;
} fuzz_input;

/* The next byte, made to be below `limit`; 0 when there is none. */
static inline int fuzz_below(fuzz_input *input, int limit) {
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++ % limit;
}

/* Copies what comes before the next line end, or the end; of a line that is too long, what fits. */
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

/* Prints the command line that runs a verb on what is left, if lines are asked for: that is then
 * a file in the current folder, and `more` follows its name. */
void fuzz_file_line(fuzz_input file, const char *verb, const char *more);

#endif
