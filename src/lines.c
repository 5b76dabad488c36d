/* lines.c - see lines.h. The ways that lines_record does not go by itself: a C function on top, no
 * Lua function at all, a line met for the first time, and the documented API where nothing else is
 * known. */
#include "lines.h"

#include "codes.h"
#include "os.h"
#include "owner.h"
#include "parsing.h"
#include "shadow.h"
#include "stack.h"
#include "stripped.h"
#include "tags.h"
#include "tree.h"

/* Kinds of answers that are no record stand where the tag would (tags are below LMP_TAGS). */
enum { KEY_FRAME = 0x7ffe, KEY_C_FRAME = 0x7ffd };

/* Instructions of a function that may be read to name what it calls: so many, and so many times
 * all. */
enum { NAMING_LEAST = 1 << 14, NAMING_TIMES = 16 };

/* ---- life ------------------------------------------------------------------------------------ */

LmpErr lines_open(LmpProfile *p, lua_State *L) {
    LmpLineCache *cache = lmp_os->map(sizeof *cache, -1, 0, true);
    LmpCodes *codes = cache ? lmp_os->map(sizeof *codes, -1, 0, true) : NULL;
    if (!codes || !codes_open(codes)) {
        if (codes) lmp_os->unmap(codes, sizeof *codes);
        if (cache) lmp_os->unmap(cache, sizeof *cache);
        return LMP_E_NOMEM;
    }
    cache->codes = codes;
    p->lines = cache;
    p->record = p->tables.record;
    p->words = p->callsites && frames_fit(L) ? words_plan() : NULL;
    p->live->tables.lines = p->words ? LMP_LINES_EXACT : LMP_LINES_APPROXIMATE;
    cache->jumps = frames_jumps_known();
    if (p->words) {
        owner_note_threads(p->words);
        p->object_ret = p->words->asker[0].ret;
        p->object_thread = p->words->asker[0].at_thread;
    }
    return LMP_OK;
}

void lines_close(LmpProfile *p) {
    if (!p->lines) return;
    codes_close(p->lines->codes);
    lmp_os->unmap(p->lines->codes, sizeof *p->lines->codes);
    answers_close(&p->lines->answers);
    lmp_os->unmap(p->lines, sizeof *p->lines);
    p->lines = NULL;
    p->words = NULL;
}

/* ---- code that dies -------------------------------------------------------------------------- */

/* The answer in a slot, if it is about code in [addr, addr + size). */
static inline void forget_slot(LmpLineSlot *slot, uintptr_t addr, size_t size) {
    uintptr_t pc = slot->key & ((1ull << 47) - 1);
    if (pc - addr <= size) slot->key = 0; /* a pc may stand behind the last one */
}

static void forget_code(LmpLineCache *cache, const LmpCode *code, size_t size) {
    if (code->places <= LMP_CODE_PLACES) {
        for (unsigned i = 0; i < code->places; i++)
            forget_slot(&cache->slot[code->place[i]], code->addr, size);
        return;
    }
    uint64_t groups = code->groups;
    for (unsigned g = 0; groups; g++, groups >>= 1) {
        if (!(groups & 1)) continue;
        LmpLineSlot *slot = &cache->slot[g * LMP_LINE_GROUP];
        for (unsigned i = 0; i < LMP_LINE_GROUP; i++)
            forget_slot(&slot[i], code->addr, size);
    }
}
_Static_assert(LMP_LINE_SLOTS / LMP_LINE_GROUP == 64, "a bit for each group");

static void code_gone(LmpProfile *p, uintptr_t addr, size_t size) {
    LmpCode code;
    if (!codes_take(p->lines->codes, addr, &code) || !code.places) return;
    forget_code(p->lines, &code, size);
    if (p->tree) tree_code_gone(p);
}

