/* shellwords.c - appends a word as it is if it is plain, else in single quotes. Words with control
 * characters or bytes beyond ASCII are refused. */
#include "command/shellwords.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"

static bool is_shown(const char *word) {
    for (const char *c = word; *c; c++)
        if (iscntrl((unsigned char)*c) || (unsigned char)*c >= 0x80) return false;
    return true;
}

bool shellwords_add(char *line, size_t size, const char *word) {
    size_t start = strlen(line), used = start;
    const char *blank = start ? " " : "";
    if (!is_shown(word)) return false;
    if (format_plain_word(word)) {
        int n = snprintf(line + used, size - used, "%s%s", blank, word);
        if (n >= 0 && (size_t)n < size - used) return true;
        line[start] = 0;
        return false;
    }
    /* each ' becomes '\'' */
    size_t quotes = 0;
    for (const char *c = word; *c; c++)
        quotes += *c == '\'';
    if (used + strlen(word) + 3 * quotes + 4 > size) return false;
    used += (size_t)sprintf(line + used, "%s'", blank);
    for (const char *c = word; *c; c++)
        used += (size_t)sprintf(line + used, *c == '\'' ? "'\\''" : "%c", *c);
    memcpy(line + used, "'", 2);
    return true;
}
