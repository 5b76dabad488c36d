/* measure_growth.c - lmp.measure_growth: whether a function leaves more behind the more often it is
 * called. After a call to warm up it is called 2, 4, 8 and 16 times, with full collections before
 * and after each round; what is in the heap then is summed up from the interpreter's own objects,
 * so it does not matter what was made before the profile. A leak keeps its bytes per call; what
 * comes once, or fills up, is spread over more and more calls. Where something has changed in the
 * last of these rounds more of them follow, each of twice the calls, up to as many calls as are
 * allowed: a cache looks like a leak until it is full, so only who has grown in all of them leaks.
 */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/objects/offsets.h"
#include "agent/objects/size.h"
#include "fields.h"
#include "module.h"

/* Rounds that every function gets, and so many at most. Calls: by default, and the bounds of what
 * may be asked for: those of so many rounds. */
enum { ROUNDS = 4, ROUNDS_MOST = 20, MOMENTS = ROUNDS_MOST + 1, SITES_MOST = 100 };
#define SECONDS_MOST 5.0 /* unless so many calls are asked for, where each takes long */
enum { CALLS_LEAST = (2 << ROUNDS) - 1, CALLS_USUAL = 511, CALLS_MOST = (2 << ROUNDS_MOST) - 1 };

typedef struct Growth {
    Measured of;
    LmpStats stats;
    int arguments;
    int round, left; /* calls to come in it; round 0 warms up */
    int rounds;      /* at most */
    bool hurries;    /* it has not been told how many calls: no more rounds after some seconds */
    double begun;    /* seconds */
    int nones;       /* the last so many rounds: nothing seemed to grow any more */
    bool failed;     /* the profile has ended, or there is no memory */
    const char *why; /* the heap cannot be read: nothing can be told; NULL: it can */
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
    return 1 << round; /* 1, 2, 4, 8, 16 ... */
}

static int calls_until(int round) {
    return (2 << round) - 1;
}

/* ---- judgement ------------------------------------------------------------------------------- */

/* What comes once in each round, or less and less, is half of what it was a call, or below: each
 * round has twice the calls. */
static bool fades(double then, double now) {
    return now < then * 0.52;
}

/* A leak is as large in each call. Of few calls some are another's. */
static bool keeps(double then, double now, int round) {
    return now >= then * (round > ROUNDS ? 0.7 : 0.52);
}

/* Returns the most that it has fallen by after the first round: it goes up and down by as much
 * anyway. */
static uint64_t swing(const uint64_t at[MOMENTS], int last) {
    uint64_t most = at[1], swings = 0;
    for (int i = 2; i <= last; i++) {
        if (at[i] > most) most = at[i];
        if (most - at[i] > swings) swings = most - at[i];
    }
    return swings;
}

/* `at[i]`: bytes, or blocks, after round i, of which `last` is the last one. Growth that fades
 * twice is none, nor is what goes up and down. */
static Verdict judge(const uint64_t at[MOMENTS], int last) {
    if ((int64_t)(at[last] - at[last - 2]) <= (int64_t)(2 * swing(at, last))) return VERDICT_NONE;
    double per_call[4]; /* of the last rounds, [3] the last */
    for (int k = 0; k < 4; k++) {
        int i = last - 3 + k;
        per_call[k] = (double)(int64_t)(at[i] - at[i - 1]) / calls_of(i);
    }
    if (per_call[3] <= 0) return VERDICT_NONE;
    if (per_call[2] <= 0 || per_call[1] <= 0)
        return per_call[2] <= 0 && per_call[3] * 2 < per_call[0] ? VERDICT_NONE : VERDICT_UNCLEAR;
    if (per_call[3] < per_call[1] / 4) return VERDICT_NONE;
    if (per_call[3] > per_call[2] * 3) return VERDICT_UNCLEAR; /* a burst is no habit */
    if (keeps(per_call[2], per_call[3], last)) return VERDICT_LEAK;
    return fades(per_call[2], per_call[3]) && per_call[2] < per_call[1] ? VERDICT_NONE
                                                                        : VERDICT_UNCLEAR;
}

