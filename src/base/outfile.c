/* outfile.c - a FIFO is opened without blocking, again and again for two seconds; whether a file
 * can be replaced is tried with a temporary one beside it. */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

#define READER_MS 2000 /* for someone to open the other end of a FIFO */
#define STEP_MS 20

static bool is_fifo(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

bool outfile_writable(const char *path) {
    if (is_fifo(path)) return access(path, W_OK) == 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

bool outfile_replaceable(const char *path) {
    char directory[4096];
    struct stat st;
    const char *slash = strrchr(path, '/');
    int n = slash ? (int)(slash - path) + 1 : 1;
    if ((size_t)n >= sizeof directory) return errno = ENAMETOOLONG, false;
    snprintf(directory, sizeof directory, "%.*s", n, slash ? path : ".");
    if (stat(directory, &st) != 0 || access(directory, W_OK | X_OK) != 0) return false;
    /* rights do not say all: of a file system without writing, or of /proc, and root has them all
     */
    char probe[sizeof directory + 16];
    snprintf(probe, sizeof probe, "%s/.lmp-XXXXXX", directory);
    int fd = mkostemp(probe, O_CLOEXEC);
    if (fd < 0) return false;
    close(fd);
    unlink(probe);
    bool named = !slash || slash[1];
    if (!named) return true;
    if (lstat(path, &st) != 0) return errno == ENOENT;
    if (S_ISREG(st.st_mode)) return true;
    errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
    return false;
}

FILE *outfile_open(const char *path) {
    if (!is_fifo(path)) return fopen(path, "we");
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    for (int ms = 0; fd < 0 && errno == ENXIO && ms < READER_MS; ms += STEP_MS) {
        poll(NULL, 0, STEP_MS);
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    }
    if (fd < 0) return NULL;
    fcntl(fd, F_SETFL, O_WRONLY);
    return fdopen(fd, "w");
}

const char *outfile_problem(int error) {
    return error == ENXIO ? "nobody reads it" : err_of_file(error);
}
