/* value_list.c - parses lists of values. */
#include "args/value_list.h"

#include <string.h>

/* True if the list has the item. */
static bool contains(const struct list *list, const union item *item) {
    for (int i = 0; i < list->count; i++)
        if (memcmp(&list->item[i], item, sizeof *item) == 0)
            return true;
    return false;
}

bool list_parse(const struct flag *flag, const char *text, struct list *list,
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
