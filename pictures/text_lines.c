/* text_lines.c - collects a few lines of text. */
#include "pictures/text_lines.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void add(struct text_lines *lines, bool joins, const char *format, va_list values) {
    char piece[LINES_WIDTH + 1];
    char *last = joins && lines->count > 0 ? lines->line[lines->count - 1] : NULL;
    if (vsnprintf(piece, sizeof piece, format, values) > LINES_WIDTH)
        memcpy(piece + LINES_WIDTH - 3, "...", 3);
    if (last && strlen(last) + 1 + strlen(piece) <= LINES_WIDTH) {
        strcat(last, " ");
        strcat(last, piece);
    } else if (lines->count < LINES_MOST) {
        strcpy(lines->line[lines->count++], piece);
    }
}

void text_lines_add(struct text_lines *lines, const char *format, ...) {
    va_list values;
    va_start(values, format);
    add(lines, false, format, values);
    va_end(values);
}

void text_lines_join(struct text_lines *lines, const char *format, ...) {
    va_list values;
    va_start(values, format);
    add(lines, true, format, values);
    va_end(values);
}
