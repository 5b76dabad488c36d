/* c_paths.c - see c_paths.h. */
#include "agent/charge/c_paths.h"

#include <stddef.h>

static uint32_t hash_of(const void *address) {
    return (uint32_t)rowindex_mix((uintptr_t)address, 2);
}

bool c_paths_open(LmpCPaths *paths) {
    return rowindex_open(&paths->index, 1024);
}

void c_paths_close(LmpCPaths *paths) {
    rowindex_close(&paths->index);
}

LmpCPath *c_paths_find(LmpCPaths *paths, const void *address) {
    uint32_t hash = hash_of(address), at = hash, i;
    while ((i = rowindex_next(&paths->index, hash, &at)))
        if (paths->path[i].address == address) return &paths->path[i];
    return NULL;
}

uint32_t c_paths_text(LmpCPaths *paths, const void *address) {
    const LmpCPath *c = paths ? c_paths_find(paths, address) : NULL;
    return c ? c->text : 0;
}

LmpCPath *c_paths_note(LmpCPaths *paths, const void *address) {
    LmpCPath *c = c_paths_find(paths, address);
    if (c) return c;
    if (paths->count + 1 >= LMP_C_PATHS_MOST || !rowindex_room(&paths->index)) return NULL;
    c = &paths->path[++paths->count];
    c->address = address;
    rowindex_add(&paths->index, hash_of(address), paths->count);
    return c;
}
