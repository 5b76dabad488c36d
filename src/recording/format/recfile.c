/* recfile.c - writes at offsets of its own count, so that what was cut short by an error is written
 * over or cut off; notes every part for the index, whose size is always reserved below the
 * limit. */
#include "recording/format/recfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/os.h"

#define INDEX_PART 32u /* bytes of the index for each part, packed */

static LmpErr failed(RecFile *file) {
    file->os_error = errno ? errno : EIO;
    /* A part that is not whole would be cut off by every reader; where this fails, they do. */
    if (ftruncate(file->fd, (off_t)file->size) != 0) errno = file->os_error;
    errno = file->os_error;
    return LMP_E_FILE;
}

LmpErr recfile_begin(RecFile *file, int fd, uint32_t generation) {
    uint8_t head[REC_HEAD];
    *file = (RecFile){.fd = fd};
    rec_put64(head, REC_MAGIC);
    rec_put32(head + 8, REC_VERSION);
    rec_put32(head + 12, generation);
    errno = 0;
    if (ftruncate(fd, 0) != 0 || !lmp_os->write_at(fd, 0, head, sizeof head)) return failed(file);
    file->size = sizeof head;
    file->headsum = part_checksum(head, sizeof head);
    return LMP_OK;
}

void recfile_free(RecFile *file) {
    free(file->part);
    *file = (RecFile){.fd = -1};
}

/* Returns true if the part, and the index that would then be written, do not fit the limit. */
static bool is_too_much(const RecFile *file, const RecPart *part) {
    uint64_t index = (file->parts + 2ull) * INDEX_PART + REC_PART + REC_END;
    return file->most && part->kind != REC_INDEX &&
           file->size + REC_PART + part->stored + index > file->most;
}

LmpErr recfile_put(void *of, RecPart *part, const uint8_t *stored) {
    RecFile *file = of;
    uint8_t head[REC_PART];
    file->full = is_too_much(file, part);
    if (file->full) {
        file->too_much = REC_PART + part->stored;
        errno = file->os_error = EFBIG;
        return LMP_E_FILE;
    }
    part->place = file->size;
    part_put(head, part);
    errno = 0;
    if (!lmp_os->write_at(file->fd, file->size, head, sizeof head) ||
        !lmp_os->write_at(file->fd, file->size + sizeof head, stored, part->stored))
        return failed(file);
    if (!array_room(&file->part, &file->room, file->parts + 1)) {
        errno = ENOMEM;
        failed(file);
        return LMP_E_NOMEM;
    }
    file->part[file->parts++] = *part;
    file->size += sizeof head + part->stored;
    return LMP_OK;
}

int recfile_beside(const char *name, char *part, size_t size) {
    int n = snprintf(part, size, "%s.part", name);
    if (n < 0 || (size_t)n >= size) {
        part[0] = 0;
        errno = ENAMETOOLONG;
        return -1;
    }
    unlink(part); /* of a writer that was killed */
    int fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd < 0) part[0] = 0;
    if (fd >= 0) recfile_take(fd); /* it is a new one */
    return fd;
}

/* A file system that refuses locks altogether, as some networks' do, is written to all the same. */
bool recfile_take(int fd) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    errno = EBUSY;
    return false;
}

bool recfile_replaceable(const char *name) {
    struct stat st;
    if (lstat(name, &st) != 0) return true; /* whether it can be made will be seen */
    if (!S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
        return false;
    }
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool free = fd < 0 || recfile_take(fd);
    int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return free;
}

LmpErr recfile_end(RecFile *file) {
    RecBytes plain = {0}, packed = {0};
    RecPart index = {.kind = REC_INDEX};
    RecPack *pack = pack_new();
    for (uint32_t i = 0; i < file->parts && bytes_room(&plain, REC_PART + 8); i++) {
        rec_put64(plain.at + plain.n, file->part[i].place);
        part_put(plain.at + plain.n + 8, &file->part[i]);
        plain.n += REC_PART + 8;
    }
    LmpErr err = pack ? pack_bytes(pack, &index, &plain, &packed) : LMP_E_NOMEM;
    if (!err) err = recfile_put(file, &index, packed.at);
    if (!err) {
        uint8_t end[REC_END] = {0};
        rec_put64(end, index.place);
        rec_put32(end + 8, REC_PART + index.stored);
        rec_put32(end + 12, file->headsum);
        rec_put64(end + 16, REC_END_MAGIC);
        errno = 0;
        if (lmp_os->write_at(file->fd, file->size, end, sizeof end))
            file->size += sizeof end;
        else
            err = failed(file);
    }
    pack_free(pack);
    bytes_free(&plain);
    bytes_free(&packed);
    return err;
}
