/* lines_asking.c - who asks for memory, in the cases that lines_record (lines.h) does not handle:
 * another thread than the one that ran last, a C function on top, no Lua function at all; and the
 * documented API where nothing else is known. */
#include "agent/charge/lines_impl.h"
#include "agent/charge/sites.h"
#include "agent/charge/tags.h"
#include "agent/interp/parsing.h"
#include "agent/interp/stack.h"
#include "agent/map/shadow.h"
#include "agent/map/watched.h"

/* ---- the running thread ---------------------------------------------------------------------- */

/* Returns true if the thread's block is known, by the map or by its bits. Threads from before start
 * have none there. */
static bool is_known(LmpProfile *p, const lua_State *L, bool *notifies) {
    uint64_t size;
    uint32_t entry = shadow_lookup(p, (uintptr_t)L - frames_bits.extra, &size);
    bool thread = p->watched && watched_is_thread(p, (uintptr_t)L - frames_bits.extra);
    *notifies =
        thread ? watched_has(p, (uintptr_t)L - frames_bits.extra) : entry & LMP_BLOCK_NOTIFY;
    return thread || (entry & 15) == LMP_C_THREAD;
}

/* Remembers the thread L until its end, if that will be noticed; but not in the place of a thread
 * that could not be learned again. Returns true if its block is known. */
static bool know(LmpProfile *p, const lua_State *L) {
    const lua_State *there = p->lines->known[lines_known_home(L)];
    bool notifies, other, known = is_known(p, L, &notifies);
    if (known && notifies && !(there && !is_known(p, there, &other))) lines_know(p->lines, L);
    return known;
}

bool lines_learn_thread(LmpProfile *p, const lua_State *L) {
    return L && (L == p->main || know(p, L));
}

COLD void lines_switch(LmpProfile *p, const lua_State *L) {
    p->running = L;
    if (!++p->lines->ran) p->lines->ran = LMP_RAN_LATELY; /* the same slot, and all are in use */
    p->lines->lately[p->lines->ran % LMP_RAN_LATELY] = L;
    if (p->live->tables.sample)
        shadow_notify(p, (uintptr_t)L - frames_bits.extra); /* else all are */
    if (p->tags) p->tag = tags_current(p, L);
}

void lines_tag_changed(LmpProfile *p, lua_State *L) {
    lines_switch(p, L);
}

/* Returns true if a Lua function runs on top, and no debug hook. */
static bool runs_lua(const lua_State *L) {
    return !(frames_status(frames_top(L)) & frames_bits.c_or_hooked);
}

/* Returns true if `b` has resumed `a`, directly or through others. Both are active. */
static bool is_within(const LmpProfile *p, const lua_State *a, const lua_State *b) {
    return p->lines->jumps && frames_jump(a) && frames_jump(a) < frames_jump(b);
}

/* Returns the running thread that an active thread has resumed, directly or through others; or
 * itself. */
static const lua_State *innermost(const lua_State *L) {
    for (int i = 0; i < LMP_CHAIN; i++) {
        const lua_State *next = frames_resumed(L);
        if (!next || next == L || !frames_is_active(next)) break;
        L = next;
    }
    return L;
}

/* Returns the thread that runs, when the asking thread does not: that is a coroutine which is being
 * given its arguments, or the main thread seen by C code that runs in another thread. C code may
 * resume in its own way, which hides the chain from the main thread; so the search starts from the
 * thread that ran last, or else from the innermost of those that ran lately and are still active,
 * and follows whom each has resumed. NULL: no function runs at all. */
static lua_State *find_running(LmpProfile *p, const lua_State *asks) {
    const LmpLineCache *cache = p->lines;
    const lua_State *found = p->running;
    if (!found || found == asks || !frames_is_active(found)) {
        found = NULL;
        for (uint32_t i = 0; i < LMP_RAN_LATELY && i < cache->ran; i++) {
            const lua_State *L = cache->lately[(cache->ran - i) % LMP_RAN_LATELY];
            if (!L || !frames_is_active(L) || L == asks || L == p->main || L == found) continue;
            if (!found || is_within(p, L, found)) found = L;
        }
    }
    found = innermost(found ? found : p->main);
    return frames_is_active(found) ? (lua_State *)found : NULL; /* NOLINT */
}

/* ---- who asks -------------------------------------------------------------------------------- */

