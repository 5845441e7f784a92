/* messages.h - what the library logs, kept until Python takes it: within a call of the library,
 * code of Python might make another one. */
#ifndef PYTHON_MESSAGES_H
#define PYTHON_MESSAGES_H

#include <sectile/sectile.h>

struct message {
    struct message *next;
    sct_log_level level;
    int rank;
    char text[];
};

/* Keeps messages of this process, up to a level, from now on. */
void messages_keep(sct_log_level level);
/* Returns the oldest message, which no longer is kept; NULL: there is none. */
struct message *messages_take(void);
void messages_free(struct message *message);

#endif
