/* runjoin_tree.c - the call trees of two runs as one: below each node its children now, then those
 * that went. Rows of a tree are in the order of their depth, children of one behind each other, so
 * nodes of the newer run only move towards the end, and can be moved from the last to the first. */
#include <stdlib.h>
#include <string.h>

#include "read/rundiff/runjoin_impl.h"

/* ---- the plan -------------------------------------------------------------------------------- */

/* By node of the older run: is it in the newer one, too? *went: how many are not. */
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

LmpErr join_plan_tree(Join *j, uint32_t *nodes) {
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

void join_free_tree(Join *j) {
    free(j->node);
    keymap_free(&j->site_id);
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
    row.shallow = join_gone(&was->shallow);
    row.retained = join_gone(&was->retained);
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

void join_tree(Join *j) {
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
