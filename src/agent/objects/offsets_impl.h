/* offsets_impl.h - the private state in which offsets.c searches and offsets_check.c compares: what
 * its allocator has seen. */
#ifndef LMP_AGENT_OBJECTS_OFFSETS_IMPL_H
#define LMP_AGENT_OBJECTS_OFFSETS_IMPL_H

#include "agent/objects/objects.h"

#define LMP_STUDY_BLOCKS 8192u

typedef struct LmpStudyBlock {
    uintptr_t at;
    size_t size;
    int tag; /* type tag of the request, 0: a part */
} LmpStudyBlock;

typedef struct LmpObjectStudy {
    LmpObjectOffsets layout;
    LmpStudyBlock *block; /* all that live, in no order: the newest near the end */
    uint32_t blocks;
    bool failed;         /* a request was refused */
    uintptr_t global;    /* the global state */
    uint32_t global_end; /* bytes of it */
    const char *why;     /* what differs; NULL: nothing so far */
} LmpObjectStudy;

/* Returns the block that starts at `at`; NULL: none. */
const LmpStudyBlock *object_study_block(const LmpObjectStudy *study, uintptr_t at);
/* Returns true if a part of that size starts there. */
bool object_study_part(const LmpObjectStudy *study, uintptr_t at, size_t size);

/* Is a C function; upvalue 1: the study. Compares all that objects.h reads with the documented API;
 * what differs is study->why. */
int offsets_check(lua_State *L);

#endif
