/* resident.c - adds up what is lmp's own: private mappings (base/own.h) and the blocks of the
 * state's file. */
#include "agent/session/resident.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/own.h"
#include "base/procfile.h"
#include "read/pages.h"

/* Returns bytes in memory of the rows that only this process has. */
static uint64_t private_tables(void) {
    OwnMapRange range[OWN_MAP_MOST];
    uint32_t n = own_map_copy(range), pid = (uint32_t)getpid();
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) /* mappings are whole pages */
        bytes += pages_within(pid, range[i].at, range[i].at + os_whole_pages(range[i].size));
    return bytes;
}

void resident_note(LmpProfile *p) {
    int before = errno, fd = own_fd_get(&p->file);
    struct stat st;
    p->live->resident = procfile_resident(PROCFILE_SELF);
    uint64_t own = private_tables();
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_blocks > 0) own += (uint64_t)st.st_blocks * 512;
    p->live->resident_own = own;
    errno = before;
}
