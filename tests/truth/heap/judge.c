/* judge.c - compares a graph with what the documented API shows of the state (judge.h). */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "../userdata.h"
#include "judge_impl.h"

enum { STRING_HEAD = 24, LONG_HEAD = 32, LENT_HEAD = 48 };

typedef struct Edge {
    uint64_t label;
    uint32_t to, kind;
} Edge;

typedef struct Judge {
    lua_State *L;
    int top, queue; /* the queue's index, its length and what is done of it */
    lua_Integer put, taken;
    const LmpObjectGraph *g;
    uint32_t *ordinal;
    uint32_t *frame_at; /* of each thread (row): its first frame */
    uint64_t *text_at;  /* of each string (row) */
    uint8_t *seen;
    uint32_t *slot; /* hash of addresses: number of the object, 0: free */
    uint32_t slots;
    Edge *edge; /* expected of the object at hand */
    uint32_t edges, room;
} Judge;

static uint32_t find(const Judge *j, const void *at) {
    uint32_t i = (uint32_t)((uintptr_t)at * 0x9e3779b97f4a7c15ull >> 32) & (j->slots - 1);
    for (; j->slot[i]; i = (i + 1) & (j->slots - 1))
        if (j->g->addr[j->slot[i]] == (uintptr_t)at) return j->slot[i];
    return 0;
}

static bool index_objects(Judge *j) {
    const LmpObjectGraph *g = j->g;
    uint32_t next[LMP_OBJECT_KINDS] = {0}, frames = 0;
    for (j->slots = 64; j->slots < g->objects * 2ull;)
        j->slots *= 2;
    j->slot = calloc(j->slots, sizeof *j->slot);
    j->ordinal = calloc(g->objects, sizeof *j->ordinal);
    j->seen = calloc(g->objects, 1);
    j->text_at = calloc(g->count[LMP_OBJECT_STRING] + 1ul, sizeof *j->text_at);
    for (uint32_t i = 0; i < g->count[LMP_OBJECT_STRING]; i++)
        j->text_at[i + 1] = j->text_at[i] + g->string_shown[i];
    j->frame_at = calloc(g->count[LMP_OBJECT_THREAD] + 1ul, sizeof *j->frame_at);
    for (uint32_t i = 0; i < g->objects; i++) {
        j->ordinal[i] = next[g->kind[i]]++;
        if (g->kind[i] == LMP_OBJECT_ROOT || g->kind[i] == LMP_OBJECT_LOT) continue;
        if (find(j, (const void *)g->addr[i]))
            return judge_wrong("two objects at one address"); /* NOLINT */
        uint32_t at = (uint32_t)(g->addr[i] * 0x9e3779b97f4a7c15ull >> 32) & (j->slots - 1);
        while (j->slot[at])
            at = (at + 1) & (j->slots - 1);
        j->slot[at] = i;
    }
    for (uint32_t i = 0; i < g->count[LMP_OBJECT_THREAD]; i++) {
        j->frame_at[i] = frames;
        frames += g->thread_frames[i];
    }
    return frames == g->frames || judge_wrong("%u frames, not %u", frames, g->frames);
}

/* The block of the value at `index`; NULL: it is no object. */
static const void *block_of(lua_State *L, int index) {
    const char *p = lua_topointer(L, index);
    int values = 0, type = lua_type(L, index);
    switch (type) {
    case LUA_TSTRING:
    case LUA_TTABLE:
        return p;
    case LUA_TFUNCTION:
        return lua_iscfunction(L, index) && (const void *)lua_tocfunction(L, index) == p ? NULL : p;
    case LUA_TTHREAD:
        return p - LUA_EXTRASPACE;
    case LUA_TUSERDATA:
        for (index = lua_absindex(L, index); lua_getiuservalue(L, index, values + 1) != LUA_TNONE;
             values++)
            lua_pop(L, 1);
        lua_pop(L, 1);
        return p - userdata_head(values);
    default:
        return NULL;
    }
}

/* The number of the value at `index`, 0: no object. It will be looked at, too. */
static uint32_t number(Judge *j, int index) {
    const void *block = block_of(j->L, index);
    if (!block) return 0;
    uint32_t n = find(j, block);
    if (!n) {
        judge_wrong("a %s is not in the graph", luaL_typename(j->L, index));
        return 0;
    }
    if (!j->seen[n]) {
        j->seen[n] = 1;
        lua_pushvalue(j->L, index);
        lua_rawseti(j->L, j->queue, ++j->put);
    }
    return n;
}

