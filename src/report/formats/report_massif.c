/* report_massif.c - the heap over time, and who had made what was there at its peak, from the line
 * that made it up to its callers: for ms_print and massif-visualizer. Callers of less than one part
 * in a hundred are one line. Of a range of time its peak is the highest moment that was recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/order.h"
#include "report/formats/formats_impl.h"
#include "report/formats/paths.h"
#include "report/formats/value.h"
#include "report/text.h"

enum { DEEPEST = 30, PARTS = 100 };

/* Some of what was there at the peak, seen from one of its callers (the root: there is none). */
typedef struct Part {
    uint64_t bytes;
    uint32_t row;
} Part;

typedef struct Group { /* of parts with the same frame */
    uint64_t bytes;
    uint32_t frame, first, parts;
} Group;

typedef struct Massif {
    const Paths *paths;
    uint64_t least;  /* bytes of a caller that has a line of its own */
    uint32_t *count; /* of each frame: 0, but for the level that is being grouped */
    Part *scratch;   /* as many as there are parts */
    FILE *out;
    bool failed;
} Massif;

ORDER_LARGEST(by_bytes, Group, bytes, frame)

static uint32_t frame_of(const Massif *m, const Part *part) {
    return part->row != 0 ? m->paths->frame[part->row] : UINT32_MAX;
}

/* One group for each frame, with its place among the parts; those without a caller are in none. */
static uint32_t find_groups(Massif *m, const Part *part, uint32_t n, Group *group) {
    uint32_t groups = 0, at = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = frame_of(m, &part[i]);
        if (f == UINT32_MAX || m->count[f] == 0) continue;
        group[groups++] = (Group){0, f, at, 0};
        at += m->count[f];
        m->count[f] = 0;
    }
    for (uint32_t g = 0; g < groups; g++)
        m->count[group[g].frame] = g;
    return groups;
}

/* Puts parts that have the same frame side by side. Returns the groups, the largest first, which
 * the caller frees; NULL: no memory. */
static Group *group_parts(Massif *m, Part *part, uint32_t n, uint32_t *groups) {
    uint32_t most = 0, placed = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = frame_of(m, &part[i]);
        if (f != UINT32_MAX) most += m->count[f]++ == 0;
    }
    Group *group = malloc(((size_t)most + 1) * sizeof *group);
    if (!group) return NULL;
    *groups = find_groups(m, part, n, group);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = frame_of(m, &part[i]);
        if (f == UINT32_MAX) continue;
        Group *g = &group[m->count[f]];
        m->scratch[g->first + g->parts++] = part[i];
        g->bytes += part[i].bytes;
        placed++;
    }
    for (uint32_t g = 0; g < *groups; g++)
        m->count[group[g].frame] = 0;
    memcpy(part, m->scratch, placed * sizeof *part);
    qsort(group, *groups, sizeof *group, by_bytes);
    return group;
}

static void put_line(const Massif *m, uint32_t depth, uint32_t children, uint64_t bytes) {
    fprintf(m->out, "%*sn%u: %llu ", (int)depth, "", children, (unsigned long long)bytes);
}

static void put_text(const Massif *m, uint32_t frame) {
    if (frame == UINT32_MAX)
        fputs("(heap allocation functions) lua_Alloc\n", m->out);
    else
        fprintf(m->out, "0x%x: %s\n", frame + 1, m->paths->of[frame].text);
}

/* A line and, below it, who called: by the rows of its parts. */
static void put_callers(Massif *m, uint32_t depth, uint64_t bytes, uint32_t frame, Part *part,
                        uint32_t n) {
    uint32_t groups = 0, shown = 0;
    uint64_t rest = 0;
    Group *group = depth < DEEPEST ? group_parts(m, part, n, &groups) : NULL;
    m->failed |= depth < DEEPEST && !group;
    while (shown < groups && group[shown].bytes >= m->least)
        shown++;
    put_line(m, depth, shown + (shown < groups), bytes);
    put_text(m, frame);
    for (uint32_t g = 0; g < groups; g++) {
        Part *own = part + group[g].first;
        if (g >= shown) rest += group[g].bytes;
        if (g >= shown) continue;
        for (uint32_t i = 0; i < group[g].parts; i++)
            own[i].row = ledger_links(m->paths->tree, own[i].row).parent;
        put_callers(m, depth + 1, group[g].bytes, group[g].frame, own, group[g].parts);
    }
    if (shown < groups) {
        put_line(m, depth + 1, 0, rest);
        fprintf(m->out, "in %u places, all below massif's threshold (1.00%%)\n", groups - shown);
    }
    free(group);
}

static ReportValue tree_value(const LmpReport *r) {
    return r->from > 0 ? VALUE_LIVE_BYTES : VALUE_PEAK_BYTES;
}

