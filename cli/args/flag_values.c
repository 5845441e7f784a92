/* flag_values.c - parses the values of flags. */
#include "args/flags.h"

#include <string.h>

/* True if the list has the item. */
static bool contains(const struct list *list, const union item *item) {
    for (int i = 0; i < list->count; i++)
        if (memcmp(&list->item[i], item, sizeof *item) == 0)
            return true;
    return false;
}

/* Parses a list, each item by `each`, and drops duplicates. False if an item is not allowed or too
 * long, or if there are too many. */
static bool list_parse(const struct flag *flag, const char *text, struct list *list,
                       bool (*each)(const struct flag *flag, const char *text, void *to)) {
    const char *mark = strchr(text, ';') ? ";" : ",";
    struct list read = {.count = 0};
    for (bool more = true; more;) {
        char word[LIST_WORD];
        union item item;
        size_t length = strcspn(text, mark);
        if (read.count == LIST_ITEMS || length >= sizeof word)
            return false;
        memcpy(word, text, length);
        word[length] = '\0';
        memset(&item, 0, sizeof item);
        if (!each(flag, word, &item))
            return false;
        if (!contains(&read, &item))
            read.item[read.count++] = item;
        more = text[length] == *mark && (*mark == ',' || text[length + 1] != '\0');
        text += length + 1;
    }
    *list = read;
    return true;
}

bool value_whole(const struct flag *flag, const char *text, void *to) {
    return number_whole(text, flag->low, flag->high, to);
}

bool value_bytes(const struct flag *flag, const char *text, void *to) {
    (void)flag;
    return number_bytes(text, to);
}

bool value_limit(const struct flag *flag, const char *text, void *to) {
    bool none = strcmp(text, "none") == 0;
    if (none)
        *(int64_t *)to = NO_LIMIT;
    return none || value_bytes(flag, text, to);
}

/* The place of a text among "one|two|three"; adds the number of choices if it is none of them. */
static bool find_choice(const char *choices, const char *text, int64_t *index) {
    size_t length = strlen(text);
    for (const char *at = choices;; at++) {
        size_t choice = strcspn(at, "|");
        if (choice == length && memcmp(at, text, length) == 0)
            return true;
        ++*index;
        at += choice;
        if (*at == '\0')
            return false;
    }
}

bool value_choice(const struct flag *flag, const char *text, void *to) {
    int64_t index = 0;
    bool found = find_choice(flag->value, text, &index);
    if (found)
        *(int64_t *)to = index;
    return found;
}

bool value_engine(const struct flag *flag, const char *text, void *to) {
    struct args *args = (struct args *)((char *)to - offsetof(struct args, engine));
    if (value_choice(flag, text, to))
        return true;
    args->engine = ENGINE_OTHER;
    args->other_engine = text;
    return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz")];
}

/* The name that a type has here, of one that it has in NumPy. */
static const char *type_name(const char *text) {
    static const char *const names[][2] = {
        {"float32", "f32"},    {"f4", "f32"},  {"float64", "f64"},     {"f8", "f64"},
        {"complex64", "cf32"}, {"c8", "cf32"}, {"complex128", "cf64"}, {"c16", "cf64"},
        {"float16", "f16"},    {"f2", "f16"},  {"bfloat16", "bf16"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i][0]) == 0)
            return names[i][1];
    return text;
}

bool value_type(const struct flag *flag, const char *text, void *to) {
    return value_choice(flag, type_name(text), to);
}

bool value_ops(const struct flag *flag, const char *text, void *to) {
    static const char letters[] = "NTC";
    sct_op *ops = to;
    if (strlen(text) != (size_t)flag->low || strspn(text, letters) != (size_t)flag->low)
        return false;
    for (int64_t i = 0; i < flag->low; i++)
        ops[i] = (sct_op)(strchr(letters, text[i]) - letters);
    return true;
}

bool value_shape(const struct flag *flag, const char *text, void *to) {
    struct shape shape;
    (void)flag;
    if (!number_digits(&text, &shape.m) || *text++ != 'x' || !number_digits(&text, &shape.n) ||
        *text++ != 'x' || !number_digits(&text, &shape.k) || *text != '\0')
        return false;
    *(struct shape *)to = shape;
    return true;
}

bool value_view(const struct flag *flag, const char *text, void *to) {
    struct view view = {.given = true};
    (void)flag;
    if (!number_digits(&text, &view.rows) || *text++ != 'x' || !number_digits(&text, &view.cols) ||
        *text++ != '+' || !number_digits(&text, &view.row) || *text++ != '+' ||
        !number_digits(&text, &view.col) || *text != '\0')
        return false;
    *(struct view *)to = view;
    return true;
}

bool value_scalar(const struct flag *flag, const char *text, void *to) {
    struct scalar scalar = {.given = true};
    (void)flag;
    if (!number_scalar(text, &scalar.number))
        return false;
    *(struct scalar *)to = scalar;
    return true;
}

bool value_text(const struct flag *flag, const char *text, void *to) {
    (void)flag;
    if (*text == '\0')
        return false;
    *(const char **)to = text;
    return true;
}

bool value_texts(const struct flag *flag, const char *text, void *to) {
    const char **texts = to;
    int given = 0;
    while (texts[given])
        given++;
    return given < EXPORTS && value_text(flag, text, &texts[given]);
}

bool value_file(const struct flag *flag, const char *text, void *to) {
    return strcmp(text, "-") != 0 && value_text(flag, text, to);
}

/* A list is cut at its commas, also at those within a layout. False for what then stands behind
 * such a comma: a number, or a value that has a name. */
static bool begins_layout(const char *text) {
    return strncmp(text, "2d", 2) == 0 ||
           (!strchr("0123456789", *text) && strncmp(text, "src=", 4) != 0 &&
            strncmp(text, "first=", 6) != 0);
}

/* An item of a list of layouts, which is copied. */
static bool value_layout(const struct flag *flag, const char *text, void *to) {
    (void)flag;
    memcpy(to, text, strlen(text) + 1);
    return *text != '\0' && begins_layout(text);
}

bool value_shapes(const struct flag *flag, const char *text, void *to) {
    return list_parse(flag, text, to, value_shape);
}

bool value_layouts(const struct flag *flag, const char *text, void *to) {
    return list_parse(flag, text, to, value_layout);
}

bool value_wholes(const struct flag *flag, const char *text, void *to) {
    return list_parse(flag, text, to, value_whole);
}

bool value_choices(const struct flag *flag, const char *text, void *to) {
    return list_parse(flag, text, to, value_choice);
}

bool value_fixed(const struct flag *flag, const char *text, void *to) {
    const char **fixed = to;
    (void)flag;
    for (;;) {
        const char *matrix = *text != '\0' ? strchr("abc", *text) : NULL;
        size_t length = matrix && text[1] == '=' ? args_fixed_length(text + 2) : 0;
        if (length == 0 || fixed[*matrix - 'a'])
            return false;
        fixed[*matrix - 'a'] = text + 2;
        text += 2 + length;
        if (*text++ == '\0')
            return true;
    }
}

bool value_switch(const struct flag *flag, const char *text, void *to) {
    (void)flag;
    (void)text;
    *(bool *)to = true;
    return true;
}