static void expect(Judge *j, uint32_t to, uint32_t kind, uint64_t label) {
    if (!to) return;
    if (j->edges == j->room) {
        j->room = j->room ? j->room * 2 : 256;
        j->edge = realloc(j->edge, j->room * sizeof *j->edge);
    }
    j->edge[j->edges++] = (Edge){label, to, kind};
}

static int by_edge(const void *a, const void *b) {
    const Edge *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return x->label < y->label ? -1 : x->label > y->label;
}

static uint64_t real_label(const LmpObjectGraph *g, uint64_t e) {
    unsigned kind = g->edge_kind[e] & LMP_EDGE_KIND;
    if (kind == LMP_EDGE_INTEGER || kind == LMP_EDGE_FLOAT || kind == LMP_EDGE_LIGHT)
        return (uint64_t)g->wide[g->edge_label[e]];
    return g->edge_label[e];
}

/* Has object n exactly the edges that are expected, but for those of the kind `but`? */
static bool edges_fit(Judge *j, uint32_t n, int but) {
    const LmpObjectGraph *g = j->g;
    uint32_t all = g->edge_at[n + 1] - g->edge_at[n], have = 0;
    Edge *got = malloc((all + 1) * sizeof *got);
    for (uint32_t e = g->edge_at[n]; e < g->edge_at[n + 1]; e++)
        if ((g->edge_kind[e] & LMP_EDGE_KIND) != but)
            got[have++] = (Edge){real_label(g, e), g->edge_to[e], g->edge_kind[e]};
    qsort(got, have, sizeof *got, by_edge);
    qsort(j->edge, j->edges, sizeof *j->edge, by_edge);
    bool same = have == j->edges;
    for (uint32_t i = 0; i < have && i < j->edges && same; i++) {
        if (!by_edge(&got[i], &j->edge[i])) continue;
        same = judge_wrong(
            "object %u of kind %u: reference %u is kind %u label %llx to %u, expected kind "
            "%u label %llx to %u",
            n, g->kind[n], i, got[i].kind, (unsigned long long)got[i].label, got[i].to,
            j->edge[i].kind, (unsigned long long)j->edge[i].label, j->edge[i].to);
    }
    free(got);
    return same || judge_wrong("object %u of kind %u: %u references, expected %u", n, g->kind[n],
                               have, j->edges);
}

static void expect_metatable(Judge *j, int index) {
    if (!lua_getmetatable(j->L, index)) return;
    expect(j, number(j, -1), LMP_EDGE_METATABLE, 0);
    lua_pop(j->L, 1);
}

/* ---- kind by kind ---------------------------------------------------------------------------- */

/* In Lua 5.5 a long string has a longer head, or its bytes in a block; or they are somebody else's.
 */
static bool string_size_fits(const LmpObjectGraph *g, uint32_t n, size_t length) {
    uint64_t size = g->size[n];
    if (LUA_VERSION_NUM >= 505 && g->flags[n] & LMP_OBJECT_OUTSIDE)
        return size == LONG_HEAD || size == LENT_HEAD;
    if (LUA_VERSION_NUM < 505 || length <= 40) return size == STRING_HEAD + length + 1;
    return size == LONG_HEAD + length + 1 || size == LENT_HEAD + length + 1;
}

static bool see_string(Judge *j, uint32_t n) {
    size_t length;
    const char *s = lua_tolstring(j->L, -1, &length);
    const LmpObjectGraph *g = j->g;
    uint32_t row = j->ordinal[n];
    if (g->string_length[row] != length) return judge_wrong("a string of %zu bytes", length);
    if (!string_size_fits(g, n, length))
        return judge_wrong("a string of %zu bytes has %u, flags %x", length, (unsigned)g->size[n],
                           g->flags[n]);
    bool outside = g->flags[n] & LMP_OBJECT_OUTSIDE; /* a short one is long, too */
    if (!outside && !(g->flags[n] & LMP_OBJECT_LONG) != (length <= 40))
        return judge_wrong("a long string, or not");
    return !memcmp(g->text + j->text_at[row], s, g->string_shown[row]) ||
           judge_wrong("a string's text");
}

