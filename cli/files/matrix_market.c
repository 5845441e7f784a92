/* matrix_market.c - reads dense matrices in the text format of Matrix Market.
 *
 * A file begins with the line "%%MatrixMarket matrix array FIELD SYMMETRY" and lines of comments,
 * which begin with %. Then come the numbers of rows and columns, and the elements, column by
 * column. A symmetric matrix is given by its lower triangle. */
#include "files/matrix_market.h"

#include "output/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

/* No number needs a longer word. */
enum { WORD = 64, CHUNK = 1 << 16 };

static const char banner[] = "%%MatrixMarket";

enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN };

/* The text, read in chunks. */
struct text {
    int fd;
    size_t at, length; /* of the unread part of the chunk */
    size_t read;       /* bytes of the file that were in chunks */
    int64_t line;
    int error; /* an errno; 0: none */
    char *why;
    char chunk[CHUNK];
};

struct matrix {
    struct npy_header header;
    enum symmetry symmetry;
    bool is_complex, is_whole;
    double *elements;
};

bool matrix_market_begins(const unsigned char *bytes, size_t length) {
    return length >= sizeof banner - 1 &&
           strncasecmp((const char *)bytes, banner, sizeof banner - 1) == 0;
}

/* The next character, which stays there; -1 at the end. */
static int peek(struct text *text) {
    if (text->at == text->length) {
        ssize_t got = spool_read(text->fd, text->chunk, CHUNK, text->read);
        if (got < 0)
            text->error = errno;
        text->length = got > 0 ? (size_t)got : 0;
        text->read += text->length;
        text->at = 0;
    }
    return text->at < text->length ? (unsigned char)text->chunk[text->at] : -1;
}

static void advance(struct text *text) {
    text->line += text->chunk[text->at++] == '\n';
}

static bool is_space(int sign) {
    return sign == ' ' || sign == '\t' || sign == '\r' || sign == '\n';
}

/* Reads the next word of this line; with `lines`, the next word of the text, which may be on a
 * later line. False if there is none. */
static bool take_word(struct text *text, bool lines, char word[WORD]) {
    size_t length = 0;
    while (is_space(peek(text)) && (lines || peek(text) != '\n'))
        advance(text);
    for (int sign; (sign = peek(text)) != -1 && !is_space(sign); advance(text)) {
        if (length == WORD - 1 || sign < ' ' || sign > '~') {
            length = 0;
            break;
        }
        word[length++] = (char)sign;
    }
    word[length] = '\0';
    return length > 0;
}

static bool refuse_word(struct text *text, const char *wanted) {
    if (text->error != 0)
        return refuse(text->why, "it cannot be read: %s", strerror(text->error));
    return refuse(text->why, "line %lld: there should be %s", (long long)text->line, wanted);
}

/* The index of the next word of this line in a list that ends with NULL; -1 if it is none of them.
 */
static int take_choice(struct text *text, const char *const *choices) {
    char word[WORD];
    if (!take_word(text, false, word))
        return -1;
    for (int i = 0; choices[i]; i++)
        if (strcasecmp(word, choices[i]) == 0)
            return i;
    return -1;
}

static bool read_banner(struct text *text, struct matrix *matrix) {
    static const char *const marks[] = {banner, NULL}, *const objects[] = {"matrix", NULL};
    static const char *const formats[] = {"array", "coordinate", NULL};
    static const char *const fields[] = {"real", "integer", "complex", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian",
                                             NULL};
    if (take_choice(text, marks) < 0 || take_choice(text, objects) < 0)
        return refuse_word(text, "\"%%MatrixMarket matrix\"");
    int format = take_choice(text, formats);
    if (format == 1)
        return refuse(text->why, "it holds a sparse matrix (coordinate), not an array");
    if (format < 0)
        return refuse_word(text, "\"array\"");
    int field = take_choice(text, fields), symmetry = take_choice(text, symmetries);
    if (field < 0 || symmetry < 0)
        return refuse_word(text, "real, integer or complex, and then general, symmetric, "
                                 "skew-symmetric or hermitian");
    matrix->is_whole = field == 1;
    matrix->is_complex = field == 2;
    matrix->symmetry = (enum symmetry)symmetry;
    matrix->header.type = matrix->is_complex ? SCT_CF64 : SCT_F64;
    matrix->header.order = SCT_COL_MAJOR;
    return true;
}

