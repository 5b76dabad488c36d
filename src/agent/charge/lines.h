/* lines.h - from where the program runs to the rows of the tables: who makes this block?
 *
 * The running thread and, in table constructors, the running instruction are taken from where the
 * interpreter's own code keeps them at the moment it asks for memory (saved_regs.h); the rest from
 * its frames (frames.h). (pc, C function, tag) is the key to a cache, which has a row for each
 * class and grows while living entries evict each other; only a miss asks the debug API for source,
 * line and names. Code that dies is watched (LMP_BLOCK_NOTIFY), so that the next code at its
 * address is looked up again. */
#ifndef LMP_LINES_H
#define LMP_LINES_H

#include "agent/charge/line_cache.h"
#include "agent/interp/newtable.h"
#include "agent/interp/saved_regs_plan.h"
#include "agent/state/profile.h"
#include "base/kind.h"

enum {
    LMP_LINE_LEAST = 1 << 12, /* slots, to begin with and at most: powers of two */
    LMP_LINE_MOST = 1 << 16,
    LMP_RAN_LATELY = 16,
    LMP_KNOWN = 256 /* a power of two */
};

/* What is known of a place, in one cache line. key 0: empty. */
typedef struct LmpLineSlot {
    uint64_t key;  /* pc, tag or kind of other entries << 48, LMP_LINE_C, LMP_LINE_NEWTABLE */
    uintptr_t cfn; /* the C function on top, 0: the Lua function itself. Of OP_NEWTABLE: its
                      prototype, which proves that the pc is one of the function that runs */
    /* Records by the class of the block, 0: not known yet. At 0: of OP_NEWTABLE, how many parts it
     * asks for; else, if not 0, OP_SETLIST comes next and is who asks for parts of tables. Other
     * kinds of entries: a site. */
    uint32_t row[LMP_C_COUNTED];
} LmpLineSlot;

typedef struct LmpLineCache {
    size_t mask;            /* of the slots in use, in bytes (lines_slot) */
    uint32_t pushed;        /* entries that have lost their slot, at this size */
    struct LmpCodes *codes; /* prototypes' code with entries in the cache */
    LmpLineL2 l2;           /* those that the slots have no room for */
    /* Threads that ran lately, also those that C code resumed in its own way; the newest is at
     * [ran % LMP_RAN_LATELY]. All live, or are NULL. */
    const lua_State *lately[LMP_RAN_LATELY];
    /* Threads from before start that were met where only threads are, by lines_known_home. */
    const lua_State *known[LMP_KNOWN];
    uint32_t ran;
    bool jumps; /* frames_jump() may be asked */
    /* Prototypes were asked what lua_getinfo says, too: whether they have agreed, and whether one
     * has not (stripped.h). */
    bool agreed, differed;
    /* Records of "(host)" and, at 1, "(parser)", under no tag; 0: not known yet. */
    uint32_t outside[2][LMP_C_COUNTED];
    _Alignas(64) LmpLineSlot slot[LMP_LINE_MOST]; /* what is beyond the mask is never touched */
} LmpLineCache;

/* Allocates what lines need and chooses how they are found: live->tables.lines tells. Sites are
 * open. NOMEM. */
LmpErr lines_open(LmpProfile *p, lua_State *L);
void lines_close(LmpProfile *p);

/* Forgets the entries about a block of a prototype's code that is freed, or that may have been one.
 * Returns true if there were any. Then *addr and *size are of the code: of some, the prototype's
 * block is the one that is freed. */
bool lines_code_gone(LmpProfile *p, uintptr_t *addr, size_t *size);

/* Call when the tag of the running coroutine, L, has been set. */
void lines_tag_changed(LmpProfile *p, lua_State *L);

/* Returns the site row of a frame, for call paths: of a Lua frame at `pc` (its saved pc, or a
 * better one); of a C frame itself, line -1. */
uint32_t lines_frame_site(LmpProfile *p, lua_State *L, const LmpCallInfo *ci, uintptr_t pc);
uint32_t lines_c_site(LmpProfile *p, lua_State *L, const LmpCallInfo *ci);

/* Return, for who counts calls, the function of a Lua frame, and the site of one of its pcs, which
 * may be any that has an instruction before it. Neither is kept: the caller keeps them. */
uint32_t lines_function(LmpProfile *p, lua_State *L, const LmpCallInfo *ci);
uint32_t lines_site_at(LmpProfile *p, lua_State *L, const LmpCallInfo *ci, uintptr_t pc);
/* Lets p->code_deaths change, from now on, when the code of this prototype dies. Returns false if
 * there is no memory. */
bool lines_watch(LmpProfile *p, const void *proto);

