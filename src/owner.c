/* owner.c - finds the places in the interpreter's code that ask for parts of tables, threads,
 * functions and for string buffers (see callsite.h).
 *
 * A private Lua state, made by the same code as the user's, is led through scenes in which every
 * raw request has a known owner. For each request the allocator here notes its caller and its
 * caller's caller, with the help of the unwind tables. Everything is done twice: the second time
 * each raw request is refused once, because Lua asks again (after an emergency collection) from
 * another place. A place that only ever served one owner is decided at once; the others by the
 * pair. A pair seen with two owners is nobody's. */
#include "owner.h"

#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "scenes.h"

enum { MAX_SEEN = 256 };

typedef struct Seen {
    uintptr_t ret, next; /* return addresses: of the allocator, and one further out */
    int32_t distance;    /* where `next` stands, from the allocator's cfa */
    uint8_t cls;
    bool doubtful;
} Seen;

typedef struct Study {
    Seen seen[MAX_SEEN];
    int count;
    unsigned cls; /* owner in the scene under way; 0: not noting */
    bool unsure;  /* a request of the scene that is known already keeps its owner */
    bool refuse;  /* refuse each raw request once */
    bool refused; /* ... this one was just refused */
    bool broken;  /* unwinding does not work here */
} Study;

/* ---- unwinding two frames -----------------------------------------------------------------------
 */

/* Two frames above the allocator's caller at most, if `note` is not inlined (sanitizers, -O0). */
enum { WALK_DEPTH = 5 };

typedef struct Walk {
    int depth;
    uintptr_t ip[WALK_DEPTH], cfa[WALK_DEPTH];
} Walk;

static _Unwind_Reason_Code walk_frame(struct _Unwind_Context *context, void *arg) {
    Walk *walk = arg;
    walk->ip[walk->depth] = (uintptr_t)_Unwind_GetIP(context);
    walk->cfa[walk->depth] = (uintptr_t)_Unwind_GetCFA(context);
    return ++walk->depth == WALK_DEPTH ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Notes a raw request. The walk begins with the allocator itself, or with this function; then comes
 * its caller (whose return address is `ret`) and the caller's caller: its return address stands
 * between the two. */
__attribute__((no_sanitize("address"))) static void note(Study *study, LmpCaller caller) {
    Walk walk = {0};
    _Unwind_Backtrace(walk_frame, &walk);
    int at = 0;
    while (at < walk.depth && walk.ip[at] != caller.ret)
        at++;
    if (at + 1 >= walk.depth) {
        study->broken = true;
        return;
    }
    uintptr_t next = walk.ip[at + 1], end = walk.cfa[at + 1], word = end - sizeof(uintptr_t);
    while (word >= (uintptr_t)caller.cfa && *(const uintptr_t *)word != next)
        word -= sizeof(uintptr_t);
    if (word < (uintptr_t)caller.cfa || word - (uintptr_t)caller.cfa > 4096) {
        study->broken = true;
        return;
    }
    int32_t distance = (int32_t)(word - (uintptr_t)caller.cfa);
    for (int i = 0; i < study->count; i++) {
        Seen *s = &study->seen[i];
        if (s->ret != caller.ret || s->next != next) continue;
        if (s->distance != distance) study->broken = true;
        if (s->cls != study->cls && !study->unsure) s->doubtful = true;
        return;
    }
    if (study->count == MAX_SEEN) {
        study->broken = true;
        return;
    }
    study->seen[study->count++] = (Seen){caller.ret, next, distance, (uint8_t)study->cls, false};
}

/* noinline, and the walk in a function of its own: the frames must be the ones that note expects.
 */
static __attribute__((noinline)) void *study_alloc(void *ud, void *ptr, size_t osize,
                                                   size_t nsize) {
    Study *study = ud;
    LmpCaller caller = {__builtin_dwarf_cfa(), (uintptr_t)__builtin_return_address(0), NULL};
    if (!nsize) {
        free(ptr);
        return NULL;
    }
    if (!ptr && osize == 0 && study->cls) {
        note(study, caller);
        study->refused = study->refuse && !study->refused;
        if (study->refused) return NULL;
    }
    return realloc(ptr, nsize);
}

/* ---- playing ------------------------------------------------------------------------------------
 */

static int descend(lua_State *L) {
    lua_Integer n = lua_tointeger(L, 1);
    if (n > 0) {
        lua_pushcfunction(L, descend);
        lua_pushinteger(L, n - 1);
        lua_call(L, 1, 0);
    }
    return 0;
}

/* Frames and room on the stack, so that a scene of something else asks for none: a collection has
 * just taken them away. */
static void make_room(lua_State *L) {
    lua_checkstack(L, 150);
    lua_pushcfunction(L, descend);
    lua_pushinteger(L, 20);
    lua_pcall(L, 1, 0, 0);
}

/* Every scene once, at the bottom of a protected call. Its own call may already need a CallInfo or
 * stack: those are had before noting begins by playing the scene dumb first. */
static void play_all(lua_State *L, Study *study) {
    for (int i = 0; i < LMP_SCENES; i++) {
        for (int noting = 0; noting < 2; noting++) {
            study->cls = 0;
            lua_settop(L, 1);
            lua_pushvalue(L, 1);
            lua_pushcclosure(L, scenes[i].play, 1);
            lua_gc(L, LUA_GCCOLLECT);
            make_room(L);
            study->cls = noting ? scenes[i].cls : 0;
            study->unsure = i > 0;
            study->refused = false;
            lua_pcall(L, 0, 0,
                      0); /* refused buffers raise an error: what was seen until then counts */
        }
    }
    study->cls = 0;
}

/* ---- the table
 * ------------------------------------------------------------------------------------ */

static bool serves_one_owner(const Study *study, uintptr_t ret) {
    int cls = -1;
    for (int i = 0; i < study->count; i++) {
        const Seen *s = &study->seen[i];
        if (s->ret != ret) continue;
        if (s->doubtful || (cls >= 0 && cls != s->cls)) return false;
        cls = s->cls;
    }
    return true;
}

static bool fill_table(const Study *study, LmpCallsites *sites) {
    bool ok = true, parts[LMP_CLASSES] = {false};
    for (int i = 0; i < study->count; i++) {
        const Seen *s = &study->seen[i];
        unsigned cls = s->doubtful ? LMP_C_OTHER : s->cls;
        if (serves_one_owner(study, s->ret)) {
            ok = ok && callsite_add(sites, s->ret, 0, cls);
        } else {
            ok = ok && callsite_add(sites, s->ret, s->distance, LMP_C_OTHER);
            ok = ok && callsite_add(sites, callsite_pair(s->ret, s->next), 0, cls);
        }
        parts[cls] = true;
    }
    return ok && parts[LMP_C_TABLE_PART] && parts[LMP_C_THREAD_PART] && parts[LMP_C_FUNCTION_PART];
}

/* A distance must be the same for all that come through one place, or it is no distance. */
static bool distances_agree(const Study *study) {
    for (int i = 0; i < study->count; i++)
        for (int k = i + 1; k < study->count; k++)
            if (study->seen[i].ret == study->seen[k].ret &&
                study->seen[i].distance != study->seen[k].distance)
                return false;
    return true;
}

static LmpCallsites table;
static bool table_good;

static int open_libraries(lua_State *L) {
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    lua_settop(L, 0);
    return scenes_prepare(L);
}

static void study_once(void) {
    Study *study = calloc(1, sizeof *study);
    if (!study) return;
    lua_State *L = lua_newstate(study_alloc, study);
    if (L) {
        lua_pushcfunction(L, open_libraries);
        if (lua_pcall(L, 0, 1, 0) == LUA_OK) {
            play_all(L, study);
            study->refuse = true;
            play_all(L, study);
            table_good = !study->broken && distances_agree(study) && fill_table(study, &table);
        }
        study->refuse = false;
        lua_close(L);
    }
    free(study);
}

const LmpCallsites *owner_callsites(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, study_once);
    return table_good ? &table : NULL;
}

