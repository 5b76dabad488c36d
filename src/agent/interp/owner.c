/* owner.c - finds the call sites in the interpreter that request parts of tables, threads and
 * functions, and string buffers.
 *
 * A private Lua state, made by the same code as the user's, plays exercises, in which every raw
 * request has a known owner. For each request the allocator here notes its caller and the callers
 * above that, with the help of the unwind tables. Everything is done twice: the second time each
 * raw request is refused once, because Lua retries (after an emergency collection) from another
 * call site. A call site that only ever served one owner is decided at once; the others by as many
 * callers as it takes. A call chain seen with two owners belongs to none. */
#include "agent/interp/owner.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "agent/interp/calibration.h"
#include "agent/interp/callchains.h"
#include "agent/interp/learning.h"

/* How many callers tell whose a part is, if an earlier exercise has met them: who requests it, and
 * for whom; when Lua retries there is one function more. */
enum { SURE = 2, SURE_AGAIN = 3 };

/* The parser and the like also make tables for themselves: a block is known to be part of one when
 * the table points to it. */
enum { TABLES = 16, PENDING = 8 };

typedef struct Tables {
    const char *table[TABLES]; /* the newest, in turn; NULL: none, or freed */
    struct {
        const void *block;
        int seen; /* index */
    } pending[PENDING];
    unsigned tables, blocks; /* so far */
    int refused;             /* row of the request that was just refused, -1: none */
} Tables;

typedef struct Study {
    LmpCallChains seen;
    unsigned cls; /* owner in the exercise under way; 0: not noting */
    bool unsure;  /* a request of the exercise that is known already keeps its owner */
    bool refuse;  /* refuse each raw request once */
    bool refused; /* ... this one was just refused */
    bool broken;  /* unwinding does not work here, or the system has no memory */
    Tables made;  /* in this exercise */
} Study;

/* ---- noting ---------------------------------------------------------------------------------- */

/* Notes a raw request: who has asked, and on whose behalf. Returns its row, -1: none is made. */
static int note(Study *study, LmpCaller caller) {
    LmpCallChains *all = &study->seen;
    LmpCallChain seen = {.cls = (uint8_t)study->cls};
    int sure = study->refuse ? SURE_AGAIN : SURE;
    if (callchain_walk(all, caller, LMP_CHAIN_DEEP, &seen) < sure) {
        study->broken = true;
        return -1;
    }
    for (int i = 0; i < all->count; i++) {
        LmpCallChain *s = &all->chain[i];
        if (study->unsure && s->cls != seen.cls && callchain_same(s, &seen, sure)) return -1;
        if (!callchain_same(s, &seen, LMP_CHAIN_DEEP)) continue;
        if (s->cls != seen.cls && !s->looked_at) s->doubtful = true;
        return i;
    }
    if (all->count == LMP_CHAINS) {
        study->broken = true;
        return -1;
    }
    all->chain[all->count++] = seen;
    return all->count - 1;
}

/* A refusal costs a whole collection, so a call chain is refused only a few times. */
static bool refuses(Study *study, int seen) {
    enum { TIMES = 2 };
    return seen >= 0 && study->seen.chain[seen].refusals++ < TIMES;
}

/* Returns true if the block is a part of a table that has been filled in, or cleared. */
static bool is_part(const char *t, uintptr_t block) {
    uintptr_t array = frames_word(t, LMP_AT_TABLE_ARRAY), nodes = frames_word(t, LMP_AT_TABLE_NODE);
    uint32_t slots;
    memcpy(&slots, t + LMP_AT_TABLE_LIMIT, sizeof slots);
    uint64_t before = luafacts_before_nodes(1ull << (t[LMP_AT_TABLE_LOG] & 31));
    return luafacts_array_block(array, slots) == block || nodes - before == block;
}

static void look_at_tables(Study *study) {
    Tables *m = &study->made;
    for (int k = 0; k < PENDING; k++) {
        for (int i = 0; m->pending[k].block && i < TABLES; i++) {
            const char *t = m->table[i];
            if (!t || !is_part(t, (uintptr_t)m->pending[k].block)) continue;
            LmpCallChain *s = &study->seen.chain[m->pending[k].seen];
            s->cls = LMP_C_TABLE_PART;
            s->looked_at = true;
            m->pending[k].block = NULL;
        }
    }
}

/* The block of this row, -1: none, may turn out to be a table's. */
static void await(Tables *m, const void *block, int seen) {
    if (seen < 0) return;
    m->pending[m->blocks % PENDING].block = block;
    m->pending[m->blocks++ % PENDING].seen = seen;
}

static void forget_block(Study *study, const void *block) {
    Tables *m = &study->made;
    for (int i = 0; i < TABLES; i++)
        if (m->table[i] == block) m->table[i] = NULL;
    for (int k = 0; k < PENDING; k++)
        if (m->pending[k].block == block) m->pending[k].block = NULL;
}

