/* newtable.c - reads the instruction at a pc to tell OP_NEWTABLE and its parts, and the table on
 * top of the stack to tell whether those have been requested already. */
#include "agent/interp/newtable.h"

#include "agent/map/shadow.h"
#include "shared/tables.h"

static uint32_t instruction_at(uintptr_t at) {
    uint32_t instruction;
    memcpy(&instruction, (const void *)at, sizeof instruction); /* NOLINT */
    return instruction;
}

/* pc is past the extra argument, which is always present. */
static uint32_t newtable_at(uintptr_t pc) {
    return instruction_at(pc - (uintptr_t)2 * LMP_INSTRUCTION);
}

uint32_t newtable_parts(uintptr_t pc) {
    uint32_t i = newtable_at(pc);
    bool array = luafacts_arg_c(i) || luafacts_arg_k(i);
    return (uint32_t)array + (luafacts_arg_b(i) > 0);
}

bool newtable_setlist(const void *proto, uintptr_t pc) {
    if (!frames_after_instruction(proto, pc + LMP_INSTRUCTION)) return false;
    uint32_t i = instruction_at(pc);
    return luafacts_opcode(i) == LMP_OP_SETLIST && luafacts_arg_b(i) == 0;
}

/* Returns true if pc is behind an OP_NEWTABLE of the prototype into the register below the top of
 * the stack. OP_NEWTABLE sets the top there, in case that memory has to be collected. 0 is behind
 * none. */
static bool fits(const lua_State *L, const void *proto, uintptr_t pc) {
    if (!frames_after_instruction(proto, pc) ||
        !frames_after_instruction(proto, pc - LMP_INSTRUCTION))
        return false;
    uint32_t i = newtable_at(pc);
    uintptr_t func = (uintptr_t)frames_func(frames_top(L)), top = frames_word(L, LMP_AT_L_TOP);
    return luafacts_opcode(i) == LMP_OP_NEWTABLE &&
           top == func + (luafacts_arg_a(i) + 2ull) * LMP_SLOT;
}

/* Returns the table on top of the stack if that is one, alive, and has no parts yet; else 0. */
static uintptr_t empty_table(LmpProfile *p, const lua_State *L) {
    const char *slot = (const char *)frames_word(L, LMP_AT_L_TOP) - LMP_SLOT; /* NOLINT */
    uint64_t size;
    if (frames_tag(slot) != LMP_TAG_TABLE) return 0;
    uintptr_t table = frames_word(slot, 0);
    bool is_table = (shadow_lookup(p, table, &size) & 15) == LMP_C_TABLE;
    if (!is_table && p->newest && *p->newest == table) /* then it lives, whatever it is */
        is_table = ((const char *)table)[LMP_AT_TYPE] == LMP_TT_TABLE; /* NOLINT */
    if (!is_table) return 0;
    const char *t = (const char *)table; /* NOLINT */
    uint32_t limit;
    memcpy(&limit, t + LMP_AT_TABLE_LIMIT, sizeof limit);
    if (limit || frames_word(t, LMP_AT_TABLE_ARRAY) || luafacts_has_nodes(t)) return 0;
    return table;
}

bool newtable_has_none(LmpProfile *p, const lua_State *L) {
    return empty_table(p, L) != 0;
}

/* Returns true if the last constructor that was met has made the table, and has a part to
 * request. */
static bool is_made(LmpProfile *p, const lua_State *L, const void *proto, uintptr_t table) {
    const LmpMade *made = &p->made;
    if (made->ci != frames_top(L) || made->proto != (uintptr_t)proto) return false;
    uint32_t alloc_context = *shadow_context(p, table);
    if (p->tree) alloc_context = p->tables.path[alloc_context].record;
    return alloc_context == made->record && newtable_parts(made->pc) > 0;
}

uintptr_t newtable_ask(LmpProfile *p, const lua_State *L, const void *proto, LmpSavedRegs regs,
                       bool object, bool *doubtful) {
    uintptr_t pc = saved_regs_newtable(p->regs, regs, object);
    *doubtful = false;
    if (object) {
        if (fits(L, proto, pc)) return pc;
        *doubtful = true;
        return 0;
    }
    bool told = p->made.left && !(p->made.left & LMP_MADE_REFUSED);
    if (!p->sampling && told && p->made.ci == frames_top(L)) return p->made.pc;
    uintptr_t table = empty_table(p, L);
    if (!table) return 0; /* a table that grows */
    if (fits(L, proto, pc) && newtable_parts(pc)) return pc;
    if (p->sampling) {
        *doubtful = p->regs->newtables < p->regs->newtables_met;
        return 0;
    }
    return is_made(p, L, proto, table) ? p->made.pc : 0;
}