/* The label of a field by its key at -2 of the stack. */
static unsigned key_label(Judge *j, uint64_t *label) {
    lua_State *L = j->L;
    lua_Number x;
    switch (lua_type(L, -2)) {
    case LUA_TSTRING:
        *label = number(j, -2);
        return LMP_EDGE_FIELD;
    case LUA_TNUMBER:
        if (lua_isinteger(L, -2)) {
            *label = (uint64_t)lua_tointeger(L, -2);
            return *label <= UINT32_MAX ? LMP_EDGE_INDEX : LMP_EDGE_INTEGER;
        }
        x = lua_tonumber(L, -2);
        memcpy(label, &x, sizeof x);
        return LMP_EDGE_FLOAT;
    case LUA_TBOOLEAN:
        *label = (uint64_t)lua_toboolean(L, -2);
        return LMP_EDGE_BOOLEAN;
    default:
        *label = number(j, -2);
        if (*label) return LMP_EDGE_OBJECT;
        *label = (uintptr_t)lua_topointer(L, -2);
        return LMP_EDGE_LIGHT;
    }
}

static bool see_table(Judge *j, uint32_t n) {
    lua_State *L = j->L;
    bool weak_keys = false, weak_values = false;
    int t = lua_gettop(L);
    expect_metatable(j, t);
    if (lua_getmetatable(L, t)) {
        lua_pushliteral(L, "__mode");
        lua_rawget(L, -2);
        if (lua_type(L, -1) == LUA_TSTRING) {
            weak_keys = strchr(lua_tostring(L, -1), 'k') != NULL;
            weak_values = strchr(lua_tostring(L, -1), 'v') != NULL;
        }
        lua_pop(L, 2);
    }
    uint32_t entries = 0, row = j->ordinal[n];
    for (lua_pushnil(L); lua_next(L, t); lua_pop(L, 1)) {
        bool key_string = lua_type(L, -2) == LUA_TSTRING, string = lua_type(L, -1) == LUA_TSTRING;
        uint32_t key = number(j, -2), value = number(j, -1);
        uint64_t label;
        unsigned kind = key_label(j, &label);
        bool key_weak = key && weak_keys && !key_string;
        if (!string && weak_values) {
            kind |= LMP_EDGE_WEAK;
        } else if (key_weak && !weak_values) {
            kind |= LMP_EDGE_EPHEMERON;
        }
        expect(j, value, kind, label);
        expect(j, key, LMP_EDGE_KEY | (key_weak ? LMP_EDGE_WEAK : 0u), 0);
        entries++;
    }
    unsigned flags =
        (weak_keys ? LMP_OBJECT_WEAK_KEYS : 0u) | (weak_values ? LMP_OBJECT_WEAK_VALUES : 0u);
    if ((j->g->flags[n] & (LMP_OBJECT_WEAK_KEYS | LMP_OBJECT_WEAK_VALUES)) != flags)
        return judge_wrong("how weak a table is");
    if (j->g->table_array_used[row] + j->g->table_hash_used[row] != entries)
        return judge_wrong("a table's entries: %u and %u, expected %u", j->g->table_array_used[row],
                           j->g->table_hash_used[row], entries);
    return edges_fit(j, n, -1);
}

static bool see_upvalue(Judge *j, uint32_t n) { /* its value is at the top */
    const LmpObjectGraph *g = j->g;
    uint32_t value = number(j, -1), met = 0;
    if (g->kind[n] != LMP_OBJECT_UPVALUE) return judge_wrong("an upvalue's kind");
    for (uint32_t e = g->edge_at[n]; e < g->edge_at[n + 1]; e++)
        if (g->edge_kind[e] == LMP_EDGE_VALUE) met = g->edge_to[e];
    if (met != value) return judge_wrong("an upvalue's value is %u, expected %u", met, value);
    if (g->edge_at[n + 1] - g->edge_at[n] !=
        (uint32_t)(value != 0) + ((g->flags[n] & LMP_OBJECT_OPEN) != 0))
        return judge_wrong("an upvalue's references");
    return true;
}

/* Is object n that source, 0: none, as of stripped code? Told by its contents: of lent code
 * (Lua 5.5) the bytes of a long one, such as a script's long path, do not follow its head. */
static bool is_source(const Judge *j, uint32_t n, const char *s, size_t length) {
    const LmpObjectGraph *g = j->g;
    uint32_t row = j->ordinal[n];
    if (!n) return !strcmp(s, "=?");
    return g->kind[n] == LMP_OBJECT_STRING && g->string_length[row] == length &&
           !memcmp(g->text + j->text_at[row], s, g->string_shown[row]);
}

