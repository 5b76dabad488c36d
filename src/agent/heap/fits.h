/* fits.h - is there memory for a second copy of the heap? A child that walks its copy needs as much
 * as the program changes meanwhile, all of it at worst, and what the walk itself takes. */
#ifndef LMP_FITS_H
#define LMP_FITS_H

#include <stdbool.h>
#include <stddef.h>

/* By what the system has available, and the limit of the program's memory cgroup. False: `why`
 * (size bytes) says why not. Where neither is known it is assumed to fit. */
bool fits_twice(char *why, size_t size);

#endif
