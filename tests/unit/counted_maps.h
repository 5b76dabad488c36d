/* counted_maps.h - counts maps of memory and can refuse them, for suites of code that maps. The
 * system's calls go through test_os; a suite may replace other calls, too. */
#ifndef LMP_COUNTED_MAPS_H
#define LMP_COUNTED_MAPS_H

#include "base/os.h"
#include "suite.h"

static int maps_left;                       /* before mapping fails for ever; below 0: never */
__attribute__((unused)) static int refused; /* times that it did */
static int mapped;                          /* areas */

static void *test_map(size_t size, int fd, uint64_t offset, bool writable) {
    if (maps_left == 0) {
        refused++;
        return NULL;
    }
    if (maps_left > 0) maps_left--;
    mapped++;
    return os_real.map(size, fd, offset, writable);
}

static void test_unmap(void *p, size_t size) {
    mapped--;
    os_real.unmap(p, size);
}

static LmpOs test_os;

/* From here on system calls are those of test_os. */
static void counted_maps_begin(int maps) {
    test_os = os_real;
    test_os.map = test_map;
    test_os.unmap = test_unmap;
    lmp_os = &test_os;
    maps_left = maps;
    refused = mapped = 0;
}

/* All that was mapped is unmapped. */
static void counted_maps_end(void) {
    ck_assert_int_eq(mapped, 0);
    lmp_os = &os_real;
}

#endif
