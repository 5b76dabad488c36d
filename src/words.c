/* words.c - finding the places of words.h.
 *
 * A private Lua state plays the scenes of scenes.c in its main thread and in a coroutine, and runs
 * table constructors whose code is known to the instruction. At each request its allocator looks
 * which of the words nearby are the thread (the pc) that they should be. A place must hold for
 * every request from there, for more than one thread (pc). Everything is done twice: the second
 * time each request is refused once, because Lua asks again from another place. */
#include "words.h"

#include <lauxlib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "entry.h"
#include "freers.h"
#include "scenes.h"

#if LMP_HAS_ENTRY

enum {
    OP_NEWTABLE = 19, /* lopcodes.h, all of 5.4 */
    OP_SETLIST = 78,
    OP_MASK = 0x7f,
    OP_K = 1 << 15, /* an extra argument follows */
    MOST_WAYS = 64,
    LEAST_SEEN = 4 /* requests by which a place is known */
};

/* Which of the words seen so far were always right. */
typedef struct Places {
    uint64_t right[LMP_WORDS_SEEN / 64];
    uintptr_t first; /* the first right value */
    bool varied;     /* there were others */
    uint32_t seen;
} Places;

typedef struct Way { /* a place that asks, or a way from a constructor to it */
    uintptr_t ret, next, third;
    int32_t at_next, at_third;
    bool object; /* asks for the table itself */
    bool bad;
    Places places;
} Way;

typedef struct Study {
    LmpFreers freers;
    const lua_State *running; /* NULL: not noting */
    bool refuse, refused;
    bool broken;
    uint32_t askers, ways;
    Way asker[LMP_ASKERS];
    uintptr_t object_ret, resizer_ret; /* asks for objects; resizes blocks */
    Way way[MOST_WAYS];
    /* the constructor under way: its code, and what it asks for */
    bool constructing, plain;    /* plain: no constructor at all, table parts are others' */
    uintptr_t newtable, setlist; /* pc while they are executed */
    size_t array, hash, list;    /* bytes that NEWTABLE asks for, twice, and SETLIST (which asks for
                                    the hash part again); 0: nothing */
    bool wants_array, wants_hash; /* NEWTABLE is not through yet */
} Study;

/* ---- noting -------------------------------------------------------------------------------- */

LMP_READS_WORDS static void note_places(Places *places, LmpWords words, uintptr_t right,
                                        uintptr_t also) {
    if (!places->seen++) {
        places->first = right;
        for (size_t i = 0; i < LMP_WORDS_SEEN / 64; i++)
            places->right[i] = ~0ull;
    }
    if (right != places->first) places->varied = true;
    for (size_t i = 0; i < LMP_WORDS_SEEN / 64; i++) {
        for (uint64_t left = places->right[i]; left; left &= left - 1) {
            uintptr_t word = words[i * 64 + (size_t)__builtin_ctzll(left)];
            if (word != right && word != also) places->right[i] &= ~(left & -left);
        }
    }
}

/* The first place that was always right, -1: none. */
static int32_t place_of(const Places *places) {
    if (places->seen < LEAST_SEEN || !places->varied) return -1;
    for (int32_t i = 0; i < LMP_WORDS_SEEN; i++)
        if (i != LMP_WORDS_RET && places->right[i / 64] >> (i % 64) & 1) return i;
    return -1;
}

static void note_asker(Study *study, LmpWords words, bool object, bool resizes) {
    uint32_t i = 0;
    while (i < study->askers && study->asker[i].ret != words[LMP_WORDS_RET])
        i++;
    if (i == LMP_ASKERS) {
        study->broken = true;
        return;
    }
    if (i == study->askers) study->asker[study->askers++].ret = words[LMP_WORDS_RET];
    if (object && !study->object_ret) study->object_ret = words[LMP_WORDS_RET];
    if (resizes && !study->resizer_ret) study->resizer_ret = words[LMP_WORDS_RET];
    note_places(&study->asker[i].places, words, (uintptr_t)study->running,
                (uintptr_t)study->running);
}

