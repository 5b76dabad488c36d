/* snapfile_fixture.h - snapshot files in memory: written by snapfile_write, changed, read again. */
#ifndef LMP_SNAPFILE_FIXTURE_H
#define LMP_SNAPFILE_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/snapfile.h"
#include "shared/snapfile_impl.h"

typedef struct FileBytes {
    unsigned char *bytes;
    size_t n, room;
    size_t most; /* the disk is full then; 0: it never is */
} FileBytes;

static bool file_put(LmpSnapSink *sink, const void *bytes, size_t n) {
    FileBytes *file = sink->of;
    if (file->most && file->n + n > file->most) return false;
    if (file->n + n > file->room) {
        file->room = (file->n + n) * 2;
        file->bytes = realloc(file->bytes, file->room);
        if (!file->bytes) abort();
    }
    memcpy(file->bytes + file->n, bytes, n);
    file->n += n;
    return true;
}

static inline LmpErr file_write(FileBytes *file, const LmpObjectInfo *info, const LmpObjectGraph *g,
                                const LmpSnapState *state) {
    LmpSnapSink sink = {file_put, file};
    void *scratch = aligned_alloc(16, (snapfile_scratch() + 15) & ~(size_t)15);
    if (!scratch) abort();
    file->n = 0;
    LmpErr err = snapfile_write(&sink, info, g, state, scratch);
    free(scratch);
    return err;
}

/* A descriptor of a file with the first n bytes. */
static inline int file_fd(const unsigned char *bytes, size_t n) {
    int fd = memfd_create("snapfile", MFD_CLOEXEC);
    if (fd < 0) abort();
    for (size_t at = 0; at < n;) {
        ssize_t put = write(fd, bytes + at, n - at);
        if (put <= 0) abort();
        at += (size_t)put;
    }
    return fd;
}

static inline LmpErr file_read(LmpSnapRead *read, const unsigned char *bytes, size_t n) {
    int fd = file_fd(bytes, n);
    LmpErr err = snapfile_read(read, fd);
    close(fd);
    return err;
}

/* Makes all checksums right, as far as the lengths lead to where they are: what is damaged then is
 * met by what comes after them. */
static inline void file_mend(unsigned char *bytes, size_t n) {
    LmpSnapHead head;
    if (n < sizeof head) return;
    memcpy(&head, bytes, sizeof head);
    head.checksum = snapfile_checksum(&head, offsetof(LmpSnapHead, checksum), 0);
    memcpy(bytes, &head, sizeof head);
    for (size_t at = sizeof head; n - at >= sizeof(LmpSnapChunk);) {
        LmpSnapChunk chunk;
        memcpy(&chunk, bytes + at, sizeof chunk);
        if (chunk.stored > n - at - sizeof chunk) return;
        chunk.checksum = snapfile_chunk_checksum(&chunk, bytes + at + sizeof chunk);
        memcpy(bytes + at, &chunk, sizeof chunk);
        at += sizeof chunk + chunk.stored;
    }
}

/* Columns in memory of their own, so that one that is read too far is noticed. */
static inline LmpObjectGraph file_apart(const LmpObjectGraph *from) {
    LmpObjectGraph to = *from;
    for (uint32_t i = 0; i < LMP_SNAP_COLUMNS; i++) {
        size_t n =
            (size_t)objectgraph_rows(from, &objectgraph_columns[i]) * objectgraph_columns[i].width;
        void **column = (void **)((char *)&to + objectgraph_columns[i].at), *copy = malloc(n);
        if (n > 0 && !copy) abort();
        if (n) memcpy(copy, *column, n);
        *column = copy;
    }
    return to;
}

static inline void file_apart_free(LmpObjectGraph *g) {
    for (uint32_t i = 0; i < LMP_SNAP_COLUMNS; i++)
        free(*(void **)((char *)g + objectgraph_columns[i].at));
}

#endif
