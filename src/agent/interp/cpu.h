/* cpu.h - how functions call each other on this processor: which registers calls preserve, where
 * the return address is, and what a return address on the stack looks like.
 *
 * LMP_HAS_ENTRY says whether entry.h has entry points for it; elsewhere who calls us is found by
 * the unwind tables alone. */
#ifndef LMP_CPU_H
#define LMP_CPU_H

#include <stdint.h>
#include <string.h>

#include "shared/layout.h"

/* The saved registers and the stack above our hook, as the entry point leaves them: the registers
 * that calls preserve, the return address, then the words of our callers. */
typedef const uintptr_t *LmpSavedRegs;

/* LMP_REGS_RET: the index of the return address, and so how many registers are saved before it. By
 * CPU_REGISTERS, the unwind tables' numbers of these registers. */
#if defined __x86_64__ && defined __ELF__ && defined __LP64__
#define LMP_HAS_ENTRY 1
#define LMP_RET_ON_STACK                                                                           \
    1 /* a call puts the return address there, right below the caller's words */
enum { LMP_REGS_RET = 6 };
#define CPU_REGISTERS 3, 6, 12, 13, 14, 15 /* rbx, rbp, r12 to r15 */
#elif defined __aarch64__ && defined __ELF__ && defined __LP64__ && !defined __AARCH64EB__
#define LMP_HAS_ENTRY 1
#define LMP_RET_ON_STACK 0
enum { LMP_REGS_RET = 11 };
#define CPU_REGISTERS 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
#define CPU_RETURN 30 /* the register of the return address */
#else
#define LMP_HAS_ENTRY 0
#define LMP_RET_ON_STACK 0
enum { LMP_REGS_RET = 1 };
#define CPU_REGISTERS 0
#ifdef __riscv
#define CPU_RETURN 1
#else
#define CPU_RETURN (-1) /* not known */
#endif
#endif

/* Who has called us: its stack pointer as it was then, and where it goes on. */
typedef struct LmpFrom {
    const char *cfa;
#if !LMP_RET_ON_STACK
    uintptr_t ret;
#endif
} LmpFrom;

#if LMP_RET_ON_STACK
#define LMP_FROM(cfa, ret)                                                                         \
    (LmpFrom) {                                                                                    \
        cfa                                                                                        \
    }
#else
#define LMP_FROM(cfa, ret)                                                                         \
    (LmpFrom) {                                                                                    \
        cfa, ret                                                                                   \
    }
#endif
/* The caller of the function that has this, or of one that was entered by a jump from there. */
#define LMP_FROM_CALLER LMP_FROM(__builtin_dwarf_cfa(), (uintptr_t)__builtin_return_address(0))

static inline uintptr_t cpu_ret(LmpFrom from) {
    uintptr_t ret;
#if LMP_RET_ON_STACK
    memcpy(&ret, from.cfa - sizeof ret, sizeof ret);
#else
    ret = from.ret;
#endif
    return ret;
}

/* Returns the address that a return address on the stack means, where functions may have signed
 * theirs (pointer authentication), in bits that no address has. */
static inline uintptr_t cpu_signed_address(uintptr_t word) {
    return word & (((uintptr_t)1 << LMP_ADDRESS_BITS) - 1);
}
/* Returns the same for this processor. */
static inline uintptr_t cpu_address(uintptr_t word) {
#ifdef __aarch64__
    word = cpu_signed_address(word);
#endif
    return word;
}

#endif
