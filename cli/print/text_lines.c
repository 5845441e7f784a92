/* text_lines.c - collects a few lines of text. */
#include "print/text_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void format_piece(char piece[LINES_WIDTH + 1], const char *format, va_list values) {
    int length = vsnprintf(piece, LINES_WIDTH + 1, format, values);
    if (length > LINES_WIDTH)
        memcpy(piece + LINES_WIDTH - 3, "...", 3);
}

static void add(struct text_lines *lines, const char *piece) {
    if (lines->count < LINES_MOST)
        strcpy(lines->line[lines->count++], piece);
}

void text_lines_add(struct text_lines *lines, const char *format, ...) {
    char piece[LINES_WIDTH + 1];
    va_list values;
    va_start(values, format);
    format_piece(piece, format, values);
    va_end(values);
    add(lines, piece);
}

void text_lines_join(struct text_lines *lines, const char *format, ...) {
    char piece[LINES_WIDTH + 1];
    va_list values;
    va_start(values, format);
    format_piece(piece, format, values);
    va_end(values);
    char *last = lines->count > 0 ? lines->line[lines->count - 1] : NULL;
    if (last && strlen(last) + 1 + strlen(piece) <= LINES_WIDTH) {
        strcat(last, " ");
        strcat(last, piece);
    } else
        add(lines, piece);
}
