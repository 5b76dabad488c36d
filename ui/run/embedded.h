/* embedded.h - files inside the command, where a build wants it to be one file (LMP_STATIC): the
 * Lua modules, laid out in a folder of this user alone when they are first asked for. */
#ifndef LMP_EMBEDDED_H
#define LMP_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Embedded {
    const char *file;                 /* as it is asked for: "5.4/luamemprofiler.so" */
    const char *kept;                 /* name that it is laid out by, with a hash of what it says */
    const unsigned char *from, *past; /* its bytes */
} Embedded;

extern const Embedded embedded_files[]; /* made by embedded.cmake; ends with a row of NULLs */

/* Returns the row of that file; NULL: it is not inside. */
const Embedded *embedded_find(const char *file);

/* Writes the path of the file laid out: in the user's cache (keptfile.h), or where that is not to
 * be, below $TMPDIR or /tmp. It is compared byte for byte each time, and put in place again where
 * it differs. Returns false if there is no such place. */
bool embedded_lay_out(const Embedded *file, char *out, size_t size);

#endif