static COLD uint32_t learn_pseudo(LmpProfile *p, bool parser, unsigned cls) {
    uint32_t site = sites_pseudo(p, parser ? LMP_PSEUDO_PARSER : LMP_PSEUDO_HOST);
    uint32_t row = sites_record(p, site, cls, p->tag);
    if (!p->tag && p->record[row].site == site) /* not "(others)", which is counted */
        p->lines->outside[parser][cls] = row;
    return row;
}

/* Returns the record of a request outside all Lua functions; `L` asks. */
static ALWAYS_INLINE uint32_t pseudo(LmpProfile *p, unsigned cls, const lua_State *L) {
    bool parser = parsing_now(cls, L ? L : p->main, p->regs != NULL);
    uint32_t kept = p->lines->outside[parser][cls];
    return LIKELY(kept && !p->tag) ? kept : learn_pseudo(p, parser, cls);
}

/* Returns true if some thread may have a running function that find_running would find. */
static ALWAYS_INLINE bool may_run(const LmpProfile *p) {
    const lua_State *const *lately = p->lines->lately;
    if (frames_caller(frames_top(p->main))) return true;
    if (p->lines->ran < LMP_RAN_LATELY) {
        for (uint32_t i = p->lines->ran; i > 0; i--)
            if (lately[i] && frames_caller(frames_top(lately[i]))) return true;
        return false;
    }
#pragma GCC unroll 16
    for (int i = 0; i < LMP_RAN_LATELY; i++)
        if (lately[i] && frames_caller(frames_top(lately[i]))) return true;
    return false;
}

/* Returns the Lua function that has called, through some coroutines, what runs in `thread`, which
 * has no Lua function itself. */
static LmpCallInfo *find_caller(LmpProfile *p, lua_State **thread) {
    lua_State *chain[LMP_CHAIN];
    int i = stack_chain(p->main, chain) - 1;
    while (i > 0 && chain[i] != *thread)
        i--;
    while (--i >= 0) {
        LmpCallInfo *ci = frames_lua(frames_top(chain[i]));
        if (!ci) continue;
        *thread = chain[i];
        return ci;
    }
    return NULL;
}

/* Returns the record of a request by the running thread ask->L, read from its frames.
 * ask->constructor: the OP_NEWTABLE on top, or 0. `asks`: the thread that asks; NULL: unknown. */
static uint32_t ask_frames(LmpProfile *p, unsigned cls, const lua_State *asks, LmpAsk *ask) {
    LmpCallInfo *top = frames_top(ask->L);
    LmpWhere w = {.L = ask->L, .runs = ask->L, .ci = frames_lua(top)};
    if (!w.ci) w.ci = find_caller(p, &w.L);
    if (!w.ci) return pseudo(p, cls, asks);
    w.pc = frames_pc(w.ci);
    if (top != w.ci && cls != LMP_C_THREAD_PART) {
        w.cfn = frames_c_function(frames_func(top));
        w.c = w.cfn ? top : NULL;
    }
    if (top == w.ci) return lines_record_of(p, &w, cls, &ask->constructor);
    uintptr_t none = ask->constructor = 0;
    return lines_record_of(p, &w, cls, &none);
}

/* Finds the OP_NEWTABLE that the running thread ask->L executes, if the request is made by it. */
static void ask_newtable(LmpProfile *p, LmpSavedRegs regs, unsigned cls, LmpAsk *ask,
                         bool *doubtful) {
    bool table = cls == LMP_C_TABLE;
    bool part = cls == LMP_C_TABLE_PART || (cls == LMP_C_OTHER && p->made.left);
    if ((!table && !part && cls != LMP_C_OTHER) || !runs_lua(ask->L)) return;
    const LmpCallInfo *ci = frames_top(ask->L);
    const void *proto = frames_proto(frames_func(ci));
    if (!proto) return;
    if (!table && !part) { /* the owner is not known: perhaps a table that is being constructed */
        *doubtful = newtable_setlist(proto, frames_pc(ci));
        return;
    }
    ask->constructor = newtable_ask(p, ask->L, proto, regs, table, doubtful);
}

/* Without saved registers: returns true if OP_NEWTABLE may be asking, which has not saved its
 * pc. */
static bool in_constructor(LmpProfile *p, const lua_State *L, unsigned cls) {
    if (!runs_lua(L)) return false;
    return cls == LMP_C_TABLE || (cls == LMP_C_TABLE_PART && newtable_has_none(p, L));
}

