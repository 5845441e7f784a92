/* text.c - reads and writes groups of products as texts, such as
 *
 *     m = 64; Y = X[m,100] * W[100,200]; Y ~ Z; Z += X * W
 *
 * Statements end with a semicolon or the line. They name sizes, demand equal layouts, or are
 * products. All are read first, since a shape may follow anywhere. */
#include "products/products.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- Statements ---- */

typedef struct sct_text_factor {
    char name[SCT_SYMBOL], rows[SCT_SYMBOL],
        cols[SCT_SYMBOL]; /* rows: empty if there is no shape */
    sct_op op;
} sct_text_factor;

typedef struct sct_statement {
    enum { SIZE, EQUAL, PRODUCT } kind;
    int line;
    char number[SCT_SYMBOL];          /* of a size */
    sct_text_factor factor[SCT_MATS]; /* C is named first; of a size, or equal layouts, C and A */
    bool add;
} sct_statement;

typedef struct sct_products_reader {
    const char *at;
    int line;
    int count;
    int64_t room;
    sct_statement *list;
} sct_products_reader;

static void skip_blanks(sct_products_reader *reader) {
    reader->at += strspn(reader->at, " \t\r");
    if (*reader->at == '#')
        reader->at += strcspn(reader->at, "\n");
}

static bool accept(sct_products_reader *reader, const char *token) {
    skip_blanks(reader);
    return sct_text_accept(&reader->at, token);
}

/* Quotes the rest of the line, or says that it has ended. */
static sct_status expected(const sct_products_reader *reader, const char *what) {
    int length = (int)strcspn(reader->at, ";\n");
    if (length == 0)
        return sct_fail(SCT_BAD_ARGUMENT, "expected %s at the end of line %d", what, reader->line);
    return sct_fail(SCT_BAD_ARGUMENT, "expected %s at \"%.*s\" in line %d", what,
                    length < 40 ? length : 40, reader->at, reader->line);
}

static sct_status expect(sct_products_reader *reader, const char *token, const char *what) {
    return accept(reader, token) ? SCT_OK : expected(reader, what);
}

