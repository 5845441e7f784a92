/* text_lines.h - a few lines of text, made from pieces. What is too long for a line is cut short.
 */
#ifndef CLI_PRINT_TEXT_LINES_H
#define CLI_PRINT_TEXT_LINES_H

enum { LINES_MOST = 16, LINES_WIDTH = 100 };

struct lines {
    int count;
    char line[LINES_MOST][LINES_WIDTH + 1];
};

/* A piece on a line of its own, or, if there is room, behind a space on the last one. Beyond the
 * last line nothing is added. */
void lines_add(struct lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lines_join(struct lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
