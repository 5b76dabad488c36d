/* follow.h - a recording's file that somebody else may still write to: whether anybody does, and
 * whether it is still the one of its name (a recorder that thins frames out writes another one
 * beside it and renames that). */
#ifndef LMP_RECORD_FOLLOW_H
#define LMP_RECORD_FOLLOW_H

#include <stdbool.h>

/* Returns true if anybody writes to it (recfile_take), and where files cannot be locked, as nobody
 * knows then. */
bool follow_is_written(int fd);
/* Makes `fd` the recording that the name belongs to by now, if it is another: recording_refresh
 * then begins anew. Returns false if it is not, or cannot be read. */
bool follow_name(int fd, const char *file);

#endif