static void thread_gone(LmpProfile *p, uintptr_t addr) {
    const lua_State *L = (const lua_State *)(addr + LUA_EXTRASPACE); /* NOLINT */
    if (p->running == L) p->running = NULL;
    const lua_State **lately = p->lines->lately;
#pragma GCC unroll 16
    for (int i = 0; i < LMP_RAN_LATELY; i++)
        if (UNLIKELY(lately[i] == L)) lately[i] = NULL;
    if (p->tags) tags_thread_gone(p, L);
    if (p->tree) tree_thread_gone(p, L);
}

COLD void lines_unknown_gone(LmpProfile *p, uintptr_t addr, size_t size) {
    code_gone(p, addr, size);
    thread_gone(p, addr);
    sites_string_gone(p, addr);
}

void lines_watched_gone(LmpProfile *p, uintptr_t addr, size_t size, unsigned cls) {
    if (cls == LMP_C_THREAD) {
        thread_gone(p, addr);
    } else if (cls == LMP_C_STRING) {
        sites_string_gone(p, addr);
    } else {
        code_gone(p, addr, size);
    }
}

/* What is known of a prototype's code, whose end will be noticed from now on; NULL: no memory. */
static LmpCode *code_of(LmpProfile *p, const void *proto) {
    uintptr_t addr = frames_word(proto, LMP_AT_PROTO_CODE);
    bool added;
    LmpCode *code = codes_note(p->lines->codes, addr, &added);
    if (code && added) shadow_watch(p, addr);
    return code;
}

/* Enters an answer about code, if its end will be noticed. `cls`: 0 for kinds that are no record.
 */
static void keep(LmpProfile *p, LmpCode *code, uint64_t key, uintptr_t cfn, unsigned cls,
                 uint32_t row) {
    LmpLineCache *cache = p->lines;
    LmpLineSlot *slot = lines_slot(cache, key, cfn);
    if (!code) return;
    unsigned at = (unsigned)(slot - cache->slot);
    codes_place(code, at / LMP_LINE_GROUP, at);
    if (slot->key != key || slot->cfn != cfn) *slot = (LmpLineSlot){.key = key, .cfn = cfn};
    slot->row[cls] = row;
}

/* ---- asking the documented API --------------------------------------------------------------- */

/* lua_getinfo of a frame, as if its saved pc were `pc`. */
static void describe(lua_State *L, const LmpCallInfo *ci, uintptr_t pc, const char *what,
                     lua_Debug *ar) {
    char *saved = (char *)ci + LMP_AT_CI_SAVEDPC; /* NOLINT: put back at once */
    uintptr_t before = frames_pc(ci);
    ar->i_ci = (struct CallInfo *)ci; /* NOLINT */
    if (pc && pc != before) memcpy(saved, &pc, sizeof pc);
    lua_getinfo(L, what, ar);
    if (pc && pc != before) memcpy(saved, &before, sizeof before);
}

/* Where a thread is. */
typedef struct Where {
    lua_State *L;      /* has ci */
    lua_State *runs;   /* has c: L, or what L has resumed, if that has no Lua function */
    LmpCallInfo *ci;   /* of the Lua function whose line it is */
    LmpCallInfo *c;    /* of the C function on top, NULL: the Lua function itself */
    uintptr_t pc, cfn; /* as in a slot */
} Where;

static uint32_t c_function_of(LmpProfile *p, lua_State *L, const LmpCallInfo *ci, uintptr_t cfn) {
    const void *address = (const void *)cfn; /* NOLINT */
    uint32_t row = sites_find_function(p, 0, -1, address);
    if (row && !sites_wants_name(p, row)) return row;
    lua_Debug ar = {0};
    describe(L, ci, 0, "Sn", &ar);
    return sites_function(p, &ar, address);
}

/* To name a function Lua reads the code that has called it from its beginning. May it read that
 * once more? So much in all that it stays small beside what compiling that code has cost. */