/* Notes, after a request was charged, which parts of its constructor are to come. */
static void note_newtable(LmpProfile *p, unsigned cls, const LmpAsk *ask, uint32_t record) {
    uintptr_t pc = ask->constructor;
    if (cls == LMP_C_TABLE) {
        const LmpCallInfo *ci = pc ? frames_top(ask->L) : NULL;
        const void *proto = pc ? frames_proto(frames_func(ci)) : NULL;
        uint32_t parts = pc && !p->sampling ? newtable_parts(pc) : 0;
        p->made = (LmpMade){(const void *)ci, pc, (uintptr_t)proto, record, parts, 0};
    } else if (p->made.left & LMP_MADE_REFUSED) { /* this one has been counted */
        p->made.left &= ~LMP_MADE_REFUSED;
    } else if (p->made.left) { /* only the table's parts come in between; else the constructor has
                                * failed */
        p->made.left = pc == p->made.pc ? p->made.left - 1 : 0;
    }
}

/* Asks the documented API alone: charges the innermost Lua function of the innermost thread. */
static uint32_t ask_api(LmpProfile *p, unsigned cls) {
    lua_State *chain[LMP_CHAIN];
    lua_Debug ar;
    int threads = stack_chain(p->main, chain);
    if (p->running != chain[threads - 1]) lines_switch(p, chain[threads - 1]);
    for (int i = threads - 1; i >= 0; i--) {
        for (int level = 0; lua_getstack(chain[i], level, &ar); level++) {
            lua_getinfo(chain[i], "Sln", &ar);
            if (*ar.what == 'C') continue;
            uint32_t site = sites_site(p, sites_function(p, &ar, NULL), ar.currentline, 0);
            return sites_record(p, site, cls, p->tag);
        }
    }
    return pseudo(p, cls, chain[threads - 1]);
}

/* Returns the value that the saved registers have as the asking thread, which may be no thread;
 * NULL: nothing. */
LMP_READS_REGS static const lua_State *said_thread(const LmpProfile *p, LmpSavedRegs regs) {
    const LmpAsker *asker = regs ? saved_regs_asker(p->regs, regs[LMP_REGS_RET]) : NULL;
    return asker ? (const lua_State *)regs[asker->at_thread] : NULL; /* NOLINT */
}

/* Returns the asking thread by the saved registers; NULL if their value is no thread. */
static const lua_State *asking_thread(LmpProfile *p, LmpSavedRegs regs) {
    const lua_State *L = said_thread(p, regs);
    return (L && L == p->running) || lines_is_thread(p, L) ? L : NULL;
}

/* Counts a request that only the documented API explains. */
static void count_unproven(LmpProfile *p, uint32_t record) {
    p->live->tables.unproven++;
    p->tables.site[p->record[record].site].unproven++;
}

uint32_t lines_ask_outside(LmpProfile *p, const lua_State *L, unsigned cls) {
    const LmpAsk no_ask = {NULL, 0};
    const LmpCallInfo *ci = frames_top(L);
    if (!ci || frames_caller(ci) || may_run(p)) return 0;
    uint32_t record = pseudo(p, cls, L);
    note_newtable(p, cls, &no_ask, record);
    return record;
}

uint32_t lines_ask(LmpProfile *p, LmpSavedRegs regs, unsigned cls, LmpAsk *ask) {
    *ask = (LmpAsk){NULL, 0};
    uint32_t record;
    if (!p->regs) regs = NULL;
    if (!p->framed) {
        record = ask_api(p, cls);
        count_unproven(p, record);
        return record;
    }
    const lua_State *L = asking_thread(p, regs);
    if (L && (record = lines_ask_outside(p, L, cls))) return record;
    bool doubtful = regs && !L;
    const lua_State *last = p->running;
    bool outer = L && last && last != L && frames_is_active(last) && is_within(p, last, L);
    if (L && !outer && frames_is_active(L) && frames_lua(frames_top(L))) {
        ask->L = (lua_State *)L; /* NOLINT */
        /* a stack may be asked for on behalf of a thread that has resumed another */
        if (cls == LMP_C_THREAD_PART && !runs_lua(L))
            ask->L = (lua_State *)innermost(L); /* NOLINT */
    } else {
        ask->L = find_running(p, L);
        if (ask->L && !know(p, ask->L)) lines_know(p->lines, ask->L);
        /* a thread that runs Lua code is the running one; so is the one that the saved registers
         * name, too */
        if (doubtful) doubtful = !ask->L || !(runs_lua(ask->L) || ask->L == said_thread(p, regs));
        if (ask->L && L && frames_is_active(L) && !frames_lua(frames_top(ask->L)))
            ask->L = (lua_State *)L; /* NOLINT */
    }
    if (ask->L) {
        if (p->running != ask->L) lines_switch(p, ask->L);
        if (regs && frames_status(frames_top(ask->L)) & frames_bits.stale) doubtful = true;
        if (regs && !doubtful) ask_newtable(p, regs, cls, ask, &doubtful);
        if (!p->regs) doubtful = in_constructor(p, ask->L, cls);
        record = ask_frames(p, cls, L, ask);
    } else {
        record = pseudo(p, cls, L);
    }
    if (regs) note_newtable(p, cls, ask, record);
    if (doubtful) count_unproven(p, record);
    return record;
}

