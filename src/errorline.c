/* errorline.c - see errorline.h. */
#include "errorline.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"

#define LOOK 16384u /* bytes at the end */

/* "lua5.4: " or "/usr/bin/lua: ": a word with "lua" in it, a colon, a blank. */
static bool is_message(const char *line) {
    const char *colon = strstr(line, ": ");
    const char *lua = strstr(line, "lua");
    return lua && colon && lua < colon && !memchr(line, ' ', (size_t)(colon - line));
}

/* Cuts the text's last line that is not empty off and returns it; NULL: there is none. */
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
    if (!line || (!trace && !is_message(line))) return false;
    format_text(out, size, line, 0);
    return true;
}