static bool put_tree(const LmpReport *r, FILE *out) {
    Paths p;
    if (paths_open(&p, r)) return false;
    Massif m = {.paths = &p, .out = out};
    Part *part = malloc(p.rows * sizeof *part);
    uint32_t n = 0;
    uint64_t all = 0;
    m.scratch = malloc(p.rows * sizeof *m.scratch);
    m.count = calloc(p.frames, sizeof *m.count);
    bool made = part && m.scratch && m.count;
    for (uint32_t i = 1; made && i < p.rows; i++) {
        const LmpTally own = ledger_shallow(p.tree, i);
        uint64_t bytes = value_of(&own, tree_value(r));
        if (bytes > 0) part[n++] = (Part){bytes, i};
        all += bytes;
    }
    m.least = all / PARTS + (all % PARTS > 0);
    if (made) put_callers(&m, 0, all, UINT32_MAX, part, n);
    free(part);
    free(m.scratch);
    free(m.count);
    paths_close(&p);
    return made && !m.failed;
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static void put_point(FILE *out, uint32_t number, uint64_t ms, uint64_t bytes, bool peak) {
    fprintf(out,
            "#-----------\nsnapshot=%u\n#-----------\ntime=%llu\nmem_heap_B=%llu\n"
            "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n",
            number, (unsigned long long)ms, (unsigned long long)bytes, peak ? "peak" : "empty");
}

/* Returns the interval of the peak; the last one that was as high. */
static uint32_t find_peak(const LmpReport *r) {
    const LmpHistory *h = r->history;
    uint32_t peak = 0, used = h->used < LMP_HISTORY ? h->used : LMP_HISTORY;
    uint64_t top = h->interval ? r->top_clock / h->interval : 0;
    if (r->from > 0) return top < used ? (uint32_t)top : used ? used - 1 : 0;
    for (uint32_t i = 0; i < used; i++)
        if (h->samples[i].max_bytes >= h->samples[peak].max_bytes) peak = i;
    return peak;
}

/* ms_print takes no tree that is larger than its snapshot, as an estimate may be: what is exact is
 * in the head. */
static uint64_t peak_bytes(const LmpReport *r) {
    uint64_t tree = value_of(&r->ledger.all, tree_value(r));
    uint64_t exact = r->from > 0 ? r->top_bytes : r->stats.peak_bytes;
    return tree > exact ? tree : exact;
}

/* A run without lines has no tree. */
static bool has_tree(const LmpReport *r) {
    return r->ledger.lines != LMP_LINES_OFF && r->ledger.sites > 0 &&
           value_of(&r->ledger.all, tree_value(r)) > 0;
}

static void put_head(const LmpReport *r, FILE *out) {
    char text[1024], sampled[200], from[LMP_NUM], to[LMP_NUM];
    fputs("desc: --alloc-fn=lua_Alloc", out);
    if (r->from > 0)
        fprintf(out, " (from %s to %s)", text_moment(from, r->from), text_moment(to, r->until));
    if (*r->moment.said) fprintf(out, " (of %s)", r->moment.said);
    if (*value_sampled(sampled, sizeof sampled, r, tree_value(r))) fprintf(out, " (%s)", sampled);
    if (r->ledger.lines != LMP_LINES_OFF && !r->ledger.stacks)
        fputs(" (call paths were not kept: lines have no callers)", out);
    fprintf(out, "\ncmd: %s\ntime_unit: ms\n", format_text(text, sizeof text, r->program, 0));
}

LmpErr report_massif(const LmpReport *report, FILE *out) {
    const LmpHistory *h = report->history;
    uint32_t number = 0, peak = h ? find_peak(report) : 0;
    uint64_t begun = report->from / 1000000;
    uint64_t end = (report->from > 0 ? report->until : report->clock) / 1000000;
    uint64_t at = begun, bytes = report->from_bytes;
    bool made = true;
    if (!h) return LMP_E_NOMEM;
    put_head(report, out);
    put_point(out, number++, begun, report->from_bytes, false);
    for (uint32_t i = 0; made && i < h->used && i < LMP_HISTORY; i++) {
        uint64_t ms = timeline_end_ms(report, i);
        if (ms < begun) ms = begun; /* the last interval, of a program that sleeps */
        bool tree = i == peak && has_tree(report);
        if (!tree && !timeline_within(report, i)) continue;
        if (tree && report->from > 0) ms = report->top_clock / 1000000;
        at = ms;
        bytes = tree ? peak_bytes(report) : h->samples[i].max_bytes;
        put_point(out, number++, at, bytes, tree);
        if (tree) made = put_tree(report, out);
    }
    if (made && h->used == 0 && has_tree(report)) { /* it ended within the first interval */
        at = end;
        bytes = peak_bytes(report);
        put_point(out, number++, at, bytes, true);
        made = put_tree(report, out);
    }
    if (at != end || bytes != report->stats.live_bytes || number == 1)
        put_point(out, number, end, report->stats.live_bytes, false);
    return made ? LMP_OK : LMP_E_NOMEM;
}
