/* replacement.h - a file that gets its name only when complete, and then takes the place of an
 * older one; a signal that ends the program removes it. */
#ifndef CLI_OUTPUT_REPLACEMENT_H
#define CLI_OUTPUT_REPLACEMENT_H

#include <limits.h>
#include <stdbool.h>

/* Installs handlers: SIGINT, SIGTERM and SIGHUP then remove the unfinished file and end the program
 * with 128 plus the number of the signal. SIGHUP stays ignored if it was. */
void cleanup_signal_catch(void);

struct replacement {
    char path[PATH_MAX];
    char temporary[PATH_MAX]; /* by which other processes can open it until it is complete */
    int unnamed;              /* the descriptor of a file without a name; -1: it has one */
};

/* False of what cannot be replaced: all but regular files. What a name in /proc leads to, as
 * /dev/stdout does, may be a file without a name. A new file is possible. */
bool replacement_possible(const char *path);

/* The folder of a path, cut short if that is longer than any path may be. */
void replacement_folder(const char *path, char folder[PATH_MAX]);

/* Chooses the final name, with links resolved, and creates a temporary file in its folder, which is
 * removed if a signal ends the program. If only processes of this host have to open it, it has no
 * name where the file system allows that, and is gone also if the program is killed. Returns a
 * descriptor; -1 on failure, and errno says why. */
int replacement_open(struct replacement *file, const char *path, bool on_this_host);
/* Sets the owner, group and mode of the replaced file, as far as allowed, or the default mode.
 * False on failure. */
bool replacement_set_mode(const struct replacement *file, int fd);
/* Gives the file its final name, or removes it. Close the descriptor afterwards if the file is
 * unnamed. False if the name cannot be given. */
bool replacement_finish(struct replacement *file, bool complete);

#endif
