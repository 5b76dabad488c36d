/* values.c - all but size() walk the whole heap where it lies, which takes about a third of a
 * second for a million objects; they work without a profile, too. What they make for the program is
 * not counted. The reference by which their own argument is held does not count. */
#include "fields.h"
#include "module.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "agent/objects/offsets.h"
#include "agent/objects/size.h"
#include "agent/session/profiler.h"
#include "read/snapshot/why.h"

enum { PATHS = 3, PATHS_MOST = 100, REFERENCES = 100, NAME = 200, TEXT = 4000 };

typedef struct Values {
    LmpObjectMemory memory;
    LmpSnapshot s;
    uint32_t object; /* the argument's */
    lua_Integer most;
    uint64_t bytes, objects; /* of total_size */
    bool through;            /* total_size goes through what is the whole program's */
    LmpErr err;
    LmpWhyPaths why;
} Values;

static int refuse(lua_State *L, LmpErr err) {
    char text[TEXT];
    const char *why = err == LMP_E_LAYOUT ? offsets_why() : "";
    snprintf(text, sizeof text, "%s (%s)", err_message(err), why);
    return module_refuse(L, err, *why ? text : NULL);
}

/* Our own frame's slots hold nothing: they are there because somebody asks. And objects from before
 * start have the sizes that their layout tells. */
static void let_go(LmpObjectGraph *g, uint64_t thread_block) {
    uint32_t frame = 0, row = 0;
    for (uint32_t i = 0; i < g->objects; i++)
        g->flags[i] &= (uint8_t)~LMP_OBJECT_BEFORE;
    for (uint32_t i = 0; i < g->objects; i++) {
        if (g->kind[i] != LMP_OBJECT_THREAD) continue;
        if (g->addr[i] == thread_block) {
            for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++)
                if ((g->edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_LOCAL &&
                    g->slot_frame[g->edge_label[e]] == frame)
                    g->edge_kind[e] |= LMP_EDGE_WEAK;
            return;
        }
        frame += g->thread_frames[row++];
    }
}

static void values_close(Values *h) {
    if (!h) return;
    why_free(&h->why);
    snapshot_close(&h->s);
    objectmemory_free(&h->memory);
    free(h);
}

/* Walks the heap and finds the argument in it. */
static LmpErr values_open(lua_State *L, Values **out) {
    LmpObjectInfo info = {.taken = LMP_TAKEN_IN_PLACE};
    LmpObjectGraph g;
    Values *h = calloc(1, sizeof *h);
    *out = NULL;
    if (!h) return LMP_E_NOMEM;
    LmpErr err = profiler_objects(L, &h->memory, &g);
    if (err == LMP_OK) {
        let_go(&g, (uintptr_t)L - offsets_get()->extra);
        err = snapshot_of_graph(&h->s, &info, &g);
        if (err != LMP_OK) objectmemory_free(&h->memory);
    }
    if (err != LMP_OK) {
        free(h);
        return err;
    }
    h->object = snapshot_at(&h->s, object_size_block(L, 1));
    *out = h;
    return LMP_OK;
}

/* Returns true if the argument is an object. */
static bool is_object(lua_State *L) {
    return offsets_known() == LMP_OK && object_size_block(L, 1) != 0;
}

