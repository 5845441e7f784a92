/* decisions.c - decisions as text, such as nest=kmn,k=384,gather=bk,begin=shifted+own+own,ahead=4.
 */
#include "plan/plan.h"

#include "base/status.h"
#include "base/text.h"

#include <string.h>

static const char dim_letters[SCT_DIMS + 1] = "mkn", matrix_letters[SCT_MATS + 1] = "abc";
enum { BEGINS = SCT_BEGIN_HALFWAY + 1 };
static const char *const begins[BEGINS] = {"first", "shifted", "own", "behind", "halfway"};

sct_status sct_decisions_check(const sct_decisions *decisions) {
    int seen = 0;
    if (decisions->size != sizeof *decisions)
        return sct_fail(SCT_BAD_ARGUMENT, "decisions: a size of %zu bytes, not %zu",
                        decisions->size, sizeof *decisions);
    for (int i = 0; i < SCT_DIMS; i++) {
        if (decisions->nest[i] < 0 || decisions->nest[i] >= SCT_DIMS)
            return sct_fail(SCT_BAD_ARGUMENT, "decisions: nest: %d is no dimension",
                            decisions->nest[i]);
        seen |= 1 << decisions->nest[i];
        if (decisions->most[i] < 0)
            return sct_fail(SCT_BAD_ARGUMENT, "decisions: a piece of %lld indices of %c",
                            (long long)decisions->most[i], dim_letters[i]);
        if ((unsigned)decisions->begin[i] >= BEGINS)
            return sct_fail(SCT_BAD_ARGUMENT, "decisions: begin: %d is not between 0 and %d",
                            (int)decisions->begin[i], BEGINS - 1);
    }
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        if (decisions->blocks[matrix] < 0)
            return sct_fail(SCT_BAD_ARGUMENT, "decisions: a slice of %lld blocks of %c",
                            (long long)decisions->blocks[matrix], matrix_letters[matrix]);
    if (seen != (1 << SCT_DIMS) - 1)
        return sct_fail(SCT_BAD_ARGUMENT, "decisions: nest: a dimension is missing");
    if (decisions->ahead < 0 || decisions->ahead > SCT_MOST_AHEAD)
        return sct_fail(SCT_BAD_ARGUMENT, "decisions: ahead: %d is not between 0 and %d",
                        decisions->ahead, SCT_MOST_AHEAD);
    return SCT_OK;
}

/* ---- Printing ---- */

static void put_gathered(sct_writer *writer, const sct_decisions *decisions) {
    const char *before = ",gather=";
    for (int dim = 0; dim < SCT_DIMS; dim++)
        for (int side = 0; side < 2; side++) {
            if (!decisions->gather[dim][side])
                continue;
            sct_writer_put(writer, "%s%c%c", before, matrix_letters[sct_dim_matrix(dim, side)],
                           dim_letters[dim]);
            before = "+";
        }
}

size_t sct_decisions_print(const sct_decisions *decisions, char *text, size_t bytes) {
    sct_writer writer = {text, bytes, 0};
    sct_writer_put(&writer, "nest=");
    for (int i = 0; i < SCT_DIMS; i++)
        sct_writer_put(&writer, "%c", dim_letters[decisions->nest[i]]);
    for (int dim = 0; dim < SCT_DIMS; dim++)
        if (decisions->most[dim])
            sct_writer_put(&writer, ",%c=%lld", dim_letters[dim], (long long)decisions->most[dim]);
    put_gathered(&writer, decisions);
    for (int dim = 0; dim < SCT_DIMS; dim++)
        sct_writer_put(&writer, "%s%s", dim ? "+" : ",begin=", begins[decisions->begin[dim]]);
    if (decisions->blocks[SCT_MAT_A] || decisions->blocks[SCT_MAT_B])
        sct_writer_put(&writer, ",blocks=%lld+%lld", (long long)decisions->blocks[SCT_MAT_A],
                       (long long)decisions->blocks[SCT_MAT_B]);
    if (decisions->ahead)
        sct_writer_put(&writer, ",ahead=%d", decisions->ahead);
    return writer.length;
}

/* ---- Parsing ---- */

static int letter_of(const char *letters, char letter) {
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? (int)(at - letters) : -1;
}

static bool parse_nest(const char *value, sct_decisions *decisions) {
    bool good = strlen(value) == SCT_DIMS;
    for (int i = 0; i < SCT_DIMS && good; i++)
        good = (decisions->nest[i] = letter_of(dim_letters, value[i])) >= 0;
    return good;
}

