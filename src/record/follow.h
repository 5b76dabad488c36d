/* follow.h - a recording's file that somebody else may still write to: whether anybody does, and
 * whether it is still the one of its name (a recorder that thins frames out writes another one
 * beside it and renames that). */
#ifndef LMP_RECORD_FOLLOW_H
#define LMP_RECORD_FOLLOW_H

#include <stdbool.h>

/* Does anybody write to it (recfile_take)? Where files cannot be locked nobody knows: true. */
bool follow_is_written(int fd);
/* If the name belongs to another recording by now, `fd` is that one afterwards: recording_refresh
 * then begins anew. False: it does not, or what is there cannot be read. */
bool follow_name(int fd, const char *file);

#endif
