/* npy.c - headers of NumPy's .npy files that hold a matrix, or a stack of matrices.
 *
 * A file is a magic string, a version, a length, a Python dictionary of that length with the keys
 * descr, fortran_order and shape, and then the elements. Everything that numpy.save writes is
 * parsed; types that cannot be read are named; everything else is refused. */
#include "files/npy.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[NPY_MAGIC_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* Limits: no key or type that is known is longer, and NumPy allows no more dimensions. */
enum { STRING_BYTES = 24, MOST_DIMENSIONS = 64, KEPT_DIMENSIONS = 3 };
enum { PREFIX_BYTES = 10, ALIGNMENT = 64 };

/* What is left of the dictionary, and where to say why it is refused. */
struct reader {
    const unsigned char *at, *end;
    char *why;
};

/* The entries of the dictionary. */
struct entries {
    char descr[STRING_BYTES];
    bool fortran;
    int dimensions;
    int64_t shape[KEPT_DIMENSIONS];
    bool seen[3];
};

static void skip_spaces(struct reader *reader) {
    while (reader->at < reader->end &&
           (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n'))
        reader->at++;
}

/* Skips spaces, and takes the next character if it is `wanted`. */
static bool take(struct reader *reader, char wanted) {
    skip_spaces(reader);
    if (reader->at == reader->end || *reader->at != (unsigned char)wanted)
        return false;
    reader->at++;
    return true;
}

static bool take_word(struct reader *reader, const char *word) {
    size_t length = strlen(word);
    skip_spaces(reader);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

/* A printable string without escapes. */
static bool take_string(struct reader *reader, char text[STRING_BYTES]) {
    char quote = take(reader, '\'') ? '\'' : take(reader, '"') ? '"' : '\0';
    if (quote == '\0')
        return false;
    size_t length = 0;
    for (; reader->at < reader->end && *reader->at != (unsigned char)quote; reader->at++) {
        if (length == STRING_BYTES - 1 || *reader->at < ' ' || *reader->at > '~')
            return false;
        text[length++] = (char)*reader->at;
    }
    text[length] = '\0';
    return take(reader, quote);
}

static bool take_whole(struct reader *reader, int64_t *number) {
    skip_spaces(reader);
    const unsigned char *start = reader->at;
    int64_t value = 0;
    for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
        int digit = *reader->at - '0';
        if (value > (INT64_MAX - digit) / 10)
            return refuse(reader->why, "its shape is too large");
        value = value * 10 + digit;
    }
    if (reader->at == start)
        return refuse(reader->why, "its shape is not a tuple of whole numbers");
    take(reader, 'L'); /* as written by Python 2 */
    *number = value;
    return true;
}

static bool read_shape(struct reader *reader, struct entries *entries) {
    if (!take(reader, '('))
        return refuse(reader->why, "its shape is not a tuple");
    while (!take(reader, ')')) {
        int64_t number = 0;
        if (!take_whole(reader, &number))
            return false;
        if (entries->dimensions < KEPT_DIMENSIONS)
            entries->shape[entries->dimensions] = number;
        if (++entries->dimensions > MOST_DIMENSIONS)
            return refuse(reader->why, "its shape has too many dimensions");
        bool comma = take(reader, ',');
        if (!comma && (reader->at == reader->end || *reader->at != ')' || entries->dimensions < 2))
            return refuse(reader->why, "its shape is not a tuple of whole numbers");
    }
    return true;
}

static bool read_descr(struct reader *reader, struct entries *entries) {
    if (take(reader, '['))
        return refuse(reader->why, "it holds records; save one field of them as a matrix");
    if (!take_string(reader, entries->descr))
        return refuse(reader->why, "its type is unknown");
    return true;
}

static bool read_order(struct reader *reader, struct entries *entries) {
    entries->fortran = take_word(reader, "True");
    if (!entries->fortran && !take_word(reader, "False"))
        return refuse(reader->why, "its fortran_order is neither True nor False");
    return true;
}

static const struct {
    const char *key;
    bool (*read)(struct reader *, struct entries *);
} keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};

enum { KEYS = sizeof keys / sizeof *keys };

static bool read_entry(struct reader *reader, struct entries *entries) {
    char key[STRING_BYTES];
    if (!take_string(reader, key) || !take(reader, ':'))
        return refuse(reader->why, "its header is not a dictionary");
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(key, keys[i].key) != 0)
            continue;
        if (entries->seen[i])
            return refuse(reader->why, "its header has %s twice", key);
        entries->seen[i] = true;
        return keys[i].read(reader, entries);
    }
    return refuse(reader->why, "its header has an unknown key: %s", key);
}

