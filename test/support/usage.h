/* usage.h - the resources that this process holds, to see whether they grow. */
#ifndef TEST_USAGE_H
#define TEST_USAGE_H

typedef struct usage {
    long bytes; /* allocated */
    long maps;  /* memory mappings */
    int threads, descriptors;
} usage;

usage usage_now(void);

#endif
