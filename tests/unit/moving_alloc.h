/* moving_alloc.h - an allocator that moves every block, and overwrites freed ones at once */
#ifndef LMP_MOVING_ALLOC_H
#define LMP_MOVING_ALLOC_H

#include <stdlib.h>
#include <string.h>

static void *moves(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    void *to = nsize ? malloc(nsize) : NULL;
    if (nsize && !to) return NULL;
    if (ptr && to) memcpy(to, ptr, osize < nsize ? osize : nsize);
    if (ptr) {
        memset(ptr, 0xdb, osize);
        free(ptr);
    }
    return to;
}

#endif
