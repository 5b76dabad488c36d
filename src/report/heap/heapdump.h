/* heapdump.h - a heap snapshot's file in readable form, part by part, as it lies there: for whoever
 * wants to know what is in it, what is wrong with it, or reads it with a program of their own. */
#ifndef LMP_REPORT_HEAP_HEAPDUMP_H
#define LMP_REPORT_HEAP_HEAPDUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

typedef struct HeapDump {
    bool heads;       /* the head and the chunks alone */
    uint32_t objects; /* so many of them at most, with their references; UINT32_MAX: all */
} HeapDump;

/* Writes it to `out`. What is damaged or cut off is said where it is, and all before it is written.
 * Errors: FOREIGN, VERSION (nothing was written then), DAMAGED, NOMEM. `fd` stays the caller's. */
LmpErr heapdump_write(const HeapDump *dump, int fd, FILE *out);

#endif
