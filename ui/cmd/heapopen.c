/* heapopen.c - see heapopen.h. */
#include "cmd/heapopen.h"

#include <errno.h>
#include <string.h>

#include "base/format.h"
#include "cmd/command.h"

bool heapopen(LmpSnapshot *snapshot, const char *file) {
    char name[1024];
    errno = 0;
    LmpErr err = snapshot_open(snapshot, file);
    format_text(name, sizeof name, file, 0);
    switch (err) {
    case LMP_OK:
        return true;
    case LMP_E_FILE:
        command_say("%s: %s", name, errno ? strerror(errno) : "cannot be read");
        break;
    case LMP_E_FOREIGN:
        command_say("%s is not a heap snapshot", name);
        break;
    case LMP_E_VERSION:
        command_say("%s was written by another version of lmp", name);
        break;
    case LMP_E_DAMAGED:
        command_say("%s is damaged, or was not written to its end", name);
        break;
    default:
        command_say("%s: not enough memory to read it", name);
    }
    return false;
}

int heapopen_wrote(LmpErr err, const char *file) {
    char name[1024];
    int why = errno;
    if (!err) return 0;
    format_text(name, sizeof name, file ? file : "standard output", 0);
    if (err == LMP_E_FILE)
        command_say("%s: cannot be written: %s", name, strerror(why));
    else
        command_say("%s: not enough memory to make it", name);
    return 1;
}
