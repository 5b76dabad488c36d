/* recordname.c - joins a name with the current folder, tries lmp-PID.lmprec, .2, .3 ... until one
 * is free, and puts a RecordEnd into one line. */
#include "recording/recordname.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"

#define TRIES 10000u

bool recordname_whole(char *out, size_t size, const char *file) {
    char here[4096] = "";
    errno = ENAMETOOLONG;
    if (*file != '/' && !getcwd(here, sizeof here)) return false; /* the folder may be gone */
    return (size_t)snprintf(out, size, "%s%s%s", here, *here && here[1] ? "/" : "", file) < size;
}

bool recordname_choose(char *out, size_t size, const char *file, uint32_t pid) {
    struct stat st;
    if (file) return recordname_whole(out, size, file);
    for (unsigned i = 1; i < TRIES; i++) {
        char name[48];
        snprintf(name, sizeof name, i > 1 ? "lmp-%u.lmprec.%u" : "lmp-%u.lmprec", pid, i);
        if (!recordname_whole(out, size, name)) return false;
        if (lstat(out, &st) != 0) return true;
    }
    return false;
}

const char *recordname_short(const char *file) {
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

static const char *shortage(char *out, size_t size, const LmpRecordShort *s) {
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

char *recordname_say(char *out, size_t size, const char *file, const RecordEnd *end) {
    char bytes[LMP_NUM], clock[LMP_NUM], why[200], name[RECORDNAME_MOST], words[RECORDNAME_MOST];
    format_text(name, sizeof name, recordname_short(file), 0);
    const char *word = typed(words, sizeof words, recordname_short(file));
    bool begun = end->bytes || end->err == LMP_E_FILE;
    if (end->why == RECORD_TAKEN || (end->why == RECORD_FAILED && !begun))
        snprintf(out, size, "no recording in %s: %s", name, recordjob_problem(end));
    else if (end->why != RECORD_FAILED)
        snprintf(out, size, "recording written to %s (%s)%s%s%s", name,
                 format_bytes(bytes, end->bytes), shortage(why, sizeof why, &end->shortage),
                 *word ? "; watch it: lmp replay " : "", word);
    else if (end->bytes == 0)
        snprintf(out, size, "no recording: cannot write %s: %s", name, recordjob_problem(end));
    else
        snprintf(out, size, "recording ended at %s: %s; what came before is in %s (%s)",
                 format_clock(clock, end->clock), recordjob_problem(end), name,
                 format_bytes(bytes, end->bytes));
    return out;
}
