/* unwind.c - the unwinder gives the value of a register in each function, not where it was saved.
 * So a mark is set through it, looked for in the saved registers and on the stack, and removed
 * before anything else runs. */
#include "agent/interp/unwind.h"

#include "agent/interp/saved_regs_plan.h"

#define MARK 0x5bd1e995c2b2ae35ull /* no address, no instruction */

typedef struct Walk {
    LmpUnwindRow *u;
    LmpSavedRegs regs; /* NULL: only functions are asked for */
    uintptr_t before;  /* where the frame began that was met before */
} Walk;

static const int number[LMP_REGISTERS] = {CPU_REGISTERS};

LMP_READS_REGS static int32_t find_mark(LmpSavedRegs regs) {
    for (int32_t i = 0; i < LMP_REGS_SEEN; i++)
        if (regs[i] == MARK) return i;
    return -1;
}

/* Returns the index of a word on the stack, -1: it is not one of those that are read. */
static int32_t index_of(LmpSavedRegs regs, uintptr_t address) {
    uintptr_t at = (address - (uintptr_t)regs) / sizeof(uintptr_t);
    return address >= (uintptr_t)regs && at < LMP_REGS_SEEN ? (int32_t)at : -1;
}

#if LMP_RET_ON_STACK
uintptr_t unwind_stands(struct _Unwind_Context *context, uintptr_t from, uintptr_t to) {
    (void)context, (void)from;
    return to - sizeof(uintptr_t);
}
#else
/* It was in a register, which the function that goes on there has saved somewhere in its frame. */
LMP_READS_REGS uintptr_t unwind_stands(struct _Unwind_Context *context, uintptr_t from,
                                       uintptr_t to) {
    if (CPU_RETURN < 0) return 0;
    _Unwind_Word value = _Unwind_GetGR(context, CPU_RETURN);
    _Unwind_SetGR(context, CPU_RETURN, MARK);
    while (from < to && *(const volatile uintptr_t *)from != MARK) /* NOLINT */
        from += sizeof from;
    _Unwind_SetGR(context, CPU_RETURN, value);
    return from < to ? from : 0;
}
#endif

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
        uintptr_t cfa = (uintptr_t)_Unwind_GetCFA(context); /* the callee's: its frame ends there */
        u->frame[i] = index_of(walk->regs, cfa);
        u->at[i] = index_of(walk->regs, unwind_stands(context, walk->before, cfa));
        walk->before = cfa;
        if (i < 2) find_registers(context, walk->regs, i ? u->callers : u->own);
    }
    return ++u->count == LMP_UNWIND_ROWS ? _URC_END_OF_STACK : _URC_NO_REASON;
}

LMP_READS_REGS bool unwind_regs(LmpUnwindRow *u, LmpSavedRegs regs) {
    Walk walk = {u, regs, (uintptr_t)regs};
    u->count = 0;
    _Unwind_Backtrace(walk_function, &walk);
    for (uint32_t i = 0; i < u->count; i++)
        if (u->at[i] >= 0 && cpu_address(regs[u->at[i]]) != u->ip[i]) u->at[i] = -1;
    return u->count >= 2 && u->at[0] == LMP_REGS_RET && u->at[1] > u->at[0] &&
           u->frame[1] > u->frame[0];
}

void unwind_here(LmpUnwindRow *u) {
    Walk walk = {u, NULL, 0};
    u->count = 0;
    _Unwind_Backtrace(walk_function, &walk);
}

_Unwind_Reason_Code unwind_caller(struct _Unwind_Context *context, void *callers) {
    LmpUnwindCallers *c = callers;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);
    uintptr_t before = c->before, cfa = (uintptr_t)_Unwind_GetCFA(context); /* the callee's */
    c->before = cfa;
    if (!c->found && ip != c->ret) return _URC_NO_REASON;
    c->ip[c->found] = ip;
    c->at[c->found] = LMP_RET_ON_STACK || c->found ? unwind_stands(context, before, cfa) : 0;
    return ++c->found == c->most ? _URC_END_OF_STACK : _URC_NO_REASON;
}
