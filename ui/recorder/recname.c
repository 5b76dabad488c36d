/* recname.c - joins a name with the current folder, tries lmp-PID.lmprec, .2, .3 ... until one
 * is free, and puts a RecEnd into one line. */
#include "recorder/recname.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"

#define TRIES 10000u

bool recname_whole(char *out, size_t size, const char *file) {
    char here[4096] = "";
    errno = ENAMETOOLONG;
    if (*file != '/' && !getcwd(here, sizeof here)) return false; /* the folder may be gone */
    return (size_t)snprintf(out, size, "%s%s%s", here, *here && here[1] ? "/" : "", file) < size;
}

bool recname_choose(char *out, size_t size, const char *file, uint32_t pid) {
    struct stat st;
    if (file) return recname_whole(out, size, file);
    for (unsigned i = 1; i < TRIES; i++) {
        char name[48];
        snprintf(name, sizeof name, i > 1 ? "lmp-%u.lmprec.%u" : "lmp-%u.lmprec", pid, i);
        if (!recname_whole(out, size, name)) return false;
        if (lstat(out, &st) != 0) return true;
    }
    return false;
}

const char *recname_short(const char *file) {
    char here[4096];
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool inside = n > 1 && strncmp(file, here, n) == 0 && file[n] == '/' && file[n + 1];
    return inside ? file + n + 1 : file;
}

/* Writes the name as it can be typed in a shell; "" if it contains quotes or control characters. */
static const char *typed(char *out, size_t size, const char *file) {
    bool dash = *file == '-', quoted = false;
    for (const char *c = file; *c; c++) {
        if ((unsigned char)*c < 32 || *c == 127 || *c == '\'') return "";
        quoted |= !isalnum((unsigned char)*c) && !strchr("_-./,+@%:=", *c);
    }
    const char *quote = quoted ? "'" : "";
    int n = snprintf(out, size, "%s%s%s%s", quote, dash ? "./" : "", file, quote);
    return n > 0 && (size_t)n < size ? out : "";
}

static const char *shortage(char *out, size_t size, const LmpRecShort *s) {
    char limit[LMP_NUM], frames[LMP_NUM], span[LMP_NUM];
    unsigned long long mib = s->enough >> 20;
    if (mib == 0) return "";
    snprintf(limit, sizeof limit, "%lluMiB", mib);
    if (s->tables > 0)
        snprintf(out, size,
                 "; tables of %s moment%s had no room: they need a larger --record-limit=%s",
                 format_count(frames, s->tables), s->tables == 1 ? "" : "s", limit);
    else
        snprintf(out, size,
                 "; tables had room only every %s: more of them need a larger --record-limit=%s",
                 format_span(span, s->apart), limit);
    return out;
}

char *recname_say(char *out, size_t size, const char *file, const RecEnd *end) {
    char bytes[LMP_NUM], clock[LMP_NUM], why[200], name[RECNAME_MOST], words[RECNAME_MOST];
    format_text(name, sizeof name, recname_short(file), 0);
    const char *word = typed(words, sizeof words, recname_short(file));
    bool begun = end->bytes || end->err == LMP_E_FILE;
    if (end->why == RECJOB_TAKEN || (end->why == RECJOB_FAILED && !begun))
        snprintf(out, size, "no recording in %s: %s", name, recjob_problem(end));
    else if (end->why != RECJOB_FAILED)
        snprintf(out, size, "recording written to %s (%s)%s%s%s", name,
                 format_bytes(bytes, end->bytes), shortage(why, sizeof why, &end->shortage),
                 *word ? "; watch it: lmp replay " : "", word);
    else if (end->bytes == 0)
        snprintf(out, size, "no recording: cannot write %s: %s", name, recjob_problem(end));
    else
        snprintf(out, size, "recording ended at %s: %s; what came before is in %s (%s)",
                 format_clock(clock, end->clock), recjob_problem(end), name,
                 format_bytes(bytes, end->bytes));
    return out;
}