LMP_READS_WORDS static Way *find_way(Study *study, LmpWords words, bool add) {
    for (uint32_t i = 0; i < study->ways; i++) {
        Way *way = &study->way[i];
        if (way->ret == words[LMP_WORDS_RET] && way->next == words[way->at_next] &&
            way->third == words[way->at_third])
            return way;
    }
    if (!add || study->ways == MOST_WAYS) return NULL;
    LmpWalk walk = {.ret = words[LMP_WORDS_RET], .found = 0};
    freers_walk(&walk);
    if (walk.found != 3) return NULL;
    Way *way = &study->way[study->ways];
    *way = (Way){.ret = walk.ip[0], .next = walk.ip[1], .third = walk.ip[2]};
    way->at_next = (int32_t)(((intptr_t)walk.at[1] - (intptr_t)words) / (intptr_t)sizeof *words);
    way->at_third = (int32_t)(((intptr_t)walk.at[2] - (intptr_t)words) / (intptr_t)sizeof *words);
    if (way->at_next < 0 || way->at_next >= LMP_WORDS_SEEN || way->at_third <= way->at_next ||
        way->at_third >= LMP_WORDS_SEEN || words[way->at_next] != way->next ||
        words[way->at_third] != way->third)
        return NULL;
    study->ways++;
    return way;
}

static void note_constructor(Study *study, LmpWords words, bool object, size_t size) {
    if (frames_status(frames_top(study->running)) & LMP_CI_C) return;
    bool list = !object && !(study->wants_array && size == study->array) &&
                !(study->wants_hash && size == study->hash);
    bool made = study->constructing &&
                (!list || (study->list && (size == study->list || size == study->hash)));
    Way *way = find_way(study, words, made);
    if (study->plain && way) way->bad = true;
    if (!made || !way) return;
    way->object = object;
    uintptr_t pc = list ? study->setlist : study->newtable;
    note_places(&way->places, words, pc, list ? pc + sizeof(uint32_t) : pc);
}

/* A request of a constructor is granted. */
static void advance(Study *study, bool object, size_t size) {
    if (object) {
        study->wants_array = study->array != 0;
        study->wants_hash = study->hash != 0;
    } else if (study->wants_array && size == study->array) {
        study->wants_array = false;
    } else if (study->wants_hash && size == study->hash) {
        study->wants_hash = false;
    }
}

static void *study_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpWords words)
    __attribute__((used));
static void *study_release(void *ud, void *ptr, size_t osize, size_t nsize) __attribute__((used));
void *words_study_alloc(void *ud, void *ptr, size_t osize, size_t nsize);
LMP_ENTRY(words_study_alloc, study_request, study_release);

static void *study_release(void *ud, void *ptr, size_t osize, size_t nsize) {
    Study *study = ud;
    (void)osize, (void)nsize;
    if (ptr && !study->refuse && (study->running || study->freers.collecting))
        freers_note(&study->freers, (uintptr_t)__builtin_dwarf_cfa(),
                    (uintptr_t)__builtin_return_address(0));
    free(ptr);
    return NULL;
}

static void *study_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpWords words) {
    Study *study = ud;
    if (study->running) {
        bool object = !ptr && osize == LUA_TTABLE;
        note_asker(study, words, !ptr && osize != 0, ptr != NULL);
        if (object || !ptr || osize % 16 == 0) note_constructor(study, words, object, nsize);
        bool grows = !ptr || nsize > osize;
        study->refused = grows && study->refuse && !study->refused;
        if (study->refused) return NULL;
        if (study->constructing) advance(study, object, nsize);
    }
    return realloc(ptr, nsize);
}

/* ---- scenes -------------------------------------------------------------------------------- */

static int nest(lua_State *L) {
    lua_Integer n = lua_tointeger(L, 1);
    luaL_checkstack(L, 40, NULL);
    if (n > 0) {
        lua_pushcfunction(L, nest);
        lua_pushinteger(L, n - 1);
        lua_call(L, 1, 0);
    }
    return 0;
}

/* All the scenes but that of the threads, which asks on behalf of one thread in another. */
static int play_scenes(lua_State *L) {
    Study *study = lua_touserdata(L, 1);
    for (int i = 0; i < LMP_SCENES; i++) {
        study->running = NULL;
        lua_settop(L, 2);
        if (scenes[i].cls == LMP_C_THREAD_PART) {
            lua_pushcfunction(L, nest);
            lua_pushinteger(L, 60);
        } else {
            lua_pushvalue(L, 2);
            lua_pushcclosure(L, scenes[i].play, 1);
        }
        lua_gc(L, LUA_GCCOLLECT);
        study->running = L;
        study->refused = false;
        lua_pcall(L, scenes[i].cls == LMP_C_THREAD_PART, 0, 0);
        for (int k = 0; k < 4; k++) {
            lua_pushfstring(L, "%d of %p", k, (void *)study);
            lua_newuserdatauv(L, (size_t)k, k & 1);
            lua_settop(L, 2);
        }
    }
    study->running = NULL;
    return 0;
}

