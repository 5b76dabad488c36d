/* runjoin.c - rows of both runs get the older one's figures as marks (rundiff.h); rows of the older
 * run alone are added behind; references between rows follow their new numbers. */
#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "read/rundiff/rundiff_impl.h"

/* A row of the joined call tree before it is written. */
typedef struct JoinNode {
    uint32_t row; /* in the newer tree; or, if it went, in the older one */
    uint32_t parent, first, children;
    bool went;
} JoinNode;

typedef struct Join {
    const RunDiff *diff;
    const Ledger *old;
    Ledger *newer;
    LedgerRoom newers;               /* its rows before anything was joined */
    uint32_t *site, *function, *tag; /* by row of the older run: row in the joined ledger */
    KeyMap function_id;              /* ids of the older run's functions to their rows */
    bool paths_differ;               /* one of the two has no call paths */
    JoinNode *node;                  /* NULL: no node went, the tree stays as it is */
    uint32_t nodes;
    KeyMap site_id; /* as function_id; where both have a call tree */
} Join;

/* ---- which row is which ---------------------------------------------------------------------- */

/* Makes a list, by row of the older run, of its row in the joined ledger. Those that went come
 * behind the rest, in their order. Returns how many rows there are in all; *out is NULL if there is
 * no memory. */
static uint32_t number(const uint32_t *pairs, uint32_t newers, uint32_t olds, uint32_t **out) {
    uint32_t n = newers;
    *out = malloc((olds ? olds : 1) * sizeof **out);
    if (!*out) return 0;
    for (uint32_t i = 0; i < olds; i++)
        (*out)[i] = LEDGER_NO_ROW;
    for (uint32_t i = 0; i < newers; i++)
        if (pairs[i] != LEDGER_NO_ROW) (*out)[pairs[i]] = i;
    for (uint32_t i = 0; i < olds; i++)
        if ((*out)[i] == LEDGER_NO_ROW) (*out)[i] = n++;
    return n;
}

static bool index_functions(Join *j) {
    for (uint32_t i = 0; i < j->old->functions; i++)
        if (!keymap_set(&j->function_id, j->old->function[i].id, i)) return false;
    return true;
}

/* ---- rows that went -------------------------------------------------------------------------- */

/* A row of what is no more has nothing but the mark. */
static LmpTally mark_only(const LmpTally *was) {
    return (LmpTally){.mark = {was->allocs, tally_made(was), was->live_bytes}};
}

static void add_functions(Join *j) {
    Ledger *l = j->newer;
    for (uint32_t i = 0; i < j->old->functions; i++) {
        const LmpFunctionRow *was = &j->old->function[i];
        if (j->function[i] < j->newers.functions) continue;
        LmpFunctionRow row = *was;
        row.id |= RUNJOIN_WENT;
        row.side = LMP_SIDE_WENT;
        row.calls = 0;
        row.shallow = mark_only(&was->shallow);
        row.retained = j->paths_differ ? (LmpTally){0} : mark_only(&was->retained);
        l->function[l->functions++] = row;
    }
}

/* Returns a C function of the older run, by its id there. */
static uint32_t c_function(const Join *j, uint32_t id) {
    uint32_t row = keymap_get(&j->function_id, id, LEDGER_NO_ROW);
    return id == 0                ? 0
           : row == LEDGER_NO_ROW ? id | RUNJOIN_WENT
                                  : j->newer->function[j->function[row]].id;
}

static void add_detail(Join *j, const LmpSiteDetail *was) {
    Ledger *l = j->newer;
    l->detail[l->details++] =
        (LmpSiteDetail){was->name, mark_only(&was->tally), c_function(j, was->function)};
}

