/* fork.h - closes the descriptors of wires in processes that are forked.
 *
 * The system ends a connection when the last process that has it ends, and ranks of other hosts
 * would otherwise wait for a rank that was killed as long as a child of it lives. A child that runs
 * another program has lost the connections by then. */
#ifndef SCT_FABRIC_SOCKETS_FORK_H
#define SCT_FABRIC_SOCKETS_FORK_H

struct sct_sockets;

/* In between no process is forked: a descriptor that is opened, or closed, is one of the wire's, or
 * not open. */
void sct_fork_block(void);
void sct_fork_allow(void);

/* Closes a descriptor, unless it is -1, which it becomes. */
void sct_fork_close(int *fd);

/* Has the descriptors of a wire closed in processes that are forked, from now on until the release.
 */
void sct_fork_guard(struct sct_sockets *wire);
void sct_fork_release(struct sct_sockets *wire);

#endif