static bool may_name(LmpProfile *p, const LmpCallInfo *ci) {
    const LmpCallInfo *caller = frames_caller(ci);
    if (!caller || !frames_caller(caller) || frames_status(caller) & LMP_CI_C) return true;
    const void *proto = frames_proto(frames_func(caller));
    LmpCode *code = proto ? code_of(p, proto) : NULL;
    if (!code) return false;
    uint32_t size;
    memcpy(&size, (const char *)proto + LMP_AT_PROTO_SIZECODE, sizeof size);
    uint64_t read = (frames_pc(caller) - code->addr) / sizeof(uint32_t);
    if (read > size || code->read + read > NAMING_LEAST + (uint64_t)size * NAMING_TIMES)
        return false;
    code->read += (uint32_t)read;
    return true;
}

/* `proto`: of the function of w->ci. The whole function is only asked for while something about it
 * is not known. */
static uint32_t site_of(LmpProfile *p, const Where *w, const void *proto) {
    lua_Debug ar = {.namewhat = ""};
    uint32_t cfunction = w->c ? c_function_of(p, w->runs, w->c, w->cfn) : 0;
    LmpCode *code = code_of(p, proto);
    uint32_t function = code ? code->function : 0;
    p->live->tables.unknown++;
    bool name = (!function || sites_wants_name(p, function)) && may_name(p, w->ci);
    if (function && !name) {
        describe(w->L, w->ci, w->pc, "l", &ar);
        return sites_site(p, function, ar.currentline, cfunction);
    }
    describe(w->L, w->ci, w->pc, name ? "Sln" : "Sl", &ar);
    char stripped[LMP_STRIPPED_NAME];
    if (stripped_is(&ar)) stripped_name(proto, &ar, stripped);
    function = sites_function(p, &ar, NULL);
    code = code_of(p, proto); /* it may have moved */
    if (code && function != sites_pseudo(p, LMP_PSEUDO_OTHERS)) code->function = function;
    return sites_site(p, function, ar.currentline, cfunction);
}

/* The site of a place, or for cls > 0 the record, when the first cache does not know it. */
static uint32_t row_of(LmpProfile *p, const Where *w, const void *proto, uint64_t key,
                       unsigned cls) {
    LmpCode *code = code_of(p, proto);
    LmpAnswer answer = {.key = key, .cfn = w->cfn, .life = code ? code->life : 0, .cls = cls};
    uint32_t row = code ? answers_find(&p->lines->answers, &answer) : 0;
    if (!row) {
        row = site_of(p, w, proto);
        if (cls) row = sites_record(p, row, cls, p->tag);
        answer.row = row;
        const LmpLineSlot *slot = lines_slot(p->lines, key, w->cfn);
        bool crowded = slot->key && (slot->key != key || slot->cfn != w->cfn);
        if (code && crowded) answers_add(&p->lines->answers, &answer);
        code = code_of(p, proto); /* it may have moved */
    }
    keep(p, code, key, w->cfn, cls, row);
    return row;
}

/* The record, from the cache or learned. */
static uint32_t record_of(LmpProfile *p, const Where *w, unsigned cls) {
    uint64_t key = lines_key(w->pc, p->tag) | (w->cfn ? LMP_LINE_C : 0);
    const LmpLineSlot *slot = lines_slot(p->lines, key, w->cfn);
    if (LIKELY(slot->key == key && slot->cfn == w->cfn && slot->row[cls])) return slot->row[cls];
    const void *proto = frames_proto(frames_func(w->ci));
    if (!proto) return sites_record(p, sites_pseudo(p, LMP_PSEUDO_UNKNOWN), cls, p->tag);
    return row_of(p, w, proto, key, cls);
}

/* ---- the running thread ---------------------------------------------------------------------- */

COLD void lines_switch(LmpProfile *p, const lua_State *L) {
    p->running = L;
    if (!++p->lines->ran) p->lines->ran = LMP_RAN_LATELY; /* the same slot, and all are in use */
    p->lines->lately[p->lines->ran % LMP_RAN_LATELY] = L;
    if (p->live->tables.sample) shadow_watch(p, (uintptr_t)L - LUA_EXTRASPACE); /* else all are */
    if (p->tags) p->tag = tags_current(p, L);
}

void lines_tag_changed(LmpProfile *p, lua_State *L) {
    lines_switch(p, L);
}