static void add_sites(Join *j) {
    Ledger *l = j->newer;
    for (uint32_t i = 0; i < j->old->sites; i++) {
        const LmpSiteRow *was = &j->old->site[i];
        if (j->site[i] < j->newers.sites) continue;
        LmpSiteRow row = {.id = was->id | RUNJOIN_WENT,
                          .kind = ledger_next_kinds(l),
                          .kinds = UINT8_MAX,
                          .side = LMP_SIDE_WENT,
                          .function = j->function[was->function],
                          .source = was->source,
                          .short_src = was->short_src,
                          .raw_source = was->raw_source,
                          .func = was->func,
                          .line = was->line,
                          .text = was->text,
                          .tally = mark_only(&was->tally),
                          .details = was->details,
                          .first_detail = l->details};
        for (int k = 0; k < LMP_KINDS; k++)
            row.kind[k].tally = mark_only(&was->kind[k].tally);
        for (uint32_t k = 0; k < was->details; k++)
            add_detail(j, &j->old->detail[was->first_detail + k]);
        l->site[l->sites++] = row;
    }
}

static void add_tags(Join *j) {
    Ledger *l = j->newer;
    for (uint32_t i = 0; i < j->old->tags; i++) {
        const LmpTagRow *was = &j->old->tag[i];
        if (j->tag[i] < j->newers.tags) continue;
        l->tag[l->tags++] = (LmpTagRow){was->id | RUNJOIN_WENT, was->name, mark_only(&was->tally)};
    }
}

/* ---- rows of both ---------------------------------------------------------------------------- */

static bool has_detail(const Ledger *l, const LmpSiteRow *s, const char *name) {
    if (s->details == 0) return !*name;
    for (uint32_t i = 0; i < s->details; i++)
        if (strcmp(l->detail[s->first_detail + i].name, name) == 0) return true;
    return false;
}

static uint32_t details_gone(const Join *j, const LmpSiteRow *s, const LmpSiteRow *was) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < was->details; i++)
        n += !has_detail(j->newer, s, j->old->detail[was->first_detail + i].name);
    return n;
}

/* Joins the details of a line that calls something else now: what it called is written behind what
 * it calls. */
static void join_details(Join *j, LmpSiteRow *s, const LmpSiteRow *was) {
    Ledger *l = j->newer;
    if (details_gone(j, s, was) == 0) return;
    uint32_t first = l->details, own = s->details;
    for (uint32_t i = 0; i < own; i++) {
        l->detail[l->details++] = l->detail[s->first_detail + i];
        l->detail[s->first_detail + i] = (LmpSiteDetail){.name = ""};
    }
    if (own == 0) {
        LmpSiteDetail line = {.name = "", .tally = s->tally};
        line.tally.mark = (LmpThen){0};
        for (uint32_t i = 0; i < was->details; i++) {
            const LmpSiteDetail *older = &j->old->detail[was->first_detail + i];
            if (!older->name[0]) line.tally.mark = mark_only(&older->tally).mark;
        }
        l->detail[l->details++] = line;
    }
    for (uint32_t i = 0; i < was->details; i++) {
        const LmpSiteDetail *older = &j->old->detail[was->first_detail + i];
        if (own == 0 ? older->name[0] != 0 : !has_detail(l, s, older->name)) add_detail(j, older);
    }
    s->first_detail = first;
    s->details = l->details - first;
}

static void join_sites(Join *j) {
    for (uint32_t i = 0; i < j->newers.sites; i++) {
        LmpSiteRow *s = &j->newer->site[i];
        if (j->diff->site[i] == LEDGER_NO_ROW)
            s->side = LMP_SIDE_CAME;
        else
            join_details(j, s, &j->old->site[j->diff->site[i]]);
    }
    for (uint32_t i = 0; i < j->newers.functions; i++)
        if (j->diff->function[i] == LEDGER_NO_ROW) j->newer->function[i].side = LMP_SIDE_CAME;
}

/* Joins what lines have under one tag, if both runs were asked for the same one. */
static void join_tagged(Join *j) {
    Ledger *l = j->newer;
    const LmpTally *was = j->old->tagged;
    if (!l->tagged) return;
    for (uint32_t i = 0; i < j->newers.sites; i++) {
        uint32_t row = j->diff->site[i];
        LmpTally then = was && row != LEDGER_NO_ROW ? mark_only(&was[row]) : (LmpTally){0};
        l->tagged[i].mark = then.mark;
    }
    memset(l->tagged + j->newers.sites, 0, (l->sites - j->newers.sites) * sizeof *l->tagged);
    for (uint32_t i = 0; was && i < j->old->sites; i++)
        if (j->site[i] >= j->newers.sites) l->tagged[j->site[i]] = mark_only(&was[i]);
}

