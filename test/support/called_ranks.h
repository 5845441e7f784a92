/* called_ranks.h - ranks that are processes of a test, and only know who they are, as under
 * torchrun: they meet by sct_bootstrap_launched, in a home folder and at ports of their own. */
#ifndef TEST_CALLED_RANKS_H
#define TEST_CALLED_RANKS_H

#include <stdbool.h>
#include <sys/types.h>

enum { RANKS = 4, REASON = 300 };

typedef struct ranks {
    pid_t process[RANKS];
    int out[RANKS];
    int code[RANKS];
    char reason[RANKS][REASON];
} ranks;

/* The work of a rank: 1 is a failure of the library, whose reason is kept. */
typedef int rank_main(int rank);

/* Sets the environment. Returns MASTER_PORT; the 31 ports after it are free as well. */
int called_begin(void);
/* Removes the home folder. */
void called_end(void);
/* The home folder, and the one in it that has the keys. */
extern char called_home[], called_folder[64];
/* True if no key is left. */
bool called_left_no_key(void);

void called_start(ranks *all, int rank, rank_main *work);
void called_finish(ranks *all, int rank);
void called_run(ranks *all, rank_main *work);
/* Checks that all have succeeded, or that one has failed with a reason that has this text. */
void called_expect(const ranks *all, const char *what);
void called_expect_reason(const ranks *all, int rank, const char *reason, const char *what);

/* Gathers twice with each of two bootstraps. */
int called_meet(int rank);
/* The same, but rank 0 never comes. */
int called_meet_without_first(int rank);

/* A socket of this host's IPv4 that listens to a port, or is connected to it; -1: it cannot. */
int called_socket(int at, bool listens);

#endif
