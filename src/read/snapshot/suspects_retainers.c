/* suspects_retainers.c - who holds most: single objects by their accumulation point; classes and
 * lines by what their paths have in common. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/suspects_impl.h"
#include "read/snapshot/why.h"

/* ---- single objects -------------------------------------------------------------------------- */

static uint32_t biggest(const LmpSnapshot *s, uint32_t i) {
    return s->child_at[i] < s->child_at[i + 1] ? s->child[s->child_at[i]] : LMP_OBJECT_NONE;
}

/* Returns true if objects of one class hang from it, each from the one before, as the links of a
 * list do. */
static bool holds_list(const LmpSnapshot *s, uint32_t i) {
    enum { LINKS = 3 };
    uint32_t link = biggest(s, i);
    for (int k = 1; k < LINKS && link != LMP_OBJECT_NONE; k++) {
        uint32_t next = biggest(s, link);
        if (next != LMP_OBJECT_NONE && s->class_of[next] != s->class_of[link]) return false;
        link = next;
    }
    return link != LMP_OBJECT_NONE;
}

/* Returns the first on the path of biggest children whose biggest child retains far less than it,
 * or than the path's begin. A list drops little at each link: it is told by who holds it. */
static uint32_t accumulation(const LmpSnapshot *s, uint32_t i) {
    uint64_t begin = s->retained[i];
    for (uint32_t c; (c = biggest(s, i)) != LMP_OBJECT_NONE && !holds_list(s, i); i = c)
        if (!suspect_over(s->retained[c], s->retained[i], SUSPECT_DROP) ||
            !suspect_over(s->retained[c], begin, SUSPECT_DROP))
            break;
    return i;
}

typedef struct Through {
    uint32_t objects;
    uint64_t bytes;
} Through;

/* Told by itself, not with what is of the trunk. */
static bool told_apart(const SuspectRun *run, uint32_t i) {
    return run->trunk[i] || suspect_over(run->s->retained[i], run->heap, SUSPECT_HOLDS);
}

/* The class that most of what it dominates directly is of, as "20,412 x {id, name}"; "" if none
 * stands for half of `bytes`. */
static void through(SuspectRun *run, uint32_t i, uint64_t bytes, char *out, size_t size) {
    const LmpSnapshot *s = run->s;
    Through *of = calloc((size_t)s->classes + 1, sizeof *of);
    uint32_t most = 0;
    *out = 0;
    if (!of) {
        run->failed = true;
        return;
    }
    for (uint32_t c = s->child_at[i]; c < s->child_at[i + 1]; c++) {
        if (run->trunk[i] && told_apart(run, s->child[c])) continue;
        Through *t = &of[s->class_of[s->child[c]]];
        t->objects++;
        t->bytes += s->retained[s->child[c]];
        if (t->bytes > of[most].bytes) most = s->class_of[s->child[c]];
    }
    char count[LMP_NUM];
    if (of[most].objects > 1 && of[most].bytes >= bytes / 2)
        snprintf(out, size, ", through %s \xc3\x97 %s", format_count(count, of[most].objects),
                 s->class_list[most].name);
    free(of);
}

/* `bytes`: what it retains; of what is of the trunk, what hangs from it in small things. */
static void add_holder(SuspectRun *run, uint32_t i, uint64_t bytes) {
    const LmpSnapshot *s = run->s;
    char name[120], site[120], share[64], by[200];
    through(run, i, bytes, by, sizeof by);
    snapshot_name(s, i, name, sizeof name);
    snapshot_site(s, i, site, sizeof site);
    suspect_share(share, bytes, run->heap);
    if (run->trunk[i])
        suspect_add(run, LMP_SUSPECT_HOLDER, bytes, i, "%s holds %s of the heap in small things%s.",
                    name, share, by);
    else
        suspect_add(run, LMP_SUSPECT_HOLDER, bytes, i, "One %s%s%s%s holds %s of the heap%s.", name,
                    *site ? ", made at " : "", site, *site ? "," : "", share, by);
}

