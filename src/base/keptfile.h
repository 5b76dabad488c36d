/* keptfile.h - small files that lmp keeps for its next start, in the user's cache directory:
 * whoever else may write there is not believed. Reached through lmp_os (os.h). errno is preserved.
 */
#ifndef LMP_KEPTFILE_H
#define LMP_KEPTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directory that has the files; "off": there is none. */
#define LMP_CACHE "LMP_CACHE"

/* Writes the path of a file of that name: in $LMP_CACHE, $XDG_CACHE_HOME/lmp or ~/.cache/lmp.
 * Returns false if there is no directory for it. A program with more rights than its caller has
 * none. */
bool keptfile_path(char *out, size_t size, const char *name);

/* Reads a regular file that belongs to this user and that nobody else may write. Returns how many
 * of at most `size` bytes were read, -1: there is no such file, or it is larger. */
int64_t keptfile_read(const char *path, void *to, size_t size);

/* Puts a file with these bytes in place, for this user alone; makes its directory and the one
 * above. `write_at`: LmpOs.write_at, which this cannot see. Returns false if that was refused; what
 * was there stays then. */
bool keptfile_write(const char *path, const void *from, size_t size,
                    bool (*write_at)(int fd, uint64_t at, const void *from, size_t n));

#endif
