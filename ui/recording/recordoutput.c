/* recordoutput.c - reads the spool's file from where it stopped, in pieces of 64 KiB, skips the
 * relay's own messages and what was already given back (SEEK_DATA), and hands the rest to the
 * recorder. */
#include "recording/recordoutput.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/os.h"
#include "pty/spool.h"

#define PIECE (1u << 16)
#define PIECES 16 /* at a time */

void recordoutput_open(RecordOutput *output, int memory) {
    char path[64];
    *output = (RecordOutput){.fd = -1};
    if (memory < 0) return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    output->fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (output->fd < 0 || fstat(output->fd, &st) != 0 || st.st_size < (off_t)SPOOL_AT) return;
    output->relay = lmp_os->map(SPOOL_AT, output->fd, 0, false);
    if (output->relay && output->relay->magic == LMP_RELAY_STATE_MAGIC) return;
    recordoutput_close(output);
}

void recordoutput_close(RecordOutput *output) {
    if (output->relay) lmp_os->unmap((void *)(uintptr_t)output->relay, SPOOL_AT);
    output->relay = NULL;
    close_fd(&output->fd);
}

/* Returns where bytes begin that are still there, from `at` on; the file's end if there are
 * none. */
static off_t data_from(int fd, off_t at, off_t end) {
    off_t data = lseek(fd, at, SEEK_DATA);
    return data >= 0 ? data : errno == ENXIO ? end : at;
}

LmpErr recordoutput_take(RecordOutput *output, LmpRecorder *recorder, uint64_t clock, bool *more) {
    static char piece[PIECE];
    struct stat st;
    *more = false;
    if (output->fd < 0 || output->kept >= RECORDOUTPUT_MOST || fstat(output->fd, &st) != 0)
        return LMP_OK;
    off_t at = (off_t)(SPOOL_AT + output->at), end = st.st_size;
    if (at > end) at = end; /* a message was taken back */
    for (int i = 0; i < PIECES && at < end; i++) {
        uint64_t to = (uint64_t)end - SPOOL_AT;
        at = (off_t)(SPOOL_AT + spool_own(output->relay, (uint64_t)at - SPOOL_AT, to, &to));
        off_t own_end = (off_t)(SPOOL_AT + to);
        if (at >= own_end) break; /* a message is being written */
        off_t data = data_from(output->fd, at, own_end);
        size_t most = own_end - data < PIECE ? (size_t)(own_end - data) : PIECE;
        if (most > RECORDOUTPUT_MOST - output->kept) most = RECORDOUTPUT_MOST - output->kept;
        ssize_t n = most > 0 ? pread(output->fd, piece, most, data) : 0;
        at = data;
        if (data == own_end) continue;
        if (n <= 0) break;
        at += n;
        /* bytes that were given back to the system meanwhile were read as zeroes */
        if (data_from(output->fd, data, end) != data) continue;
        output->kept += (uint64_t)n;
        LmpErr err = recorder_output(recorder, clock, piece, (size_t)n);
        if (err) return err;
    }
    output->at = (uint64_t)at - SPOOL_AT;
    *more = at < end && output->kept < RECORDOUTPUT_MOST;
    return LMP_OK;
}

bool recordoutput_whole(const RecordOutput *output) {
    return !output->relay || atomic_load((_Atomic uint32_t *)(uintptr_t)&output->relay->end) != 0;
}