static int answer(lua_State *L, Values *h, void (*make)(lua_State *, void *), int results) {
    int status = module_own_call(L, make, h, results);
    values_close(h);
    return status == LUA_OK ? results : lua_error(L);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static int api_size(lua_State *L) {
    luaL_checkany(L, 1);
    LmpErr err = offsets_known();
    if (err != LMP_OK) return refuse(L, err);
    lua_pushinteger(L, (lua_Integer)object_size(L, 1));
    return 1;
}

static void push_retained(lua_State *L, void *from) {
    const Values *h = from;
    lua_pushinteger(L, (lua_Integer)h->s.retained[h->object]);
}

/* Returns true for objects that all of the program hangs on: an object that reaches one of these
 * has reached everything. */
static bool is_whole(const Values *h, uint32_t object) {
    const LmpSnapshot *s = &h->s;
    return object != h->object && (object == s->registry || object == s->globals ||
                                   object == s->loaded || object == s->main_thread);
}

/* Sums up the bytes and objects that the object reaches. Returns false if there is no memory. */
static bool reached(const Values *h, uint64_t *bytes, uint64_t *objects) {
    const LmpObjectGraph *g = &h->s.g;
    uint8_t *met = calloc(g->objects, 1);
    uint32_t *queue = malloc(g->objects * sizeof *queue), n = 1;
    if (met && queue) {
        queue[0] = h->object;
        met[h->object] = 1;
        for (uint32_t i = 0; i < n; i++) {
            *bytes += g->size[queue[i]];
            for (uint32_t e = g->edge_at[queue[i]]; e < g->edge_at[queue[i] + 1]; e++) {
                uint32_t to = g->edge_to[e];
                if (met[to] || g->edge_kind[e] & LMP_EDGE_WEAK) continue;
                if (!h->through && is_whole(h, to)) continue;
                met[to] = 1;
                queue[n++] = to;
            }
        }
        *objects = n;
    }
    bool ok = met && queue;
    free(met);
    free(queue);
    return ok;
}

static void push_total(lua_State *L, void *from) {
    const Values *h = from;
    lua_pushinteger(L, (lua_Integer)h->bytes);
    push_retained(L, from);
    lua_pushinteger(L, (lua_Integer)h->objects);
}

static int api_retained(lua_State *L) {
    Values *h;
    luaL_checkany(L, 1);
    LmpErr err = offsets_known();
    if (err == LMP_OK && !is_object(L)) return lua_pushinteger(L, 0), 1;
    if (err == LMP_OK) err = values_open(L, &h);
    return err == LMP_OK ? answer(L, h, push_retained, 1) : refuse(L, err);
}

static int api_total_size(lua_State *L) {
    Values *h;
    static const FieldFlag options[] = {{"globals", 1}, {NULL, 0}};
    luaL_checkany(L, 1);
    bool through = fields_flags(L, 2, "total_size", "option", options);
    lua_settop(L, 1);
    LmpErr err = offsets_known();
    if (err == LMP_OK && !is_object(L))
        return lua_pushinteger(L, 0), lua_pushinteger(L, 0), lua_pushinteger(L, 0), 3;
    if (err == LMP_OK) err = values_open(L, &h);
    if (err != LMP_OK) return refuse(L, err);
    h->through = through;
    if (reached(h, &h->bytes, &h->objects)) return answer(L, h, push_total, 3);
    values_close(h);
    return refuse(L, LMP_E_NOMEM);
}

/* ---- who holds it ---------------------------------------------------------------------------- */

/* An upvalue is told as its function's: of one of them, if several share it. */
static void of_function(const LmpSnapshot *s, uint32_t *holder, uint32_t *edge) {
    uint32_t up = s->parent_edge[*holder];
    if ((s->g.edge_kind[*edge] & LMP_EDGE_KIND) != LMP_EDGE_VALUE || up == LMP_OBJECT_NONE ||
        (s->g.edge_kind[up] & LMP_EDGE_KIND) != LMP_EDGE_UPVALUE)
        return;
    *holder = s->parent[*holder];
    *edge = up;
}

static void push_references(lua_State *L, void *from) {
    const Values *h = from;
    const LmpSnapshot *s = &h->s;
    char text[NAME];
    lua_Integer n = 0, listed = 0;
    lua_newtable(L);
    for (uint32_t i = s->in_at[h->object]; i < s->in_at[h->object + 1]; i++) {
        uint32_t edge = s->in[i], holder = s->in_from[i];
        unsigned kind = s->g.edge_kind[edge];
        if ((kind & LMP_EDGE_KIND) == LMP_EDGE_LOCAL && kind & LMP_EDGE_WEAK) continue; /* ours */
        n++;
        if (listed >= h->most) continue;
        bool weak = (kind & (LMP_EDGE_WEAK | LMP_EDGE_EPHEMERON)) != 0;
        of_function(s, &holder, &edge);
        lua_newtable(L);
        field_text(L, "from", snapshot_name(s, holder, text, sizeof text));
        field_text(L, "step", snapshot_step(s, holder, edge, text, sizeof text));
        if (*snapshot_site(s, holder, text, sizeof text)) field_text(L, "site", text);
        field_flag(L, "weak", weak);
        lua_rawseti(L, -2, ++listed);
    }
    lua_pushinteger(L, n);
    lua_insert(L, -2);
}

static void push_path(lua_State *L, const Values *h, const LmpWhyPath *path) {
    char text[TEXT];
    lua_newtable(L);
    field_text(L, "text", why_text(&h->s, path, text, sizeof text));
    field_integer(L, "frees", (lua_Integer)path->frees);
    field_integer(L, "shares", (lua_Integer)path->shares);
    lua_createtable(L, (int)path->steps, 0);
    for (uint32_t i = 0; i < path->steps; i++) {
        const LmpWhyStep *step = &path->step[i];
        lua_newtable(L);
        field_text(L, "step", snapshot_step(&h->s, step->from, step->edge, text, NAME));
        field_text(L, "name", snapshot_name(&h->s, step->to, text, NAME));
        field_integer(L, "retained", (lua_Integer)step->retained);
        field_integer(L, "times", (lua_Integer)step->times);
        field_flag(L, "cut", step->cut);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "steps");
}

static void push_paths(lua_State *L, void *from) {
    static const char *const held[] = {"held", "weakly", "finalizer", "garbage"};
    const Values *h = from;
    lua_newtable(L);
    for (uint32_t i = 0; i < h->why.paths; i++) {
        push_path(L, h, &h->why.path[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    field_text(L, "held", held[h->why.held]);
}

/* The answer for a value that is no object of the heap: nobody holds it. */
static void push_none(lua_State *L, void *from) {
    if (from) lua_pushinteger(L, 0);
    lua_newtable(L);
}

static lua_Integer most_argument(lua_State *L, lua_Integer usual, lua_Integer limit) {
    lua_Integer n = luaL_optinteger(L, 2, usual);
    luaL_argcheck(L, n >= 0, 2, "must not be negative");
    return n < limit ? n : limit;
}

static int api_references(lua_State *L) {
    Values *h;
    luaL_checkany(L, 1);
    lua_Integer most = most_argument(L, REFERENCES, INT32_MAX);
    LmpErr err = offsets_known();
    if (err == LMP_OK && !is_object(L))
        return module_own_call(L, push_none, L, 2) == LUA_OK ? 2 : lua_error(L);
    if (err == LMP_OK) err = values_open(L, &h);
    if (err != LMP_OK) return refuse(L, err);
    h->most = most;
    return answer(L, h, push_references, 2);
}

static int api_paths(lua_State *L) {
    Values *h = NULL;
    luaL_checkany(L, 1);
    lua_Integer most = most_argument(L, PATHS, PATHS_MOST);
    LmpErr err = offsets_known();
    if (err == LMP_OK && !is_object(L))
        return module_own_call(L, push_none, NULL, 1) == LUA_OK ? 1 : lua_error(L);
    if (err == LMP_OK) err = values_open(L, &h);
    if (err == LMP_OK) err = why_make(&h->why, &h->s, h->object, (uint32_t)most, NULL, 0);
    if (err == LMP_OK) return answer(L, h, push_paths, 1);
    values_close(h);
    return refuse(L, err);
}

void values_register(lua_State *L) {
    static const luaL_Reg functions[] = {{"size", api_size},         {"total_size", api_total_size},
                                         {"retained", api_retained}, {"references", api_references},
                                         {"paths", api_paths},       {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