static bool see_function(Judge *j, uint32_t n) {
    lua_State *L = j->L;
    const LmpObjectGraph *g = j->g;
    bool is_c = lua_iscfunction(L, -1);
    int f = lua_gettop(L), i = 1;
    lua_Debug ar;
    const char *name;
    if (!is_c && lua_getinfo(L, (lua_pushvalue(L, f), ">u"), &ar) && ar.nups &&
        !lua_upvalueid(L, f, 1))
        return true; /* the parser is making it */
    if ((g->kind[n] == LMP_OBJECT_C_FUNCTION) != is_c) return judge_wrong("a function's kind");
    for (; (name = lua_getupvalue(L, f, i)); i++) {
        if (is_c) {
            expect(j, number(j, -1), LMP_EDGE_UPVALUE, (uint64_t)i);
        } else {
            uint32_t u = find(j, lua_upvalueid(L, f, i));
            if (!u) return judge_wrong("an upvalue is not in the graph");
            j->seen[u] = 1;
            expect(j, u, LMP_EDGE_UPVALUE, find(j, name - STRING_HEAD));
            if (!see_upvalue(j, u)) return false;
        }
        lua_pop(L, 1);
    }
    if (g->size[n] != 32u + (is_c ? 16u : 8u) * (unsigned)(i - 1))
        return judge_wrong("a function's size");
    if (is_c)
        return (g->c_address[j->ordinal[n]] == (uintptr_t)lua_tocfunction(L, f) ||
                judge_wrong("a C function's address")) &&
               edges_fit(j, n, -1);
    for (uint32_t e = g->edge_at[n]; e < g->edge_at[n + 1]; e++) {
        if (g->edge_kind[e] != LMP_EDGE_PROTO) continue;
        uint32_t p = j->ordinal[g->edge_to[e]];
        if (g->kind[g->edge_to[e]] != LMP_OBJECT_PROTO) return judge_wrong("a function's code");
        lua_pushvalue(L, f);
        lua_getinfo(L, ">S", &ar);
        if ((int)g->proto_line[p] != ar.linedefined || (int)g->proto_last[p] != ar.lastlinedefined)
            return judge_wrong("a function's lines");
        if (!is_source(j, g->proto_source[p], ar.source, ar.srclen)) return judge_wrong("a source");
        return edges_fit(j, n, LMP_EDGE_PROTO);
    }
    return judge_wrong("a function without code");
}

