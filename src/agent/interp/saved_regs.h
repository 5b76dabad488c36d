/* saved_regs.h - what the interpreter keeps in registers and on its stack while it requests memory:
 * which thread it works for, and, when a table constructor makes its table, which instruction it
 * executes.
 *
 * Lua gives its allocator neither. But the function that calls the allocator still needs its thread
 * if the request fails, so a compiler keeps it in a register of that function or on its stack, the
 * same at every call; and so the interpreter's loop keeps its program counter. saved_regs_plan()
 * finds these places in a private state, made by the same code (regs_study.h).
 *
 * The program counter is needed because OP_NEWTABLE allocates without saving it, in all of Lua 5.4:
 * what the debug API says there is an earlier line. That a word is the program counter is proven,
 * not inferred: when another address is put there, the loop goes on at that one. (OP_SETLIST does
 * not save it either; but it asks for memory only where it follows an instruction that does.)
 *
 * That a word is the thread cannot be proven so. It was right each time, and is one of the
 * requesting function's own; and its users check that it can be true (lines.h). */
#ifndef LMP_SAVED_REGS_H
#define LMP_SAVED_REGS_H

#include <stdbool.h>

#include "agent/interp/saved_regs_plan.h"
#include "base/kind.h"

/* Returns the plan, which is found once per process (thread-safe) and lives as long; NULL when it
 * could not be found. May allocate: only at start. */
const LmpSavedRegsPlan *saved_regs_plan(void);

/* For tests: a number in this variable chooses other candidates than the first ones, and all of
 * them must work. "off": nothing is studied, as on other processors. "none": nor are frames, and no
 * entry point captures words. "wild" and a number: any words are taken, which must do no harm but
 * to lines. */
#define LMP_REGS_SEED "LMP_REGS_SEED"
bool saved_regs_none(void); /* is it "none"? */

#endif
