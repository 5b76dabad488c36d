/* heapopen.c - opens one snapshot, or sorts a series by the time in each file (by insertion: there
 * are few) and opens it as a growth. */
#include "command/heapopen.h"

#include <errno.h>

#include "command/unreadable.h"

bool heapopen(LmpSnapshot *snapshot, const char *file) {
    errno = 0;
    LmpErr err = snapshot_open(snapshot, file);
    if (err) unreadable(UNREADABLE_SNAPSHOT, file, err, errno);
    return !err;
}

/* Returns when the snapshot was taken; 0: not known. The time of day orders snapshots of two runs,
 * too. */
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
    if (err) unreadable(UNREADABLE_SNAPSHOT, failed, err, errno);
    return !err;
}