static bool read_entries(struct reader *reader, struct entries *entries) {
    if (!take(reader, '{'))
        return refuse(reader->why, "its header is not a dictionary");
    while (!take(reader, '}')) {
        if (!read_entry(reader, entries))
            return false;
        if (take(reader, ','))
            continue;
        if (take(reader, '}'))
            break;
        return refuse(reader->why, "its header is not a dictionary");
    }
    skip_spaces(reader);
    if (reader->at != reader->end)
        return refuse(reader->why, "its header has text after the dictionary");
    for (int i = 0; i < KEYS; i++)
        if (!entries->seen[i])
            return refuse(reader->why, "its header lacks %s", keys[i].key);
    return true;
}

static bool find_type(const char *descr, const char *name, struct npy_header *header, char *why) {
    if (element_format_find(descr, &header->format)) {
        const struct npy_header *const headers[] = {header};
        if (!element_format_promote(1, headers, &header->type))
            header->type = SCT_F64;
        return true;
    }
    const char *letters = descr + (descr[0] != '\0' && strchr("<>=|", descr[0]));
    if (letters[0] == 'O')
        return refuse(why, "it holds Python objects ('%s'), not numbers", descr);
    if (letters[0] != '\0' && strchr("SUVaMm", letters[0]))
        return refuse(why, "it holds '%s': texts, records or times, not numbers", descr);
    return refuse(why,
                  "it holds '%s', not f2, f4, f8, c8, c16, integers or bool; to convert it: "
                  "numpy.save(\"converted.npy\", numpy.load(\"%.100s\").astype(\"%c%s\"))",
                  descr, name, element_format_mark(), letters[0] == 'c' ? "c16" : "f8");
}

int64_t npy_matrices(const struct npy_header *header) {
    return header->stacked ? header->count : 1;
}

size_t npy_matrix_bytes(const struct npy_header *header) {
    return (size_t)header->rows * (size_t)header->cols *
           element_format_bytes(&header->format, header->type);
}

static int64_t at_least_one(int64_t count) {
    return count > 0 ? count : 1;
}

/* The size of the whole file; false if it overflows. As in NumPy, a dimension of an empty matrix
 * must not overflow either. */
static bool file_bytes(const struct npy_header *header, size_t *bytes) {
    bool empty = header->rows == 0 || header->cols == 0 || npy_matrices(header) == 0;
    size_t elements, data, all;
    if (__builtin_mul_overflow(at_least_one(header->rows), at_least_one(header->cols), &elements) ||
        __builtin_mul_overflow(elements, at_least_one(npy_matrices(header)), &elements) ||
        __builtin_mul_overflow(elements, element_format_bytes(&header->format, header->type),
                               &data) ||
        __builtin_add_overflow(data, header->offset, &all) || all > PTRDIFF_MAX)
        return false;
    *bytes = empty ? header->offset : all;
    return true;
}