/* ---- constructors -------------------------------------------------------------------------- */

enum { SLOT = 16, NODE = 24, EXTRA = 5 };

/* What stands between the braces: `items` numbers, `fields`, then perhaps "...". */
static const struct Shape {
    int items, fields;
    bool more;
} shapes[] = {{0, 0, false}, {0, 0, true},   {3, 0, false}, {0, 1, false},
              {0, 3, false}, {2, 1, true},   {1, 0, true},  {2, 3, false},
              {60, 0, true}, {60, 2, false}, {300, 0, true}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void push_source(lua_State *L, const struct Shape *shape) {
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    luaL_addstring(&b, "local a = ... return {");
    for (int i = 0; i < shape->items; i++)
        luaL_addstring(&b, "a,");
    char field[16];
    for (int i = 0; i < shape->fields; i++) {
        snprintf(field, sizeof field, "f%d=a,", i);
        luaL_addstring(&b, field);
    }
    luaL_addstring(&b, shape->more ? "...}" : "}");
    luaL_pushresult(&b);
}

static size_t nodes(int fields) {
    size_t n = 1;
    while (n < (size_t)fields)
        n *= 2;
    return fields ? n * NODE : 0;
}

/* Reads the function on top of the stack: where its one NEWTABLE and its last SETLIST are. */
static bool read_code(lua_State *L, Study *study, const struct Shape *shape) {
    const void *proto =
        (const void *)frames_word(lua_topointer(L, -1), LMP_AT_CLOSURE_CODE); /* NOLINT */
    uintptr_t code = frames_word(proto, LMP_AT_PROTO_CODE);
    uint32_t size, instruction;
    memcpy(&size, (const char *)proto + LMP_AT_PROTO_SIZECODE, sizeof size);
    if (size > 10000) return false;
    study->newtable = study->setlist = 0;
    for (uint32_t i = 0; i < size; i++) {
        uintptr_t next = code + (i + 1) * sizeof instruction;
        memcpy(&instruction, (const void *)(next - sizeof instruction), sizeof instruction);
        if ((instruction & OP_MASK) == OP_NEWTABLE) {
            if (study->newtable) return false;
            study->newtable = next + sizeof instruction; /* its extra argument is always there */
        } else if ((instruction & OP_MASK) == OP_SETLIST) {
            study->setlist = next;
        }
    }
    study->array = (size_t)shape->items * SLOT;
    study->hash = nodes(shape->fields);
    study->list = shape->more ? (size_t)(shape->items + EXTRA) * SLOT : 0;
    return study->newtable && (!shape->more || study->setlist);
}

/* Upvalues: the study, and the function. Its stack is large enough beforehand. */
static int construct(lua_State *L) {
    Study *study = lua_touserdata(L, 1);
    lua_checkstack(L, 1000);
    lua_pushvalue(L, 2);
    for (int i = 0; i < EXTRA; i++)
        lua_pushinteger(L, i);
    study->running = L;
    study->constructing = true;
    study->wants_array = study->wants_hash = study->refused = false;
    lua_call(L, EXTRA, 1);
    study->constructing = false;
    study->running = NULL;
    return 1;
}

static const char others[] = "local t, u = ...\n"
                             "for i = 1, 40 do t[i] = i; t['k' .. i] = u; u[-i] = t end\n"
                             "return t\n";

static int play_constructors(lua_State *L) {
    Study *study = lua_touserdata(L, 1);
    for (int i = 0; i < SHAPES; i++) {
        lua_settop(L, 1);
        push_source(L, &shapes[i]);
        const char *source = lua_tostring(L, -1);
        lua_pushcfunction(L, construct);
        lua_pushvalue(L, 1);
        if (luaL_loadstring(L, source) != LUA_OK || !read_code(L, study, &shapes[i])) {
            study->broken = true;
            return 0;
        }
        lua_pcall(L, 2, 0, 0);
        study->constructing = false;
        study->running = NULL;
    }
    for (int i = 0; i < 2; i++) { /* and tables that grow by assignment */
        lua_settop(L, 1);
        if (luaL_loadstring(L, others) != LUA_OK) study->broken = true;
        lua_newtable(L);
        lua_newtable(L);
        lua_checkstack(L, 100);
        study->plain = true;
        study->running = L;
        study->refused = false;
        lua_pcall(L, 2, 0, 0);
        study->running = NULL;
        study->plain = false;
    }
    return 0;
}

static int play_collector(lua_State *L) {
    Study *study = lua_touserdata(L, 1);
    lua_settop(L, 1);
    if (study->refuse || !lua_pushthread(L)) return 0; /* once is enough */
    lua_settop(L, 1);
    study->broken = !freers_play(&study->freers, L) || study->broken;
    return 0;
}

/* Plays all in the main thread and in a coroutine. */
static int play_all(lua_State *L) {
    static const lua_CFunction plays[] = {play_scenes, play_constructors, play_collector};
    Study *study = lua_touserdata(L, 1);
    for (size_t i = 0; i < 2 * sizeof plays / sizeof *plays; i++) {
        lua_State *thread = i & 1 ? lua_newthread(L) : L;
        int results;
        lua_pushcfunction(L, plays[i / 2]);
        lua_pushlightuserdata(L, study);
        lua_pushvalue(L, 2);
        if (thread == L) {
            lua_pcall(L, 2, 0, 0);
        } else {
            lua_xmove(L, thread, 3);
            if (lua_resume(thread, L, 2, &results) != LUA_OK) study->broken = true;
        }
        study->running = NULL;
        lua_settop(L, 2);
    }
    return 0;
}

/* ---- the plan ------------------------------------------------------------------------------- */

static LmpWordsPlan plan;
static bool plan_good;

/* The constructors' instructions are few: if they all stand at one place, two at most, that tells
 * nearly everybody else from them. */
static void note_thirds(void) {
    uintptr_t *third = plan.part_third;
    plan.part_at_third = plan.part[0].ret ? plan.part[0].at_third : 0;
    third[0] = third[1] = plan.part[0].third;
    for (const LmpConstruction *c = plan.part; c->ret; c++) {
        if (c->third != third[0] && third[1] == third[0]) third[1] = c->third;
        bool same = c->third == third[0] || c->third == third[1];
        if (!same || c->at_third != plan.part[0].at_third) plan.part_at_third = 0;
    }
}

static bool make_plan(const Study *study) {
    bool objects = false;
    for (uint32_t pass = 0; pass < 2; pass++) { /* the one that asks for objects goes first */
        for (uint32_t i = 0; i < study->askers; i++) {
            const Way *asker = &study->asker[i];
            int32_t at = place_of(&asker->places);
            bool object = asker->ret == study->object_ret;
            if (at < 0 || object != (pass == 0)) continue;
            plan.asker[plan.askers++] = (LmpAsker){asker->ret, at};
            if (asker->ret == study->resizer_ret) plan.resizer = (LmpAsker){asker->ret, at};
            objects = objects || object;
        }
    }
    uint32_t object_ways = 0, part_ways = 0;
    for (uint32_t i = 0; i < study->ways; i++) {
        const Way *way = &study->way[i];
        uint32_t *n = way->object ? &object_ways : &part_ways;
        int32_t at = place_of(&way->places);
        if (at < 0 || way->bad || *n == LMP_CONSTRUCTIONS) continue;
        (way->object ? plan.object : plan.part)[(*n)++] =
            (LmpConstruction){way->ret, way->next, way->third, way->at_next, way->at_third, at};
    }
    note_thirds();
    freers_enter(&study->freers, &plan);
    return objects && object_ways;
}

static void study_once(void) {
    if (!frames_known()) return;
    Study *study = calloc(1, sizeof *study);
    if (!study) return;
    lua_State *L = lua_newstate(words_study_alloc, study);
    if (L) {
        lua_gc(L, LUA_GCSTOP); /* a step of the collector asks on behalf of other threads */
        lua_pushcfunction(L, scenes_prepare);
        bool ok = lua_pcall(L, 0, 1, 0) == LUA_OK;
        for (int round = 0; ok && round < 2; round++) {
            lua_pushcfunction(L, play_all);
            lua_pushlightuserdata(L, study);
            lua_pushvalue(L, 1);
            study->refuse = round == 1;
            ok = lua_pcall(L, 2, 0, 0) == LUA_OK || round == 1;
            study->running = NULL;
        }
        plan_good = ok && !study->broken && make_plan(study);
        study->refuse = false;
        lua_close(L);
    }
    free(study);
}

#else
static LmpWordsPlan plan;
static bool plan_good;
static void study_once(void) {}
#endif

const LmpWordsPlan *words_plan(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, study_once);
    return plan_good ? &plan : NULL;
}
