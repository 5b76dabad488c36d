/* suspects_grown.c - what has grown since an older snapshot, and who holds what is new of it. With
 * a series of snapshots only what has grown each time: what is large at one moment and small at the
 * next is no leak. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/suspects_impl.h"

/* One candidate. */
typedef struct Grown {
    const LmpSnapshotChange *change; /* in the last step */
    int64_t bytes;                   /* in all steps */
} Grown;

typedef struct Growing {
    SuspectRun *run;
    const LmpObjectGroups *groups;
    const LmpSnapshotCompare *compare;
    LmpSnapshotBy by;
} Growing;

/* Returns true if its growth is worth a sentence. */
static bool grows(const SuspectRun *run, const LmpSnapshotChange *change, int64_t *bytes) {
    const LmpSnapshotSteps *before = run->before;
    bool each = true;
    *bytes = compare_steps(change);
    if (*bytes <= 0) return false;
    if (before) *bytes += compare_grown_in_all(before, change, &each);
    uint64_t heap = before ? before->heap : run->old->garbage_bytes + run->old->reachable_bytes;
    return each && suspect_over((uint64_t)*bytes, heap, SUSPECT_GROWS);
}

/* The SUSPECT_ROWS that have grown most, most first; returns how many there are. */
static uint32_t find_most(const Growing *g, Grown *most) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < g->compare->changes; i++) {
        Grown one = {.change = &g->compare->change[i]};
        if (!grows(g->run, one.change, &one.bytes)) continue;
        uint32_t at = found < SUSPECT_ROWS ? found++ : SUSPECT_ROWS;
        for (; at > 0 && most[at - 1].bytes < one.bytes; at--)
            if (at < SUSPECT_ROWS) most[at] = most[at - 1];
        if (at < SUSPECT_ROWS) most[at] = one;
    }
    return found;
}

/* Returns the members of a group that the older snapshot does not have, into `out`. */
static uint32_t new_members(const Growing *g, uint32_t row, uint32_t *out) {
    const LmpObjectGroup *group = &g->groups->group[row];
    uint32_t n = 0;
    for (uint32_t k = 0; k < group->objects; k++) {
        uint32_t i = g->groups->member[group->first + k];
        if (g->compare->was[i] == LMP_OBJECT_NONE) out[n++] = i;
    }
    return n;
}

/* Returns who holds what is new of it. */
static uint32_t holder_of_new(const Growing *g, const LmpSnapshotChange *change, char *path,
                              size_t size) {
    *path = 0;
    if (change->group >= g->groups->groups) return LMP_OBJECT_NONE;
    uint32_t objects = g->groups->group[change->group].objects, holder = LMP_OBJECT_NONE;
    uint32_t *member = malloc(((size_t)objects + 1) * sizeof *member);
    uint32_t members = member ? new_members(g, change->group, member) : 0;
    if (members > 0) holder = suspects_holder_of(g->run, member, members, path, size);
    free(member);
    return holder;
}

/* "1.2 MiB, 0.9 MiB, then 1.1 MiB": step by step. */
static void put_steps(const LmpSnapshotSteps *before, const LmpSnapshotChange *change, char *out,
                      size_t size) {
    char bytes[LMP_NUM];
    size_t used = 0;
    for (uint32_t step = 0; step < before->steps && used < size; step++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%s", step > 0 ? ", " : "",
                             format_bytes(bytes, (uint64_t)compare_grown_by(before, change, step)));
    if (used < size)
        snprintf(out + used, size - used, ", then %s",
                 format_bytes(bytes, (uint64_t)compare_steps(change)));
}

static void add_grown(const Growing *g, const Grown *grown) {
    const LmpSnapshotChange *change = grown->change;
    const LmpSnapshotSteps *before = g->run->before;
    char size[LMP_NUM], made[LMP_NUM], gone[LMP_NUM], steps[120], since[180], path[400];
    uint32_t holder = holder_of_new(g, change, path, sizeof path);
    snprintf(since, sizeof since, "the earlier snapshot");
    if (before) {
        put_steps(before, change, steps, sizeof steps);
        snprintf(since, sizeof since, "snapshot %u, each time: %s", before->number, steps);
    }
    LmpSuspect *suspect =
        suspect_add(g->run, LMP_SUSPECT_GROWN, (uint64_t)grown->bytes, holder,
                    "%s grew by %s since %s (%s%s object%s new, %s gone).", change->name,
                    format_bytes(size, (uint64_t)grown->bytes), since, before ? "at last " : "",
                    format_count(made, change->made), change->made == 1 ? "" : "s",
                    format_count(gone, change->gone));
    if (!suspect) return;
    suspect->by = g->by;
    suspect->group = change->group;
    if (*path) memcpy(suspect->path, path, sizeof path);
}

static bool name_them(SuspectRun *run, const LmpSnapshotCompare *compare, LmpSnapshotBy by) {
    LmpObjectGroups groups;
    Grown most[SUSPECT_ROWS];
    if (groups_make(&groups, run->s, by, false) != LMP_OK) return false;
    Growing g = {.run = run, .groups = &groups, .compare = compare, .by = by};
    uint32_t found = find_most(&g, most);
    for (uint32_t i = 0; i < found; i++)
        add_grown(&g, &most[i]);
    groups_free(&groups);
    return true;
}

LmpSnapshotBy suspects_steps_by(const LmpSnapshot *s) {
    return s->ledger.lines != LMP_LINES_OFF ? LMP_BY_LINE : LMP_BY_CLASS;
}

/* Returns why there is no telling; NULL: there is. */
static const char *cannot(const SuspectRun *run) {
    const LmpSnapshotSteps *before = run->before;
    if (!run->old) return "Growth: there is no earlier snapshot to compare with.";
    if (!compare_same_run(run->old, run->s))
        return "Growth: the earlier snapshot is of another run.";
    if (before && before->foreign) return "Growth: the earlier snapshots are of several runs.";
    return NULL;
}

void suspects_grown(SuspectRun *run) {
    LmpSnapshotCompare compare;
    const char *why = cannot(run);
    if (why) {
        suspect_none(run, LMP_SUSPECT_GROWN, "%s", why);
        return;
    }
    LmpSnapshotBy by = run->before ? run->before->by : suspects_steps_by(run->s);
    if (compare_make(&compare, run->old, run->s, by) != LMP_OK) {
        run->failed = true;
        return;
    }
    if (!name_them(run, &compare, by)) run->failed = true;
    run->was = compare.was; /* for the rules after this one */
    compare.was = NULL;
    compare_free(&compare);
    if (suspect_any(run, LMP_SUSPECT_GROWN)) return;
    if (run->before)
        suspect_none(run, LMP_SUSPECT_GROWN,
                     "Nothing grew each time since snapshot %u and by %d %% of its heap in all.",
                     run->before->number, SUSPECT_GROWS);
    else
        suspect_none(run, LMP_SUSPECT_GROWN,
                     "Nothing grew by %d %% of the heap since the earlier snapshot.",
                     SUSPECT_GROWS);
}
