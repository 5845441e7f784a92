/* messages.c - a queue of messages, filled by the threads of ranks. */
#include "messages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct message *first, **end;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = &queue.first};

/* Without memory for it, a message is lost. */
static void keep(void *context, sct_log_level level, int rank, const char *text) {
    size_t bytes = strlen(text) + 1;
    struct message *made = malloc(sizeof *made + bytes);
    (void)context;
    if (!made)
        return;
    *made = (struct message){.level = level, .rank = rank};
    memcpy(made->text, text, bytes);
    pthread_mutex_lock(&queue.lock);
    *queue.end = made;
    queue.end = &made->next;
    pthread_mutex_unlock(&queue.lock);
}

void messages_keep(sct_log_level level) {
    sct_log(level, keep, NULL);
}

struct message *messages_take(void) {
    pthread_mutex_lock(&queue.lock);
    struct message *taken = queue.first;
    if (taken && !(queue.first = taken->next))
        queue.end = &queue.first;
    pthread_mutex_unlock(&queue.lock);
    return taken;
}

void messages_free(struct message *message) {
    free(message);
}
