/* pages.c - reads the pagemap's entries of a range, and takes their bit for "present". */
#include "read/pages.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"

#define PRESENT (1ull << 63) /* in an entry */

bool pages_here(uint32_t pid, uint64_t from, uint32_t pieces, bool *here) {
    uint64_t entry[PAGES_MOST + 1], size = lmp_os->page();
    char path[32];
    memset(here, 0, pieces * sizeof *here);
    if (size < PAGES_PIECE || pieces == 0 || pieces > PAGES_MOST) return false;
    uint64_t first = from / size, end = (from + pieces * (uint64_t)PAGES_PIECE - 1) / size + 1;
    size_t want = (size_t)(end - first) * sizeof *entry;
    snprintf(path, sizeof path, "/proc/%u/pagemap", pid);
    if (lmp_os->read_file(path, first * sizeof *entry, entry, want) != (int64_t)want) return false;
    for (uint32_t i = 0; i < pieces; i++)
        here[i] = entry[(from + i * (uint64_t)PAGES_PIECE) / size - first] & PRESENT;
    return true;
}

uint64_t pages_within(uint32_t pid, uint64_t from, uint64_t to) {
    bool here[PAGES_MOST];
    uint64_t bytes = 0;
    while (from < to) {
        uint64_t left = (to - from) / PAGES_PIECE;
        uint32_t pieces = left < PAGES_MOST ? (uint32_t)left : PAGES_MOST;
        if (pieces == 0 || !pages_here(pid, from, pieces, here)) break;
        for (uint32_t i = 0; i < pieces; i++)
            bytes += here[i] ? PAGES_PIECE : 0;
        from += pieces * (uint64_t)PAGES_PIECE;
    }
    return bytes;
}