/* Without paths of the other run nothing can be said by path. */
static void unmark_paths(Ledger *l) {
    for (uint32_t i = 0; i < l->functions; i++) {
        LmpTally *t = &l->function[i].retained;
        t->mark = (LmpThen){t->allocs, tally_made(t), t->live_bytes};
    }
    for (uint32_t i = 0; i < l->nodes; i++) {
        LmpTally *own = &l->tree[i].shallow, *all = &l->tree[i].retained;
        own->mark = (LmpThen){own->allocs, tally_made(own), own->live_bytes};
        all->mark = (LmpThen){all->allocs, tally_made(all), all->live_bytes};
    }
}

/* ---- the call tree --------------------------------------------------------------------------- */

/* The call trees of two runs as one: below each node its children now, then those that went. Rows
 * of a tree are in the order of their depth, children of one behind each other, so nodes of the
 * newer run only move towards the end, and can be moved from the last to the first. */

/* Returns, by node of the older run, whether it is in the newer one, too. *went: how many are
 * not. */
static unsigned char *find_kept(const Join *j, uint32_t *went) {
    unsigned char *kept = calloc(j->old->nodes, 1);
    *went = j->old->nodes;
    for (uint32_t i = 0; kept && i < j->newer->nodes; i++) {
        uint32_t row = j->diff->node[i];
        if (row == LEDGER_NO_ROW || kept[row]) continue;
        kept[row] = 1;
        --*went;
    }
    return kept;
}

static void add_child(Join *j, uint32_t parent, uint32_t row, bool went, uint32_t most) {
    if (j->nodes == most) return;
    j->node[j->nodes++] = (JoinNode){.row = row, .parent = parent, .went = went};
}

static void plan(Join *j, const unsigned char *kept, uint32_t most) {
    const LmpTreeRow *old = j->old->tree, *newer = j->newer->tree;
    j->nodes = 1;
    j->node[0] = (JoinNode){0};
    for (uint32_t i = 0; i < j->nodes; i++) {
        JoinNode *n = &j->node[i];
        uint32_t was = n->went ? n->row : j->diff->node[n->row];
        n->first = j->nodes;
        for (uint32_t k = 0; !n->went && k < newer[n->row].children; k++)
            add_child(j, i, newer[n->row].first + k, false, most);
        for (uint32_t k = 0; was != LEDGER_NO_ROW && k < old[was].children; k++)
            if (!kept[old[was].first + k]) add_child(j, i, old[was].first + k, true, most);
        n->children = j->nodes - n->first;
    }
}

