/* partfile.h - a file that is there when it is whole, and not before: written beside its name, then
 * renamed. Readable by its owner only, since it has the contents of a heap; links are not followed.
 *
 * Where the file system can, what is written has no name at all until it is whole, so that nothing
 * is left behind whenever its writer is killed. Elsewhere it is called FILE.part meanwhile; one
 * that a killed writer has left is removed by the next. No allocator, no lock, no stdio: a forked
 * child goes on with it. */
#ifndef LMP_AGENT_OBJECTS_PARTFILE_H
#define LMP_AGENT_OBJECTS_PARTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { PARTFILE_PATH = 4096 };

typedef struct PartFile {
    int fd;       /* -1: none */
    bool named;   /* it is called `part` now */
    int os_error; /* errno of what went wrong */
    uint64_t bytes;
    char path[PARTFILE_PATH], part[PARTFILE_PATH];
} PartFile;

/* Begins the file that will be called `path`. Errors: FILE (os_error says why; EEXIST: something is
 * there that is no file), BUSY: somebody is writing it. */
LmpErr partfile_open(PartFile *f, const char *path);
bool partfile_write(PartFile *f, const void *bytes, size_t n);
/* Puts the whole file in its place. Replaces a file of that name. On an error it is dropped. */
LmpErr partfile_commit(PartFile *f);
/* Gives the file up; also what a child has left that was killed. Does nothing after a commit. */
void partfile_drop(PartFile *f);
/* Leaves the descriptor to a child: what is left to do is partfile_drop. */
void partfile_leave(PartFile *f);

#endif
