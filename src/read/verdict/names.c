/* names.c - how a sentence names a line: by the end of its path, as short as no other file of the
 * program is called. */
#include <stdio.h>
#include <string.h>

#include "read/verdict/verdict_impl.h"

enum { SITES_MOST = 2000, PATH_MOST = 60 /* bytes */ };

/* Returns true if another source ends as this one does from `end` on, at a folder's boundary. */
static bool is_shared(const Ledger *l, const LmpSiteRow *row, const char *end) {
    size_t length = strlen(end);
    uint32_t sites = l->sites < SITES_MOST ? l->sites : SITES_MOST;
    for (uint32_t i = 0; i < sites; i++) {
        const char *other = l->site[i].short_src;
        size_t n = strlen(other);
        if (l->site[i].line < 0 || n < length || strcmp(other + n - length, end) != 0) continue;
        bool boundary = n == length || other[n - length - 1] == '/';
        if (boundary && strcmp(l->site[i].source, row->source) != 0) return true;
    }
    return false;
}

static const char *shortest(const Ledger *l, const LmpSiteRow *row) {
    const char *path = row->short_src, *end = path + strlen(path);
    if (*row->source != '@') return path;
    while (end > path) {
        do
            end--;
        while (end > path && end[-1] != '/');
        if (end[0] && !is_shared(l, row, end)) break;
    }
    if (strlen(end) <= PATH_MOST) return end;
    end += strlen(end) - PATH_MOST;
    const char *slash = strchr(end, '/');
    if (slash && slash[1]) return slash + 1;
    while (((unsigned char)*end & 0xc0) == 0x80) /* not in the middle of a character */
        end++;
    return end;
}

const char *verdict_name(char out[VERDICT_NAME], const Ledger *l, const LmpSiteRow *row) {
    snprintf(out, VERDICT_NAME, "%s:%d", shortest(l, row), row->line);
    return out;
}
