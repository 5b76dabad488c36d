/* unwind.h - what the unwind tables say of the functions above a request to our allocator: where
 * each goes on, and where each has put the registers that calls preserve. Only at start, in the
 * studies of private states. */
#ifndef LMP_UNWIND_H
#define LMP_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <unwind.h>

#include "agent/interp/frames.h"

enum {
    LMP_REGS_SEEN = 1024,        /* saved registers and words of stack above them that are read */
    LMP_UNWIND_ROWS = 24,        /* functions, the most */
    LMP_REGISTERS = LMP_REGS_RET /* saved first, in this order */
};

typedef struct LmpUnwindRow {
    uint32_t count;                      /* functions, the one that called the allocator first */
    uintptr_t ip[LMP_UNWIND_ROWS];       /* where each goes on */
    uintptr_t function[LMP_UNWIND_ROWS]; /* where it begins */
    int32_t at[LMP_UNWIND_ROWS];         /* index in LmpSavedRegs of that ip, -1: nowhere */
    int32_t frame[LMP_UNWIND_ROWS];      /* index of its own first word, -1: nowhere */
    /* Where its registers stand while the first function has called, and those of its caller:
     * indexes in LmpSavedRegs, -1: not known. What differs was saved by the first. */
    int32_t own[LMP_REGISTERS], callers[LMP_REGISTERS];
} LmpUnwindRow;

/* Walks from the caller of an entry point of LMP_ENTRY_STUDY. Returns false if there are no
 * tables. */
bool unwind_regs(LmpUnwindRow *u, LmpSavedRegs regs);

/* Finds the functions above the caller of this, whoever it is: only `count` and `function`. */
void unwind_here(LmpUnwindRow *u);

/* Returns where on the stack the return address stands that leads into the function of a context;
 * 0: nowhere that is known. [from, to) is the frame of the function that goes on there. */
uintptr_t unwind_stands(struct _Unwind_Context *context, uintptr_t from, uintptr_t to);

/* Return addresses from `ret` outwards, `most` at most, and where on the stack each stands (the
 * first one only where that is on the stack). For _Unwind_Backtrace, with this as argument: a
 * function around that would be one more frame to unwind, at each of a start's many requests. */
typedef struct LmpUnwindCallers {
    uintptr_t ret, *ip, *at;
    int most, found;
    uintptr_t before; /* where the frame began that was met before */
} LmpUnwindCallers;
_Unwind_Reason_Code unwind_caller(struct _Unwind_Context *context, void *callers);

#endif
