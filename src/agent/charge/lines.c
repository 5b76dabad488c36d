/* lines.c - see lines.h. The ways that lines_record does not go by itself: a C function on top, no
 * Lua function at all, a line met for the first time, and the documented API where nothing else is
 * known. */
#include "agent/charge/lines.h"

#include "agent/charge/codes.h"
#include "agent/charge/tags.h"
#include "agent/charge/tree.h"
#include "agent/interp/owner.h"
#include "agent/interp/parsing.h"
#include "agent/interp/stack.h"
#include "agent/interp/stripped.h"
#include "agent/map/shadow.h"
#include "base/os.h"

/* Kinds of answers that are no record stand where the tag would (tags are below LMP_TAGS). */
enum { KEY_FRAME = 0x7ffe, KEY_C_FRAME = 0x7ffd };

/* Instructions of a function that may be read to name what it calls: so many, and so many times
 * all. */
enum { NAMING_LEAST = 1 << 14, NAMING_TIMES = 16 };

/* ---- life ------------------------------------------------------------------------------------ */

static void know(LmpLineCache *cache, const lua_State *L) {
    cache->known[lines_known_home(L)] = L;
}

LmpErr lines_open(LmpProfile *p, lua_State *L) {
    LmpLineCache *cache = lmp_os->map(sizeof *cache, -1, 0, true);
    LmpCodes *codes = cache ? lmp_os->map(sizeof *codes, -1, 0, true) : NULL;
    if (!codes || !codes_open(codes)) {
        if (codes) lmp_os->unmap(codes, sizeof *codes);
        if (cache) lmp_os->unmap(cache, sizeof *cache);
        return LMP_E_NOMEM;
    }
    cache->codes = codes;
    cache->mask = (LMP_LINE_LEAST - 1) * sizeof(LmpLineSlot);
    p->lines = cache;
    p->record = p->tables.record;
    p->framed = p->return_addrs && !saved_regs_none() && frames_fit(L);
    p->words = p->framed ? saved_regs_plan() : NULL;
    p->live->tables.why = p->words ? LMP_WHY_CHECK : LMP_WHY_PLACES;
    if (p->words && p->words->differed) p->words = NULL;
    p->live->tables.lines = p->words ? LMP_LINES_EXACT : LMP_LINES_APPROXIMATE;
    cache->jumps = frames_jumps_known();
    if (p->words) {
        owner_note_threads(p->words);
        p->object_ret = p->words->objects.ret;
        p->object_thread = p->words->objects.at_thread;
        lua_State *chain[LMP_CHAIN];
        know(cache, L);
        for (int n = stack_chain(p->main, chain); n > 0; n--)
            know(cache, chain[n - 1]);
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

/* ---- the first cache grows ------------------------------------------------------------------- */

static size_t slots_of(const LmpLineCache *cache) {
    return cache->mask / sizeof(LmpLineSlot) + 1;
}

/* Twice as many slots. An answer stays where it is or goes as far up as there were slots, so its
 * home (codes.h) is the same. */
static void grow(LmpLineCache *cache) {
    size_t before = slots_of(cache);
    cache->mask = (2 * before - 1) * sizeof(LmpLineSlot);
    cache->pushed = 0;
    for (size_t i = 0; i < before; i++) {
        LmpLineSlot *slot = &cache->slot[i], *now = lines_slot(cache, slot->key, slot->cfn);
        if (!slot->key || now == slot) continue;
        *now = *slot;
        slot->key = 0;
    }
}

/* An answer takes the place of another one, whose code still lives. */
static void count_pushed(LmpLineCache *cache) {
    if (++cache->pushed >= slots_of(cache) / 4 && slots_of(cache) < LMP_LINE_MOST) grow(cache);
}

/* ---- code that dies -------------------------------------------------------------------------- */

/* The answer in a slot, if it is about code in [addr, addr + size). */
static inline void forget_slot(LmpLineSlot *slot, uintptr_t addr, size_t size) {
    uintptr_t pc = slot->key & ((1ull << LMP_ADDRESS_BITS) - 1);
    if (pc - addr <= size) slot->key = 0; /* a pc may stand behind the last one */
}

static void forget_code(LmpLineCache *cache, const LmpCode *code, size_t size) {
    unsigned at = 0, home;
    while ((home = codes_next_place(code, &at)) < LMP_HOMES)
        for (size_t i = home; i < slots_of(cache); i += LMP_HOMES)
            forget_slot(&cache->slot[i], code->addr, size);
}
_Static_assert((int)LMP_HOMES <= (int)LMP_LINE_LEAST, "a slot's home stays when the cache grows");

static void code_gone(LmpProfile *p, uintptr_t addr, size_t size) {
    LmpCode code;
    if (!codes_take(p->lines->codes, addr, &code) || !code.places) return;
    forget_code(p->lines, &code, size);
    codes_drop(p->lines->codes, &code);
    if (p->tree) tree_code_gone(p);
}

static void thread_gone(LmpProfile *p, uintptr_t addr) {
    const lua_State *L = (const lua_State *)(addr + frames_bits.extra); /* NOLINT */
    if (p->running == L) p->running = NULL;
    const lua_State **known = &p->lines->known[lines_known_home(L)];
    if (*known == L) *known = NULL;
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

void lines_notified_gone(LmpProfile *p, uintptr_t addr, size_t size, unsigned cls) {
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
    if (code && added) shadow_notify(p, addr);
    return code;
}

/* Enters an answer about code, if its end will be noticed: its slot, else NULL. `cls`: 0 for kinds
 * that are no record. */
static LmpLineSlot *keep(LmpProfile *p, LmpCode *code, uint64_t key, uintptr_t cfn, unsigned cls,
                         uint32_t row) {
    LmpLineCache *cache = p->lines;
    LmpLineSlot *slot = lines_slot(cache, key, cfn);
    if (!code) return NULL;
    codes_place(cache->codes, code, (unsigned)(slot - cache->slot) % LMP_HOMES);
    if (slot->key != key || slot->cfn != cfn) *slot = (LmpLineSlot){.key = key, .cfn = cfn};
    slot->row[cls] = row;
    return slot;
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

/* `pc`: whose line it is; `proto`: of the function of w->ci, whose code is *code, which may move.
 * The whole function is only asked for while something about it is not known. */
static uint32_t site_of(LmpProfile *p, const Where *w, uintptr_t pc, const void *proto,
                        LmpCode **code) {
    lua_Debug ar;
    ar.namewhat = "";
    uint32_t cfunction = w->c ? c_function_of(p, w->runs, w->c, w->cfn) : 0;
    uint32_t function = *code ? (*code)->function : 0;
    p->live->tables.unknown++;
    bool name = !function || sites_wants_name(p, function);
    if (name) {
        name = may_name(p, w->ci);
        *code = code_of(p, proto);
    }
    if (function && !name) {
        describe(w->L, w->ci, pc, "l", &ar);
        return sites_site(p, function, ar.currentline, cfunction);
    }
    describe(w->L, w->ci, pc, name ? "Sln" : "Sl", &ar);
    char stripped[LMP_STRIPPED_NAME];
    if (stripped_is(&ar)) stripped_name(proto, &ar, stripped);
    function = sites_function(p, &ar, NULL);
    if (*code && function != sites_pseudo(p, LMP_PSEUDO_OTHERS)) (*code)->function = function;
    return sites_site(p, function, ar.currentline, cfunction);
}

/* An answer about code has been learned. It goes to the second cache, too, if another place has its
 * slot; or if it is about a place of which others may be there. */
static void keep_more(LmpLineCache *cache, LmpCode *code, const LmpAnswer *answer) {
    const LmpLineSlot *at = lines_slot(cache, answer->key, answer->cfn);
    bool same = at->key == answer->key && at->cfn == answer->cfn;
    if (same ? !code->more : !at->key) return;
    code->more = true;
    answers_add(&cache->answers, answer);
    if (!same) count_pushed(cache);
}

/* The site of a place, or for cls > 0 the record, when the first cache does not know it. `pc`:
 * whose line it is; *slot: where the answer stands now, or NULL. */
static uint32_t row_of(LmpProfile *p, const Where *w, uintptr_t pc, const void *proto, uint64_t key,
                       uintptr_t beside, unsigned cls, LmpLineSlot **slot) {
    LmpCode *code = code_of(p, proto);
    LmpAnswer answer = {.key = key, .cfn = beside, .life = code ? code->life : 0, .cls = cls};
    uint32_t row = code && code->more ? answers_find(&p->lines->answers, &answer) : 0;
    if (row) {
        count_pushed(p->lines);
    } else {
        row = site_of(p, w, pc, proto, &code);
        if (cls) row = sites_record(p, row, cls, p->tag);
        answer.row = row;
        if (code) keep_more(p->lines, code, &answer);
    }
    *slot = keep(p, code, key, beside, cls, row);
    return row;
}

/* A table's place is in the first cache again: is that of its parts in the second one? */
static void recall_part(const LmpProfile *p, LmpLineSlot *slot, const void *proto) {
    const LmpCode *code = codes_find(p->lines->codes, frames_word(proto, LMP_AT_PROTO_CODE));
    if (slot->row[LMP_C_TABLE_PART] || !code || !code->more) return;
    LmpAnswer part = {
        .key = slot->key, .cfn = slot->cfn, .life = code->life, .cls = LMP_C_TABLE_PART};
    slot->row[LMP_C_TABLE_PART] = answers_find(&p->lines->answers, &part);
}

/* The record, from the cache or learned. In a table constructor *constructor is set; where it asks
 * for the table, or for parts that come next to it, that is known already. */
static uint32_t record_of(LmpProfile *p, const Where *w, unsigned cls, uintptr_t *constructor) {
    const void *proto = frames_proto(frames_func(w->ci));
    bool newtable = *constructor != 0;
    uintptr_t pc = newtable ? *constructor : w->pc, at = pc;
    uint64_t key = lines_key(pc, p->tag) | (w->cfn || newtable ? LMP_LINE_C : 0);
    uintptr_t beside = newtable ? (uintptr_t)proto : w->cfn;
    LmpLineSlot *slot = lines_slot(p->lines, key, beside);
    bool there = slot->key == key && slot->cfn == beside;
    if (!proto) return sites_record(p, sites_pseudo(p, LMP_PSEUDO_UNKNOWN), cls, p->tag);
    bool setlist = cls == LMP_C_TABLE_PART && !newtable && !w->cfn && newtable_setlist(proto, pc);
    if (setlist) at = *constructor = pc + LMP_INSTRUCTION;
    uint32_t row = there ? slot->row[cls] : 0;
    if (!row) {
        row = row_of(p, w, at, proto, key, beside, cls, &slot);
        if (slot && newtable) {
            slot->row[0] = newtable_parts(pc);
            if (cls == LMP_C_TABLE && slot->row[0]) recall_part(p, slot, proto);
        }
        if (slot && setlist) slot->row[0] = 1;
    }
    return row;
}

/* ---- the running thread ---------------------------------------------------------------------- */

bool lines_is_thread(LmpProfile *p, const lua_State *L) {
    uintptr_t addr = (uintptr_t)L - frames_bits.extra;
    uint64_t size;
    if (!L) return false;
    if (p->lines->known[lines_known_home(L)] == L) return true;
    uint32_t entry = shadow_lookup(p, addr, &size);
    if ((entry & 15) != LMP_C_THREAD) return false;
    if (entry & LMP_BLOCK_NOTIFY) know(p->lines, L); /* until its end, which will be noticed */
    return true;
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

static LmpCallInfo *lua_caller(LmpCallInfo *ci) {
    while (ci && frames_status(ci) & LMP_CI_C)
        ci = frames_caller(ci);
    return ci;
}

/* The same on top, not in a debug hook. */
static bool runs_lua(const lua_State *L) {
    return !(frames_status(frames_top(L)) & frames_bits.c_or_hooked);
}

/* Is a thread at work, running or having resumed another? */
static bool is_active(const lua_State *L) {
    return frames_top(L) && frames_caller(frames_top(L)) && !frames_is_idle(L);
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
            if (!L || !is_active(L) || L == asks || L == p->main || L == found) continue;
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

/* May some thread have a function that runs, as find_running would tell? */
static bool may_run(const LmpProfile *p) {
    const lua_State *const *lately = p->lines->lately;
#pragma GCC unroll 16
    for (int i = 0; i < LMP_RAN_LATELY; i++)
        if (lately[i] && frames_caller(frames_top(lately[i]))) return true;
    return frames_caller(frames_top(p->main));
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

/* A thread that runs, seen through its frames. ask->constructor: of OP_NEWTABLE on top, or 0.
 * `asks`: the one that asks, NULL: unknown. */
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
    if (top == w.ci) return record_of(p, &w, cls, &ask->constructor);
    uintptr_t none = ask->constructor = 0;
    return record_of(p, &w, cls, &none);
}

/* ask->L runs: the OP_NEWTABLE that it executes, if the request is that one's. */
static void ask_newtable(LmpProfile *p, LmpSavedRegs words, unsigned cls, LmpAsk *ask,
                         bool *doubtful) {
    bool table = cls == LMP_C_TABLE;
    bool part = cls == LMP_C_TABLE_PART || (cls == LMP_C_OTHER && p->made.left);
    if ((!table && !part && cls != LMP_C_OTHER) || !runs_lua(ask->L)) return;
    const LmpCallInfo *ci = frames_top(ask->L);
    const void *proto = frames_proto(frames_func(ci));
    if (!proto) return;
    if (!table && !part) { /* whose it is is not known: perhaps of a table that is constructed */
        *doubtful = newtable_setlist(proto, frames_pc(ci));
        return;
    }
    ask->constructor = newtable_ask(p, ask->L, proto, words, table, doubtful);
}

/* Without words: may it be OP_NEWTABLE that asks, which has not saved where it is? */
static bool in_constructor(LmpProfile *p, const lua_State *L, unsigned cls) {
    if (!runs_lua(L)) return false;
    return cls == LMP_C_TABLE || (cls == LMP_C_TABLE_PART && newtable_has_none(p, L));
}

/* The request is charged; notes what of its constructor is to come. */
static void note_newtable(LmpProfile *p, unsigned cls, const LmpAsk *ask, uint32_t record) {
    uintptr_t pc = ask->constructor;
    if (cls == LMP_C_TABLE) {
        const LmpCallInfo *ci = pc ? frames_top(ask->L) : NULL;
        const void *proto = pc ? frames_proto(frames_func(ci)) : NULL;
        uint32_t parts = pc && !p->sampling ? newtable_parts(pc) : 0;
        p->made = (LmpMade){(const void *)ci, pc, (uintptr_t)proto, record, parts, 0};
    } else if (p->made.left & LMP_MADE_REFUSED) { /* this one has been counted */
        p->made.left &= ~LMP_MADE_REFUSED;
    } else if (p->made.left) { /* nothing but its parts comes in between: or it has failed */
        p->made.left = pc == p->made.pc ? p->made.left - 1 : 0;
    }
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

/* The thread of the words, if it is one; NULL: it is not known. */
LMP_READS_REGS static const lua_State *asking_thread(LmpProfile *p, LmpSavedRegs words) {
    const LmpAsker *asker = words ? saved_regs_asker(p->words, words[LMP_REGS_RET]) : NULL;
    if (!asker) return NULL;
    const lua_State *L = (const lua_State *)words[asker->at_thread]; /* NOLINT */
    return (L && L == p->running) || lines_is_thread(p, L) ? L : NULL;
}

/* No known way explains the request: the documented API does. */
static void count_unproven(LmpProfile *p, uint32_t record) {
    p->live->tables.unproven++;
    p->tables.site[p->record[record].site].unproven++;
}

uint32_t lines_ask_outside(LmpProfile *p, const lua_State *L, unsigned cls) {
    const LmpAsk nobody = {NULL, 0};
    const LmpCallInfo *ci = frames_top(L);
    if (!ci || frames_caller(ci) || may_run(p)) return 0;
    uint32_t record = pseudo(p, cls, L);
    note_newtable(p, cls, &nobody, record);
    return record;
}

uint32_t lines_ask(LmpProfile *p, LmpSavedRegs words, unsigned cls, LmpAsk *ask) {
    *ask = (LmpAsk){NULL, 0};
    uint32_t record;
    if (!p->words) words = NULL;
    if (!p->framed) {
        record = ask_api(p, cls);
        count_unproven(p, record);
        return record;
    }
    const lua_State *L = asking_thread(p, words);
    if (L && (record = lines_ask_outside(p, L, cls))) return record;
    bool doubtful = words && !L;
    const lua_State *last = p->running;
    bool outer = L && last && last != L && is_active(last) && is_within(p, last, L);
    if (L && !outer && is_active(L) && lua_caller(frames_top(L))) {
        ask->L = (lua_State *)L; /* NOLINT */
        /* a stack may be asked for on behalf of a thread that has resumed another */
        if (cls == LMP_C_THREAD_PART && !runs_lua(L))
            ask->L = (lua_State *)innermost(L); /* NOLINT */
    } else {
        ask->L = find_running(p, L);
        if (ask->L) know(p->lines, ask->L);
        if (doubtful) doubtful = !ask->L || !runs_lua(ask->L); /* what runs Lua code is who runs */
        if (ask->L && L && is_active(L) && !lua_caller(frames_top(ask->L)))
            ask->L = (lua_State *)L; /* NOLINT */
    }
    if (ask->L) {
        if (p->running != ask->L) lines_switch(p, ask->L);
        if (words && frames_status(frames_top(ask->L)) & frames_bits.stale) doubtful = true;
        if (words && !doubtful) ask_newtable(p, words, cls, ask, &doubtful);
        if (!p->words) doubtful = in_constructor(p, ask->L, cls);
        record = ask_frames(p, cls, L, ask);
    } else {
        record = pseudo(p, cls, L);
    }
    if (words) note_newtable(p, cls, ask, record);
    if (doubtful) count_unproven(p, record);
    return record;
}

bool lines_learn(LmpProfile *p, lua_State *L, LmpSavedRegs words, unsigned cls) {
    LmpCallInfo *ci = frames_top(L);
    bool table = cls == LMP_C_TABLE, doubtful = false;
    if (frames_is_idle(L) || frames_status(ci) & frames_bits.stale || cls == LMP_C_OTHER)
        return false;
    const void *proto = frames_proto(frames_func(ci));
    if (!proto || (p->made.left && !table)) return false;
    uintptr_t pc = 0;
    if (table || cls == LMP_C_TABLE_PART) {
        pc = newtable_ask(p, L, proto, words, table, &doubtful);
        if (doubtful || table != (pc != 0)) return false;
    }
    Where w = {.L = L, .runs = L, .ci = ci, .pc = frames_pc(ci)};
    record_of(p, &w, cls, &pc);
    return true;
}

uintptr_t lines_constructor(LmpProfile *p, LmpSavedRegs words, unsigned cls, LmpCallInfo **ci) {
    const lua_State *L = asking_thread(p, words);
    bool doubtful;
    if (!L || !is_active(L) || !runs_lua(L)) return 0;
    *ci = frames_top(L);
    const void *proto = frames_proto(frames_func(*ci));
    if (!proto || (cls != LMP_C_TABLE && cls != LMP_C_TABLE_PART)) return 0;
    uintptr_t pc = newtable_ask(p, L, proto, words, cls == LMP_C_TABLE, &doubtful);
    if (pc || cls == LMP_C_TABLE) return pc;
    pc = frames_pc(*ci);
    return newtable_setlist(proto, pc) ? pc + LMP_INSTRUCTION : 0;
}

bool lines_switch_c(LmpProfile *p, const lua_State *L) {
    if (!lua_caller(frames_top(L))) return false;
    if (p->running && is_active(p->running) && is_within(p, p->running, L)) return false;
    lines_switch(p, L);
    return true;
}

bool lines_is_stack(LmpProfile *p, LmpSavedRegs words, const void *ptr) {
    const lua_State *L = p->words && words ? asking_thread(p, words) : NULL;
    return L && frames_stack(L) == (uintptr_t)ptr;
}

uint32_t lines_stack_moves(LmpProfile *p, LmpSavedRegs words) {
    const lua_State *L = p->words ? asking_thread(p, words) : NULL;
    const LmpCallInfo *ci = L && frames_top(L) ? lua_caller(frames_top(L)) : NULL;
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
    LmpLineSlot *kept;
    return row_of(p, &w, pc, proto, key, 0, 0, &kept);
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