static bool see_userdata(Judge *j, uint32_t n) {
    lua_State *L = j->L;
    int u = lua_gettop(L), i = 1;
    expect_metatable(j, u);
    for (; lua_getiuservalue(L, u, i) != LUA_TNONE; i++) {
        expect(j, number(j, -1), LMP_EDGE_USER_VALUE, (uint64_t)i);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (j->g->userdata_bytes[j->ordinal[n]] != lua_rawlen(L, u))
        return judge_wrong("a userdata's bytes");
    if (j->g->size[n] != userdata_head(i - 1) + lua_rawlen(L, u))
        return judge_wrong("a userdata's size");
    return edges_fit(j, n, -1);
}

/* Is there a local of that frame and number, or of any if number is 0? */
static bool has_slot(const Judge *j, uint32_t n, uint32_t frame, uint32_t slot, uint32_t to,
                     uint32_t name) {
    const LmpObjectGraph *g = j->g;
    for (uint32_t e = g->edge_at[n]; e < g->edge_at[n + 1]; e++) {
        if (g->edge_kind[e] != LMP_EDGE_LOCAL || g->edge_to[e] != to) continue;
        uint32_t row = g->edge_label[e];
        if (!slot || (g->slot_frame[row] == frame && g->slot_number[row] == slot &&
                      g->slot_name[row] == name))
            return true;
    }
    return judge_wrong("a local (slot %u of frame %u) is not as it is", slot, frame);
}

static bool see_frame(Judge *j, uint32_t n, lua_State *T, lua_Debug *ar, uint32_t frame, int most) {
    lua_State *L = j->L;
    const LmpObjectGraph *g = j->g;
    const char *name;
    lua_getinfo(T, "Slf", ar);
    if (T != L) lua_xmove(T, L, 1);
    uint32_t f = number(j, -1);
    const void *light = f ? NULL : lua_topointer(L, -1);
    lua_pop(L, 1);
    if (g->frame_function[frame] != f || g->frame_address[frame] != (uintptr_t)light)
        return judge_wrong("a frame's function");
    if (g->frame_line[frame] != ar->currentline)
        return judge_wrong("a frame's line is %d, expected %d", g->frame_line[frame],
                           ar->currentline);
    for (int i = 1; i <= most && (name = lua_getlocal(T, ar, i)); i++) {
        if (T != L) lua_xmove(T, L, 1);
        uint32_t to = number(j, -1);
        lua_pop(L, 1);
        uint32_t text = *name == '(' && name[1] != 'f' ? 0 : find(j, name - STRING_HEAD);
        if (to && !has_slot(j, n, frame, (uint32_t)i, to, text)) return false;
    }
    for (int i = 1; (name = lua_getlocal(T, ar, -i)); i++) {
        if (T != L) lua_xmove(T, L, 1);
        uint32_t to = number(j, -1);
        lua_pop(L, 1);
        if (to && !has_slot(j, n, 0, 0, to, 0)) return false;
    }
    return true;
}

static bool see_thread(Judge *j, uint32_t n) {
    lua_State *L = j->L, *T = lua_tothread(L, -1);
    const LmpObjectGraph *g = j->g;
    uint32_t row = j->ordinal[n], frames = 0;
    lua_Debug ar;
    if (g->thread_status[row] != lua_status(T)) return judge_wrong("a thread's status");
    if (!lua_checkstack(T, 5)) return judge_wrong("no room");
    int top = lua_gettop(T);
    for (int level = 0; lua_getstack(T, level, &ar); level++, frames++) {
        if (frames == g->thread_frames[row]) return judge_wrong("a thread has too few frames");
        int most = T == L && !level ? j->top : 1000;
        if (!see_frame(j, n, T, &ar, j->frame_at[row] + frames, most)) return false;
    }
    if (frames != g->thread_frames[row]) return judge_wrong("a thread's frames");
    for (int i = 1; T != L && !frames && i <= top;
         i++) { /* not started: what it will be called with */
        lua_pushvalue(T, i);
        lua_xmove(T, L, 1);
        uint32_t to = number(j, -1);
        lua_pop(L, 1);
        if (to && !has_slot(j, n, LMP_OBJECT_NONE, (uint32_t)i, to, 0)) return false;
    }
    return true;
}

static bool see(Judge *j, uint32_t n) {
    j->edges = 0;
    switch (lua_type(j->L, -1)) {
    case LUA_TSTRING:
        return see_string(j, n);
    case LUA_TTABLE:
        return see_table(j, n);
    case LUA_TFUNCTION:
        return see_function(j, n);
    case LUA_TUSERDATA:
        return see_userdata(j, n);
    default:
        return see_thread(j, n);
    }
}

static bool compare(Judge *j) {
    static const int kind[] = {[LUA_TSTRING] = LMP_OBJECT_STRING,
                               [LUA_TTABLE] = LMP_OBJECT_TABLE,
                               [LUA_TUSERDATA] = LMP_OBJECT_USERDATA,
                               [LUA_TTHREAD] = LMP_OBJECT_THREAD,
                               [LUA_TFUNCTION] = -1};
    lua_State *L = j->L;
    lua_pushvalue(L, LUA_REGISTRYINDEX);
    number(j, -1);
    lua_pushthread(L);
    number(j, -1);
    lua_pop(L, 2);
    while (j->taken < j->put && !*judge_said()) {
        lua_rawgeti(L, j->queue, ++j->taken);
        int top = lua_gettop(L), type = lua_type(L, -1);
        uint32_t n = find(j, block_of(L, -1));
        if (kind[type] >= 0 && j->g->kind[n] != kind[type]) return judge_wrong("a value's kind");
        if (!see(j, n)) return false;
        lua_settop(L, top - 1);
        lua_pushnil(L);
        lua_rawseti(L, j->queue, j->taken);
    }
    uint8_t *held = judge_reach(j->g);
    bool weak = false; /* then the API sees what may be held by nothing */
    for (uint32_t i = 1; i < j->g->objects; i++)
        weak |= (j->g->flags[i] & (LMP_OBJECT_WEAK_KEYS | LMP_OBJECT_WEAK_VALUES)) && j->seen[i];
    for (uint32_t i = 1; i < j->g->objects; i++)
        if (!weak && j->seen[i] && !held[i])
            judge_wrong("object %u of kind %u is not reached", i, j->g->kind[i]);
    free(held);
    return !*judge_said();
}

bool judge_compare(lua_State *L, int top, const LmpObjectGraph *g) {
    Judge j = {.L = L, .top = top, .g = g};
    int before = lua_gettop(L);
    if (!judge_form(g)) return false;
    int running = lua_gc(L, LUA_GCISRUNNING);
    lua_gc(L, LUA_GCSTOP); /* all stays where it is */
    luaL_checkstack(L, 30, NULL);
    lua_newtable(L);
    j.queue = lua_gettop(L);
    bool ok = index_objects(&j) && compare(&j);
    if (running) lua_gc(L, LUA_GCRESTART);
    lua_settop(L, before);
    free(j.slot);
    free(j.ordinal);
    free(j.frame_at);
    free(j.text_at);
    free(j.seen);
    free(j.edge);
    return ok;
}