bool npy_begins(const unsigned char *bytes, size_t length) {
    return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* Finds where the dictionary begins and ends. */
static bool find_ends(const unsigned char *bytes, size_t length, size_t *start, size_t *end,
                      char *why) {
    if (length < PREFIX_BYTES || !npy_begins(bytes, length))
        return refuse(why, "it is not a .npy file");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return refuse(why, "it has version %d.%d of the .npy format; known versions: 1.0, 2.0, 3.0",
                      bytes[6], bytes[7]);
    *start = bytes[6] == 1 ? PREFIX_BYTES : PREFIX_BYTES + 2;
    if (length < *start)
        return refuse(why, "it ends within its header");
    size_t size = 0;
    for (size_t i = *start; i > 8; i--)
        size = size << 8 | bytes[i - 1];
    *end = *start + size;
    return true;
}

/* Finds the dictionary, and where the elements begin. */
static bool find_dictionary(const unsigned char *bytes, size_t length, struct reader *reader,
                            size_t *offset) {
    size_t start = 0;
    if (!find_ends(bytes, length, &start, offset, reader->why))
        return false;
    if (*offset > length)
        return refuse(reader->why, "it ends within its header");
    reader->at = bytes + start;
    reader->end = bytes + *offset;
    return true;
}

static bool check_size(const struct npy_header *header, size_t length, size_t expected, char *why) {
    if (length != expected)
        return refuse(why, "it is %s: %zu bytes, but its header says %zu",
                      length < expected ? "cut short" : "too long", length, expected);
    if (header->offset % element_format_bytes(&header->format, header->type) != 0)
        return refuse(why, "its elements are not aligned; load and save it with NumPy");
    return true;
}

/* Takes the size of the matrices from the last two dimensions. */
static bool take_shape(const struct entries *entries, const char *name, struct npy_header *header,
                       char *why) {
    header->stacked = entries->dimensions == KEPT_DIMENSIONS;
    if (entries->dimensions != 2 && !header->stacked)
        return refuse(why,
                      "it has %d dimension%s, not 2, or 3 for a stack of matrices; to convert it: "
                      "numpy.save(\"converted.npy\", numpy.load(\"%.100s\").reshape(%srows, cols))",
                      entries->dimensions, entries->dimensions == 1 ? "" : "s", name,
                      entries->dimensions > 3 ? "-1, " : "");
    if (header->stacked && entries->fortran)
        return refuse(
            why,
            "it is a stack of matrices in Fortran order; to convert it: "
            "numpy.save(\"converted.npy\", numpy.ascontiguousarray(numpy.load(\"%.100s\")))",
            name);
    header->order = entries->fortran ? SCT_COL_MAJOR : SCT_ROW_MAJOR;
    header->count = header->stacked ? entries->shape[0] : 0;
    header->rows = entries->shape[header->stacked];
    header->cols = entries->shape[header->stacked + 1];
    return true;
}

/* Parses the header, and finds the size of the whole file. */
static bool parse(const unsigned char *bytes, size_t length, const char *name,
                  struct npy_header *found, size_t *size, char *why) {
    struct reader reader = {.why = why};
    struct entries entries = {.dimensions = 0};
    if (!find_dictionary(bytes, length, &reader, &found->offset) ||
        !read_entries(&reader, &entries) || !find_type(entries.descr, name, found, why) ||
        !take_shape(&entries, name, found, why))
        return false;
    return file_bytes(found, size) || refuse(why, "its shape is too large");
}

bool npy_parse(const unsigned char *bytes, size_t length, size_t size, const char *name,
               struct npy_header *header, char why[WHY_BYTES]) {
    struct npy_header found = {.offset = 0};
    size_t expected;
    if (!parse(bytes, length, name, &found, &expected, why) ||
        !check_size(&found, size, expected, why))
        return false;
    *header = found;
    return true;
}

bool npy_header_bytes(const unsigned char *bytes, size_t length, size_t *size,
                      char why[WHY_BYTES]) {
    size_t start;
    return find_ends(bytes, length, &start, size, why);
}

bool npy_announces(const unsigned char *bytes, size_t length, const char *name, size_t *size,
                   char why[WHY_BYTES]) {
    struct npy_header header = {.offset = 0};
    return parse(bytes, length, name, &header, size, why);
}

size_t npy_format(struct npy_header *header, unsigned char bytes[NPY_HEADER_BYTES]) {
    const char *letters = element_format_letters(header->type);
    char text[NPY_HEADER_BYTES - PREFIX_BYTES], stack[24] = "";
    header->format = element_format_of(header->type);
    if (header->stacked)
        snprintf(stack, sizeof stack, "%lld, ", (long long)header->count);
    int length = snprintf(text, sizeof text,
                          "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%s%lld, %lld), }",
                          element_format_mark(), letters ? letters : "",
                          header->order == SCT_COL_MAJOR ? "True" : "False", stack,
                          (long long)header->rows, (long long)header->cols);
    /* the header ends with a newline, after spaces that align the elements */
    size_t size = PREFIX_BYTES + (size_t)length + 1;
    header->offset = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(bytes, ' ', header->offset);
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + sizeof magic, "\1\0", 2);
    bytes[8] = (unsigned char)((header->offset - PREFIX_BYTES) & 0xff);
    bytes[9] = (unsigned char)((header->offset - PREFIX_BYTES) >> 8);
    memcpy(bytes + PREFIX_BYTES, text, (size_t)length);
    bytes[header->offset - 1] = '\n';
    size_t total;
    return file_bytes(header, &total) ? total : 0;
}
