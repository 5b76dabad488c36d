/* lines.c - the caches of lines: what happens when a line is met for the first time, and when code
 * dies. Requests that lines_record cannot attribute are in lines_asking.c. The contract is
 * lines.h's. */
#include "agent/charge/lines.h"

#include "agent/charge/inspect.h"
#include "agent/charge/line_cache.h"
#include "agent/charge/lines_impl.h"
#include "agent/charge/sites.h"
#include "agent/interp/owner.h"
#include "agent/interp/saved_regs.h"
#include "agent/interp/stack.h"
#include "agent/interp/stripped.h"
#include "agent/map/shadow.h"
#include "base/os.h"

/* Entries that are no record have their kind in place of the tag (tags are below LMP_TAGS). */
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
    cache->mask = (LMP_LINE_LEAST - 1) * sizeof(LmpLineSlot);
    p->lines = cache;
    p->record = p->tables.record;
    p->framed = p->owners && !saved_regs_none() && frames_fit(L);
    p->regs = p->framed ? saved_regs_plan() : NULL;
    p->live->tables.why = p->regs ? LMP_WHY_CHECK : LMP_WHY_REGS;
    if (p->regs && p->regs->differed) p->regs = NULL;
    p->live->tables.lines = p->regs ? LMP_LINES_EXACT : LMP_LINES_APPROXIMATE;
    cache->jumps = frames_jumps_known();
    inspect_open(p);
    if (p->regs) {
        owner_note_threads(p->regs);
        p->object_ret = p->regs->objects.ret;
        p->object_thread = p->regs->objects.at_thread;
        lua_State *chain[LMP_CHAIN];
        lines_know(cache, L);
        for (int n = stack_chain(p->main, chain); n > 0; n--)
            lines_know(cache, chain[n - 1]);
    }
    return LMP_OK;
}

void lines_close(LmpProfile *p) {
    if (!p->lines) return;
    codes_close(p->lines->codes);
    lmp_os->unmap(p->lines->codes, sizeof *p->lines->codes);
    line_l2_close(&p->lines->l2);
    inspect_close(p);
    lmp_os->unmap(p->lines, sizeof *p->lines);
    p->lines = NULL;
    p->regs = NULL;
}

/* ---- the first cache grows ------------------------------------------------------------------- */

static size_t slots_of(const LmpLineCache *cache) {
    return cache->mask / sizeof(LmpLineSlot) + 1;
}

/* Twice as many slots. An entry stays where it is or goes as far up as there were slots, so its
 * home (line_cache.h) is the same. */
static void grow(LmpLineCache *cache) {
    size_t before = slots_of(cache);
    cache->pushed = 0;
    for (size_t i = 0; i < before; i++) {
        LmpLineSlot *slot = &cache->slot[i];
        if (!slot->key) continue;
        cache->mask = (before - 1) * sizeof *slot;
        bool own = lines_slot(cache, slot->key, slot->cfn) == slot;
        cache->mask = (2 * before - 1) * sizeof *slot;
        LmpLineSlot *now = lines_slot(cache, slot->key, slot->cfn);
        if (!own) now = lines_beside(cache, now);
        if (now == slot) continue;
        *now = *slot;
        slot->key = 0;
    }
    cache->mask = (2 * before - 1) * sizeof(LmpLineSlot);
}

/* Returns the slot where an entry is, or is to be entered: its own if it is free, else the one
 * beside, whatever is in there; but of two that are taken, each in its turn. */
static inline LmpLineSlot *slot_for(LmpLineCache *cache, uint64_t key, uintptr_t cfn) {
    LmpLineSlot *own = lines_slot(cache, key, cfn), *beside = lines_look(cache, key, cfn);
    if (own == beside || (beside->key == key && beside->cfn == cfn)) return beside;
    return !own->key || (beside->key && cache->pushed & 1) ? own : beside;
}

/* An entry evicts another one whose code still lives. */
static void count_pushed(LmpLineCache *cache) {
    if (++cache->pushed >= slots_of(cache) / 8 && slots_of(cache) < LMP_LINE_MOST) grow(cache);
}

/* ---- code that dies -------------------------------------------------------------------------- */

