/* recfile.h - the file of a recording, as it is written: head, parts one after another, the index
 * and the end. */
#ifndef LMP_RECORDING_FORMAT_RECFILE_H
#define LMP_RECORDING_FORMAT_RECFILE_H

#include "recording/format/part.h"

typedef struct RecFile {
    int fd; /* the caller's */
    uint64_t size;
    uint32_t headsum; /* part_checksum of the head */
    RecPart *part;    /* all so far, for the index */
    uint32_t parts, room;
    uint64_t most;     /* bytes, its index included, that it may have; 0: any. Set by the caller */
    bool full;         /* the last part would have been too much, */
    uint64_t too_much; /* so many bytes */
    int os_error;      /* why it could not be written; 0: it could */
} RecFile;

/* Begins an empty file with its head. Errors: FILE. */
LmpErr recfile_begin(RecFile *file, int fd, uint32_t generation);
void recfile_free(RecFile *file);
/* Adds a part; sets its place. What cannot be written whole is cut off again; what would be too
 * much is not begun. Errors: FILE, NOMEM. */
LmpErr recfile_put(void *file, RecPart *part, const uint8_t *stored);
/* Returns a new empty file, which will be called `name` when it is whole, and is called `part`
 * until then (NAME.part; "": there is none). -1: errno says why. */
int recfile_beside(const char *name, char *part, size_t size);
/* Keeps all others from writing to it from now on, until all copies of the descriptor are closed:
 * recorders ask here first. Returns false if somebody writes already (errno EBUSY). */
bool recfile_take(int fd);
/* Returns true if a new recording may take the place of what has this name: a plain file, or
 * nothing, to which nobody writes a recording. Else errno says why not (EEXIST: no plain file;
 * EBUSY). */
bool recfile_replaceable(const char *name);
/* Writes the index and the end. Errors: FILE, NOMEM. */
LmpErr recfile_end(RecFile *file);

#endif
