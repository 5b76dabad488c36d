/* freed_class.h - of which class is a block that is freed or resized, where no map says it?
 *
 * The interpreter frees parts of tables, threads and so on from call sites of their own, as it
 * requests them (owner.h); and it frees all objects from a few, where the block's own header still
 * says what it is. freed_class.c finds these call sites once per process, in a private state whose
 * every block has a known class. */
#ifndef LMP_FREED_CLASS_H
#define LMP_FREED_CLASS_H

#include "agent/interp/callclasses.h"

/* What the table says of call sites that free objects: look at the header. */
enum { LMP_FREED_OBJECT = LMP_CLASSES - 1 };

/* By the type in a header; LMP_C_NONE for a thread: where the type would be, its block has a byte
 * of a pointer, which begins after as many bytes, and no type ends in the same bits. */
extern const uint8_t freed_class_of_type[256];

/* Returns the call sites of this process's Lua, found once (thread-safe); NULL: they were not, or
 * one serves several classes. Lives as long as the process. Looked for in a private state: not
 * within an operation of the profiled one. */
const LmpCallClasses *freed_class_sites(void);

/* Returns the class of a block that the interpreter's usual callers free or resize; LMP_C_NONE: it
 * is another caller. */
static ALWAYS_INLINE unsigned freed_class_usual(const LmpCallClasses *sites, const void *block,
                                                const char *cfa, uintptr_t ret) {
    unsigned cls = callclass_usual(sites, cfa, ret);
    if (cls != LMP_FREED_OBJECT) return cls;
    return freed_class_of_type[((const uint8_t *)block)[LMP_AT_TYPE]];
}

/* Returns the class of a block of `size` bytes that any caller frees or resizes: of one who is not
 * known, that of an object if all of its header agrees, else LMP_C_OTHER. */
unsigned freed_class(const LmpCallClasses *sites, const void *block, size_t size, LmpCaller caller);

#endif
