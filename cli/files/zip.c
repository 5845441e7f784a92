/* zip.c - finds and unpacks the members of .zip archives.
 *
 * An archive ends with a record that says where its directory is; the directory has an entry for
 * each member. Large archives (zip64) have a second such record before, and large numbers in an
 * extra field of an entry. Nothing of an archive is trusted: each number is checked against its
 * size. */
#include "files/zip.h"

#include "output/spool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Sizes of the fixed parts of records, and the limit for a directory. */
enum { END = 22, LOCATOR = 20, END64 = 56, ENTRY = 46, LOCAL = 30, MOST_COMMENT = 0xffff };
enum { MOST_DIRECTORY = 1 << 26, CHUNK = 1 << 16 };

/* What stands for a number that is in the extra field. */
enum { SMALL = 0xffff };
static const uint64_t large = 0xffffffff;

struct directory {
    unsigned char *entries;
    size_t bytes;
};

static uint64_t number(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = bytes; i > 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

static bool is(const unsigned char *at, const char *mark) {
    return memcmp(at, mark, 4) == 0;
}

/* Reads exactly these bytes. */
static bool load(int fd, void *to, size_t bytes, uint64_t at, char *why) {
    ssize_t got = at > PTRDIFF_MAX ? 0 : spool_read(fd, to, bytes, (size_t)at);
    if (got < 0)
        return refuse(why, "it cannot be read: %s", strerror(errno));
    return (size_t)got == bytes || refuse(why, "it is a damaged .npz archive: it is cut short");
}

/* Finds the record at the end of the archive, in the last bytes of the file. Its mark may also
 * occur elsewhere, but its comment ends where the file does. NULL: there is none. */
static const unsigned char *find_end(const unsigned char *tail, size_t length) {
    for (size_t left = END; left <= length; left++) {
        const unsigned char *at = tail + length - left;
        if (is(at, "PK\5\6") && number(at + 20, 2) == left - END)
            return at;
    }
    return NULL;
}

/* Takes the place of the directory from the record of a large archive. */
static bool read_end64(int fd, uint64_t end, uint64_t *at, uint64_t *bytes, char *why) {
    unsigned char locator[LOCATOR], record[END64];
    if (end < LOCATOR || !load(fd, locator, LOCATOR, end - LOCATOR, why) ||
        !is(locator, "PK\6\7") || !load(fd, record, END64, number(locator + 8, 8), why) ||
        !is(record, "PK\6\6"))
        return refuse(why, "it is a damaged .npz archive: the place of its directory is missing");
    *bytes = number(record + 40, 8);
    *at = number(record + 48, 8);
    return true;
}

/* Finds where the directory is, and how long. */
static bool find_directory(int fd, size_t size, unsigned char *tail, uint64_t *at, uint64_t *bytes,
                           char *why) {
    size_t length = size < END + MOST_COMMENT ? size : END + MOST_COMMENT;
    if (!load(fd, tail, length, size - length, why))
        return false;
    const unsigned char *end = find_end(tail, length);
    if (!end)
        return refuse(why, "it is a damaged .npz archive: it has no directory");
    *bytes = number(end + 12, 4);
    *at = number(end + 16, 4);
    if (number(end + 10, 2) != SMALL && *bytes != large && *at != large)
        return true;
    return read_end64(fd, size - length + (size_t)(end - tail), at, bytes, why);
}

/* Reads the directory. The caller frees its entries, also on failure. */
static bool read_directory(int fd, size_t size, struct directory *directory, char *why) {
    uint64_t at = 0, bytes = 0;
    unsigned char *tail = malloc(END + MOST_COMMENT);
    bool found = tail ? find_directory(fd, size, tail, &at, &bytes, why)
                      : refuse(why, "there is no memory to read it");
    free(tail);
    if (!found)
        return false;
    if (bytes > MOST_DIRECTORY || bytes > size || at > size - bytes)
        return refuse(why, "it is a damaged .npz archive: its directory lies outside");
    directory->bytes = (size_t)bytes;
    directory->entries = malloc(directory->bytes + 1);
    if (!directory->entries)
        return refuse(why, "there is no memory to read it");
    return load(fd, directory->entries, directory->bytes, at, why);
}

/* The size of the entry at `at`; 0 if it does not fit. */
static size_t entry_size(const struct directory *directory, size_t at) {
    const unsigned char *entry = directory->entries + at;
    size_t left = directory->bytes - at;
    if (left < ENTRY || !is(entry, "PK\1\2"))
        return 0;
    size_t size =
        ENTRY + (size_t)(number(entry + 28, 2) + number(entry + 30, 2) + number(entry + 32, 2));
    return size <= left ? size : 0;
}

/* True if an entry has this name, followed by this ending. */
static bool has_name(const unsigned char *entry, const char *name, const char *ending) {
    size_t length = strlen(name), all = length + strlen(ending);
    const char *text = (const char *)entry + ENTRY;
    return number(entry + 28, 2) == all && memcmp(text, name, length) == 0 &&
           memcmp(text + length, ending, all - length) == 0;
}

/* Finds the entry of a name, and counts those that have it. */
static int find_entry(const struct directory *directory, const char *name, const char *ending,
                      const unsigned char **entry) {
    int count = 0;
    for (size_t at = 0, size; (size = entry_size(directory, at)) > 0; at += size)
        if (has_name(directory->entries + at, name, ending)) {
            *entry = directory->entries + at;
            count++;
        }
    return count;
}

/* Takes the next large number of the extra field, if `value` stands for one. */
static bool take_large(const unsigned char **at, const unsigned char *end, uint64_t *value) {
    if (*value != large)
        return true;
    if (end - *at < 8)
        return false;
    *value = number(*at, 8);
    *at += 8;
    return true;
}

/* Replaces the numbers that stand for large ones. */
static bool read_extra(const unsigned char *entry, uint64_t *bytes, uint64_t *stored,
                       uint64_t *offset) {
    const unsigned char *at = entry + ENTRY + number(entry + 28, 2);
    const unsigned char *end = at + number(entry + 30, 2);
    while (end - at >= 4) {
        const unsigned char *next = at + 4 + number(at + 2, 2);
        if (next > end)
            return false;
        const unsigned char *field = at + 4;
        if (number(at, 2) == 1)
            return take_large(&field, next, bytes) && take_large(&field, next, stored) &&
                   take_large(&field, next, offset);
        at = next;
    }
    return *bytes != large && *stored != large && *offset != large;
}

/* Compares the name before a member with that in the directory, because some programs read the one
 * and some the other. */
static bool check_local_name(int fd, const unsigned char *entry, const unsigned char *local,
                             uint64_t offset, char *why) {
    size_t length = (size_t)number(entry + 28, 2);
    char name[UINT16_MAX];
    if (number(local + 26, 2) == length) {
        if (!load(fd, name, length, offset + LOCAL, why))
            return false;
        if (memcmp(name, entry + ENTRY, length) == 0)
            return true;
    }
    return refuse(why, "it is a damaged .npz archive: its directory has another name for a member "
                       "than the member itself");
}

static bool read_entry(int fd, size_t size, const unsigned char *entry, struct zip_member *member,
                       char *why) {
    assert(entry);
    unsigned char local[LOCAL];
    uint64_t method = number(entry + 10, 2);
    uint64_t stored = number(entry + 20, 4), bytes = number(entry + 24, 4);
    uint64_t offset = number(entry + 42, 4);
    if (number(entry + 8, 2) & 1)
        return refuse(why, "it is encrypted");
    if (method != 0 && method != 8)
        return refuse(why, "it is packed by method %d, neither stored nor deflated", (int)method);
    if (!read_extra(entry, &bytes, &stored, &offset))
        return refuse(why, "it is a damaged .npz archive: its sizes are missing");
    if (!load(fd, local, LOCAL, offset, why))
        return false;
    uint64_t at = offset + LOCAL + number(local + 26, 2) + number(local + 28, 2);
    if (!is(local, "PK\3\4") || at > size || stored > size - at || bytes > PTRDIFF_MAX ||
        (method == 0 && stored != bytes))
        return refuse(why, "it is a damaged .npz archive: its member lies outside");
    if (!check_local_name(fd, entry, local, offset, why))
        return false;
    *member = (struct zip_member){.packed = method == 8,
                                  .check = (uint32_t)number(entry + 16, 4),
                                  .at = (size_t)at,
                                  .stored = (size_t)stored,
                                  .bytes = (size_t)bytes};
    return true;
}

/* Says which members there are, as far as there is room, in place of bytes that cannot be printed.
 */
static bool refuse_name(const struct directory *directory, const char *name, char *why) {
    char text[WHY_BYTES / 2];
    size_t length = 0;
    for (size_t at = 0, size; (size = entry_size(directory, at)) > 0; at += size) {
        const unsigned char *entry = directory->entries + at;
        size_t named = (size_t)number(entry + 28, 2);
        if (named + 5 > sizeof text - length) {
            memcpy(text + length, "... ", 4);
            length += 4;
            break;
        }
        for (size_t i = 0; i < named; i++) {
            unsigned char byte = entry[ENTRY + i];
            text[length++] = byte >= ' ' && byte <= '~' ? (char)byte : '?';
        }
        text[length++] = ' ';
    }
    if (length == 0)
        return refuse(why, "it is a .npz archive without members");
    text[length - 1] = '\0';
    if (name[0] == '\0')
        return refuse(
            why, "it is a .npz archive; write :NAME after it, with one of its members: %s", text);
    return refuse(why, "it has no member '%.100s'; it has: %s", name, text);
}

/* As in NumPy, `name` itself is preferred to `name`.npy. If two members have the same name, the
 * archive is refused, because programs disagree on which of the two to read. */
static bool find_member(const struct directory *directory, const char *name,
                        const unsigned char **entry, char *why) {
    int count = name[0] == '\0' ? 0 : find_entry(directory, name, "", entry);
    if (count == 0 && name[0] != '\0')
        count = find_entry(directory, name, ".npy", entry);
    if (count > 1)
        return refuse(why, "it has %d members '%.100s'", count, name);
    return count == 1 || refuse_name(directory, name, why);
}

bool zip_find(int fd, size_t size, const char *name, struct zip_member *member,
              char why[WHY_BYTES]) {
    struct directory directory = {.entries = NULL};
    const unsigned char *entry = NULL;
    bool found = read_directory(fd, size, &directory, why) &&
                 find_member(&directory, name, &entry, why) &&
                 read_entry(fd, size, entry, member, why);
    free(directory.entries);
    return found;
}

bool zip_check(int fd, const struct zip_member *member, zip_taken *taken, void *context,
               char why[WHY_BYTES]) {
    unsigned char *chunk = malloc(CHUNK);
    uLong check = 0;
    bool good = chunk || refuse(why, "there is no memory to read it");
    for (size_t at = 0, bytes; good && at < member->stored; at += bytes) {
        bytes = member->stored - at < CHUNK ? member->stored - at : CHUNK;
        good = load(fd, chunk, bytes, member->at + at, why);
        if (good)
            check = crc32(check, chunk, (uInt)bytes);
        if (taken)
            taken(context, (int64_t)bytes);
    }
    free(chunk);
    return good && (check == member->check || refuse(why, "it is damaged: its check sum is wrong"));
}

/* A member that is being unpacked. The window holds the last output, to which the packed data refer
 * back; so zlib allocates no memory of its own. */
struct unpacking {
    const struct zip_member *member;
    int from, to;
    unsigned char *start; /* where the first bytes go instead of a file; NULL: all go to the file */
    size_t most;          /* of these bytes */
    size_t read, made;    /* bytes read and written */
    zip_taken *taken;
    void *context;
    uLong check;
    bool failed; /* a file; `why` says it */
    char *why;
    unsigned char input[CHUNK], window[1 << MAX_WBITS];
};

/* Reads the next chunk for zlib. Returns its size; 0 makes zlib stop. */
static unsigned take(void *context, z_const unsigned char **input) {
    struct unpacking *now = context;
    size_t left = now->member->stored - now->read, bytes = left < CHUNK ? left : CHUNK;
    now->failed = !load(now->from, now->input, bytes, now->member->at + now->read, now->why);
    now->read += bytes;
    if (now->taken)
        now->taken(now->context, (int64_t)bytes);
    *input = now->input;
    return now->failed ? 0 : (unsigned)bytes;
}

/* Keeps the first bytes. Returns 0 until there are enough. */
static int put_start(struct unpacking *now, const unsigned char *output, size_t bytes) {
    size_t kept = bytes < now->most - now->made ? bytes : now->most - now->made;
    memcpy(now->start + now->made, output, kept);
    now->made += kept;
    return now->made == now->most;
}

/* Writes what zlib has unpacked. Returns 0; any other value makes zlib stop. */
static int put(void *context, unsigned char *output, unsigned bytes) {
    struct unpacking *now = context;
    if (now->start)
        return put_start(now, output, bytes);
    now->check = crc32(now->check, output, bytes);
    now->made += bytes;
    if (now->made > now->member->bytes)
        return 1;
    if (spool_write(now->to, output, bytes))
        return 0;
    spool_refuse(now->why, errno);
    now->failed = true;
    return 1;
}

/* Unpacks, as far as `put` goes on. False if there is no memory. */
static bool inflate_member(struct unpacking *now, bool *ended) {
    z_stream stream = {.next_in = NULL};
    if (inflateBackInit(&stream, MAX_WBITS, now->window) != Z_OK)
        return false;
    *ended = inflateBack(&stream, take, now, put, now) == Z_STREAM_END;
    inflateBackEnd(&stream);
    return true;
}

static struct unpacking *begin(int fd, const struct zip_member *member, char *why) {
    struct unpacking *now = calloc(1, sizeof *now);
    if (now) {
        now->member = member;
        now->from = fd;
        now->why = why;
    }
    return now;
}

static bool refuse_memory(struct unpacking *now, char *why) {
    free(now);
    return refuse(why, "there is no memory to unpack it");
}

bool zip_peek(int fd, const struct zip_member *member, void *start, size_t most, size_t *length,
              char why[WHY_BYTES]) {
    bool ended;
    *length = most < member->bytes ? most : member->bytes;
    if (!member->packed || *length == 0)
        return load(fd, start, *length, member->at, why);
    struct unpacking *now = begin(fd, member, why);
    if (!now)
        return refuse_memory(now, why);
    now->start = start;
    now->most = *length;
    if (!inflate_member(now, &ended))
        return refuse_memory(now, why);
    bool good = now->made == *length ||
                (!now->failed && refuse(why, "it is damaged: it cannot be unpacked"));
    free(now);
    return good;
}

bool zip_unpack(int fd, const struct zip_member *member, int to, zip_taken *taken, void *context,
                char why[WHY_BYTES]) {
    bool ended;
    struct unpacking *now = begin(fd, member, why);
    if (!now)
        return refuse_memory(now, why);
    now->to = to;
    now->taken = taken;
    now->context = context;
    if (!inflate_member(now, &ended))
        return refuse_memory(now, why);
    bool whole = ended && now->made == member->bytes && now->check == member->check;
    bool good = whole || (!now->failed && refuse(why, "it is damaged: it cannot be unpacked"));
    free(now);
    return good;
}
