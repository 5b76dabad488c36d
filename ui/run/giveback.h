/* giveback.h - a program that has ended keeps no memory but what its summary and its reports need:
 * 64 KiB of a small one, and some 500 bytes more for each line. `lmp run` may run a thousand. */
#ifndef LMP_GIVEBACK_H
#define LMP_GIVEBACK_H

#include <stdbool.h>
#include <stdint.h>

/* Punches the map of the heap, and unused rows, out of a state that nobody writes or looks at any
 * more. `pid` is the program's, in our namespace. Returns false if the state is, or may be, in use:
 * try again later. A system that refuses to punch keeps the memory. */
bool giveback(int fd, uint32_t pid);

#endif