static LmpErr plan_tree(Join *j, uint32_t *nodes) {
    uint32_t went;
    *nodes = j->newer->nodes;
    if (!j->diff->node || j->paths_differ) return LMP_OK;
    unsigned char *kept = find_kept(j, &went);
    if (!kept) return LMP_E_NOMEM;
    bool enough = true;
    *nodes += went;
    if (went > 0) j->node = malloc(*nodes * sizeof *j->node);
    if (went > 0) enough = j->node != NULL;
    for (uint32_t i = 0; enough && i < j->old->sites; i++)
        enough = keymap_set(&j->site_id, j->old->site[i].id, i);
    if (j->node && enough) plan(j, kept, *nodes);
    free(kept);
    return enough ? LMP_OK : LMP_E_NOMEM;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The line of a node of the older run, as it is now. */
static void set_line(const Join *j, const LmpTreeRow *was, LmpTreeRow *row) {
    uint32_t site = keymap_get(&j->site_id, was->site, LEDGER_NO_ROW);
    row->site = was->site | RUNJOIN_WENT;
    row->line = was->line;
    if (site == LEDGER_NO_ROW) return;
    row->site = j->newer->site[j->site[site]].id;
    row->line = j->newer->site[j->site[site]].line;
}

static LmpTreeRow gone(const Join *j, const LmpTreeRow *was) {
    LmpTreeRow row = *was;
    row.id |= RUNJOIN_WENT;
    row.function = j->function[was->function];
    row.name = j->newer->function[row.function].name;
    set_line(j, was, &row);
    if (was->tag != 0) row.tag = LEDGER_SEVERAL_TAGS; /* it has another id in the newer run */
    row.shallow = mark_only(&was->shallow);
    row.retained = mark_only(&was->retained);
    return row;
}

/* The line of what now makes nothing may have a row only because of what it made. */
static void set_lines(const Join *j) {
    for (uint32_t i = 1; i < j->newers.nodes; i++) {
        LmpTreeRow *row = &j->newer->tree[i];
        uint32_t was = j->diff->node[i];
        if (was != LEDGER_NO_ROW && tally_made(&row->shallow) == 0 && row->shallow.mark.made)
            set_line(j, &j->old->tree[was], row);
    }
}

static void join_tree(Join *j) {
    LmpTreeRow *tree = j->newer->tree;
    if (j->diff->node && !j->paths_differ) set_lines(j);
    if (!j->node) return;
    for (uint32_t i = j->nodes; i-- > 0;) {
        const JoinNode *n = &j->node[i];
        LmpTreeRow row = n->went ? gone(j, &j->old->tree[n->row]) : tree[n->row];
        row.parent = n->parent;
        row.first = n->first;
        row.children = n->children;
        tree[i] = row;
    }
    for (uint32_t i = 1; i < j->nodes; i++)
        tree[i].depth = tree[tree[i].parent].depth + 1;
    j->newer->nodes = j->nodes;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The details of a line may have to be written anew, behind all others. */
static LmpErr prepare(Join *j) {
    const Ledger *old = j->old, *newer = j->newer;
    const RunDiff *d = j->diff;
    LedgerRoom room = {.details = 2 * newer->details + old->details + newer->sites};
    room.sites = number(d->site, newer->sites, old->sites, &j->site);
    room.functions = number(d->function, newer->functions, old->functions, &j->function);
    room.tags = number(d->tag, newer->tags, old->tags, &j->tag);
    if (!j->site || !j->function || !j->tag || !index_functions(j)) return LMP_E_NOMEM;
    LmpErr err = plan_tree(j, &room.nodes);
    return err ? err : ledger_make_room(j->newer, &room);
}

static RunJoined count(const Ledger *l) {
    RunJoined n = {0};
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        if (s->side == LMP_SIDE_CAME && s->tally.live_bytes) {
            n.came++;
            n.came_bytes += s->tally.live_bytes;
        }
        if (s->side == LMP_SIDE_WENT && s->tally.mark.live) {
            n.went++;
            n.went_bytes += s->tally.mark.live;
        }
    }
    return n;
}

static RunJoined join(Join *j) {
    Ledger *l = j->newer;
    rundiff_mark(j->diff, l);
    if (j->paths_differ) unmark_paths(l);
    add_functions(j); /* before what refers to them */
    join_sites(j);
    add_sites(j);
    add_tags(j);
    join_tagged(j);
    join_tree(j);
    return count(l);
}

LmpErr runjoin(Ledger *newer, const Ledger *old, RunJoined *out) {
    RunDiff diff;
    LmpErr err = rundiff_pair(&diff, old, newer);
    if (err) return err;
    Join j = {.diff = &diff, .old = old, .newer = newer};
    j.newers = (LedgerRoom){newer->sites, newer->functions, newer->tags, 0, newer->nodes};
    j.paths_differ = newer->stacks != old->stacks;
    err = prepare(&j);
    if (!err) *out = join(&j);
    keymap_free(&j.function_id);
    free(j.site);
    free(j.function);
    free(j.tag);
    free(j.node);
    keymap_free(&j.site_id);
    rundiff_free(&diff);
    return err;
}