static LmpCallInfo *lua_caller(LmpCallInfo *ci) {
    while (ci && frames_status(ci) & LMP_CI_C)
        ci = frames_caller(ci);
    return ci;
}

/* Is a thread at work, running or having resumed another? */
static bool is_active(const lua_State *L) {
    return !lines_is_idle(L) && frames_caller(frames_top(L)) != NULL;
}

/* Both are at work: has `a` been resumed (over others, perhaps) by `b`? */
static bool is_within(const LmpProfile *p, const lua_State *a, const lua_State *b) {
    return p->lines->jumps && frames_jump(a) && frames_jump(a) < frames_jump(b);
}

/* The thread that a thread at work has resumed, over others perhaps, and that runs; or itself. */
static const lua_State *innermost(const lua_State *L) {
    for (int i = 0; i < LMP_CHAIN; i++) {
        const lua_State *next = frames_resumed(L);
        if (!next || next == L || !is_active(next)) break;
        L = next;
    }
    return L;
}

/* The thread that runs, when the one that asks does not: a coroutine that is being given its
 * arguments, or the main thread seen by C code that runs in another. C code may resume in its own
 * way, which a look from the main thread does not see through; so the one that ran last, or else
 * the innermost of those that ran lately and are still at it, is asked whom it has resumed. NULL:
 * no function runs at all. */
static lua_State *find_running(LmpProfile *p, const lua_State *asks) {
    const LmpLineCache *cache = p->lines;
    const lua_State *found = p->running;
    if (!found || found == asks || !is_active(found)) {
        found = NULL;
        for (uint32_t i = 0; i < LMP_RAN_LATELY && i < cache->ran; i++) {
            const lua_State *L = cache->lately[(cache->ran - i) % LMP_RAN_LATELY];
            if (!L || L == asks || L == p->main || L == found || !is_active(L)) continue;
            if (!found || is_within(p, L, found)) found = L;
        }
    }
    found = innermost(found ? found : p->main);
    return is_active(found) ? (lua_State *)found : NULL; /* NOLINT */
}

/* ---- who asks -------------------------------------------------------------------------------- */

/* `L` asks. */
static uint32_t pseudo(LmpProfile *p, unsigned cls, const lua_State *L) {
    bool parser = parsing_now(cls, L ? L : p->main, p->words != NULL);
    uint32_t *kept = &p->lines->outside[parser][cls];
    if (*kept && !p->tag) return *kept;
    uint32_t site = sites_pseudo(p, parser ? LMP_PSEUDO_PARSER : LMP_PSEUDO_HOST);
    uint32_t row = sites_record(p, site, cls, p->tag);
    if (!p->tag && p->record[row].site == site) *kept = row; /* not "(others)", which is counted */
    return row;
}

/* The Lua function that has, over some coroutines, called what runs in `thread`, which has none. */
static LmpCallInfo *find_caller(LmpProfile *p, lua_State **thread) {
    lua_State *chain[LMP_CHAIN];
    int i = stack_chain(p->main, chain) - 1;
    while (i > 0 && chain[i] != *thread)
        i--;
    while (--i >= 0) {
        LmpCallInfo *ci = lua_caller(frames_top(chain[i]));
        if (!ci) continue;
        *thread = chain[i];
        return ci;
    }
    return NULL;
}

/* A thread that runs, seen through its frames. `asks`: the one that asks, NULL: unknown. */
static uint32_t ask_frames(LmpProfile *p, unsigned cls, const lua_State *asks, LmpAsk *ask) {
    LmpCallInfo *top = frames_top(ask->L);
    Where w = {.L = ask->L, .runs = ask->L, .ci = lua_caller(top)};
    if (!w.ci) w.ci = find_caller(p, &w.L);
    if (!w.ci) return pseudo(p, cls, asks);
    w.pc = frames_pc(w.ci);
    if (top != w.ci && cls != LMP_C_THREAD_PART) {
        w.cfn = frames_c_function(frames_func(top));
        w.c = w.cfn ? top : NULL;
    }
    if (top == w.ci && ask->constructor && lines_in_code(top, ask->constructor)) {
        w.pc = ask->constructor;
    } else {
        ask->constructor = 0;
    }
    return record_of(p, &w, cls);
}

