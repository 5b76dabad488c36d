/* snapshot_dot.c - graphs for Graphviz: the tree of dominators of what retains most, or the paths
 * to one object. A dashed line means that what is at its end is not referred to directly. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/why.h"
#include "report/snapshot/snapshotreport_impl.h"

enum { NODES = 60, NODES_MOST = 500, PATHS = 8, LABEL = 60 };

typedef struct Dot {
    const SnapshotReport *report;
    const LmpSnapshot *s;
    FILE *out;
    SnapshotRedact redact;
    uint64_t whole;
} Dot;

/* What stands between quotes. */
static void put_label(Dot *d, const char *text) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', d->out);
        fputc(*text, d->out);
    }
}

/* At most LABEL bytes, whole characters. */
static void put_cut(Dot *d, const char *text) {
    char cut[LABEL + 8];
    size_t n = strlen(text), most = n < LABEL ? n : LABEL;
    while (most > 0 && most < n && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    snprintf(cut, sizeof cut, "%.*s%s", (int)most, text, most < n ? "\xe2\x80\xa6" : "");
    put_label(d, cut);
}

static double share(const Dot *d, uint64_t bytes) {
    return d->whole ? (double)bytes / (double)d->whole : 0;
}

static const char *colour(const LmpSnapshot *s, uint32_t i) {
    static const char *const of[LMP_KINDS] = {
        [LMP_STRING] = "#f4d9a0", [LMP_FUNCTION] = "#b9d8f5", [LMP_USERDATA] = "#e3c3ee",
        [LMP_THREAD] = "#f5bcc3", [LMP_TABLE] = "#c2e5c4",    [LMP_OTHER] = "#dddddd"};
    LmpKind kind = snapshot_kind(s, i);
    return kind < LMP_KINDS ? of[kind] : of[LMP_OTHER];
}

static void put_node(Dot *d, uint32_t i, bool marked) {
    const LmpSnapshot *s = d->s;
    char name[200], own[LMP_NUM], retained[LMP_NUM], site[120];
    double part = share(d, s->retained[i]);
    fprintf(d->out, "  n%u [label=\"", i);
    put_cut(d, i ? objecttext_name(&d->redact, s, i, name, sizeof name) : "heap");
    snapshot_site(s, i, site, sizeof site);
    if (*site) {
        fputs("\\n", d->out);
        put_cut(d, site);
    }
    fprintf(d->out, "\\n%s", format_bytes(retained, s->retained[i]));
    if (s->g.size[i] && i) fprintf(d->out, " (own %s)", format_bytes(own, snapshot_counted(s, i)));
    fprintf(d->out, ", %u %%\", fillcolor=\"%s\", fontsize=%d%s];\n", (unsigned)(part * 100 + 0.5),
            colour(s, i), 9 + (int)(part * 9), marked ? ", penwidth=3" : "");
}

static void put_line(Dot *d, uint32_t from, uint32_t to, const char *step, const char *more) {
    double part = share(d, d->s->retained[to]);
    fprintf(d->out, "  n%u -> n%u [label=\"", from, to);
    put_cut(d, step);
    fprintf(d->out, "\", penwidth=%d.%d, weight=%d%s];\n", 1 + (int)(part * 4),
            (int)(part * 40) % 10, 1 + (int)(part * 9), more);
}

static void put_head(Dot *d, const char *what) {
    char program[300], live[LMP_NUM];
    fputs("digraph \"lmp heap\" {\n  graph [rankdir=LR, labelloc=t, fontname=\"Helvetica\", "
          "label=\"",
          d->out);
    put_label(d, objecttext_program(d->report, program, sizeof program));
    fprintf(d->out, ": %s live, %s\"];\n", format_bytes(live, d->s->info.live_bytes), what);
    fputs("  node [shape=box, style=\"filled,rounded\", color=\"#888888\", "
          "fontname=\"Helvetica\"];\n"
          "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#777777\"];\n",
          d->out);
}

/* ---- who retains most ------------------------------------------------------------------------ */

/* Returns the largest ones, root first: each comes after who dominates it. `front` holds, of each
 * row of children that was begun, where it is. */
static uint32_t largest(const LmpSnapshot *s, uint32_t most, uint32_t *chosen) {
    uint32_t front[NODES_MOST + 1], end[NODES_MOST + 1], fronts = 1, n = 1;
    chosen[0] = 0;
    front[0] = s->child_at[0];
    end[0] = s->child_at[1];
    while (n < most) {
        uint32_t best = fronts;
        for (uint32_t f = 0; f < fronts; f++)
            if (front[f] < end[f] && (best == fronts || s->retained[s->child[front[f]]] >
                                                            s->retained[s->child[front[best]]]))
                best = f;
        if (best == fronts || s->retained[s->child[front[best]]] == 0) break;
        uint32_t i = s->child[front[best]++];
        chosen[n++] = i;
        front[fronts] = s->child_at[i];
        end[fronts++] = s->child_at[i + 1];
    }
    return n;
}

static void put_largest(Dot *d, uint32_t most) {
    uint32_t chosen[NODES_MOST];
    char what[64], step[200];
    uint32_t n = largest(d->s, most, chosen);
    snprintf(what, sizeof what, "the %u objects that retain most", n - 1);
    put_head(d, what);
    for (uint32_t k = 0; k < n; k++)
        put_node(d, chosen[k], false);
    for (uint32_t k = 1; k < n; k++) {
        uint32_t i = chosen[k], above = d->s->idom[i];
        bool direct = d->s->parent[i] == above;
        if (direct)
            objecttext_step(&d->redact, d->s, above, d->s->parent_edge[i], step, sizeof step);
        put_line(d, above, i, direct ? step : "", direct ? "" : ", style=dashed");
    }
}

/* ---- paths to one ---------------------------------------------------------------------------- */

static bool before(const LmpWhyPaths *why, uint32_t path, uint32_t step) {
    const LmpWhyStep *now = &why->path[path].step[step];
    for (uint32_t p = 0; p <= path; p++)
        for (uint32_t k = 0; k < why->path[p].steps && (p < path || k < step); k++)
            if (why->path[p].step[k].edge == now->edge && why->path[p].step[k].to == now->to)
                return true;
    return false;
}

static void put_path(Dot *d, const LmpWhyPaths *why, uint32_t path, uint8_t *there) {
    char step[200], label[260], count[LMP_NUM];
    for (uint32_t k = 0; k < why->path[path].steps; k++) {
        const LmpWhyStep *now = &why->path[path].step[k];
        if (before(why, path, k)) continue;
        if (!there[now->to]) put_node(d, now->to, false);
        there[now->to] = 1;
        objecttext_step(&d->redact, d->s, now->from, now->edge, step, sizeof step);
        if (now->times > 1)
            snprintf(label, sizeof label, "%s \xc3\x97%s", step, format_count(count, now->times));
        else
            snprintf(label, sizeof label, "%s", step);
        put_line(d, now->from, now->to, label, now->cut ? ", color=\"#c0392b\"" : "");
    }
}

static LmpErr put_paths(Dot *d, uint32_t object) {
    LmpWhyPaths why;
    char what[80];
    LmpErr err = why_make(&why, d->s, object, PATHS, NULL, 0);
    uint8_t *there = calloc((size_t)d->s->g.objects + 1, 1);
    if (!err && there) {
        snprintf(what, sizeof what, "paths to the object at 0x%llx",
                 (unsigned long long)d->s->g.addr[object]);
        put_head(d, what);
        put_node(d, 0, false);
        put_node(d, object, true);
        there[0] = there[object] = 1;
        for (uint32_t p = 0; p < why.paths; p++)
            put_path(d, &why, p, there);
    }
    if (!err && !there) err = LMP_E_NOMEM;
    free(there);
    if (!err || err == LMP_E_NOMEM) why_free(&why);
    return err;
}

LmpErr snapshot_dot(const SnapshotReport *report, FILE *out) {
    Dot d = {.report = report, .s = report->s, .out = out, .whole = report->s->reachable_bytes};
    uint32_t most = report->top ? report->top : NODES;
    LmpErr err = objecttext_redact_open(&d.redact, report);
    if (!err && report->address)
        err = put_paths(&d, snapshot_at(report->s, report->address));
    else if (!err)
        put_largest(&d, (most < NODES_MOST - 1 ? most : NODES_MOST - 1) + 1);
    if (!err) fputs("}\n", out);
    objecttext_redact_close(&d.redact);
    return err;
}