/* noinline, and the walk in a function of its own: frames must be those that note expects. */
static __attribute__((noinline)) void *study_alloc(void *ud, void *ptr, size_t osize,
                                                   size_t nsize) {
    Study *study = ud;
    LmpCaller caller = {__builtin_dwarf_cfa(), (uintptr_t)__builtin_return_address(0), NULL};
    bool looks = study->cls == LMP_C_FUNCTION_PART;
    int seen = -1;
    if (looks) look_at_tables(study);
    if (ptr) forget_block(study, ptr);
    if (!nsize) {
        free(ptr);
        return NULL;
    }
    if (!ptr && osize == 0 && study->cls) {
        seen = note(study, caller);
        study->refused = study->refuse && !study->refused && refuses(study, seen);
        if (study->refused) {
            study->made.refused = seen;
            return NULL;
        }
    }
    void *r = realloc(ptr, nsize);
    if (!r) study->broken = true; /* what it would have been for is not seen */
    Tables *m = &study->made;
    if (looks && r && !ptr && osize == LUA_TTABLE) {
        memset(r, 0, nsize); /* it is looked at before it has been filled in */
        m->table[m->tables++ % TABLES] = r;
    }
    if (looks && r) {
        await(m, r, seen);
        await(m, r, m->refused); /* the same, asked for once more */
    }
    m->refused = -1;
    return r;
}

/* ---- playing --------------------------------------------------------------------------------- */

/* Frames and room on the stack, so that an exercise of something else asks for none: a collection
 * has just taken them away. */
static void make_room(lua_State *L) {
    lua_checkstack(L, 150);
    lua_pushcfunction(L, calibration_nest);
    lua_pushinteger(L, 20);
    lua_pcall(L, 1, 0, 0);
}

/* Every exercise once, at the bottom of a protected call. Its own call may already need a CallInfo
 * or stack: playing the exercise once without noting allocates those beforehand. */
static void play_all(lua_State *L, Study *study) {
    for (int i = 0; i < LMP_CALIBRATION_EXERCISES; i++) {
        for (int noting = 0; noting < 2; noting++) {
            study->cls = 0;
            lua_settop(L, 1);
            lua_pushvalue(L, 1);
            lua_pushcclosure(L, calibration_exercises[i].play, 1);
            lua_gc(L, LUA_GCCOLLECT);
            make_room(L);
            study->made = (Tables){.refused = -1};
            study->cls = noting ? calibration_exercises[i].cls : 0;
            study->unsure = i > 0;
            study->refused = false;
            lua_pcall(L, 0, 0,
                      0); /* refused buffers raise an error: what was seen until then counts */
        }
    }
    study->cls = 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

static LmpCallClasses table;
static bool table_good;

static const char kept_name[] = "owners";

static bool fill_table(const LmpCallChains *seen) {
    bool parts[LMP_CLASSES] = {false};
    for (int i = 0; i < seen->count; i++)
        parts[seen->chain[i].cls] = true;
    bool all = parts[LMP_C_TABLE_PART] && parts[LMP_C_THREAD_PART] && parts[LMP_C_FUNCTION_PART];
    return callchains_enter(seen, &table, all ? kept_name : NULL) && all;
}

static void study_once(void) {
    table_good = callchains_take_kept(&table, kept_name);
    if (table_good) return;
    Study *study = calloc(1, sizeof *study);
    if (!study) return;
    lua_State *L = luafacts_newstate(study_alloc, study);
    if (L) {
        lua_pushcfunction(L, calibration_prepare);
        if (lua_pcall(L, 0, 1, 0) == LUA_OK) {
            play_all(L, study);
            study->refuse = true;
            play_all(L, study);
            table_good = !study->broken && fill_table(&study->seen);
        }
        study->refuse = false;
        lua_close(L);
    }
    free(study);
}

const LmpCallClasses *owner_classes(void) {
    static atomic_bool once;
    learning_once(&once, study_once);
    return table_good ? &table : NULL;
}

/* Profiles without lines, which may run in other threads meanwhile, do not read what is written. */
void owner_note_threads(const LmpSavedRegsPlan *plan) {
    static bool noted;
    learning_hold();
    for (uint32_t i = 0; i < LMP_RETURN_ADDRS && !noted; i++) {
        const LmpAsker *asker =
            table.all.slot[i].key ? saved_regs_asker(plan, table.all.slot[i].key) : NULL;
        if (asker && !asker->again) table.all.slot[i].at_thread = (int16_t)asker->at_thread;
    }
    noted = true;
    learning_let();
}

/* ---- rules ----------------------------------------------------------------------------------- */

unsigned owner_by_rules(LmpProfile *p, unsigned cls, size_t size) {
    unsigned last = p->rules->last;
    if (cls) {
        p->rules->parsing = cls == LMP_C_FUNCTION_PART && size > LMP_SIZE_CALL; /* a prototype */
        p->rules->last =
            (uint8_t)(cls == LMP_C_USERDATA && size == LMP_SIZE_BUFFER_BOX ? LMP_C_STRING_PART
                                                                           : cls);
        return cls;
    }
    p->rules->last = LMP_C_OTHER;
    if (last == LMP_C_THREAD) return LMP_C_THREAD_PART;      /* a new thread's stack */
    if (last == LMP_C_STRING_PART) return LMP_C_STRING_PART; /* a buffer's box, then its contents */
    if (last == LMP_C_TABLE) {                               /* a constructor's parts */
        p->rules->last = LMP_C_TABLE;
        return LMP_C_TABLE_PART;
    }
    if (p->rules->parsing || size == LMP_SIZE_CALL) return LMP_C_OTHER;
    return size % 16 == 0 || size % 24 == 0 ? LMP_C_TABLE_PART : LMP_C_OTHER;
}
