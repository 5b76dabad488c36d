/* stub.h - the code that is written into a program to be attached to: without any call of ours it
 * returns to where the program was, so it does no harm if we are killed at any moment.
 *
 * It is position-independent, and lies in the unused rest of a page of code. Both entries are for a
 * jump at any instruction of a thread: they leave the 128 bytes below the stack pointer alone, keep
 * all registers, and jump to `resume`. */
#ifndef LMP_ATTACH_STUB_H
#define LMP_ATTACH_STUB_H

#include <stddef.h>
#include <stdint.h>

#if defined __x86_64__ && defined __LP64__
#define ATTACH_STUB 1
#else
#define ATTACH_STUB 0
#endif

/* What the stub is told, at its beginning. */
typedef struct AttachStubHead {
    uint64_t data;           /* LmpAttach; LMP_ATTACH_BYTES are mapped there */
    uint64_t map_resume;     /* where attach_stub_map returns to */
    uint64_t hooks_resume;   /* the same of attach_stub_hooks */
    uint64_t registers_mask; /* vector registers to keep (XSAVE's mask); 0: FXSAVE */
    uint64_t registers_size; /* bytes that takes */
} AttachStubHead;

extern const char attach_stub_begin[], attach_stub_end[];
extern const char attach_stub_map[];   /* maps `data` */
extern const char attach_stub_hooks[]; /* notes the hooks of all states, and sets ours */
extern const char attach_stub_hook[];  /* ours: gives the program's back, then loads the module */

static inline size_t attach_stub_size(void) {
    return (size_t)(attach_stub_end - attach_stub_begin);
}

/* Fills the processor's part of a head. */
void attach_stub_registers(AttachStubHead *head);

#endif