/* Profiles without lines, which may run in other threads meanwhile, do not read what is written. */
void owner_note_threads(const LmpWordsPlan *plan) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool noted;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < LMP_CALLSITES && !noted; i++) {
        const LmpAsker *asker = table.slot[i].key ? words_asker(plan, table.slot[i].key) : NULL;
        if (asker && !asker->again) table.slot[i].at_thread = (int16_t)asker->at_thread;
    }
    noted = true;
    pthread_mutex_unlock(&lock);
}

/* ---- rules
 * ---------------------------------------------------------------------------------------- */

enum { CALLINFO_SIZE = 64, BOX_SIZE = 48 };

unsigned owner_by_rules(LmpProfile *p, unsigned cls, size_t size) {
    unsigned last = p->rule_last;
    if (cls) {
        p->rule_parsing = cls == LMP_C_FUNCTION_PART && size > CALLINFO_SIZE; /* a prototype */
        if (cls == LMP_C_USERDATA && size != BOX_SIZE) cls = LMP_C_USERDATA;
        p->rule_last =
            (uint8_t)(cls == LMP_C_USERDATA && size == BOX_SIZE ? LMP_C_STRING_PART : cls);
        return cls;
    }
    p->rule_last = LMP_C_OTHER;
    if (last == LMP_C_THREAD) return LMP_C_THREAD_PART;      /* a new thread's stack */
    if (last == LMP_C_STRING_PART) return LMP_C_STRING_PART; /* a buffer's box, then its contents */
    if (last == LMP_C_TABLE) {                               /* a constructor's parts */
        p->rule_last = LMP_C_TABLE;
        return LMP_C_TABLE_PART;
    }
    if (p->rule_parsing || size == CALLINFO_SIZE) return LMP_C_OTHER;
    return size % 16 == 0 || size % 24 == 0 ? LMP_C_TABLE_PART : LMP_C_OTHER;
}
