/* fork.c - see fork.h. A handler of fork has no argument, so that what it works on is global. It is
 * removed with the library, if that is unloaded: the system knows from which library it comes. */
#include "fabric/sockets/fork.h"

#include "fabric/sockets/state.h"

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sct_sockets *wires; /* a list of those of this process */

void sct_fork_block(void) {
    pthread_mutex_lock(&lock);
}

void sct_fork_allow(void) {
    pthread_mutex_unlock(&lock);
}

static void close_one(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The parent's connections go on, so that nothing is sent. */
static void close_in_child(void) {
    for (const sct_sockets *wire = wires; wire; wire = wire->next) {
        const sct_reception *reception = &wire->reception;
        for (int i = 0; i < wire->links_count; i++)
            close_one(&wire->links[i]->fd);
        for (int i = 0; i < reception->count; i++)
            close(reception->callers[i].fd);
        if (reception->listener >= 0)
            close(reception->listener);
    }
    pthread_mutex_unlock(&lock);
}

static void handle_forks(void) {
    pthread_atfork(sct_fork_block, sct_fork_allow, close_in_child);
}

void sct_fork_close(int *fd) {
    pthread_mutex_lock(&lock);
    close_one(fd);
    pthread_mutex_unlock(&lock);
}

void sct_fork_guard(sct_sockets *wire) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, handle_forks);
    pthread_mutex_lock(&lock);
    wire->next = wires;
    wires = wire;
    pthread_mutex_unlock(&lock);
}

void sct_fork_release(sct_sockets *wire) {
    pthread_mutex_lock(&lock);
    sct_sockets **link = &wires;
    while (*link && *link != wire)
        link = &(*link)->next;
    if (*link)
        *link = wire->next;
    pthread_mutex_unlock(&lock);
}
