/* refused_memory.h - refuses memory at a chosen request, for suites that are linked with
 * --wrap=malloc,--wrap=calloc,--wrap=realloc (tests/CMakeLists.txt). */
#ifndef LMP_REFUSED_MEMORY_H
#define LMP_REFUSED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

static long refuse_after = -1; /* requests until one is refused; below zero: none is */
static bool was_refused;
__attribute__((unused)) static bool refuse_on; /* all that come after it, too */

static bool refused(void) {
    if (refuse_after < 0) return false;
    if (refuse_after > 0) {
        refuse_after--;
        return false;
    }
    if (!refuse_on) refuse_after = -1;
    was_refused = true;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size) {
    return refused() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t n, size_t size) {
    return refused() ? NULL : __real_calloc(n, size);
}
void *__wrap_realloc(void *p, size_t size) {
    return refused() ? NULL : __real_realloc(p, size);
}

#endif
