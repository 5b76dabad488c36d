/* code.h - the module (program or shared object) that an address of code lies in, as the loader has
 * mapped it. */
#ifndef LMP_CODE_H
#define LMP_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LMP_BUILD_ID = 32 };

typedef struct LmpCode {
    uintptr_t base;                 /* what addresses of its file are moved by */
    uintptr_t begin, end;           /* of the segment that holds the address */
    unsigned char id[LMP_BUILD_ID]; /* the linker's build id, or as much of it as fits */
    uint32_t id_size;               /* bytes; 0: it was linked without one */
} LmpCode;

/* Returns false if no module is mapped there. Takes the loader's lock: only at start. */
bool code_find(LmpCode *code, uintptr_t address);

#endif
