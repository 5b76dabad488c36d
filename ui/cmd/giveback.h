/* giveback.h - a program that has ended keeps no memory but what its summary and its reports need:
 * 64 KiB of a small one, and some 500 bytes more for each line. `lmp run` may run a thousand. */
#ifndef LMP_GIVEBACK_H
#define LMP_GIVEBACK_H

#include <stdbool.h>
#include <stdint.h>

/* Punches the map of the heap, and rows that are not in use, out of a state that nobody writes or
 * looks at any more. `pid`: of its program, in our namespace. False: it is in use, or it is not
 * known that it is not; later it may be over. A system that refuses keeps the memory. */
bool giveback(int fd, uint32_t pid);

#endif
