/* text_lines.h - collects a few lines of text. Long lines are cut short. */
#ifndef PICTURES_TEXT_LINES_H
#define PICTURES_TEXT_LINES_H

enum { LINES_MOST = 16, LINES_WIDTH = 100 };

struct text_lines {
    int count;
    char line[LINES_MOST][LINES_WIDTH + 1];
};

/* text_lines_add starts a new line. text_lines_join appends to the last line, or starts a new one
 * if there is no room. Lines beyond LINES_MOST are dropped. */
void text_lines_add(struct text_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_lines_join(struct text_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