bool lines_learn(LmpProfile *p, lua_State *L, LmpSavedRegs regs, unsigned cls) {
    LmpCallInfo *ci = frames_top(L);
    bool table = cls == LMP_C_TABLE, doubtful = false;
    if (frames_is_idle(L) || frames_status(ci) & frames_bits.stale || cls == LMP_C_OTHER)
        return false;
    const void *proto = frames_proto(frames_func(ci));
    bool made = p->made.left && !table; /* the last constructor's part, or it has failed */
    if (!proto || (made && cls != LMP_C_TABLE_PART)) return false;
    uintptr_t pc = 0;
    if (table || cls == LMP_C_TABLE_PART) {
        pc = newtable_ask(p, L, proto, regs, table, &doubtful);
        if (doubtful || (table || made) != (pc != 0) || (made && pc != p->made.pc)) return false;
    }
    LmpWhere w = {.L = L, .runs = L, .ci = ci, .pc = frames_pc(ci)};
    uint32_t record = lines_record_of(p, &w, cls, &pc);
    if (made) p->made.part = record;
    return true;
}

uintptr_t lines_constructor(LmpProfile *p, LmpSavedRegs regs, unsigned cls, LmpCallInfo **ci) {
    const lua_State *L = asking_thread(p, regs);
    bool doubtful;
    if (!L || !frames_is_active(L) || !runs_lua(L)) return 0;
    *ci = frames_top(L);
    const void *proto = frames_proto(frames_func(*ci));
    if (!proto || (cls != LMP_C_TABLE && cls != LMP_C_TABLE_PART)) return 0;
    uintptr_t pc = newtable_ask(p, L, proto, regs, cls == LMP_C_TABLE, &doubtful);
    if (pc || cls == LMP_C_TABLE) return pc;
    pc = frames_pc(*ci);
    return newtable_setlist(proto, pc) ? pc + LMP_INSTRUCTION : 0;
}

bool lines_switch_c(LmpProfile *p, const lua_State *L) {
    if (!frames_lua(frames_top(L))) return false;
    if (p->running && frames_is_active(p->running) && is_within(p, p->running, L)) return false;
    lines_switch(p, L);
    return true;
}

bool lines_is_stack(LmpProfile *p, LmpSavedRegs regs, const void *ptr) {
    const lua_State *L = p->regs && regs ? asking_thread(p, regs) : NULL;
    return L && frames_stack(L) == (uintptr_t)ptr;
}

uint32_t lines_stack_moves(LmpProfile *p, LmpSavedRegs regs) {
    const lua_State *L = p->regs ? asking_thread(p, regs) : NULL;
    const LmpCallInfo *ci = L && frames_top(L) ? frames_lua(frames_top(L)) : NULL;
    uint64_t key = ci ? lines_key(frames_pc(ci), p->tag) : 0;
    const LmpLineSlot *slot = lines_look(p->lines, key, 0);
    if (ci && slot->key == key) {
        if (slot->row[LMP_C_THREAD_PART]) return slot->row[LMP_C_THREAD_PART];
        for (unsigned cls = 0; cls < LMP_C_COUNTED; cls++) { /* the same line, another class */
            if (!slot->row[cls]) continue;
            uint32_t site = p->record[slot->row[cls]].site;
            return sites_record(p, site, LMP_C_THREAD_PART, p->tag);
        }
    }
    return sites_record(p, sites_pseudo(p, LMP_PSEUDO_UNKNOWN), LMP_C_THREAD_PART, p->tag);
}