/* Blocks prove a leak by themselves: they come one by one, where bytes come in the steps in which
 * tables grow. Without blocks it is a table of numbers, or strings that get longer. */
static Verdict judge_held(const MeasuredHeld held[MOMENTS], int last) {
    uint64_t bytes[MOMENTS], blocks[MOMENTS];
    for (int i = 0; i <= last; i++) {
        bytes[i] = held[i].bytes;
        blocks[i] = held[i].blocks;
    }
    Verdict by_blocks = judge(blocks, last), by_bytes = judge(bytes, last);
    if (by_bytes == VERDICT_NONE && bytes[last] <= bytes[last - 1]) return VERDICT_NONE;
    return by_blocks > by_bytes ? by_blocks : by_bytes;
}

static bool has_changed(const MeasuredHeld held[MOMENTS], int round) {
    return held[round].bytes != held[round - 1].bytes ||
           held[round].blocks != held[round - 1].blocks;
}

/* Returns true if growth is known after this round, or there are no calls left. Figures that have
 * changed in the last two rounds, or seemed to grow before, are asked for twice more: a leak may
 * hide behind what goes up and down. */
static bool is_known(Growth *g) {
    int i = g->round;
    if (i < ROUNDS) return false;
    if (i == g->rounds || (g->hurries && g->stats.seconds - g->begun > SECONDS_MOST)) return true;
    g->nones = judge_held(g->held, i) == VERDICT_NONE ? g->nones + 1 : 0;
    bool still = !has_changed(g->held, i) && !has_changed(g->held, i - 1);
    return g->nones > 2 || (g->nones && still);
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
    if (!measured_collect(L)) g->why = "within a finalizer no garbage is collected";
    if (offsets_known()) g->why = offsets_why();
    if (!measured_read(L, &g->of, &g->stats)) return false;
    if (g->why) return true;
    if (!round) g->begun = g->stats.seconds;
    LmpObjectHeld held = object_size_held(L);
    const LmpKindStats *by_c = &g->stats.kind[LMP_OTHER];
    if (!g->stats.owners_known) by_c = &(LmpKindStats){0};
    g->held[round] = (MeasuredHeld){held.bytes + by_c->live_bytes, held.blocks + by_c->live_blocks};
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

typedef struct PerCall {
    double bytes, blocks;
} PerCall;

/* A call of the last two rounds. */
static PerCall per_call(const MeasuredHeld held[MOMENTS], int last) {
    if (last < 2) return (PerCall){0, 0};
    const MeasuredHeld *now = &held[last], *then = &held[last - 2];
    int calls = calls_of(last) + calls_of(last - 1);
    return (PerCall){(double)(int64_t)(now->bytes - then->bytes) / calls,
                     (double)(int64_t)(now->blocks - then->blocks) / calls};
}

static void put_per_call(lua_State *L, const MeasuredHeld held[MOMENTS], int last) {
    PerCall each = per_call(held, last);
    field_number(L, "bytes_per_call", each.bytes);
    field_number(L, "blocks_per_call", each.blocks);
}

/* What was seen, in a sentence. */
static void put_words(lua_State *L, const Growth *g, Verdict verdict) {
    char words[300];
    PerCall each = per_call(g->held, g->round);
    int calls = calls_until(g->round), last = calls_of(g->round),
        before = g->round ? g->round - 1 : 0;
    long long bytes = (long long)(g->held[g->round].bytes - g->held[before].bytes);
    if (g->why)
        snprintf(words, sizeof words, "cannot tell: %s", g->why);
    else if (verdict == VERDICT_LEAK)
        snprintf(words, sizeof words, "a leak: %.1f B and %.2f blocks a call, over %d calls",
                 each.bytes, each.blocks, calls);
    else if (verdict == VERDICT_UNCLEAR)
        snprintf(words, sizeof words,
                 "cannot tell yet after %d calls: %lld B came with the last %d of them, but not at "
                 "the pace of those before; it may be a cache that is not full",
                 calls, bytes, last);
    else
        snprintf(words, sizeof words, "no leak: %lld B %s with the last %d of %d calls",
                 bytes < 0 ? -bytes : bytes, bytes < 0 ? "went" : "came", last, calls);
    field_text(L, "words", words);
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
        int last = r->g->round;
        if (judge_held(h->held, last) < r->verdict) continue;
        r->row[r->rows++] =
            (Grown){&l->site[i], h, (int64_t)(h->held[last].bytes - h->held[last - 2].bytes)};
    }
    if (r->rows) qsort(r->row, r->rows, sizeof *r->row, by_growth);
    if (r->rows > SITES_MOST) r->rows = SITES_MOST;
    return true;
}