/* Reads letters, digits and underscores. */
static sct_status read_word(sct_products_reader *reader, const char *what, char word[SCT_SYMBOL]) {
    skip_blanks(reader);
    size_t length = strspn(reader->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789_");
    if (length == 0 || length >= SCT_SYMBOL)
        return expected(reader, what);
    memcpy(word, reader->at, length);
    word[length] = '\0';
    reader->at += length;
    return SCT_OK;
}

static sct_status read_matrix(sct_products_reader *reader, sct_text_factor *factor) {
    sct_status status = read_word(reader, "the name of a matrix", factor->name);
    if (status || !accept(reader, "["))
        return status;
    status = read_word(reader, "a number of rows", factor->rows);
    if (!status)
        status = expect(reader, ",", "a comma between rows and columns");
    if (!status)
        status = read_word(reader, "a number of columns", factor->cols);
    return status ? status : expect(reader, "]", "]");
}

static sct_status read_factor(sct_products_reader *reader, sct_text_factor *factor) {
    sct_status status = read_matrix(reader, factor);
    if (status)
        return status;
    factor->op = accept(reader, "'") || accept(reader, "^T") ? SCT_T
                 : accept(reader, "^H")                      ? SCT_C
                                                             : SCT_N;
    return SCT_OK;
}

static sct_status read_product(sct_products_reader *reader, sct_statement *statement) {
    sct_status status = read_factor(reader, &statement->factor[SCT_MAT_A]);
    if (!status)
        status = expect(reader, "*", "* and the second matrix");
    return status ? status : read_factor(reader, &statement->factor[SCT_MAT_B]);
}

static sct_status read_statement(sct_products_reader *reader, sct_statement *statement) {
    sct_text_factor *first = &statement->factor[SCT_MAT_C];
    *statement = (sct_statement){.kind = PRODUCT, .line = reader->line};
    sct_status status = read_matrix(reader, first);
    if (status)
        return status;
    if (accept(reader, "~")) {
        statement->kind = EQUAL;
        return read_matrix(reader, &statement->factor[SCT_MAT_A]);
    }
    statement->add = accept(reader, "+=");
    if (!statement->add && !accept(reader, "="))
        return expected(reader, "=, += or ~");
    skip_blanks(reader);
    if (!statement->add && !first->rows[0] && *reader->at >= '0' && *reader->at <= '9') {
        statement->kind = SIZE;
        return read_word(reader, "a number", statement->number);
    }
    return read_product(reader, statement);
}

/* Skips the ends of statements; false at the end of the text. */
static bool next(sct_products_reader *reader) {
    for (;; reader->at++) {
        skip_blanks(reader);
        if (*reader->at != ';' && *reader->at != '\n')
            return *reader->at != '\0';
        reader->line += *reader->at == '\n';
    }
}

static sct_status read_all(sct_products_reader *reader) {
    sct_status status = SCT_OK;
    while (!status && next(reader)) {
        sct_statement *list =
            sct_memory_grow(reader->list, reader->count, &reader->room, sizeof *list);
        if (!list)
            return sct_no_memory("a text of products");
        reader->list = list;
        status = read_statement(reader, &list[reader->count++]);
        skip_blanks(reader);
        if (!status && *reader->at != ';' && *reader->at != '\n' && *reader->at != '\0')
            status = expected(reader, "; or the end of the line");
    }
    return status;
}

/* ---- From statements to products ---- */

/* Names a size unless it has been given already. */
static sct_status name_size(sct_products *products, const char *name, const char *text) {
    int64_t size = 0;
    sct_status status = sct_text_number(&text, INT64_MAX, &size);
    if (!status && *text != '\0')
        status = sct_fail(SCT_BAD_ARGUMENT, "size %s: \"%s\" is no number", name, text);
    return status ? status : sct_products_size(products, name, size);
}

/* The sizes of the text that were not given beside it. */
static sct_status name_sizes(sct_products *products, const sct_products_reader *reader) {
    sct_status status = SCT_OK;
    int given = products->sizes;
    for (int i = 0; i < reader->count && !status; i++) {
        const sct_statement *statement = &reader->list[i];
        const char *name = statement->factor[SCT_MAT_C].name;
        int known = sct_products_find_size(products, name);
        if (statement->kind == SIZE && (known < 0 || known >= given))
            status = name_size(products, name, statement->number);
    }
    return status;
}

/* Names the matrix of a factor that has a shape, or checks that it has this one already. */
static sct_status shape_matrix(sct_products *products, const sct_text_factor *factor) {
    int known = sct_products_matrix_find(products, factor->name);
    if (!factor->rows[0])
        return SCT_OK;
    if (known < 0)
        return sct_products_matrix(products, factor->name, factor->rows, factor->cols);
    const sct_symbol *matrix = &products->matrix[known];
    char rows[SCT_SYMBOL], cols[SCT_SYMBOL];
    sct_writer row_writer = {rows, sizeof rows, 0}, col_writer = {cols, sizeof cols, 0};
    sct_extent_put(&row_writer, &matrix->rows);
    sct_extent_put(&col_writer, &matrix->cols);
    if (strcmp(rows, factor->rows) == 0 && strcmp(cols, factor->cols) == 0)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "%s has two shapes: [%s,%s] and [%s,%s]", factor->name, rows,
                    cols, factor->rows, factor->cols);
}

static sct_status shape_matrices(sct_products *products, const sct_products_reader *reader) {
    static const int order[SCT_MATS] = {SCT_MAT_C, SCT_MAT_A, SCT_MAT_B};
    sct_status status = SCT_OK;
    for (int i = 0; i < reader->count; i++)
        for (int j = 0; j < SCT_MATS && !status; j++)
            status = shape_matrix(products, &reader->list[i].factor[order[j]]);
    return status;
}

