/* resumers.h - the library's own functions that resume a coroutine: coroutine.resume, and what
 * coroutine.wrap returns.
 *
 * While a call of one of them lasts, its thread has not been left. Another C function that resumes
 * may yield in between and go on in the same frame, by a continuation; these two never do. */
#ifndef LMP_RESUMERS_H
#define LMP_RESUMERS_H

#include <stdbool.h>
#include <stdint.h>

/* Finds them in a private state, once per process (thread-safe). Without memory none is known. */
void resumers_find(void);

/* Returns true if the C function at this address is one of them. */
bool resumers_is(uintptr_t function);

#endif
