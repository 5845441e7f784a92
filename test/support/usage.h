/* usage.h - what this process holds, to see whether it grows. */
#ifndef TEST_USAGE_H
#define TEST_USAGE_H

typedef struct usage {
    long bytes; /* allocated */
    long maps;  /* of memory */
    int threads, descriptors;
} usage;

usage usage_now(void);

#endif
