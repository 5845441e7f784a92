/* progress.h - one line on a terminal that says how far long work is: it is drawn again in place,
 * and is gone at the end. Nothing is shown where stderr is no terminal. */
#ifndef CLI_PRINT_PROGRESS_H
#define CLI_PRINT_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shows; /* stderr is a terminal, and this process is to show it */
    char work[160];
    int64_t done, total;         /* bytes; total 0: unknown, and the time is shown instead */
    double opened, begun, drawn; /* when */
    int width;                   /* characters on the screen */
    bool ticks;                  /* a thread draws the line again and again */
    pthread_t ticker;
    pthread_mutex_t lock;
    pthread_cond_t end;
};

/* `shows` is false on all processes but one. */
void progress_open(struct progress *progress, bool shows);

/* Begins work of so many bytes; 0: of an unknown number, which may come late; PROGRESS_TIMED: it
 * does not say how far it is. */
enum { PROGRESS_TIMED = -1 };
void progress_begin(struct progress *progress, int64_t total, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* So many more bytes are done; `progress` is a struct progress. */
void progress_add(void *progress, int64_t bytes);
/* Ends this work; the line stays until other work is shown. */
void progress_end(struct progress *progress);
/* The same, and removes the line, before anything else is printed. */
void progress_clear(struct progress *progress);

/* Whether a line is on the screen, as a signal handler may ask. */
bool progress_is_drawn(void);

/* Writes a number of bytes as people read it, such as "1.5 GiB". */
enum { PROGRESS_BYTES = 32 };
void progress_bytes(double bytes, char text[PROGRESS_BYTES]);

#endif