static bool parse_gather(const char *value, sct_decisions *decisions) {
    for (;; value += 3) {
        int matrix = letter_of(matrix_letters, value[0]);
        int dim = matrix >= 0 ? letter_of(dim_letters, value[1]) : -1;
        if (dim < 0 || !sct_matrix_has(matrix, dim))
            return false;
        decisions->gather[dim][sct_matrix_side(matrix, dim)] = 1;
        if (value[2] != '+')
            return value[2] == '\0';
    }
}

static bool parse_begin(const char *value, sct_decisions *decisions) {
    for (int dim = 0; dim < SCT_DIMS; dim++) {
        size_t length = strcspn(value, "+");
        int found = -1;
        for (int i = 0; i < BEGINS; i++)
            if (strlen(begins[i]) == length && memcmp(begins[i], value, length) == 0)
                found = i;
        if (found < 0 || (value[length] == '\0') != (dim == SCT_DIMS - 1))
            return false;
        decisions->begin[dim] = (sct_begin)found;
        value += length + 1;
    }
    return true;
}

static sct_status malformed(const char *item) {
    static const struct {
        const char *key, *takes;
    } items[] = {
        {"nest=", "m, k and n in any order, such as kmn"},
        {"m=", "a number"},
        {"k=", "a number"},
        {"n=", "a number"},
        {"gather=", "a matrix and one of its dimensions, or several such pairs: am+bk"},
        {"begin=", "first, shifted, own, behind or halfway, of m, k and n: own+first+first"},
        {"blocks=", "two numbers, of A and of B, such as 8+0"},
        {"ahead=", "a number"},
    };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (strncmp(item, items[i].key, strlen(items[i].key)) == 0)
            return sct_fail(SCT_BAD_ARGUMENT, "decisions: \"%s\": %s takes %s", item, items[i].key,
                            items[i].takes);
    return sct_fail(SCT_BAD_ARGUMENT,
                    "decisions: \"%s\" is none of nest=, m=, k=, n=, gather=, begin=, blocks=, "
                    "ahead=",
                    item);
}

static sct_status parse_count(const char *item, const char *value, int64_t most, int64_t *count) {
    const char *end = value;
    sct_status status = sct_text_number(&end, most, count);
    return end == value || *end != '\0' ? malformed(item) : status;
}

/* Two numbers: of A, and of B. */
static sct_status parse_blocks(const char *item, const char *value, int64_t blocks[2]) {
    const char *end = value;
    sct_status status = sct_text_number(&end, INT64_MAX, &blocks[SCT_MAT_A]);
    if (status)
        return status;
    return end > value && *end == '+' ? parse_count(item, end + 1, INT64_MAX, &blocks[SCT_MAT_B])
                                      : malformed(item);
}

static sct_status parse_item(const char *item, sct_decisions *decisions) {
    const char *value = item;
    int dim = letter_of(dim_letters, item[0]);
    if (dim >= 0 && item[1] == '=')
        return parse_count(item, item + 2, INT64_MAX, &decisions->most[dim]);
    if (sct_text_accept(&value, "blocks="))
        return parse_blocks(item, value, decisions->blocks);
    if (sct_text_accept(&value, "ahead=")) {
        int64_t ahead = 0;
        sct_status status = parse_count(item, value, SCT_MOST_AHEAD, &ahead);
        decisions->ahead = (int)ahead;
        return status;
    }
    bool right = (sct_text_accept(&value, "nest=") && parse_nest(value, decisions)) ||
                 (sct_text_accept(&value, "gather=") && parse_gather(value, decisions)) ||
                 (sct_text_accept(&value, "begin=") && parse_begin(value, decisions));
    return right ? SCT_OK : malformed(item);
}

sct_status sct_decisions_parse(const char *text, sct_decisions *decisions) {
    enum { LONGEST = 100 };
    sct_decisions parsed = {.size = sizeof parsed, .nest = {SCT_DIM_K, SCT_DIM_M, SCT_DIM_N}};
    sct_status status = sct_check_given("the text of decisions", text);
    if (!status)
        status = sct_check_output("decisions", decisions);
    for (size_t length; !status && text; text = text[length] ? text + length + 1 : NULL) {
        char item[LONGEST];
        length = strcspn(text, ",");
        if (length >= LONGEST)
            return sct_fail(SCT_BAD_ARGUMENT, "decisions: \"%.20s...\" is too long", text);
        memcpy(item, text, length);
        item[length] = '\0';
        status = parse_item(item, &parsed);
    }
    if (!status)
        status = sct_decisions_check(&parsed);
    if (!status)
        *decisions = parsed;
    return status;
}