/* A matrix that has no shape by now is computed by no product before. */
static sct_status check_known(const sct_products *products, const char *name) {
    if (sct_products_matrix_find(products, name) >= 0)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT,
                    "no product before computes %s, so its shape is needed: %s[ROWS,COLS]", name,
                    name);
}

static sct_status add_product(sct_products *products, const sct_statement *statement) {
    const sct_text_factor *a = &statement->factor[SCT_MAT_A], *b = &statement->factor[SCT_MAT_B];
    sct_status status = check_known(products, a->name);
    if (!status)
        status = check_known(products, b->name);
    return status ? status
                  : sct_products_multiply(products, a->op, a->name, b->op, b->name, statement->add,
                                          statement->factor[SCT_MAT_C].name);
}

/* Statements of one kind, in their order. */
static sct_status add_statements(sct_products *products, const sct_products_reader *reader,
                                 int kind) {
    sct_status status = SCT_OK;
    for (int i = 0; i < reader->count && !status; i++) {
        const sct_statement *statement = &reader->list[i];
        if ((int)statement->kind != kind)
            continue;
        status = kind == PRODUCT ? add_product(products, statement)
                                 : sct_products_equal(products, statement->factor[SCT_MAT_C].name,
                                                      statement->factor[SCT_MAT_A].name);
        if (status && reader->line > 1) {
            char reason[SCT_REASON_BYTES];
            strcpy(reason, sct_last_reason());
            status = sct_fail(status, "line %d: %s", statement->line, reason);
        }
    }
    return status;
}

/* Reads "m=8192,h=12288". */
static sct_status read_sizes(sct_products *products, const char *sizes) {
    sct_products_reader reader = {.at = sizes, .line = 1};
    sct_status status = SCT_OK;
    for (bool more = sizes && *sizes; more && !status; more = accept(&reader, ",")) {
        char name[SCT_SYMBOL], number[SCT_SYMBOL];
        status = read_word(&reader, "the name of a size", name);
        if (!status)
            status = expect(&reader, "=", "= and a number");
        if (!status)
            status = read_word(&reader, "a number", number);
        if (!status)
            status = name_size(products, name, number);
    }
    return !status && reader.at && *reader.at ? expected(&reader, "a comma") : status;
}

static bool has_size(const sct_symbol *matrix, const char *name) {
    return strcmp(matrix->rows.name, name) == 0 || strcmp(matrix->cols.name, name) == 0;
}

/* A given size that no matrix has is a mistake. */
static sct_status check_sizes(const sct_products *products, int given) {
    for (int i = 0; i < given; i++) {
        const char *name = products->size[i].name;
        bool used = false;
        for (int j = 0; j < products->matrices; j++)
            used |= has_size(&products->matrix[j], name);
        if (!used)
            return sct_fail(SCT_BAD_ARGUMENT, "no matrix has the size %s", name);
    }
    return SCT_OK;
}

static sct_status parse(const char *text, const char *sizes, sct_products *products,
                        sct_products_reader *reader) {
    reader->at = text;
    reader->line = 1;
    sct_status status = read_sizes(products, sizes);
    int given = products->sizes;
    if (!status)
        status = read_all(reader);
    if (!status)
        status = name_sizes(products, reader);
    if (!status)
        status = shape_matrices(products, reader);
    if (!status)
        status = add_statements(products, reader, PRODUCT);
    if (!status)
        status = add_statements(products, reader, EQUAL);
    if (!status && products->count == 0)
        status = sct_fail(SCT_BAD_ARGUMENT, "there is no product in the text");
    return status ? status : check_sizes(products, given);
}

sct_status sct_products_parse(const char *text, const char *sizes, sct_products **products) {
    sct_products *made = NULL;
    sct_products_reader reader = {.count = 0};
    sct_status status = sct_check_given("the text of products", text);
    if (!status)
        status = sct_check_output("products", products);
    if (!status)
        status = sct_products_create(&made);
    if (status)
        return status;
    status = parse(text, sizes, made, &reader);
    free(reader.list);
    if (status)
        sct_products_destroy(made);
    else
        *products = made;
    return status;
}

