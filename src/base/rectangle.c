/* rectangle.c - splits a rectangle into pieces. */
#include "base/rectangle.h"

#include "base/checked.h"

static size_t divide_up(size_t a, size_t b) {
    return (a - 1) / b + 1;
}

sct_split sct_split_make(int64_t lines, size_t width, size_t most, size_t grain) {
    most -= most % grain;
    sct_split cut = {lines, width, 1, width, 1, 0};
    if (width > most) {
        size_t part = divide_up(width, divide_up(width, most));
        cut.piece_width = divide_up(part, grain) * grain;
        cut.across = (int64_t)divide_up(width, cut.piece_width);
        cut.pieces = lines * cut.across;
        return cut;
    }
    size_t high = (size_t)lines;
    cut.piece_lines = (int64_t)divide_up(high, divide_up(high, most / width));
    cut.pieces = (int64_t)divide_up(high, (size_t)cut.piece_lines);
    return cut;
}

sct_rectangle sct_split_piece(const sct_split *cut, int64_t index) {
    int64_t line = index / cut->across * cut->piece_lines;
    size_t byte = (size_t)(index % cut->across) * cut->piece_width;
    size_t width = cut->width - byte;
    return (sct_rectangle){line, byte, sct_min(cut->piece_lines, cut->lines - line),
                           width < cut->piece_width ? width : cut->piece_width};
}
