/* element_format.h - the types that elements have in .npy files, and their conversion to those of
 * the library. Files also hold integers, truth values and numbers of the other byte order. */
#ifndef CLI_FILES_ELEMENT_FORMAT_H
#define CLI_FILES_ELEMENT_FORMAT_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stddef.h>

struct element_kind;

/* All zeros: in a file as in memory. */
struct element_format {
    const struct element_kind *kind;
    bool swapped; /* not in the byte order of this machine */
};

/* Finds the format that NumPy calls `descr`, such as "<f8". False if it holds no numbers of a known
 * size. */
bool element_format_find(const char *descr, struct element_format *format);
/* The format of elements as they are in memory. */
struct element_format element_format_of(sct_type type);
/* NumPy's letters for a type, such as "f8"; NULL: it has none. */
const char *element_format_letters(sct_type type);
/* NumPy's mark for the byte order of this machine. */
char element_format_mark(void);

/* The rest takes a format and the type as which its elements are read. */

/* The bytes of an element in the file. */
size_t element_format_bytes(const struct element_format *format, sct_type type);
/* NumPy's name of what the file holds, such as "int64", or the library's, such as "f64". */
const char *element_format_name(const struct element_format *format, sct_type type);
/* True if elements are in the file as they are in memory. */
bool element_format_is_native(const struct element_format *format, sct_type type);
bool element_format_is_complex(const struct element_format *format, sct_type type);
/* Converts `count` elements as NumPy's astype does, where that drops no imaginary part. */
void element_format_convert(const struct element_format *format, int64_t count, const void *from,
                            sct_type type, void *to);

/* Finds the type to which NumPy promotes the elements of `count` files. False if none of them holds
 * floating-point numbers, as NumPy's product is then of integers. */
struct npy_header;
bool element_format_promote(int count, const struct npy_header *const *headers, sct_type *type);

#endif