/* ---- Writing ---- */

void sct_extent_put(sct_writer *writer, const sct_extent *extent) {
    if (extent->name[0])
        sct_writer_put(writer, "%s", extent->name);
    else
        sct_writer_put(writer, "%lld", (long long)extent->size);
}

static void put_shape(sct_writer *writer, const sct_symbol *matrix) {
    sct_writer_put(writer, "[");
    sct_extent_put(writer, &matrix->rows);
    sct_writer_put(writer, ",");
    sct_extent_put(writer, &matrix->cols);
    sct_writer_put(writer, "]");
}

/* The matrix of a product in the order in which it is written: C, A, B. */
static int named_at(const sct_products *products, int index, int place) {
    static const int order[SCT_MATS] = {SCT_MAT_C, SCT_MAT_A, SCT_MAT_B};
    return products->term[index].matrix[order[place]];
}

/* Whether no earlier place than this one names a matrix. */
static bool is_first(const sct_products *products, int index, int place) {
    int matrix = named_at(products, index, place);
    for (int i = 0; i <= index; i++)
        for (int j = 0; j < (i < index ? SCT_MATS : place); j++)
            if (named_at(products, i, j) == matrix)
                return false;
    return true;
}

/* Whether a result has the shape that its product gives it, by the same names. */
static bool follows(const sct_products *products, const sct_term *term) {
    const sct_symbol *c = &products->matrix[term->matrix[SCT_MAT_C]];
    sct_shape left = sct_products_operand(products, term->matrix[SCT_MAT_A], term->op[0]);
    sct_shape right = sct_products_operand(products, term->matrix[SCT_MAT_B], term->op[1]);
    return sct_extent_equal(&c->rows, left.rows) && sct_extent_equal(&c->cols, right.cols);
}

static void put_factor(sct_writer *writer, const sct_products *products, int index, int place) {
    const sct_term *term = &products->term[index];
    const sct_symbol *symbol = &products->matrix[named_at(products, index, place)];
    sct_op op = place > 0 ? term->op[place - 1] : SCT_N;
    sct_writer_put(writer, "%s", symbol->name);
    if (is_first(products, index, place) && (place > 0 || !follows(products, term)))
        put_shape(writer, symbol);
    sct_writer_put(writer, "%s", op == SCT_N ? "" : op == SCT_T ? "'" : "^H");
}

/* A matrix has the layout of the first one that is named of those with this layout. */
static void put_equal(sct_writer *writer, const sct_products *products, int index, int place) {
    int matrix = named_at(products, index, place), root = sct_products_root(products, matrix);
    for (int i = 0; i <= index && is_first(products, index, place); i++)
        for (int j = 0; j < (i < index ? SCT_MATS : place); j++) {
            int other = named_at(products, i, j);
            if (sct_products_root(products, other) != root)
                continue;
            sct_writer_put(writer, "; %s ~ %s", products->matrix[matrix].name,
                           products->matrix[other].name);
            return;
        }
}

size_t sct_products_print(const sct_products *products, char *text, size_t bytes) {
    sct_writer writer = {text, bytes, 0};
    const char *between = "";
    if (bytes > 0)
        text[0] = '\0';
    for (int i = 0; i < products->sizes; i++, between = "; ")
        sct_writer_put(&writer, "%s%s = %lld", between, products->size[i].name,
                       (long long)products->size[i].size);
    for (int i = 0; i < products->count; i++, between = "; ") {
        sct_writer_put(&writer, "%s", between);
        put_factor(&writer, products, i, 0);
        sct_writer_put(&writer, products->term[i].add ? " += " : " = ");
        put_factor(&writer, products, i, 1);
        sct_writer_put(&writer, " * ");
        put_factor(&writer, products, i, 2);
    }
    for (int i = 0; i < products->count; i++)
        for (int place = 0; place < SCT_MATS; place++)
            put_equal(&writer, products, i, place);
    return writer.length;
}