static void skip_line(struct text *text) {
    while (peek(text) != -1 && peek(text) != '\n')
        advance(text);
}

static void skip_comments(struct text *text) {
    skip_line(text);
    while (is_space(peek(text)) || peek(text) == '%') {
        if (peek(text) == '%')
            skip_line(text);
        else
            advance(text);
    }
}

static bool take_size(struct text *text, int64_t *size) {
    char word[WORD], *end;
    if (!take_word(text, false, word) || word[0] < '0' || word[0] > '9')
        return refuse_word(text, "the numbers of rows and columns");
    errno = 0;
    long long value = strtoll(word, &end, 10);
    if (*end != '\0' || errno != 0)
        return refuse_word(text, "the numbers of rows and columns");
    *size = value;
    return true;
}

/* How many elements the file has for a matrix; -1 if they are too many to count. */
static int64_t count_elements(const struct matrix *matrix) {
    int64_t rows = matrix->header.rows, cols = matrix->header.cols, count;
    if (__builtin_mul_overflow(rows, cols, &count))
        return -1;
    if (matrix->symmetry == GENERAL)
        return count;
    int64_t diagonal = matrix->symmetry == SKEW ? 0 : rows;
    return (count - rows) / 2 + diagonal;
}

/* Reads the size, and refuses one for which the file is too short: a number and what separates it
 * from the next are two bytes. So no small file makes a large matrix, except by symmetry a little.
 */
static bool read_size(struct text *text, size_t bytes, struct matrix *matrix) {
    struct npy_header *header = &matrix->header;
    if (!take_size(text, &header->rows) || !take_size(text, &header->cols))
        return false;
    if (matrix->symmetry != GENERAL && header->rows != header->cols)
        return refuse(text->why, "it is %lld x %lld, but only square matrices are symmetric",
                      (long long)header->rows, (long long)header->cols);
    int64_t count = count_elements(matrix);
    uint64_t room = (uint64_t)bytes / (matrix->is_complex ? 4 : 2);
    return (count >= 0 && (uint64_t)count <= room) ||
           refuse(text->why, "it is cut short: it has not all elements of a %lld x %lld matrix",
                  (long long)header->rows, (long long)header->cols);
}

static bool take_real(struct text *text, bool is_whole, double *number) {
    char word[WORD], *end;
    if (!take_word(text, true, word))
        return refuse_word(text, peek(text) == -1 ? "more numbers: it is cut short" : "a number");
    *number = strtod(word, &end);
    if (*end != '\0' || strpbrk(word, "xX"))
        return refuse(text->why, "line %lld: '%s' is not a number", (long long)text->line, word);
    if (isinf(*number) && strpbrk(word, "0123456789"))
        return refuse(text->why, "line %lld: '%s' is too large", (long long)text->line, word);
    if (is_whole && *number != floor(*number))
        return refuse(text->why, "line %lld: '%s' is not a whole number", (long long)text->line,
                      word);
    return true;
}

static void set_element(struct matrix *matrix, int64_t row, int64_t col, double re, double im) {
    int64_t at = row + col * matrix->header.rows;
    if (!matrix->is_complex) {
        matrix->elements[at] = re;
        return;
    }
    matrix->elements[2 * at] = re;
    matrix->elements[2 * at + 1] = im;
}

static bool read_element(struct text *text, struct matrix *matrix, int64_t row, int64_t col) {
    double re = 0, im = 0;
    if (!take_real(text, matrix->is_whole, &re) ||
        (matrix->is_complex && !take_real(text, false, &im)))
        return false;
    set_element(matrix, row, col, re, im);
    if (matrix->symmetry == SYMMETRIC)
        set_element(matrix, col, row, re, im);
    else if (matrix->symmetry == SKEW)
        set_element(matrix, col, row, -re, -im);
    else if (matrix->symmetry == HERMITIAN && row != col)
        set_element(matrix, col, row, re, -im);
    return true;
}

