/* lines.h - from where the program runs to the rows of the tables: who makes this block?
 *
 * The running thread and, in table constructors, the running instruction are taken from where the
 * interpreter's own code keeps them at the moment it asks for memory (words.h); the rest from its
 * frames (frames.h). (pc, C function, class, tag) is the key to a small cache; only a miss asks the
 * debug API for source, line and names. Code that dies is watched (LMP_E_WATCHED), so that the next
 * code at its address is looked at anew. */
#ifndef LMP_LINES_H
#define LMP_LINES_H

#include "kind.h"
#include "profile.h"
#include "sites.h"
#include "words.h"

enum {
    LMP_LINE_SLOTS = 4096, /* a power of two */
    LMP_LINE_GROUP = 64,   /* slots in each of 64 groups */
    LMP_RAN_LATELY = 16
};

/* One answer. key 0: empty. */
typedef struct LmpLineSlot {
    uint64_t key;  /* pc, class << 47, kind of answer or tag << 51 */
    uintptr_t cfn; /* the C function on top, 0: the Lua function itself */
    uint32_t row;  /* record; of other kinds of answers: site */
    uint32_t spare;
} LmpLineSlot;

typedef struct LmpLineCache {
    struct LmpCodes *codes; /* prototypes' code with answers in the cache */
    /* Threads that ran lately, also those that C code resumed in its own way; the newest is at
     * [ran % LMP_RAN_LATELY]. All live, or are NULL. */
    const lua_State *lately[LMP_RAN_LATELY];
    uint32_t ran;
    bool jumps; /* frames_jump() may be asked */
    LmpLineSlot slot[LMP_LINE_SLOTS];
} LmpLineCache;

/* Allocates what lines need and chooses how they are had: live->tables.lines says it after. Sites
 * are open. NOMEM. */
LmpErr lines_open(LmpProfile *p, lua_State *L);
void lines_close(LmpProfile *p);

/* A block of a prototype's code, or of a thread, is freed. */
void lines_watched_gone(LmpProfile *p, uintptr_t addr, size_t size, unsigned cls);
/* A block from before start is freed: it may be such code, too. */
void lines_unknown_gone(LmpProfile *p, uintptr_t addr, size_t size);

/* The running coroutine's tag has been set: L is running. */
void lines_tag_changed(LmpProfile *p, lua_State *L);

/* Site row of a frame, for call paths: of a Lua frame at `pc` (its saved pc, or a better one); of a
 * C frame itself, line -1. */
uint32_t lines_frame_site(LmpProfile *p, lua_State *L, const LmpCallInfo *ci, uintptr_t pc);
uint32_t lines_c_site(LmpProfile *p, lua_State *L, const LmpCallInfo *ci);

/* Who asks now, for call paths. */
typedef struct LmpAsk {
    lua_State *L;          /* NULL: nobody that is known */
    uintptr_t constructor; /* the running instruction, where the saved pc is not it; else 0 */
} LmpAsk;

/* The record for a block of class cls that is asked for now, the long way; `words` may be NULL. */
uint32_t lines_ask(LmpProfile *p, LmpWords words, unsigned cls, LmpAsk *ask);
/* The record of who makes a stack move: from Lua 5.4.5 on a thread's frames say nothing of their
 * functions meanwhile, so only what is known of the line already counts, else "(unknown)". */
uint32_t lines_stack_moves(LmpProfile *p, LmpWords words);
/* For a C function on top of L. */
uint32_t lines_record_c(LmpProfile *p, LmpWords words, unsigned cls, LmpAsk *ask);
/* L runs now: its tag counts. */
void lines_switch(LmpProfile *p, const lua_State *L);

static inline uint64_t lines_key(uintptr_t pc, unsigned cls, unsigned tag) {
    return pc | (uint64_t)cls << 47 | (uint64_t)tag << 51;
}

static inline LmpLineSlot *lines_slot(LmpLineCache *cache, uint64_t key, uintptr_t cfn) {
    uint64_t h = (key ^ (uint64_t)cfn << 13) * 0x9e3779b97f4a7c15ull;
    return &cache->slot[h >> 52];
}
_Static_assert(LMP_LINE_SLOTS == 1 << 12, "lines_slot takes the upper 12 bits");

/* Is w a pc in the code of the Lua function of ci? */
static inline bool lines_in_code(const LmpCallInfo *ci, uintptr_t w) {
    const void *proto = frames_proto(frames_func(ci));
    if (!proto) return false;
    uint32_t size;
    memcpy(&size, (const char *)proto + LMP_AT_PROTO_SIZECODE, sizeof size);
    return w - frames_word(proto, LMP_AT_PROTO_CODE) <= size * (uint64_t)sizeof(uint32_t);
}

/* The record for a block of class cls that is asked for now. ask->L is the thread for which it is,
 * as the words say; ask->constructor becomes what it is. */
static ALWAYS_INLINE uint32_t lines_record(LmpProfile *p, LmpWords words, unsigned cls,
                                           LmpAsk *ask) {
    const lua_State *L = ask->L;
    if (UNLIKELY(!L)) return lines_ask(p, words, cls, ask);
    LmpCallInfo *ci = frames_top(L);
    unsigned status = frames_status(ci);
    if (status & LMP_CI_C) return lines_record_c(p, words, cls, ask);
    if (UNLIKELY(status & LMP_CI_HOOKED || *((const uint8_t *)L + LMP_AT_L_STATUS) != LUA_OK))
        return lines_ask(p, words, cls, ask);
    if (UNLIKELY(p->running != L)) lines_switch(p, L);
    uintptr_t pc = frames_pc(ci);
    if (cls == LMP_C_TABLE || cls == LMP_C_TABLE_PART) {
        ask->constructor = words_construction(p->words, words);
        if (ask->constructor) pc = ask->constructor;
    }
    uint64_t key = lines_key(pc, cls, p->tag);
    const LmpLineSlot *slot = lines_slot(p->lines, key, 0);
    if (LIKELY(slot->key == key && !slot->cfn)) return slot->row;
    return lines_ask(p, words, cls, ask);
}

#endif
