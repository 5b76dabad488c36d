/* save.c - see save.h. */
#include "report/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static LmpErr write_to(FILE *out, SaveWriter *writer, const void *of) {
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

static LmpErr write_directly(const char *file, SaveWriter *writer, const void *of) {
    FILE *out = fopen(file, "we");
    return out ? write_to(out, writer, of) : LMP_E_FILE;
}

LmpErr save_file(const char *file, SaveWriter *writer, const void *of) {
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