/* Clears a slot if its entry is about code in [addr, addr + size). */
static inline void forget_slot(LmpLineSlot *slot, uintptr_t addr, size_t size) {
    uintptr_t pc = slot->key & ((1ull << LMP_ADDRESS_BITS) - 1) & ~LMP_LINE_FLAGS;
    if (pc - addr <= size) slot->key = 0; /* a pc may stand behind the last one */
}

static void forget_code(LmpLineCache *cache, const LmpCode *code, uintptr_t addr, size_t size) {
    unsigned at = 0, home;
    while ((home = codes_next_home(code, &at)) < LMP_HOMES)
        for (size_t i = home; i < slots_of(cache); i += LMP_HOMES)
            forget_slot(&cache->slot[i], addr, size);
}
_Static_assert((int)LMP_HOMES <= (int)LMP_LINE_LEAST, "a slot's home stays when the cache grows");

static size_t code_bytes(const void *proto) {
    return frames_code_size(proto) * (size_t)LMP_INSTRUCTION;
}

/* Returns the block whose death is that of a prototype's code: the code's own or, where that is in
 * memory of the host's, the prototype's. */
static uintptr_t block_of(const void *proto) {
    return luafacts_is_fixed((uintptr_t)proto) ? (uintptr_t)proto : frames_code(proto);
}

bool lines_code_gone(LmpProfile *p, uintptr_t *addr, size_t *size) {
    LmpCode code;
    if (!codes_take(p->lines->codes, *addr, &code)) return false;
    p->code_deaths++;
    if (!code.homes) return false;
    if (code.lent) {
        const void *proto = (const void *)*addr; /* NOLINT: it is still as it was */
        *addr = frames_code(proto);
        *size = code_bytes(proto);
    }
    forget_code(p->lines, &code, *addr, *size);
    codes_drop(p->lines->codes, &code);
    return true;
}

/* Returns the entry of a prototype's code, whose death will be noticed from now on; NULL: no
 * memory. */
static LmpCode *code_of(LmpProfile *p, const void *proto) {
    uintptr_t addr = block_of(proto);
    bool added;
    LmpCode *code = codes_note(p->lines->codes, addr, &added);
    if (!code || !added) return code;
    code->lent = addr != frames_code(proto);
    shadow_notify(p, addr);
    if (p->freed)
        shadow_watch(p, addr, code->lent ? LMP_SIZE_PROTO : code_bytes(proto), LMP_C_FUNCTION_PART);
    return code;
}

