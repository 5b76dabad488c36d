/* heapfile_fixture.h - snapshot files in memory: written by heapfile_write, changed, read again. */
#ifndef LMP_HEAPFILE_FIXTURE_H
#define LMP_HEAPFILE_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/heapfile.h"
#include "shared/heapfile_impl.h"

typedef struct FileBytes {
    unsigned char *bytes;
    size_t n, room;
    size_t most; /* the disk is full then; 0: it never is */
} FileBytes;

#define FILE_USED __attribute__((unused)) static

static bool file_put(LmpHeapSink *sink, const void *bytes, size_t n) {
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

FILE_USED LmpErr file_write(FileBytes *file, const LmpHeapInfo *info, const LmpHeapGraph *g,
                            const LmpHeapState *state) {
    LmpHeapSink sink = {file_put, file};
    void *scratch = aligned_alloc(16, (heapfile_scratch() + 15) & ~(size_t)15);
    if (!scratch) abort();
    file->n = 0;
    LmpErr err = heapfile_write(&sink, info, g, state, scratch);
    free(scratch);
    return err;
}

/* A descriptor of a file with the first n bytes. */
FILE_USED int file_fd(const unsigned char *bytes, size_t n) {
    int fd = memfd_create("heapfile", MFD_CLOEXEC);
    if (fd < 0) abort();
    for (size_t at = 0; at < n;) {
        ssize_t put = write(fd, bytes + at, n - at);
        if (put <= 0) abort();
        at += (size_t)put;
    }
    return fd;
}

FILE_USED LmpErr file_read(LmpHeapRead *read, const unsigned char *bytes, size_t n) {
    int fd = file_fd(bytes, n);
    LmpErr err = heapfile_read(read, fd);
    close(fd);
    return err;
}

/* Makes all checksums right, as far as the lengths lead to where they are: what is damaged then is
 * met by what comes after them. */
FILE_USED void file_mend(unsigned char *bytes, size_t n) {
    LmpHeapHead head;
    if (n < sizeof head) return;
    memcpy(&head, bytes, sizeof head);
    head.checksum = heapfile_checksum(&head, offsetof(LmpHeapHead, checksum), 0);
    memcpy(bytes, &head, sizeof head);
    for (size_t at = sizeof head; n - at >= sizeof(LmpHeapChunk);) {
        LmpHeapChunk chunk;
        memcpy(&chunk, bytes + at, sizeof chunk);
        if (chunk.stored > n - at - sizeof chunk) return;
        chunk.checksum = heapfile_chunk_checksum(&chunk, bytes + at + sizeof chunk);
        memcpy(bytes + at, &chunk, sizeof chunk);
        at += sizeof chunk + chunk.stored;
    }
}

/* Columns in memory of their own, so that one that is read too far is noticed. */
FILE_USED LmpHeapGraph file_apart(const LmpHeapGraph *from) {
    LmpHeapGraph to = *from;
    for (uint32_t i = 0; i < LMP_HEAP_COLUMNS; i++) {
        size_t n = (size_t)heapgraph_rows(from, &heapgraph_columns[i]) * heapgraph_columns[i].width;
        void **column = (void **)((char *)&to + heapgraph_columns[i].at), *copy = malloc(n);
        if (n > 0 && !copy) abort();
        if (n) memcpy(copy, *column, n);
        *column = copy;
    }
    return to;
}

FILE_USED void file_apart_free(LmpHeapGraph *g) {
    for (uint32_t i = 0; i < LMP_HEAP_COLUMNS; i++)
        free(*(void **)((char *)g + heapgraph_columns[i].at));
}

#endif