/* What hangs from `top`, which is of the trunk; goes on from what is of the trunk, too. Returns the
 * bytes that rows or other parts of the trunk account for. */
static uint64_t hang(SuspectRun *run, uint32_t top, uint32_t *stack, uint32_t *depth) {
    const LmpSnapshot *s = run->s;
    uint64_t told = 0;
    for (uint32_t c = s->child_at[top]; c < s->child_at[top + 1]; c++) {
        uint32_t i = s->child[c];
        if (run->trunk[i]) {
            told += s->retained[i];
            stack[(*depth)++] = i;
        } else if (suspect_over(s->retained[i], run->heap, SUSPECT_HOLDS)) {
            uint32_t at = accumulation(s, i);
            told += s->retained[i];
            if (run->out->rows < SUSPECT_ROWS) add_holder(run, at, s->retained[at]);
        }
    }
    return told;
}

enum { TRUNK_MOST = 8 }; /* root, main thread, registry, globals, loaded */

void suspects_retainers(SuspectRun *run) {
    const LmpSnapshot *s = run->s;
    uint32_t stack[TRUNK_MOST] = {0}, depth = 1;
    while (depth > 0 && run->heap > 0) {
        uint32_t top = stack[--depth];
        uint64_t told = hang(run, top, stack, &depth);
        uint64_t rest = s->retained[top] > told ? s->retained[top] - told : 0;
        if (top != 0 && suspect_over(rest, run->heap, SUSPECT_HOLDS) &&
            run->out->rows < SUSPECT_ROWS)
            add_holder(run, top, rest);
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* How many of the members have their shortest path through each object: run->count. The deepest
 * through which most of them have it is the holder. */
static uint32_t deepest(SuspectRun *run, const uint32_t *member, uint32_t members) {
    enum { SAMPLE = 10000, STEPS = 1 << 24 };
    const LmpSnapshot *s = run->s;
    uint32_t asked = members < SAMPLE ? members : SAMPLE, best = 0, steps = 0;
    memset(run->count, 0, s->g.objects * sizeof *run->count);
    for (uint32_t k = 0; k < asked && steps < STEPS; k++) {
        uint32_t i = member[(uint64_t)k * members / asked];
        for (i = s->parent[i]; i != 0 && i != LMP_OBJECT_NONE && steps < STEPS; i = s->parent[i]) {
            steps++;
            run->count[i]++;
            if (run->count[i] > (uint64_t)asked * SUSPECT_TOGETHER / 100 &&
                s->distance[i] > s->distance[best])
                best = i;
        }
    }
    return best;
}

/* A holder is no holder if the heap as a whole hangs from it. */
uint32_t suspects_holder_of(SuspectRun *run, const uint32_t *member, uint32_t members, char *path,
                            size_t size) {
    LmpWhyShape shape;
    uint32_t asked = 0, at = deepest(run, member, members);
    *path = 0;
    if (why_shapes(run->s, member, members, &shape, 1, &asked) > 0 &&
        (uint64_t)shape.objects * 100 > (uint64_t)asked * SUSPECT_TOGETHER) {
        char count[LMP_NUM], of[LMP_NUM];
        snprintf(path, size, "%s of %s through %.340s", format_count(count, shape.objects),
                 format_count(of, asked), shape.path);
    }
    return at == 0 || run->trunk[at] ? LMP_OBJECT_NONE : at;
}

/* What is below a holder is told with it: no class of its own, nor a part of what else the holder's
 * own line made. */
static void cover(SuspectRun *run, const LmpObjectGroups *groups, bool lines) {
    const LmpSnapshot *s = run->s;
    memset(run->told, 0, s->g.objects);
    for (uint32_t r = 0; r < run->out->rows; r++) {
        const LmpSuspect *row = &run->out->row[r];
        if (!row->fired || row->rule != LMP_SUSPECT_HOLDER || run->trunk[row->object]) continue;
        for (uint32_t at = s->tree_at[row->object] + 1; at < s->tree_end[row->object]; at++)
            if (!lines || groups->group_of[s->in_tree[at]] == groups->group_of[row->object])
                run->told[s->in_tree[at]] = 1;
    }
}

/* What groups hold beside the objects that are suspects by themselves: those are told already.
 * `asked`: how many of each group are left. */
static uint64_t *retained_by_small(SuspectRun *run, const LmpObjectGroups *groups,
                                   uint32_t *asked) {
    const LmpSnapshot *s = run->s;
    uint64_t *retained = malloc(((size_t)groups->groups + 1) * sizeof *retained);
    if (!retained) return NULL;
    memset(asked, 0, groups->groups * sizeof *asked);
    for (uint32_t i = 0; i < s->g.objects; i++) {
        bool large = told_apart(run, i);
        bool none = groups->group_of[i] == LMP_OBJECT_NONE || large || run->told[i];
        run->count[i] = none ? 0 : groups->group_of[i] + 1;
        if (!none) asked[groups->group_of[i]]++;
    }
    if (groups_retained(s, run->count, groups->groups, retained)) return retained;
    free(retained);
    return NULL;
}

/* `asked` of its objects hold `bytes`; the others are told by themselves. */
static void add_group(SuspectRun *run, LmpSuspectRule rule, const LmpObjectGroups *groups,
                      uint32_t row, uint32_t asked, uint64_t bytes) {
    const LmpObjectGroup *group = &groups->group[row];
    bool others = asked < group->objects;
    char share[64], count[LMP_NUM], path[400];
    uint32_t holder =
        suspects_holder_of(run, groups->member + group->first, group->objects, path, sizeof path);
    suspect_share(share, bytes, run->heap);
    format_count(count, asked);
    LmpSuspect *suspect =
        rule == LMP_SUSPECT_CLASS
            ? suspect_add(run, rule, bytes, holder, "%s%s \xc3\x97 %s: they hold %s of the heap.",
                          others ? "Another " : "", count, group->name, share)
            : suspect_add(run, rule, bytes, holder,
                          "What %s%s made (%s objects) holds %s of the heap.",
                          others ? "else " : "", group->name, count, share);
    if (!suspect) return;
    suspect->by = rule == LMP_SUSPECT_CLASS ? LMP_BY_CLASS : LMP_BY_LINE;
    suspect->group = row;
    if (*path) memcpy(suspect->path, path, sizeof path);
}

static void groups_over(SuspectRun *run, LmpSuspectRule rule, LmpSnapshotBy by) {
    LmpObjectGroups groups;
    if (groups_make(&groups, run->s, by, false) != LMP_OK) {
        run->failed = true;
        return;
    }
    cover(run, &groups, by == LMP_BY_LINE);
    uint32_t added = 0, *asked = malloc(((size_t)groups.groups + 1) * sizeof *asked);
    uint64_t *retained = asked ? retained_by_small(run, &groups, asked) : NULL;
    for (uint32_t i = 0; retained && i < groups.groups && added < SUSPECT_ROWS; i++) {
        const char *name = groups.group[i].name;
        bool unknown = by == LMP_BY_LINE && name[0] == '(' && strcmp(name, "(host)") != 0;
        if (unknown || asked[i] < 2 || run->heap == 0 ||
            !suspect_over(retained[i + 1], run->heap, SUSPECT_HOLDS))
            continue;
        add_group(run, rule, &groups, i, asked[i], retained[i + 1]);
        added++;
    }
    run->failed = run->failed || !retained;
    free(retained);
    free(asked);
    groups_free(&groups);
}

void suspects_classes(SuspectRun *run) {
    groups_over(run, LMP_SUSPECT_CLASS, LMP_BY_CLASS);
}

void suspects_lines(SuspectRun *run) {
    if (run->s->ledger.lines != LMP_LINES_OFF)
        groups_over(run, LMP_SUSPECT_LINE, LMP_BY_LINE);
    else
        suspect_none(run, LMP_SUSPECT_LINE, "Lines: not known, the program ran without them.");
}
