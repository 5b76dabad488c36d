/* unwind.c - see unwind.h. The unwinder gives the value of a register in each function, not where
 * it was saved. So a mark is set through it, looked for among the words, and removed before
 * anything else runs. */
#include "agent/interp/unwind.h"

#include <unwind.h>

#include "agent/interp/saved_regs_plan.h"

#define MARK 0x5bd1e995c2b2ae35ull /* no address, no instruction */

typedef struct Walk {
    LmpUnwindRow *u;
    LmpSavedRegs words; /* NULL: only functions are asked for */
} Walk;

/* The numbers of the unwind tables: rbx, rbp, r12 to r15. */
static const int number[LMP_REGISTERS] = {3, 6, 12, 13, 14, 15};

LMP_READS_REGS static int32_t find_mark(LmpSavedRegs words) {
    for (int32_t i = 0; i < LMP_REGS_SEEN; i++)
        if (words[i] == MARK) return i;
    return -1;
}

static void find_registers(struct _Unwind_Context *context, LmpSavedRegs words, int32_t *at) {
    for (int r = 0; r < LMP_REGISTERS; r++) {
        _Unwind_Word value = _Unwind_GetGR(context, number[r]);
        _Unwind_SetGR(context, number[r], MARK);
        at[r] = find_mark(words);
        _Unwind_SetGR(context, number[r], value);
    }
}

static _Unwind_Reason_Code walk_function(struct _Unwind_Context *context, void *arg) {
    Walk *walk = arg;
    LmpUnwindRow *u = walk->u;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);
    if (walk->words && !u->count && ip != walk->words[LMP_REGS_RET]) return _URC_NO_REASON;
    uint32_t i = u->count;
    u->ip[i] = ip;
    u->function[i] = (uintptr_t)_Unwind_FindEnclosingFunction((void *)(ip - 1)); /* NOLINT */
    if (walk->words) {
        /* the CFA reported is the callee's: the return address is just below it */
        intptr_t at = ((intptr_t)_Unwind_GetCFA(context) - (intptr_t)walk->words) /
                          (intptr_t)sizeof(uintptr_t) -
                      1;
        u->at[i] = at >= LMP_REGS_RET && at < LMP_REGS_SEEN ? (int32_t)at : -1;
        if (i < 2) find_registers(context, walk->words, i ? u->callers : u->own);
    }
    return ++u->count == LMP_UNWIND_ROWS ? _URC_END_OF_STACK : _URC_NO_REASON;
}

LMP_READS_REGS bool unwind_regs(LmpUnwindRow *u, LmpSavedRegs words) {
    Walk walk = {u, words};
    u->count = 0;
    _Unwind_Backtrace(walk_function, &walk);
    for (uint32_t i = 0; i < u->count; i++)
        if (u->at[i] >= 0 && words[u->at[i]] != u->ip[i]) u->at[i] = -1;
    return u->count >= 2 && u->at[0] == LMP_REGS_RET && u->at[1] > u->at[0];
}

void unwind_here(LmpUnwindRow *u) {
    Walk walk = {u, NULL};
    u->count = 0;
    _Unwind_Backtrace(walk_function, &walk);
}
