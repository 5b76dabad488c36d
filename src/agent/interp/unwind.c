/* unwind.c - the unwinder gives the value of a register in each function, not where it was saved.
 * So a mark is set through it, looked for in the saved registers and on the stack, and removed
 * before anything else runs. */
#include "agent/interp/unwind.h"

#include "agent/interp/saved_regs_plan.h"

#define MARK 0x5bd1e995c2b2ae35ull /* no address, no instruction */

typedef struct Walk {
    LmpUnwindRow *u;
    LmpSavedRegs regs; /* NULL: only functions are asked for */
} Walk;

/* The numbers of the unwind tables: rbx, rbp, r12 to r15. */
static const int number[LMP_REGISTERS] = {3, 6, 12, 13, 14, 15};

LMP_READS_REGS static int32_t find_mark(LmpSavedRegs regs) {
    for (int32_t i = 0; i < LMP_REGS_SEEN; i++)
        if (regs[i] == MARK) return i;
    return -1;
}

static void find_registers(struct _Unwind_Context *context, LmpSavedRegs regs, int32_t *at) {
    for (int r = 0; r < LMP_REGISTERS; r++) {
        _Unwind_Word value = _Unwind_GetGR(context, number[r]);
        _Unwind_SetGR(context, number[r], MARK);
        at[r] = find_mark(regs);
        _Unwind_SetGR(context, number[r], value);
    }
}

static _Unwind_Reason_Code walk_function(struct _Unwind_Context *context, void *arg) {
    Walk *walk = arg;
    LmpUnwindRow *u = walk->u;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);
    if (walk->regs && !u->count && ip != walk->regs[LMP_REGS_RET]) return _URC_NO_REASON;
    uint32_t i = u->count;
    u->ip[i] = ip;
    u->function[i] = (uintptr_t)_Unwind_FindEnclosingFunction((void *)(ip - 1)); /* NOLINT */
    if (walk->regs) {
        /* the CFA reported is the callee's: the return address is just below it */
        intptr_t at = ((intptr_t)_Unwind_GetCFA(context) - (intptr_t)walk->regs) /
                          (intptr_t)sizeof(uintptr_t) -
                      1;
        u->at[i] = at >= LMP_REGS_RET && at < LMP_REGS_SEEN ? (int32_t)at : -1;
        if (i < 2) find_registers(context, walk->regs, i ? u->callers : u->own);
    }
    return ++u->count == LMP_UNWIND_ROWS ? _URC_END_OF_STACK : _URC_NO_REASON;
}

LMP_READS_REGS bool unwind_regs(LmpUnwindRow *u, LmpSavedRegs regs) {
    Walk walk = {u, regs};
    u->count = 0;
    _Unwind_Backtrace(walk_function, &walk);
    for (uint32_t i = 0; i < u->count; i++)
        if (u->at[i] >= 0 && regs[u->at[i]] != u->ip[i]) u->at[i] = -1;
    return u->count >= 2 && u->at[0] == LMP_REGS_RET && u->at[1] > u->at[0];
}

void unwind_here(LmpUnwindRow *u) {
    Walk walk = {u, NULL};
    u->count = 0;
    _Unwind_Backtrace(walk_function, &walk);
}

_Unwind_Reason_Code unwind_caller(struct _Unwind_Context *context, void *callers) {
    LmpUnwindCallers *c = callers;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);
    if (!c->found && ip != c->ret) return _URC_NO_REASON;
    c->ip[c->found] = ip;
    c->at[c->found] = (uintptr_t)_Unwind_GetCFA(context) - sizeof ip; /* the CFA is the callee's */
    return ++c->found == c->most ? _URC_END_OF_STACK : _URC_NO_REASON;
}
