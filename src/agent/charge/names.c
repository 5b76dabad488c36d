/* names.c - decides when a pass over all names is due, and keeps the best name that it finds for
 * each function; the pass itself is in names_walk.c. */
#include "agent/charge/names.h"

#include <string.h>

#include "agent/charge/c_names.h"
#include "agent/charge/names_walk.h"
#include "agent/charge/sites.h"
#include "agent/interp/safepoint.h"
#include "base/os.h"

enum {
    NO_PATH = 1 /* rank of a function that is to have none: the best there is */
};
#define FIRST_NS 5000000u       /* from start to the first pass for new functions, nanoseconds */
#define SPACING_NS 1000000000u  /* at most between such passes; at least this share of the time: */
#define SPACING_COST 200u       /* times what one has cost */
#define AGAIN_NS 64000000000ull /* at most between passes for functions that were not found */

struct LmpNames {
    uint32_t functions; /* rows that the last pass knew of */
    uint32_t without;   /* of these, Lua functions without one */
    uint64_t due;       /* clock from which on new functions are looked for, ns since start */
    uint64_t spacing;
    uint64_t again, again_spacing;    /* the same for those that were not found */
    uint64_t armed;                   /* clock until which to wait for the debug hook; 0: not set */
    LmpCNames c;                      /* also p->c_names */
    uint32_t rank[LMP_FUNCTIONS_MAX]; /* of the rows' names; 0: none yet */
};

/* ---- what is kept ---------------------------------------------------------------------------- */

/* Returns true if a name with this rank is better than the one at `text`, whose rank is `old` (0:
 * none). */
static bool is_better(const LmpProfile *p, const LmpNamed *f, uint32_t old, uint32_t text) {
    if (old == 0 || f->rank != old) return old == 0 || f->rank < old;
    return strcmp(f->name, p->tables.text + text) < 0;
}

static void set_name(LmpProfile *p, uint32_t row, uint32_t text) {
    LmpTablesUsed *used = &p->live->tables;
    if (p->tables.function[row].qualified == text) return;
    atomic_thread_fence(memory_order_release); /* the text is there */
    *(volatile uint32_t *)&p->tables.function[row].qualified = text;
    atomic_thread_fence(memory_order_release);
    *(volatile uint32_t *)&used->names = used->names + 1;
}

static void keep_c(LmpProfile *p, const LmpNamed *f) {
    struct LmpNames *n = p->names;
    LmpCName *c = c_names_find(&n->c, f->address);
    if (c && !is_better(p, f, c->rank, c->text)) return;
    uint32_t text = sites_text(p, f->name, strlen(f->name));
    if (!text) return;
    if (!c) c = c_names_note(&n->c, f->address);
    if (!c) return;
    c->text = text;
    c->rank = f->rank;
    uint32_t row = sites_find_function(p, 0, 0, f->address);
    if (row) set_name(p, row, text);
}

static void keep(LmpProfile *p, const LmpNamed *f) {
    if (f->address) {
        keep_c(p, f);
        return;
    }
    uint32_t *rank = &p->names->rank[f->row];
    if (f->several && *rank != NO_PATH) {
        *rank = NO_PATH;
        set_name(p, f->row, 0);
    } else if (is_better(p, f, *rank, p->tables.function[f->row].qualified)) {
        uint32_t text = sites_text(p, f->name, strlen(f->name));
        if (!text) return;
        *rank = f->rank;
        set_name(p, f->row, text);
    }
}

/* ---- when ------------------------------------------------------------------------------------ */

static uint64_t clock_now(const LmpProfile *p) {
    return lmp_os->clock() - p->start;
}

static uint32_t count_without(const LmpProfile *p, uint32_t functions) {
    uint32_t n = 0;
    for (uint32_t i = 1; i < functions; i++)
        n += p->tables.function[i].kind == LMP_F_LUA && !p->names->rank[i];
    return n;
}

void names_pass(LmpProfile *p, lua_State *L) {
    struct LmpNames *n = p->names;
    if (!n) return;
    uint64_t before = clock_now(p);
    uint32_t functions = tables_functions(&p->tables);
    bool grew = functions != n->functions;
    names_walk(p, L, keep);
    uint64_t now = clock_now(p), cost = (now - before) * SPACING_COST;
    n->functions = functions;
    n->without = count_without(p, functions);
    n->armed = 0;
    n->spacing = n->spacing * 2 < SPACING_NS ? n->spacing * 2 : SPACING_NS;
    n->due = now + (n->spacing > cost ? n->spacing : cost);
    if (grew) n->again_spacing = SPACING_NS / 2;
    n->again_spacing = n->again_spacing * 2 < AGAIN_NS ? n->again_spacing * 2 : AGAIN_NS;
    n->again = now + (n->again_spacing > cost ? n->again_spacing : cost);
}

static bool is_due(const LmpProfile *p, uint64_t clock) {
    const struct LmpNames *n = p->names;
    if (tables_functions(&p->tables) != n->functions) return clock >= n->due;
    return n->without > 0 && clock >= n->again;
}

void names_look(LmpProfile *p, lua_State *L) {
    if (!p->names) return;
    if (tables_functions(&p->tables) != p->names->functions || is_due(p, clock_now(p)))
        names_pass(p, L);
}

void names_answer(LmpProfile *p, lua_State *L) {
    if (p->names && p->names->armed) names_pass(p, L);
}

void names_tick(LmpProfile *p) {
    struct LmpNames *n = p->names;
    if (!n || p->closing || pass_over(&p->pass) || !is_due(p, p->ticked) || p->ticked < n->armed)
        return;
    /* A debug hook may make the program's stack grow: only while a viewer is attached. */
    if (atomic_load_explicit(&p->control->attached, memory_order_relaxed) == 0) return;
    n->armed = p->ticked + SPACING_NS;
    safepoint_request_seen(p);
}

/* ---- life ------------------------------------------------------------------------------------ */

void names_open(LmpProfile *p) {
    struct LmpNames *n = lmp_os->map(sizeof *n, -1, 0, true);
    if (n && !c_names_open(&n->c)) {
        lmp_os->unmap(n, sizeof *n);
        n = NULL;
    }
    if (n) n->due = n->spacing = FIRST_NS;
    p->names = n;
    p->c_names = n ? &n->c : NULL;
}

void names_close(LmpProfile *p) {
    struct LmpNames *n = p->names;
    if (!n) return;
    c_names_close(&n->c);
    lmp_os->unmap(n, sizeof *n);
    p->names = NULL;
    p->c_names = NULL;
}
