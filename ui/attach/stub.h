/* stub.h - the code that is written into a program to be attached to: without any call of ours it
 * returns to where the program was, so it does no harm if we are killed at any moment.
 *
 * It is position-independent, and lies in the unused rest of a page of code. Both entries are for a
 * jump at any instruction of a thread: they keep all registers, on x86-64 the 128 bytes below the
 * stack pointer, too, and jump to `resume`. */
#ifndef LMP_ATTACH_STUB_H
#define LMP_ATTACH_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the stub is told, at its beginning. */
typedef struct AttachStubHead {
    uint64_t data;           /* LmpAttach; LMP_ATTACH_BYTES are mapped there */
    uint64_t resume;         /* what both entries jump to: where the thread was, or a landing */
    uint64_t registers_mask; /* vector registers to keep: x86-64: XSAVE's mask, 0: FXSAVE;
                                aarch64: 1: those of SVE, too */
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

/* Bytes of a landing: code near to where a thread was, to which the stub jumps, and which has the
 * thread go on. On aarch64 no jump goes anywhere and keeps all registers; x86-64 needs none. */
#ifdef __aarch64__
enum { ATTACH_LANDING = 16 };
#else
enum { ATTACH_LANDING = 0 };
#endif
/* Makes the landing for address `at`. Returns false if `resume` is too far from there. */
bool attach_stub_land(uint32_t landing[4], uint64_t at, uint64_t resume);

#endif