/* Who asks now, for call paths. */
typedef struct LmpAsk {
    lua_State *L;          /* NULL: unknown */
    uintptr_t constructor; /* the running instruction, where the saved pc is not it; else 0 */
} LmpAsk;

/* Learns the entry for L, which ran last and whose Lua function on top has asked, not in a debug
 * hook, so that lines_record() knows it. Returns false if the slow path is to be taken. */
bool lines_learn(LmpProfile *p, lua_State *L, LmpSavedRegs regs, unsigned cls);
/* Returns the record for a block of class cls that is requested now, by the slow path; `regs` may
 * be NULL. */
uint32_t lines_ask(LmpProfile *p, LmpSavedRegs regs, unsigned cls, LmpAsk *ask);
/* Returns the same where the thread that asks is known: L, in which no function runs, nor in any
 * other that is known. 0: one may. */
uint32_t lines_ask_outside(LmpProfile *p, const lua_State *L, unsigned cls);
/* Returns the pc of the table constructor that asks now for a block of class cls, where that is not
 * the saved one, and its frame in *ci; else 0. */
uintptr_t lines_constructor(LmpProfile *p, LmpSavedRegs regs, unsigned cls, LmpCallInfo **ci);
/* Returns the record of who makes a stack move: from Lua 5.4.5 on, a thread's frames do not lead to
 * their functions meanwhile, so only an already known line counts, else "(unknown)". */
uint32_t lines_stack_moves(LmpProfile *p, LmpSavedRegs regs);
/* Returns true if this block is the stack of the thread that asks. */
bool lines_is_stack(LmpProfile *p, LmpSavedRegs regs, const void *ptr);
/* Call when L runs now: its tag counts. */
void lines_switch(LmpProfile *p, const lua_State *L);
/* Does the same for a thread that asks in a C function. Returns false if it is not known to run. */
bool lines_switch_c(LmpProfile *p, const lua_State *L);

#define LMP_LINE_C (1ull << 63) /* `cfn` counts, too: without it, a key says all */
#define LMP_LINE_NEWTABLE 1ull  /* that is a prototype: a pc is even */
#define LMP_LINE_FLAGS (LMP_LINE_C | LMP_LINE_NEWTABLE)

static inline uint64_t lines_key(uintptr_t pc, unsigned tag) {
    return pc | (uint64_t)tag << LMP_ADDRESS_BITS;
}

/* Neighbours in the code are neighbours in the cache: a program of many places reads it in order,
 * as it does its own code, where a hash that scatters would cost a miss of the processor's caches
 * at each of them. */
static inline LmpLineSlot *lines_slot(LmpLineCache *cache, uint64_t key, uintptr_t cfn) {
    uint64_t place = key / LMP_INSTRUCTION + (key >> LMP_ADDRESS_BITS) * 1031;
    if (!(key & LMP_LINE_NEWTABLE)) place += cfn * 0x9e3779b1u >> 4;
    size_t at = (size_t)place * sizeof(LmpLineSlot) & cache->mask;
    return (LmpLineSlot *)(void *)((char *)cache->slot + at);
}
/* Returns where an entry is whose own slot has another one: beside it. The processor fetches
 * both. */
static inline LmpLineSlot *lines_beside(const LmpLineCache *cache, const LmpLineSlot *slot) {
    size_t at = (size_t)((const char *)slot - (const char *)cache->slot) ^ sizeof *slot;
    return (LmpLineSlot *)(void *)((char *)cache->slot + at); /* NOLINT */
}

/* Returns the slot of an entry, if it is known, else another one. */
static inline LmpLineSlot *lines_look(LmpLineCache *cache, uint64_t key, uintptr_t cfn) {
    LmpLineSlot *slot = lines_slot(cache, key, cfn);
    if (LIKELY(slot->key == key && slot->cfn == cfn)) return slot;
    return lines_beside(cache, slot);
}

static inline uint32_t lines_known_home(const lua_State *L) {
    return (uint32_t)((uintptr_t)L / 16) & (LMP_KNOWN - 1);
}

/* Returns true if this word is a living thread of the state. Nothing else is ever treated as
 * one. */
bool lines_learn_thread(LmpProfile *p, const lua_State *L); /* one that is not known to be */
static ALWAYS_INLINE bool lines_is_thread(LmpProfile *p, const lua_State *L) {
    return LIKELY(L && p->lines->known[lines_known_home(L)] == L) || lines_learn_thread(p, L);
}

/* Call when a thread's memory is freed (may be called for other blocks, too). */
static inline void lines_thread_gone(LmpProfile *p, const lua_State *L) {
    if (p->running == L) p->running = NULL;
    const lua_State **known = &p->lines->known[lines_known_home(L)];
    if (*known == L) *known = NULL;
    const lua_State **lately = p->lines->lately;
#pragma GCC unroll 16
    for (int i = 0; i < LMP_RAN_LATELY; i++)
        if (UNLIKELY(lately[i] == L)) lately[i] = NULL;
}

