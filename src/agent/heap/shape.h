/* shape.h - what tables look like that are found by their blocks, not by who holds them: which keys
 * they have. Such a table may be garbage, so more is checked than in tables that a program holds.
 */
#ifndef LMP_HEAP_SHAPE_H
#define LMP_HEAP_SHAPE_H

#include "agent/heap/source.h"

/* Writes valid, size, shown, bytes and hash of *out for the table whose block of `size` bytes is at
 * `table`. `hand`: the operation, after which it is read; all zero: none, or it comes yet. Nothing
 * is written for a table that cannot be read: about to be freed, being made, or none at all. Only
 * after heaplayout_known() has said LMP_OK. */
void heapshape_read(LmpProfile *p, const LmpHeapHand *hand, uintptr_t table, uint64_t size,
                    LmpPreview *out);

#endif
