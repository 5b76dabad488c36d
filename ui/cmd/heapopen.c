/* heapopen.c - see heapopen.h. */
#include "cmd/heapopen.h"

#include <errno.h>
#include <string.h>

#include "base/format.h"
#include "cmd/command.h"

static void say(LmpErr err, const char *file, int why) {
    char name[1024];
    format_text(name, sizeof name, file, 0);
    switch (err) {
    case LMP_E_FILE:
        command_say("%s: %s", name, why ? strerror(why) : "cannot be read");
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
}

bool heapopen(LmpSnapshot *snapshot, const char *file) {
    errno = 0;
    LmpErr err = snapshot_open(snapshot, file);
    if (err) say(err, file, errno);
    return !err;
}

/* When it was taken; 0: not known. Two runs are told apart by the time of day. */
static uint64_t taken(const char *file) {
    LmpHeapInfo info;
    return snapshot_info(&info, file) == LMP_OK ? info.realtime : 0;
}

void heapopen_sort(const char **file, uint32_t files) {
    for (uint32_t i = 1; i < files; i++) {
        const char *one = file[i];
        uint64_t at = taken(one);
        uint32_t k = i;
        for (; k > 0 && taken(file[k - 1]) > at; k--)
            file[k] = file[k - 1];
        file[k] = one;
    }
}

bool heapopen_older(LmpHeapGrowth *growth, LmpSnapshot *last, const char **file, uint32_t files) {
    const char *failed;
    heapopen_sort(file, files);
    errno = 0;
    LmpErr err = growth_open(growth, last, file, files, NULL, &failed);
    if (err) say(err, failed, errno);
    return !err;
}