/* By the documented API alone: the innermost Lua function of the innermost thread. */
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

uint32_t lines_ask(LmpProfile *p, LmpWords words, unsigned cls, LmpAsk *ask) {
    *ask = (LmpAsk){NULL, 0};
    if (!p->words) return ask_api(p, cls);
    const lua_State *L = words ? (const lua_State *)words_thread(p->words, words) : NULL;
    const lua_State *last = p->running;
    bool outer = L && last && last != L && is_active(last) && is_within(p, last, L);
    if (L && !outer && is_active(L) && lua_caller(frames_top(L))) {
        unsigned status = frames_status(frames_top(L));
        ask->L = (lua_State *)L; /* NOLINT */
        if (!(status & (LMP_CI_C | LMP_CI_HOOKED))) {
            if (cls == LMP_C_TABLE || cls == LMP_C_TABLE_PART)
                ask->constructor = words_construction(p->words, words, cls == LMP_C_TABLE);
        } else if (cls == LMP_C_THREAD_PART) {
            /* a stack may be asked for on behalf of a thread that has resumed another */
            ask->L = (lua_State *)innermost(L); /* NOLINT */
        }
    } else {
        ask->L = find_running(p, L);
        if (!ask->L) return pseudo(p, cls, L);
        if (L && is_active(L) && !lua_caller(frames_top(ask->L)))
            ask->L = (lua_State *)L; /* NOLINT */
    }
    if (p->running != ask->L) lines_switch(p, ask->L);
    return ask_frames(p, cls, L, ask);
}

bool lines_switch_c(LmpProfile *p, const lua_State *L) {
    if (!lua_caller(frames_top(L))) return false;
    if (p->running && is_active(p->running) && is_within(p, p->running, L)) return false;
    lines_switch(p, L);
    return true;
}

uint32_t lines_stack_moves(LmpProfile *p, LmpWords words) {
    const lua_State *L =
        p->words && words ? (const lua_State *)words_thread(p->words, words) : NULL; /* NOLINT */
    const LmpCallInfo *ci = L ? lua_caller(frames_top(L)) : NULL;
    uint64_t key = ci ? lines_key(frames_pc(ci), p->tag) : 0;
    const LmpLineSlot *slot = lines_slot(p->lines, key, 0);
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

/* ---- sites of frames ------------------------------------------------------------------------- */

uint32_t lines_frame_site(LmpProfile *p, lua_State *L, const LmpCallInfo *ci, uintptr_t pc) {
    uint64_t key = lines_key(pc, KEY_FRAME);
    const LmpLineSlot *slot = lines_slot(p->lines, key, 0);
    if (slot->key == key) return slot->row[0];
    const void *proto = frames_proto(frames_func(ci));
    if (!proto) return sites_pseudo(p, LMP_PSEUDO_UNKNOWN);
    Where w = {.L = L, .runs = L, .ci = (LmpCallInfo *)ci, .pc = pc}; /* NOLINT */
    return row_of(p, &w, proto, key, 0);
}

uint32_t lines_c_site(LmpProfile *p, lua_State *L, const LmpCallInfo *ci) {
    uintptr_t cfn = frames_c_function(frames_func(ci));
    uint64_t key = lines_key(0, KEY_C_FRAME) | LMP_LINE_C;
    const LmpLineSlot *slot = lines_slot(p->lines, key, cfn);
    if (slot->key == key && slot->cfn == cfn) return slot->row[0];
    if (!cfn) return sites_pseudo(p, LMP_PSEUDO_UNKNOWN);
    uint32_t site = sites_site(p, c_function_of(p, L, ci, cfn), -1, 0);
    LmpLineSlot *fresh = lines_slot(p->lines, key, cfn);
    *fresh = (LmpLineSlot){.key = key, .cfn = cfn, .row = {site}};
    return site;
}