static void push_result(lua_State *L, void *from) {
    const Result *r = from;
    const Growth *g = r->g;
    lua_createtable(L, 0, 7);
    field_text(L, "verdict", verdict_words[r->verdict]);
    put_words(L, g, r->verdict);
    field_integer(L, "calls", calls_until(g->round));
    put_per_call(L, g->held, g->why ? 0 : g->round);
    int rounds = g->why ? 0 : g->round;
    lua_createtable(L, rounds, 0);
    for (int i = 1; i <= rounds; i++) {
        lua_createtable(L, 0, 3);
        field_integer(L, "calls", calls_of(i));
        field_integer(L, "bytes", (lua_Integer)(g->held[i].bytes - g->held[i - 1].bytes));
        field_integer(L, "blocks", (lua_Integer)(g->held[i].blocks - g->held[i - 1].blocks));
        lua_rawseti(L, -2, i);
    }
    lua_setfield(L, -2, "rounds");
    lua_createtable(L, (int)r->rows, 0);
    for (uint32_t i = 0; i < r->rows; i++) {
        lua_createtable(L, 0, 6);
        fields_site(L, r->row[i].site);
        put_per_call(L, r->row[i].held->held, g->round);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "sites");
}

static int finish(lua_State *L, Growth *g) {
    Result r = {.g = g};
    bool told = !g->failed;
    if (told) {
        r.verdict = g->why ? VERDICT_UNCLEAR : judge_held(g->held, g->round);
        told = g->why || list_sites(&r);
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
            if (g->failed || g->why || is_known(g)) break;
            g->left = calls_of(++g->round);
        }
        g->left--;
        for (int i = 2; i <= g->arguments + 2; i++)
            lua_pushvalue(L, i);
        lua_callk(L, g->arguments, 0, 0, go_on);
    }
    return finish(L, g);
}

/* A number before the function: calls at most, as many rounds as are whole in that. */
static int take_rounds(lua_State *L) {
    lua_Integer calls = CALLS_USUAL;
    if (lua_type(L, 1) == LUA_TNUMBER) {
        calls = luaL_checkinteger(L, 1);
        luaL_argcheck(L, calls >= CALLS_LEAST && calls <= CALLS_MOST, 1,
                      "31 to 2097151 calls can be made");
        lua_remove(L, 1);
    }
    int rounds = ROUNDS;
    while (rounds < ROUNDS_MOST && calls_until(rounds + 1) <= calls)
        rounds++;
    return rounds;
}

int module_measure_growth(lua_State *L) {
    bool told = lua_type(L, 1) == LUA_TNUMBER;
    int rounds = take_rounds(L);
    measured_check(L);
    int arguments = lua_gettop(L) - 1;
    luaL_checkstack(L, arguments + 10, "too many arguments");
    LmpErr err;
    Growth *g = (Growth *)(void *)measured_begin(L, sizeof *g, &err);
    if (!g) return module_refuse(L, err, NULL);
    g->arguments = arguments;
    g->rounds = rounds;
    g->hurries = !told;
    g->left = calls_of(0);
    return go_on(L, LUA_OK, 0);
}
