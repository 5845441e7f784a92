/* fork.c - closes the connections in a process that a rank has forked.
 *
 * The system ends a connection when the last process that has it ends. Without this, ranks of other
 * hosts would wait for a rank that was killed as long as a child of it lives. A child that runs
 * another program has lost the connections by then.
 *
 * A handler of fork has no argument, so that what it works on is global. It is removed with the
 * library, if that is unloaded: the system knows from which library it comes. */
#include "fabric/sockets/state.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sct_sockets *first; /* of the wires of this process */

static void lock_all(void) {
    pthread_mutex_lock(&lock);
}

static void unlock_all(void) {
    pthread_mutex_unlock(&lock);
}

/* The parent's connections go on, so that nothing is sent. */
static void close_in_child(void) {
    for (const sct_sockets *wire = first; wire; wire = wire->next)
        for (int rank = 0; rank < wire->base.size; rank++)
            if (wire->links[rank].fd >= 0) {
                close(wire->links[rank].fd);
                wire->links[rank].fd = -1;
            }
    pthread_mutex_unlock(&lock);
}

static void handle_forks(void) {
    pthread_atfork(lock_all, unlock_all, close_in_child);
}

void sct_fork_guard(sct_sockets *wire) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, handle_forks);
    pthread_mutex_lock(&lock);
    wire->next = first;
    first = wire;
    pthread_mutex_unlock(&lock);
}

void sct_fork_release(sct_sockets *wire) {
    pthread_mutex_lock(&lock);
    sct_sockets **link = &first;
    while (*link && *link != wire)
        link = &(*link)->next;
    if (*link)
        *link = wire->next;
    pthread_mutex_unlock(&lock);
}

/* A number that is free may be that of another file, so no process is forked in between. */
void sct_link_close(sct_link *link) {
    shutdown(link->fd, SHUT_RDWR);
    pthread_mutex_lock(&lock);
    close(link->fd);
    link->fd = -1;
    pthread_mutex_unlock(&lock);
}