/* Enters an entry about code in a slot that is for it (slot_for). */
static void keep(LmpProfile *p, LmpCode *code, LmpLineSlot *slot, const LmpLineEntry *entry) {
    LmpLineCache *cache = p->lines;
    codes_note_home(cache->codes, code, (unsigned)(slot - cache->slot) % LMP_HOMES);
    if (slot->key != entry->key || slot->cfn != entry->cfn)
        *slot = (LmpLineSlot){.key = entry->key, .cfn = entry->cfn};
    slot->row[entry->cls] = entry->row;
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

static uint32_t c_function_of(LmpProfile *p, lua_State *L, const LmpCallInfo *ci, uintptr_t cfn) {
    const void *address = (const void *)cfn; /* NOLINT */
    uint32_t row = sites_find_function(p, 0, -1, address);
    if (row && !sites_wants_name(p, row)) return row;
    lua_Debug ar = {0};
    describe(L, ci, 0, "Sn", &ar);
    return sites_function(p, &ar, address);
}

/* Returns true if a name may be asked for: to find one, Lua reads the caller's code from its
 * beginning. In all, the reading is to stay small beside what compiling that code has cost. */
static bool may_name(LmpProfile *p, const LmpCallInfo *ci) {
    const LmpCallInfo *caller = frames_caller(ci);
    if (!caller || !frames_caller(caller) || frames_status(caller) & LMP_CI_C) return true;
    const void *proto = frames_proto(frames_func(caller));
    LmpCode *code = proto ? code_of(p, proto) : NULL;
    if (!code) return false;
    uint32_t size = frames_code_size(proto);
    uint64_t read = (frames_pc(caller) - frames_code(proto)) / sizeof(uint32_t);
    if (read > size || code->read + read > NAMING_LEAST + (uint64_t)size * NAMING_TIMES)
        return false;
    code->read += (uint32_t)read;
    return true;
}

/* Returns the function of code; 0: not known yet. Stripped code that is loaded again and again is
 * recognised by its contents. */
static uint32_t function_of(const LmpProfile *p, LmpCode *code, const void *proto) {
    bool reads = p->lines->agreed && !p->lines->differed;
    if (!code->function && reads && stripped_looks(proto)) {
        code->function = sites_stripped(p, stripped_hash(proto));
        code->lineless = true;
    }
    return code->function;
}

/* Returns the row of a function that lua_getinfo has described. */
static uint32_t add_function(LmpProfile *p, lua_Debug *ar, const void *proto) {
    bool *known = stripped_agrees(proto, ar) ? &p->lines->agreed : &p->lines->differed;
    *known = true;
    if (!stripped_is(ar)) return sites_function(p, ar, NULL);
    char name[LMP_STRIPPED_NAME];
    stripped_name(proto, ar, name);
    uint32_t function = sites_function(p, ar, NULL);
    if (function != sites_pseudo(p, LMP_PSEUDO_OTHERS) && stripped_looks(proto))
        sites_keep_stripped(p, stripped_hash(proto), function);
    return function;
}

/* `pc`: whose line it is; `proto`: of the function of w->ci, whose code is *code, which may move.
 * The full function is only queried while something about it is unknown. */
static uint32_t site_of(LmpProfile *p, const LmpWhere *w, uintptr_t pc, const void *proto,
                        LmpCode **code) {
    lua_Debug ar;
    ar.namewhat = "";
    uint32_t cfunction = w->c ? c_function_of(p, w->runs, w->c, w->cfn) : 0;
    uint32_t function = *code ? function_of(p, *code, proto) : 0;
    p->live->tables.unknown++;
    bool name = !function || sites_wants_name(p, function);
    if (name) {
        uint64_t lives = p->lines->codes->lives;
        name = may_name(p, w->ci);
        if (p->lines->codes->lives != lives) *code = code_of(p, proto);
    }
    if (function && !name) {
        ar.currentline = -1;
        if (!(*code)->lineless) describe(w->L, w->ci, pc, "l", &ar);
        return sites_site(p, function, ar.currentline, cfunction);
    }
    describe(w->L, w->ci, pc, name ? "Sln" : "Sl", &ar);
    function = add_function(p, &ar, proto);
    if (*code && function != sites_pseudo(p, LMP_PSEUDO_OTHERS)) {
        (*code)->function = function;
        (*code)->lineless = ar.currentline == -1;
    }
    return sites_site(p, function, ar.currentline, cfunction);
}

/* Puts an entry about code into the second cache, too, if another place has its slot, or if there
 * may be other entries about the same place. */
static void keep_more(LmpLineCache *cache, LmpCode *code, const LmpLineSlot *slot,
                      const LmpLineEntry *entry) {
    bool same = slot->key == entry->key && slot->cfn == entry->cfn;
    if (same ? !code->more : !slot->key) return;
    code->more = true;
    line_l2_add(&cache->l2, entry);
    if (!same) count_pushed(cache);
}

/* Returns the site of a place, or for cls > 0 the record, when the first cache does not know it.
 * `pc`: whose line it is; *slot: where the entry stands now, or NULL. */
static inline uint32_t row_of(LmpProfile *p, const LmpWhere *w, uintptr_t pc, const void *proto,
                              uint64_t key, uintptr_t beside, unsigned cls, LmpLineSlot **slot) {
    LmpCode *code = code_of(p, proto);
    LmpLineEntry entry = {.key = key, .cfn = beside, .life = code ? code->life : 0, .cls = cls};
    LmpLineSlot *at = slot_for(p->lines, key, beside);
    size_t mask = p->lines->mask;
    entry.row = code && code->more ? line_l2_find(&p->lines->l2, &entry) : 0;
    if (entry.row) {
        count_pushed(p->lines);
    } else {
        uint32_t row = site_of(p, w, pc, proto, &code);
        entry.row = cls ? sites_record(p, row, cls, p->tag) : row;
        if (code) keep_more(p->lines, code, at, &entry);
    }
    if (p->lines->mask != mask) at = slot_for(p->lines, key, beside); /* it has grown */
    if (code) keep(p, code, at, &entry);
    *slot = code ? at : NULL;
    return entry.row;
}

/* The place of a table is in the first cache again: takes the entry for the table's parts from the
 * second one, if it is there. */
static void recall_part(const LmpProfile *p, LmpLineSlot *slot, const void *proto) {
    const LmpCode *code = codes_find(p->lines->codes, block_of(proto));
    if (slot->row[LMP_C_TABLE_PART] || !code || !code->more) return;
    LmpLineEntry part = {
        .key = slot->key, .cfn = slot->cfn, .life = code->life, .cls = LMP_C_TABLE_PART};
    slot->row[LMP_C_TABLE_PART] = line_l2_find(&p->lines->l2, &part);
}

/* The kind of instruction that a place of a site has, by what it asked for. */
static void note_how(LmpProfile *p, uint32_t record, const LmpWhere *w, const void *proto,
                     bool constructor) {
    LmpRecord *r = &p->record[record];
    bool string = r->use.cls == LMP_C_STRING, part = r->use.cls == LMP_C_TABLE_PART;
    uint32_t how = LMP_HOW_OTHER;
    if (w->cfn) {
        how = LMP_HOW_CALL;
    } else if (constructor) {
        how = LMP_HOW_CONSTRUCTOR;
    } else if (frames_after_instruction(proto, w->pc)) {
        unsigned op = luafacts_opcode(newtable_before(w->pc));
        bool function = r->use.cls == LMP_C_FUNCTION || r->use.cls == LMP_C_FUNCTION_PART;
        if (string && op == LMP_OP_CONCAT) how = LMP_HOW_CONCAT;
        if (function && op == LMP_OP_CLOSURE) how = LMP_HOW_CLOSURE;
        if (part) how = LMP_HOW_GROWTH;
    }
    p->tables.site[r->site].how |= how;
}

/* Returns true if nothing is left to find out about a function. `row` 0: no function. */
static bool is_final(const LmpProfile *p, uint32_t row) {
    return !row || !sites_wants_name(p, row);
}

/* Returns the record of a place whose record for another class, and so its site, is known; 0: look
 * it up. */
static uint32_t record_beside(LmpProfile *p, LmpLineSlot *slot, const void *proto, unsigned cls) {
    unsigned other = 1;
    while (!slot->row[other])
        if (++other == LMP_C_COUNTED) return 0;
    uint32_t row = p->record[slot->row[other]].site;
    const LmpSite *site = &p->tables.site[row];
    LmpCode *code = codes_find(p->lines->codes, block_of(proto));
    if (!code || row <= sites_pseudo(p, LMP_PSEUDO_UNKNOWN) || !is_final(p, site->function) ||
        !is_final(p, site->cfunction))
        return 0;
    LmpLineEntry entry = {.key = slot->key, .cfn = slot->cfn, .life = code->life, .cls = cls};
    entry.row = code->more ? line_l2_find(&p->lines->l2, &entry) : 0;
    if (!entry.row) {
        entry.row = sites_record(p, row, cls, p->tag);
        keep_more(p->lines, code, slot, &entry);
    }
    return slot->row[cls] = entry.row;
}

uint32_t lines_record_of(LmpProfile *p, const LmpWhere *w, unsigned cls, uintptr_t *constructor) {
    const void *proto = frames_proto(frames_func(w->ci));
    bool newtable = *constructor != 0;
    uintptr_t pc = newtable ? *constructor : w->pc, at = pc;
    uint64_t key = lines_key(pc, p->tag) | (newtable ? LMP_LINE_FLAGS : w->cfn ? LMP_LINE_C : 0);
    uintptr_t beside = newtable ? (uintptr_t)proto : w->cfn;
    LmpLineSlot *slot = lines_look(p->lines, key, beside);
    bool there = slot->key == key && slot->cfn == beside;
    if (!proto) return sites_record(p, sites_pseudo(p, LMP_PSEUDO_UNKNOWN), cls, p->tag);
    bool setlist = cls == LMP_C_TABLE_PART && !newtable && !w->cfn && newtable_setlist(proto, pc);
    if (setlist) at = *constructor = pc + LMP_INSTRUCTION;
    uint32_t row = there ? slot->row[cls] : 0;
    bool aside = setlist || (!newtable && slot->row[0]); /* its parts are of another line */
    if (row) return row;
    if (there && !aside) row = record_beside(p, slot, proto, cls);
    if (!row) {
        row = row_of(p, w, at, proto, key, beside, cls, &slot);
        if (slot && newtable) {
            slot->row[0] = newtable_parts(pc);
            if (cls == LMP_C_TABLE && slot->row[0]) recall_part(p, slot, proto);
        }
        if (slot && setlist) slot->row[0] = 1;
    }
    note_how(p, row, w, proto, newtable || setlist);
    return row;
}

/* ---- sites of frames ------------------------------------------------------------------------- */

static __attribute__((noinline)) uint32_t learn_frame_site(LmpProfile *p, lua_State *L,
                                                           const LmpCallInfo *ci, uintptr_t pc) {
    const void *proto = frames_proto(frames_func(ci));
    if (!proto) return sites_pseudo(p, LMP_PSEUDO_UNKNOWN);
    LmpWhere w = {.L = L, .runs = L, .ci = (LmpCallInfo *)ci, .pc = pc}; /* NOLINT */
    LmpLineSlot *kept;
    return row_of(p, &w, pc, proto, lines_key(pc, KEY_FRAME), 0, 0, &kept);
}

uint32_t lines_function(LmpProfile *p, lua_State *L, const LmpCallInfo *ci) {
    const void *proto = frames_proto(frames_func(ci));
    LmpCode *code = code_of(p, proto);
    uint32_t function = code ? function_of(p, code, proto) : 0;
    if (function && !sites_wants_name(p, function)) return function;
    bool name = may_name(p, ci);
    if (function && !name) return function;
    lua_Debug ar;
    ar.namewhat = "";
    describe(L, ci, 0, name ? "Sn" : "S", &ar);
    function = add_function(p, &ar, proto);
    code = code_of(p, proto); /* it may have moved */
    if (code && function != sites_pseudo(p, LMP_PSEUDO_OTHERS)) code->function = function;
    return function;
}

uint32_t lines_site_at(LmpProfile *p, lua_State *L, const LmpCallInfo *ci, uintptr_t pc) {
    const void *proto = frames_proto(frames_func(ci));
    if (!proto) return sites_pseudo(p, LMP_PSEUDO_UNKNOWN);
    LmpWhere w = {.L = L, .runs = L, .ci = (LmpCallInfo *)ci, .pc = pc}; /* NOLINT */
    uint64_t unknown = p->live->tables.unknown;                          /* requests for memory */
    LmpCode *code = code_of(p, proto);
    uint32_t site = site_of(p, &w, pc, proto, &code);
    p->live->tables.unknown = unknown;
    return site;
}

bool lines_watch(LmpProfile *p, const void *proto) {
    return code_of(p, proto) != NULL;
}

uint32_t lines_frame_site(LmpProfile *p, lua_State *L, const LmpCallInfo *ci, uintptr_t pc) {
    uint64_t key = lines_key(pc, KEY_FRAME);
    const LmpLineSlot *slot = lines_look(p->lines, key, 0);
    return LIKELY(slot->key == key) ? slot->row[0] : learn_frame_site(p, L, ci, pc);
}

uint32_t lines_c_site(LmpProfile *p, lua_State *L, const LmpCallInfo *ci) {
    uintptr_t cfn = frames_c_function(frames_func(ci));
    uint64_t key = lines_key(0, KEY_C_FRAME) | LMP_LINE_C;
    const LmpLineSlot *slot = lines_look(p->lines, key, cfn);
    if (slot->key == key && slot->cfn == cfn) return slot->row[0];
    if (!cfn) return sites_pseudo(p, LMP_PSEUDO_UNKNOWN);
    uint32_t site = sites_site(p, c_function_of(p, L, ci, cfn), -1, 0);
    LmpLineSlot *fresh = slot_for(p->lines, key, cfn);
    *fresh = (LmpLineSlot){.key = key, .cfn = cfn, .row = {site}};
    return site;
}
