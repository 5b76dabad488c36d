/* growth.c - lmp.measure_growth: does a function leave more behind the more often it is called?
 * After a call to warm up it is called 2, 4, 8 and 16 times, with full collections before and after
 * each round. A leak keeps its bytes per call; what comes once, or fills up, is spread over more
 * and more calls. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "measured.h"
#include "module.h"

enum { ROUNDS = 4, MOMENTS = ROUNDS + 1, SITES_MOST = 100 };

typedef struct Growth {
    Measured of;
    LmpStats stats;
    int arguments;
    int round, left; /* calls to come in it; round 0 warms up */
    bool failed;     /* nothing can be told any more */
    MeasuredHeld held[MOMENTS];
    uint32_t rows; /* of `sites`, by LmpSiteRow.id */
} Growth;

/* What a site held at the moments; in Measured.rows. */
typedef struct SiteHeld {
    MeasuredHeld held[MOMENTS];
} SiteHeld;

typedef enum Verdict { VERDICT_NONE, VERDICT_UNCLEAR, VERDICT_LEAK } Verdict;
static const char *const verdict_words[] = {"none", "unclear", "leak"};

static int calls_of(int round) {
    return 1 << round; /* 1, 2, 4, 8, 16 */
}

/* ---- judgement ------------------------------------------------------------------------------- */

/* What comes once in each round, or less and less, is half of what it was a call, or below: each
 * round has twice the calls. */
static bool fades(double then, double now) {
    return now < then * 0.52;
}

/* `at[i]`: bytes, or blocks, after round i. Growth that fades twice is none. */
static Verdict judge(const uint64_t at[MOMENTS]) {
    double per_call[MOMENTS];
    for (int i = 1; i < MOMENTS; i++)
        per_call[i] = (double)(int64_t)(at[i] - at[i - 1]) / calls_of(i);
    if (per_call[4] <= 0) return VERDICT_NONE;
    if (per_call[3] <= 0 || per_call[2] <= 0)
        return per_call[3] <= 0 && per_call[4] * 2 < per_call[1] ? VERDICT_NONE : VERDICT_UNCLEAR;
    if (per_call[4] < per_call[2] / 4) return VERDICT_NONE;
    if (per_call[4] > per_call[3] * 3) return VERDICT_UNCLEAR; /* a burst is no habit */
    if (!fades(per_call[3], per_call[4])) return VERDICT_LEAK;
    return per_call[3] < per_call[2] ? VERDICT_NONE : VERDICT_UNCLEAR;
}

/* Blocks prove a leak by themselves: they come one by one, where bytes come in the steps in which
 * tables grow. Without blocks it is a table of numbers, or strings that get longer. */