/* Returns the record of OP_NEWTABLE at pc, of the function of ci, for its table; notes that its
 * parts come next. 0: take the slow path. */
static ALWAYS_INLINE uint32_t lines_record_table(LmpProfile *p, const LmpCallInfo *ci,
                                                 LmpSavedRegs regs, uintptr_t *constructor) {
    uintptr_t pc = saved_regs_newtable(p->regs, regs, true);
    const void *proto = frames_proto(frames_func(ci));
    uint64_t key = lines_key(pc, p->tag) | LMP_LINE_FLAGS;
    const LmpLineSlot *slot = lines_look(p->lines, key, (uintptr_t)proto);
    if (UNLIKELY(!proto || slot->key != key || slot->cfn != (uintptr_t)proto)) return 0;
    uint32_t record = slot->row[LMP_C_TABLE];
    p->made = (LmpMade){(const void *)ci, pc,           (uintptr_t)proto,
                        record,           slot->row[0], slot->row[LMP_C_TABLE_PART]};
    *constructor = pc;
    return record;
}

/* Returns the same for a part, when the last constructor has some to come. Nothing has run since
 * that made its table, so what is known of it, and the tag, are still right. */
static ALWAYS_INLINE uint32_t lines_record_made(LmpProfile *p, const LmpCallInfo *ci, unsigned cls,
                                                uintptr_t *constructor) {
    const LmpMade *made = &p->made;
    if (UNLIKELY((const void *)ci != made->ci || cls != LMP_C_TABLE_PART)) return 0;
    if (UNLIKELY(made->left & LMP_MADE_REFUSED || !made->part)) return 0;
    p->made.left--;
    *constructor = made->pc;
    return made->part;
}

/* Returns the record for a block of class cls that L asks for in a Lua function, the topmost of its
 * frames and not below a hook; 0: take the slow path. In a table constructor the running
 * instruction is in *constructor. `regs` NULL: it is no constructor. */
static ALWAYS_INLINE uint32_t lines_record(LmpProfile *p, const lua_State *L, const LmpCallInfo *ci,
                                           LmpSavedRegs regs, unsigned cls,
                                           uintptr_t *constructor) {
    if (UNLIKELY(frames_is_idle(L))) return 0;
    if (regs && cls == LMP_C_TABLE) return lines_record_table(p, ci, regs, constructor);
    if (regs && UNLIKELY(p->made.left)) return lines_record_made(p, ci, cls, constructor);
    uintptr_t pc = frames_pc(ci);
    uint64_t key = lines_key(pc, p->tag);
    const LmpLineSlot *slot = lines_look(p->lines, key, 0);
    if (UNLIKELY(slot->key != key)) return 0;
    if (cls == LMP_C_TABLE_PART && UNLIKELY(slot->row[0])) *constructor = pc + LMP_INSTRUCTION;
    return slot->row[cls];
}

/* Returns the same in a C function, whose name is kept as a detail; but not with stacks and frames,
 * which also belong to its call. */
static ALWAYS_INLINE uint32_t lines_record_c(const LmpProfile *p, const lua_State *L,
                                             const LmpCallInfo *top, unsigned cls) {
    const LmpCallInfo *ci = frames_lua(frames_caller(top));
    if (UNLIKELY(!ci || frames_is_idle(L))) return 0;
    uintptr_t cfn = 0;
    uint64_t key = lines_key(frames_pc(ci), p->tag);
    if (cls != LMP_C_THREAD_PART) {
        cfn = frames_c_function(frames_func(top));
        key |= LMP_LINE_C;
    } else if (frames_resumed(L)) {
        return 0;
    }
    const LmpLineSlot *slot = lines_look(p->lines, key, cfn);
    return LIKELY(slot->key == key && slot->cfn == cfn) ? slot->row[cls] : 0;
}

/* Returns the same for a part of a thread that has no function yet: the one that runs is about to
 * resume it for the first time, and it is the line of that. */
static ALWAYS_INLINE uint32_t lines_record_new(const LmpProfile *p, const lua_State *L,
                                               unsigned cls) {
    const lua_State *by = p->running;
    if (!by || by == L || frames_is_idle(by) || frames_resumed(by) != L || cls != LMP_C_THREAD_PART)
        return 0;
    const LmpCallInfo *ci = frames_lua(frames_caller(frames_top(by)));
    if (UNLIKELY(!ci)) return 0;
    uint64_t key = lines_key(frames_pc(ci), p->tag);
    const LmpLineSlot *slot = lines_look(p->lines, key, 0);
    return LIKELY(slot->key == key) ? slot->row[cls] : 0;
}

#endif
