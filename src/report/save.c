/* save.c - follows links to the file itself, writes a file without a name (O_TMPFILE) or a
 * temporary one beside it, and renames that; pipes and devices are written to as they are. */
#include "report/save.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/forkos.h"
#include "base/outfile.h"

#define PATH_ROOM 4096
#define LINKS 40     /* one after another, as the kernel has it */
#define NAMES 10000u /* to try */

typedef enum Place {
    PLACE_NONE,   /* errno says why */
    PLACE_FILE,   /* a plain file, or nothing yet */
    PLACE_STREAM, /* what can only be written to: a pipe, a device, whatever descriptor */
} Place;

/* Returns true for a link of /proc, which leads to what a process has open, under whatever name or
 * none. */
static bool is_descriptor(const char *link) {
    struct statfs fs;
    int fd = open(link, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    bool descriptor = fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
    if (fd >= 0) close(fd);
    return descriptor;
}

/* Finds what the name stands for; of a file, its name without links in `target`. */
static Place find_place(const char *name, char *target) {
    struct stat st;
    bool there = stat(name, &st) == 0; /* the kernel refuses links here that it would not follow */
    if (!there && errno != ENOENT) return PLACE_NONE;
    errno = EISDIR;
    if (there && S_ISDIR(st.st_mode)) return PLACE_NONE;
    if (there && !S_ISREG(st.st_mode)) return PLACE_STREAM;
    errno = ENAMETOOLONG;
    if (strlen(name) >= PATH_ROOM) return PLACE_NONE;
    strcpy(target, name);
    for (int links = 0; links < LINKS; links++) {
        char to[PATH_ROOM];
        ssize_t n = readlink(target, to, sizeof to);
        if (n < 0) return PLACE_FILE;
        if (is_descriptor(target)) return PLACE_STREAM;
        const char *slash = strrchr(target, '/');
        size_t before = *to == '/' || !slash ? 0 : (size_t)(slash - target) + 1;
        errno = ENAMETOOLONG;
        if (before + (size_t)n >= PATH_ROOM) return PLACE_NONE;
        memcpy(target + before, to, (size_t)n);
        target[before + (size_t)n] = 0;
    }
    errno = ELOOP;
    return PLACE_NONE;
}

bool save_possible(const char *file) {
    char target[PATH_ROOM];
    Place place = find_place(file, target);
    return place == PLACE_FILE ? outfile_replaceable(target)
                               : place == PLACE_STREAM && access(file, W_OK) == 0;
}

static LmpErr write_to(FILE *out, SaveWriter *writer, const void *of) {
    if (!out) return LMP_E_FILE;
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

/* Holds the signals that would end us: a file has a name that is not its own. */
static void hold_signals(void) {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, NULL);
}

/* Gives a file that has none a name, of which `name` is all but its last six characters. */
static bool give_name(int fd, char *name) {
    char own[32];
    size_t n = strlen(name) - 6;
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    for (unsigned i = 0; i < NAMES; i++) {
        snprintf(name + n, 7, "%06x", ((unsigned)getpid() + i) & 0xffffff);
        if (linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) return true;
        if (errno != EEXIST) break;
    }
    return false;
}

/* Writes the file. Most file systems have files without a name, of which nothing stays whatever
 * ends us. On others an interrupt waits until all is written. */
static LmpErr write_file(const char *file, SaveWriter *writer, const void *of) {
    char beside[PATH_ROOM + 8];
    sigset_t before;
    const char *slash = strrchr(file, '/');
    snprintf(beside, sizeof beside, "%.*s", slash ? (int)(slash - file) + 1 : 1,
             slash ? file : ".");
    sigprocmask(SIG_BLOCK, NULL, &before);
    int fd = fork_os->nameless(beside);
    bool named = fd < 0;
    snprintf(beside, sizeof beside, "%s.XXXXXX", file);
    if (named) hold_signals();
    if (named) fd = mkostemp(beside, O_CLOEXEC); /* 0600, made by us alone */
    LmpErr err = LMP_E_FILE;
    if (fd >= 0) err = write_to(fdopen(fcntl(fd, F_DUPFD_CLOEXEC, 0), "w"), writer, of);
    hold_signals();
    if (!err && !named && !(named = give_name(fd, beside))) err = LMP_E_FILE;
    if (!err && rename(beside, file) != 0) err = LMP_E_FILE;
    int why = errno;
    if (err && named && fd >= 0) unlink(beside);
    if (fd >= 0) close(fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return err;
}

LmpErr save_file(const char *file, SaveWriter *writer, const void *of) {
    char target[PATH_ROOM];
    Place place = find_place(file, target);
    if (place == PLACE_NONE) return LMP_E_FILE;
    /* appended: what is a descriptor's may be a file with something in it */
    return place == PLACE_FILE ? write_file(target, writer, of)
                               : write_to(fopen(file, "ae"), writer, of);
}