static Verdict judge_held(const MeasuredHeld held[MOMENTS]) {
    uint64_t bytes[MOMENTS], blocks[MOMENTS];
    for (int i = 0; i < MOMENTS; i++) {
        bytes[i] = held[i].bytes;
        blocks[i] = held[i].blocks;
    }
    Verdict by_blocks = judge(blocks), by_bytes = judge(bytes);
    if (by_bytes == VERDICT_NONE && bytes[ROUNDS] <= bytes[ROUNDS - 1]) return VERDICT_NONE;
    return by_blocks > by_bytes ? by_blocks : by_bytes;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static bool room_for(Growth *g, uint32_t rows) {
    if (rows <= g->rows) return true;
    SiteHeld *more = realloc(g->of.rows, rows * sizeof *more);
    if (!more) return false;
    memset(more + g->rows, 0, (rows - g->rows) * sizeof *more);
    g->of.rows = more;
    g->rows = rows;
    return true;
}

/* What is held after round `round`. */
static bool note(lua_State *L, Growth *g, int round) {
    measured_collect(L);
    if (!measured_read(L, &g->of, &g->stats)) return false;
    g->held[round] = measured_held_all(&g->stats);
    const Ledger *l = &g->of.ledger;
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        if (!room_for(g, s->id + 1)) return false;
        ((SiteHeld *)g->of.rows)[s->id].held[round] =
            (MeasuredHeld){s->tally.live_bytes, s->tally.live_blocks};
    }
    return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* A call of the last two rounds. */
static double per_call(uint64_t now, uint64_t then) {
    return (double)(int64_t)(now - then) / (calls_of(ROUNDS) + calls_of(ROUNDS - 1));
}

static void put_per_call(lua_State *L, const MeasuredHeld held[MOMENTS]) {
    lua_pushnumber(L, (lua_Number)per_call(held[ROUNDS].bytes, held[ROUNDS - 2].bytes));
    lua_setfield(L, -2, "bytes_per_call");
    lua_pushnumber(L, (lua_Number)per_call(held[ROUNDS].blocks, held[ROUNDS - 2].blocks));
    lua_setfield(L, -2, "blocks_per_call");
}

typedef struct Grown {
    const LmpSiteRow *site;
    const SiteHeld *held;
    int64_t bytes;
} Grown;

static int by_growth(const void *left, const void *right) {
    const Grown *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return (a->site->id > b->site->id) - (a->site->id < b->site->id);
}

typedef struct Result {
    const Growth *g;
    Verdict verdict;
    Grown *row;
    uint32_t rows;
} Result;

/* Those that grow as the whole does. */
static bool list_sites(Result *r) {
    const Ledger *l = &r->g->of.ledger;
    const SiteHeld *held = r->g->of.rows;
    r->row = calloc((size_t)l->sites + 1, sizeof *r->row);
    if (!r->row) return false;
    for (uint32_t i = 0; i < l->sites && r->verdict != VERDICT_NONE; i++) {
        const SiteHeld *h = &held[l->site[i].id];
        if (judge_held(h->held) < r->verdict) continue;
        r->row[r->rows++] =
            (Grown){&l->site[i], h, (int64_t)(h->held[ROUNDS].bytes - h->held[ROUNDS - 2].bytes)};
    }
    if (r->rows) qsort(r->row, r->rows, sizeof *r->row, by_growth);
    if (r->rows > SITES_MOST) r->rows = SITES_MOST;
    return true;
}

static void push_result(lua_State *L, void *from) {
    const Result *r = from;
    const Growth *g = r->g;
    lua_createtable(L, 0, 6);
    lua_pushstring(L, verdict_words[r->verdict]);
    lua_setfield(L, -2, "verdict");
    put_per_call(L, g->held);
    lua_createtable(L, ROUNDS, 0);
    for (int i = 1; i < MOMENTS; i++) {
        lua_createtable(L, 0, 3);
        measured_set(L, "calls", calls_of(i));
        measured_set(L, "bytes", (lua_Integer)(g->held[i].bytes - g->held[i - 1].bytes));
        measured_set(L, "blocks", (lua_Integer)(g->held[i].blocks - g->held[i - 1].blocks));
        lua_rawseti(L, -2, i);
    }
    lua_setfield(L, -2, "rounds");
    lua_createtable(L, (int)r->rows, 0);
    for (uint32_t i = 0; i < r->rows; i++) {
        lua_createtable(L, 0, 6);
        measured_set_site(L, r->row[i].site);
        put_per_call(L, r->row[i].held->held);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "sites");
}

static int finish(lua_State *L, Growth *g) {
    Result r = {.g = g};
    bool told = !g->failed;
    if (told) {
        r.verdict = judge_held(g->held);
        told = list_sites(&r);
    }
    int made = told ? module_own_call(L, push_result, &r, 1) : LUA_OK;
    free(r.row);
    measured_end(L, &g->of);
    if (made != LUA_OK) return lua_error(L);
    if (!told) lua_pushnil(L);
    return 1;
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* On the stack: the userdata, the function, its arguments, and the results of a call. */
static int go_on(lua_State *L, int status, lua_KContext context) {
    Growth *g = lua_touserdata(L, 1);
    (void)status;
    (void)context;
    for (;;) {
        lua_settop(L, g->arguments + 2);
        if (g->left == 0) {
            g->failed = g->failed || !note(L, g, g->round);
            if (g->round == ROUNDS || g->failed) break;
            g->left = calls_of(++g->round);
        }
        g->left--;
        for (int i = 2; i <= g->arguments + 2; i++)
            lua_pushvalue(L, i);
        lua_callk(L, g->arguments, 0, 0, go_on);
    }
    return finish(L, g);
}

int module_measure_growth(lua_State *L) {
    measured_check(L);
    int arguments = lua_gettop(L) - 1;
    luaL_checkstack(L, arguments + 10, "too many arguments");
    Growth *g = (Growth *)(void *)measured_begin(L, sizeof *g);
    if (!g) {
        lua_pushnil(L);
        return 1;
    }
    g->arguments = arguments;
    g->left = calls_of(0);
    return go_on(L, LUA_OK, 0);
}
