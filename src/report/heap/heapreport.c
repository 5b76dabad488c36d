/* heapreport.c - the table of reports of a snapshot, and how a file is written. */
#include "report/heap/heapreport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/heap/heapreport_impl.h"

#define ROW(ID, name, help) [HEAP_REPORT_##ID] = {#name, help, heap_##name},
const HeapReportKind heapreport_kinds[HEAP_REPORT_KINDS] = {HEAP_REPORTS(ROW)};
#undef ROW

const HeapReportKind *heapreport_find(const char *name) {
    for (size_t i = 0; i < HEAP_REPORT_KINDS; i++)
        if (strcmp(heapreport_kinds[i].name, name) == 0) return &heapreport_kinds[i];
    return NULL;
}

const char *heapreport_lacks(const HeapReportKind *kind, const HeapReport *report) {
    const LmpSnapshot *s = report->s;
    if (s->g.objects < 2) return "the snapshot has no objects";
    bool words = kind == &heapreport_kinds[HEAP_REPORT_SUMMARY] ||
                 kind == &heapreport_kinds[HEAP_REPORT_JSON];
    if (words && report->redact)
        return "its sentences name keys and contents: nothing to hide them";
    if (!report->address) return NULL;
    if (kind != &heapreport_kinds[HEAP_REPORT_DOT]) return "only dot is about one object";
    uint32_t object = snapshot_at(s, report->address);
    if (object == LMP_HEAP_NONE) return "there is no object at this address";
    if (snapshot_garbage(s, object)) return "nothing holds this object: it waits for the collector";
    return NULL;
}

/* ---- files ----------------------------------------------------------------------------------- */

static LmpErr write_to(FILE *out, HeapWriter *writer, const void *of) {
    LmpErr err = writer(of, out);
    bool failed = ferror(out) != 0;
    int why = errno;
    if (fclose(out) != 0 && !failed) {
        failed = true;
        why = errno;
    }
    errno = why;
    return err ? err : failed ? LMP_E_FILE : LMP_OK;
}

static LmpErr write_directly(const char *file, HeapWriter *writer, const void *of) {
    FILE *out = fopen(file, "we");
    return out ? write_to(out, writer, of) : LMP_E_FILE;
}

LmpErr heapreport_save(const char *file, HeapWriter *writer, const void *of) {
    struct stat st;
    bool link = lstat(file, &st) == 0 && S_ISLNK(st.st_mode);
    if (stat(file, &st) == 0 && !S_ISREG(st.st_mode)) {
        if (S_ISDIR(st.st_mode)) errno = EISDIR;
        if (S_ISDIR(st.st_mode) || (link && strncmp(file, "/dev/", 5) != 0)) return LMP_E_FILE;
        return write_directly(file, writer, of);
    }
    size_t length = strlen(file);
    char *beside = malloc(length + sizeof ".XXXXXX");
    if (!beside) return LMP_E_NOMEM;
    memcpy(beside, file, length);
    memcpy(beside + length, ".XXXXXX", sizeof ".XXXXXX");
    int fd = mkostemp(beside, O_CLOEXEC); /* 0600, made by us alone */
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    LmpErr err = out ? write_to(out, writer, of) : LMP_E_FILE;
    int why = errno;
    if (!err && rename(beside, file) != 0) {
        err = LMP_E_FILE;
        why = errno;
    }
    if (err && fd >= 0) unlink(beside);
    if (!out && fd >= 0) close(fd);
    free(beside);
    errno = why;
    return err;
}
