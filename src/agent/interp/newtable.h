/* newtable.h - table constructors: which instruction asks for a table, and for its parts.
 *
 * A table requested while a Lua function runs is OP_NEWTABLE's: nothing else makes one there.
 * saved_regs.h finds that instruction, which then requests the hash part and the array part that it
 * gives a size for, with nothing in between, so that many of the next requests are its own. After a
 * refusal, and where not every request is examined, the table itself shows it: it is on top of the
 * stack, and empty until it has its parts.
 *
 * OP_SETLIST asks for room only after a call or "..." with all its results, whose instruction has
 * saved the pc: so it is the one that the saved pc points to. */
#ifndef LMP_NEWTABLE_H
#define LMP_NEWTABLE_H

#include "agent/interp/saved_regs_plan.h"
#include "agent/state/profile.h"

/* Returns the requests for parts that OP_NEWTABLE at pc, which is in the code, makes: 0 to 2. */
uint32_t newtable_parts(uintptr_t pc);

/* Returns, by the slow path, the pc of the instruction that requests a table or, if not `object`, a
 * part of one; L runs its topmost frame, a Lua function of `proto` and not in a debug hook. 0: the
 * instruction is no constructor, or not known; *doubtful: it may be one. */
uintptr_t newtable_ask(LmpProfile *p, const lua_State *L, const void *proto, LmpSavedRegs regs,
                       bool object, bool *doubtful);

/* Returns true if a living table that has no parts yet is on top of L's stack. L runs a Lua
 * function. */
bool newtable_has_none(LmpProfile *p, const lua_State *L);

/* Call when a request is refused: after a second refusal the caller has failed. */
static inline void newtable_refused(LmpProfile *p) {
    p->made.left = p->made.left & LMP_MADE_REFUSED ? 0 : p->made.left | LMP_MADE_REFUSED;
}

/* Returns the instruction before pc, for which frames_after_instruction holds. */
static inline uint32_t newtable_before(uintptr_t pc) {
    uint32_t instruction;
    memcpy(&instruction, (const void *)(pc - LMP_INSTRUCTION), sizeof instruction); /* NOLINT */
    return instruction;
}

/* Returns true if the instruction at pc, the one that comes next, is an OP_SETLIST that takes all
 * that is there. */
bool newtable_setlist(const void *proto, uintptr_t pc);

#endif