static bool read_elements(struct text *text, struct matrix *matrix) {
    char word[WORD];
    /* There may be 2^63 - 1 empty columns. */
    int64_t cols = count_elements(matrix) > 0 ? matrix->header.cols : 0;
    for (int64_t col = 0; col < cols; col++) {
        int64_t first = matrix->symmetry == GENERAL ? 0 : col + (matrix->symmetry == SKEW);
        for (int64_t row = first; row < matrix->header.rows; row++)
            if (!read_element(text, matrix, row, col))
                return false;
    }
    if (take_word(text, true, word) || peek(text) != -1)
        return refuse(text->why, "line %lld: there is something after the last element",
                      (long long)text->line);
    return text->error == 0 || refuse_word(text, "");
}

/* Gives the file its size, and maps its elements. */
static bool map_elements(struct text *text, struct matrix *matrix, int to, size_t *bytes,
                         char **mapped) {
    unsigned char start[NPY_HEADER_BYTES];
    *bytes = npy_format(&matrix->header, start);
    int error = *bytes == 0 ? EFBIG : posix_fallocate(to, 0, (off_t)*bytes);
    if (error == 0) {
        *mapped = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
        error = *mapped == MAP_FAILED ? errno : 0;
    }
    if (error != 0)
        return spool_refuse(text->why, error);
    memcpy(*mapped, start, matrix->header.offset);
    matrix->elements = (double *)(void *)(*mapped + matrix->header.offset);
    return true;
}

static bool read_header(struct text *text, size_t size, struct matrix *matrix) {
    if (!read_banner(text, matrix))
        return false;
    skip_comments(text);
    return read_size(text, size, matrix);
}

static bool read_matrix(struct text *text, size_t size, int to, struct matrix *matrix) {
    char *mapped = NULL;
    size_t bytes = 0;
    if (!read_header(text, size, matrix) || !map_elements(text, matrix, to, &bytes, &mapped))
        return false;
    bool read = read_elements(text, matrix);
    munmap(mapped, bytes);
    return read;
}

static struct text *open_text(int fd, char *why) {
    struct text *text = calloc(1, sizeof *text);
    if (!text) {
        refuse(why, "there is no memory to read it");
        return NULL;
    }
    text->fd = fd;
    text->line = 1;
    text->why = why;
    return text;
}

bool matrix_market_peek(int fd, size_t size, size_t start, struct npy_header *header,
                        char why[WHY_BYTES]) {
    unsigned char made[NPY_HEADER_BYTES];
    struct matrix matrix = {.elements = NULL};
    struct text *text = open_text(fd, why);
    bool read = text && read_header(text, size, &matrix);
    if (text && peek(text) == -1 && text->read >= start)
        read = refuse(why, "its header, comments included, is not in the first %zu bytes", start);
    free(text);
    if (read && npy_format(&matrix.header, made) == 0)
        read = spool_refuse(why, EFBIG);
    if (read)
        *header = matrix.header;
    return read;
}

/* That its elements can be counted has been checked. */
size_t matrix_market_most_bytes(const struct npy_header *header) {
    size_t count = (size_t)header->rows * (size_t)header->cols, bytes;
    size_t each = (size_t)2 * WORD * (header->type == SCT_CF64 ? 2 : 1);
    return __builtin_mul_overflow(count, each, &bytes) || bytes > PTRDIFF_MAX / 2 ? PTRDIFF_MAX / 2
                                                                                  : bytes;
}

bool matrix_market_read(int fd, size_t size, int to, struct npy_header *header,
                        char why[WHY_BYTES]) {
    struct matrix matrix = {.elements = NULL};
    struct text *text = open_text(fd, why);
    bool read = text && read_matrix(text, size, to, &matrix);
    free(text);
    if (read)
        *header = matrix.header;
    return read;
}
