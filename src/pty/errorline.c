/* errorline.c - reads the last 16 KiB, cuts a traceback off, and takes the last line that is not
 * empty; without a traceback it must begin like a message of lua.c. */
#include "pty/errorline.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"

#define LOOK 16384u /* bytes at the end */

/* Returns true for a line that begins with "lua5.4: " or "/usr/bin/lua: ": a command of that name,
 * a colon, a blank. */
static bool is_message(const char *line) {
    size_t word = strcspn(line, " ");
    const char *name = memrchr(line, '/', word);
    name = name ? name + 1 : line;
    return word > 0 && line[word - 1] == ':' && line[word] && strncmp(name, "lua", 3) == 0;
}

/* Returns true for a line of a traceback, or its heading: an error in the handler of an error has a
 * traceback of its own. */
static bool is_trace(const char *line) {
    return line[0] == '\t' || strncmp(line, "stack traceback:", 16) == 0;
}

/* Cuts off the text's last line that is not empty and returns it; NULL: there is none. */
static char *last_line(char *text) {
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
        text[--n] = 0;
    if (n == 0) return NULL;
    char *newline = strrchr(text, '\n');
    if (!newline) return text;
    *newline = 0;
    return newline + 1;
}

bool errorline_find(int fd, uint64_t from, char *out, size_t size) {
    char text[LOOK + 1];
    struct stat st;
    out[0] = 0;
    if (fstat(fd, &st) != 0 || (uint64_t)st.st_size <= from) return false;
    uint64_t end = (uint64_t)st.st_size, at = end - from > LOOK ? end - LOOK : from;
    ssize_t n = pread(fd, text, (size_t)(end - at), (off_t)at);
    if (n <= 0) return false;
    for (ssize_t i = 0; i < n; i++)
        if (!text[i]) text[i] = ' ';
    text[n] = 0;
    char *trace = NULL;
    for (char *t = text; (t = strstr(t, "\nstack traceback:")); t++)
        trace = t;
    if (trace) *trace = 0;
    const char *line = last_line(text);
    while (trace && line && is_trace(line))
        line = last_line(text);
    if (!line || (!trace && !is_message(line))) return false;
    format_text(out, size, line, 0);
    return true;
}
