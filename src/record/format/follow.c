/* follow.c - asks for the writer's lock to learn whether anybody writes, and compares inodes to
 * learn whether the name is another file's by now. */
#include "record/format/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/format/recscan.h"

/* A writer that begins while we hold the lock would be turned away, so it is held for no time at
 * all, and asked for only where nothing has come for a while. */
bool follow_is_written(int fd) {
    if (flock(fd, LOCK_SH | LOCK_NB) != 0) return true;
    flock(fd, LOCK_UN);
    return false;
}

static bool is_recording(int fd) {
    RecScan scan;
    if (recscan_open(&scan, fd) != LMP_OK) return false;
    recscan_free(&scan);
    return true;
}

bool follow_name(int fd, const char *file) {
    struct stat ours, named;
    if (fstat(fd, &ours) != 0 || stat(file, &named) != 0) return false;
    if (ours.st_dev == named.st_dev && ours.st_ino == named.st_ino) return false;
    int other = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (other < 0) return false;
    bool taken = is_recording(other) && dup3(other, fd, O_CLOEXEC) == fd;
    close(other);
    return taken;
}
