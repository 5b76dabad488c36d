/* figures.c - goes through the lists of figures (figure.h) and pushes each by its kind; rows are
 * sorted, the tree is linked from an array of all nodes. */
#include "fields.h"
#include "module.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/kind.h"
#include "read/ledger/ledger.h"

static int count(const LmpFigure *rows) {
    int n = 0;
    while (rows[n].name)
        n++;
    return n;
}

static void put_table(lua_State *L, const char *name, const void *from, const LmpFigure *rows);
static void put_figures(lua_State *L, const void *from, const LmpFigure *rows);

static void push_laps(lua_State *L, const LmpLapList *list) {
    lua_createtable(L, (int)list->count, 0);
    for (uint32_t i = 0; i < list->count; i++) {
        lua_createtable(L, 0, count(lap_figures));
        put_figures(L, &list->row[i], lap_figures);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* Pushes a figure. Returns false, and pushes nothing, if there is none. */
static bool push_figure(lua_State *L, const void *from, const LmpFigure *f) {
    const char *at = (const char *)from + f->at;
    double seconds;
    switch (f->kind) {
    case LMP_FIG_COUNT:
    case LMP_FIG_CHANGE: /* stored as it is in two's complement */
        lua_pushinteger(L, (lua_Integer)figure_number(f, from));
        return true;
    case LMP_FIG_SIZE:
        lua_pushinteger(L, (lua_Integer)figure_number(f, from));
        if (lua_tointeger(L, -1) != 0) return true;
        lua_pop(L, 1);
        return false;
    case LMP_FIG_SECONDS:
        memcpy(&seconds, at, sizeof seconds);
        lua_pushnumber(L, (lua_Number)seconds);
        return true;
    case LMP_FIG_FLAG:
        lua_pushboolean(L, *(const bool *)at);
        return true;
    case LMP_FIG_WORD:
        lua_pushstring(L, figure_word(f, from));
        return true;
    case LMP_FIG_WHY:
        if (!*figure_word(f, from)) return false;
        lua_pushstring(L, figure_word(f, from));
        return true;
    case LMP_FIG_TEXT:
        if (!*at) return false;
        lua_pushstring(L, at);
        return true;
    case LMP_FIG_LAPS:
        push_laps(L, (const LmpLapList *)at);
        return true;
    case LMP_FIG_TYPES:
        lua_createtable(L, 0, LMP_KINDS);
        for (int k = 0; k < LMP_KINDS; k++)
            put_table(L, kind_info[k].name, (const LmpKindStats *)at + k, kind_figures);
        return true;
    }
    return false;
}

static void put_figures(lua_State *L, const void *from, const LmpFigure *rows) {
    for (const LmpFigure *f = rows; f->name; f++)
        if (push_figure(L, from, f)) lua_setfield(L, -2, f->name);
}

static void put_table(lua_State *L, const char *name, const void *from, const LmpFigure *rows) {
    lua_createtable(L, 0, count(rows));
    put_figures(L, from, rows);
    lua_setfield(L, -2, name);
}

/* The figures of nodes of the tree, of which there may be a million. */
static void put_node_figures(lua_State *L, const char *name, const LmpTally *tally) {
    lua_createtable(L, 0, 8);
    for (const LmpFigure *f = tally_figures; f->name; f++)
        if (f->node && push_figure(L, tally, f)) lua_setfield(L, -2, f->name);
    lua_setfield(L, -2, name);
}

/* ---- order: by live bytes, then by bytes made, then by place --------------------------------- */

static int by_tally(const LmpTally *a, const LmpTally *b) {
    if (a->live_bytes != b->live_bytes) return a->live_bytes < b->live_bytes ? 1 : -1;
    return a->bytes == b->bytes ? 0 : a->bytes < b->bytes ? 1 : -1;
}

static int by_place(const char *a, int line_a, const char *b, int line_b) {
    int order = strcmp(a, b);
    return order ? order : (line_a > line_b) - (line_a < line_b);
}

static int compare_sites(const void *left, const void *right) {
    const LmpSiteRow *a = left, *b = right;
    int order = by_tally(&a->tally, &b->tally);
    return order ? order : by_place(a->source, a->line, b->source, b->line);
}

static int compare_functions(const void *left, const void *right) {
    const LmpFunctionRow *a = left, *b = right;
    int order = by_tally(&a->shallow, &b->shallow);
    if (!order) order = by_place(a->source, a->linedefined, b->source, b->linedefined);
    return order ? order : strcmp(a->name, b->name);
}

static int compare_tags(const void *left, const void *right) {
    const LmpTagRow *a = left, *b = right;
    int order = by_tally(&a->tally, &b->tally);
    return order ? order : strcmp(a->name, b->name);
}

/* ---- sites, functions, tags: arrays ---------------------------------------------------------- */

static void put_calls(lua_State *L, const Ledger *ledger, const LmpSiteRow *site) {
    int n = 0;
    lua_newtable(L);
    for (uint32_t i = 0; i < site->details; i++) {
        const LmpSiteDetail *detail = &ledger->detail[site->first_detail + i];
        if (!*detail->name) continue; /* the line itself */
        lua_createtable(L, 0, count(tally_figures) + 1);
        field_text(L, "name", detail->name);
        put_figures(L, &detail->tally, tally_figures);
        lua_rawseti(L, -2, ++n);
    }
    lua_setfield(L, -2, "calls");
}

static void put_site(lua_State *L, const Ledger *ledger, const LmpSiteRow *site) {
    field_text(L, "source", site->raw_source);
    field_text(L, "short_src", site->short_src);
    field_text(L, "func", site->func);
    field_integer(L, "line", site->line);
    put_figures(L, &site->tally, tally_figures);
    put_table(L, "here", site, here_figures);
    if (ledger->counts & LMP_COUNTS_INSTRUCTIONS)
        field_integer(L, "instructions", (lua_Integer)site->instructions);
    lua_createtable(L, 0, LMP_KINDS);
    for (int k = 0; k < LMP_KINDS; k++)
        put_table(L, kind_info[k].name, &site->kind[k], kind_tally_figures);
    lua_setfield(L, -2, "types");
    put_calls(L, ledger, site);
}

void figures_sort_sites(Ledger *ledger) {
    if (ledger->sites) qsort(ledger->site, ledger->sites, sizeof *ledger->site, compare_sites);
}

static void put_sites(lua_State *L, Ledger *ledger) {
    figures_sort_sites(ledger);
    lua_createtable(L, (int)ledger->sites, 0);
    for (uint32_t i = 0; i < ledger->sites; i++) {
        lua_createtable(L, 0, count(tally_figures) + 7);
        put_site(L, ledger, &ledger->site[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "sites");
}

static void put_functions(lua_State *L, Ledger *ledger) {
    if (ledger->functions)
        qsort(ledger->function, ledger->functions, sizeof *ledger->function, compare_functions);
    lua_createtable(L, (int)ledger->functions, 0);
    for (uint32_t i = 0; i < ledger->functions; i++) {
        const LmpFunctionRow *f = &ledger->function[i];
        lua_createtable(L, 0, 6);
        field_text(L, "source", f->raw_source);
        field_text(L, "short_src", f->short_src);
        field_text(L, "func", f->name);
        field_integer(L, "linedefined", f->linedefined);
        put_table(L, "shallow", &f->shallow, tally_figures);
        if (ledger->counts & LMP_COUNTS_CALLS) field_integer(L, "calls", (lua_Integer)f->calls);
        if (ledger->stacks) put_table(L, "retained", &f->retained, tally_figures);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "functions");
}

static void put_tags(lua_State *L, Ledger *ledger) {
    if (ledger->tags) qsort(ledger->tag, ledger->tags, sizeof *ledger->tag, compare_tags);
    lua_createtable(L, (int)ledger->tags, 0);
    for (uint32_t i = 0; i < ledger->tags; i++) {
        lua_createtable(L, 0, count(tally_figures) + 1);
        field_text(L, "name", ledger->tag[i].name);
        put_figures(L, &ledger->tag[i].tally, tally_figures);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "tags");
}

/* ---- calls and overrides, if they are counted: arrays ---------------------------------------- */

static void put_edges(lua_State *L, const Ledger *ledger) {
    if (!(ledger->counts & LMP_COUNTS_CALLS)) return;
    lua_createtable(L, (int)ledger->edges, 0);
    for (uint32_t i = 0; i < ledger->edges; i++) {
        const LmpEdgeRow *edge = &ledger->edge[i];
        const LmpFunctionRow *caller = &ledger->function[edge->caller];
        const LmpFunctionRow *callee = &ledger->function[edge->callee];
        lua_createtable(L, 0, 8);
        field_text(L, "source", caller->raw_source);
        field_text(L, "short_src", caller->short_src);
        field_text(L, "func", caller->name);
        field_integer(L, "line", edge->line);
        field_text(L, "callee", callee->name);
        field_text(L, "callee_source", callee->raw_source);
        field_integer(L, "callee_linedefined", callee->linedefined);
        field_integer(L, "calls", (lua_Integer)edge->calls);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "edges");
}

static void put_place(lua_State *L, const char *name, const LmpSiteRow *site) {
    lua_createtable(L, 0, 4);
    fields_site(L, site);
    lua_setfield(L, -2, name);
}

static void put_overrides(lua_State *L, const Ledger *ledger) {
    if (!(ledger->counts & LMP_COUNTS_OVERRIDES)) return;
    lua_createtable(L, (int)ledger->overrides, 0);
    for (uint32_t i = 0; i < ledger->overrides; i++) {
        const LmpOverrideRow *o = &ledger->override[i];
        lua_createtable(L, 0, 7);
        put_place(L, "made", &ledger->site[o->made]);
        put_place(L, "here", &ledger->site[o->here]);
        put_figures(L, o, override_figures);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "overrides");
}

/* ---- the tree: nested tables ----------------------------------------------------------------- */

static void push_node(lua_State *L, const LmpTreeRow *node) {
    lua_createtable(L, 0, 8);
    field_text(L, "func", node->name);
    field_text(L, "short_src", node->short_src);
    field_integer(L, "line", node->line);
    if (node->flags & LMP_NODE_TAIL) field_flag(L, "tail", true);
    if (node->flags & LMP_NODE_COROUTINE) field_flag(L, "coroutine", true);
    put_node_figures(L, "shallow", &node->shallow);
    put_node_figures(L, "retained", &node->retained);
}

/* A path can be 200 000 calls deep: nothing here goes down it. All nodes are made first, in an
 * array that is released at the end; then each gets its array of children from there. */
static void put_tree(lua_State *L, const Ledger *ledger) {
    if (!ledger->stacks || !ledger->nodes) return;
    lua_createtable(L, (int)ledger->nodes, 0);
    for (uint32_t i = 0; i < ledger->nodes; i++) {
        push_node(L, &ledger->tree[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    for (uint32_t i = 0; i < ledger->nodes; i++) {
        const LmpTreeRow *node = &ledger->tree[i];
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        lua_createtable(L, (int)node->children, 0);
        for (uint32_t k = 0; k < node->children; k++) {
            lua_rawgeti(L, -3, (lua_Integer)node->first + k + 1);
            lua_rawseti(L, -2, (lua_Integer)k + 1);
        }
        lua_setfield(L, -2, "children");
        lua_pop(L, 1);
    }
    lua_rawgeti(L, -1, 1);
    lua_setfield(L, -3, "tree");
    lua_pop(L, 1);
}

/* ---- all ------------------------------------------------------------------------------------- */

unsigned figures_parts(lua_State *L, const char *function) {
    static const FieldFlag parts[] = {{"sites", LEDGER_SITES},
                                      {"functions", LEDGER_FUNCTIONS},
                                      {"tree", LEDGER_TREE},
                                      {"tags", LEDGER_TAGS},
                                      {"edges", LEDGER_EDGES},
                                      {"overrides", LEDGER_OVERRIDES},
                                      {NULL, 0}};
    return fields_flags(L, 1, function, "key", parts);
}

void figures_push(lua_State *L, void *from) {
    Figures *f = from;
    lua_createtable(L, 0, count(stats_figures) + 4);
    put_figures(L, &f->stats, stats_figures);
    if (f->parts & LEDGER_EDGES) put_edges(L, &f->ledger); /* rows are put in order after that */
    if (f->parts & LEDGER_OVERRIDES) put_overrides(L, &f->ledger);
    if (f->parts & LEDGER_SITES) put_sites(L, &f->ledger);
    if (f->parts & LEDGER_FUNCTIONS) put_functions(L, &f->ledger);
    if (f->parts & LEDGER_TAGS) put_tags(L, &f->ledger);
    if (f->parts & LEDGER_TREE) put_tree(L, &f->ledger);
}
