/* suspects_wastes.c - rules about what is there for nothing: equal strings, empty slots, garbage,
 * coroutines that nobody resumes, references that nobody gave back. Their figures are those of the
 * pages (suspects.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/suspects_impl.h"

void suspects_strings(SuspectRun *run, const LmpSuspectTable *t) {
    char share[64], count[LMP_NUM];
    const LmpSuspectRow *most = &t->row[0];
    suspect_add(run, LMP_SUSPECT_STRINGS, t->all_bytes, most->object,
                "Further copies of equal strings take %s of the heap; most of all there are %s "
                "\xc3\x97 %s.",
                suspect_share(share, t->all_bytes, run->heap), format_count(count, most->number[2]),
                most->text[0]);
}

void suspects_slots(SuspectRun *run, const LmpSuspectTable *t) {
    char share[64], count[LMP_NUM];
    const LmpSuspectRow *most = &t->row[0];
    bool one = most->number[2] == 1;
    suspect_add(
        run, LMP_SUSPECT_SLOTS, t->all_bytes, most->object,
        "Table slots with nothing in them take %s of the heap; most in %s%s%s%s%s %s, %u %% "
        "full.",
        suspect_share(share, t->all_bytes, run->heap),
        one ? "one table" : format_count(count, most->number[2]), one ? "" : " tables",
        *most->text[0] ? " made at " : "", most->text[0], one ? "," : ", such as", most->text[1],
        (unsigned)most->number[4]);
}

typedef struct Suspended {
    uint32_t count, stayed;    /* coroutines; those that the older snapshot has as they are */
    const LmpSuspectRow *most; /* where most of them wait; NULL: there are none */
    uint64_t bytes;            /* that all of them retain together */
} Suspended;

static Suspended find_suspended(SuspectRun *run, const LmpSuspectTable *t) {
    const LmpSnapshot *s = run->s;
    uint64_t retained[2] = {0};
    Suspended all = {0};
    memset(run->count, 0, s->g.objects * sizeof *run->count);
    for (uint32_t r = 0; r < t->rows; r++) {
        if (strcmp(t->row[r].text[0], "suspended") != 0) continue;
        if (!all.most) all.most = &t->row[r];
        all.count += t->row[r].objects;
        for (uint32_t k = 0; k < t->row[r].objects; k++) {
            uint32_t thread = t->member[t->row[r].first + k];
            run->count[thread] = 1;
            all.stayed += suspects_stayed(run, thread);
        }
    }
    if (!groups_retained(s, run->count, 1, retained)) run->failed = true;
    all.bytes = retained[1];
    return all;
}

/* Of one snapshot nobody knows whether somebody will resume them, of two whether somebody has. */
static void put_outlook(const SuspectRun *run, const Suspended *all, char *out, size_t size) {
    char count[LMP_NUM], span[LMP_NUM];
    bool one = all->count == 1;
    if (all->stayed == 0) {
        snprintf(out, size, ": if nobody resumes %s, that stays.", one ? "it" : "them");
        return;
    }
    uint64_t apart = run->s->info.clock - run->old->info.clock;
    bool whole = all->stayed == all->count;
    snprintf(out, size,
             ". %s stood there %s before with the same variables: as it seems nobody resumes %s.",
             one     ? "It"
             : whole ? "All of them"
                     : format_count(count, all->stayed),
             format_span(span, run->s->info.clock > run->old->info.clock ? apart : 0),
             one || all->stayed == 1 ? "it" : "them");
}

void suspects_suspended(SuspectRun *run, const LmpSuspectTable *t) {
    char share[64], count[LMP_NUM], there[LMP_NUM], outlook[200];
    Suspended all = find_suspended(run, t);
    if (!all.most || !suspect_over(all.bytes, run->heap, SUSPECT_WASTES)) return;
    suspect_share(share, all.bytes, run->heap);
    put_outlook(run, &all, outlook, sizeof outlook);
    if (all.count == 1)
        suspect_add(run, LMP_SUSPECT_COROUTINES, all.bytes, all.most->object,
                    "One coroutine is suspended and holds %s of the heap, at %s%s", share,
                    all.most->text[1], outlook);
    else
        suspect_add(run, LMP_SUSPECT_COROUTINES, all.bytes, all.most->object,
                    "%s coroutines are suspended and hold %s of the heap, %s of them at %s%s",
                    format_count(count, all.count), share, format_count(there, all.most->objects),
                    all.most->text[1], outlook);
}

void suspects_references(SuspectRun *run, const LmpSuspectTable *t) {
    char share[64], count[LMP_NUM];
    uint64_t n = 0;
    for (uint32_t r = 0; r < t->rows; r++)
        n += t->row[r].number[2];
    suspect_share(share, t->all_bytes, run->heap);
    if (n == 1) {
        suspect_add(run, LMP_SUSPECT_REFERENCES, t->all_bytes, t->row[0].object,
                    "One number in the registry, as C code takes it with luaL_ref, holds %s of the "
                    "heap: %s.",
                    share, t->row[0].text[0]);
        return;
    }
    suspect_add(run, LMP_SUSPECT_REFERENCES, t->all_bytes, run->s->registry,
                "%s numbers in the registry, as C code takes them with luaL_ref, hold %s of the "
                "heap, most of them %s.",
                format_count(count, n), share, t->row[0].text[0]);
}

void suspects_garbage(SuspectRun *run) {
    const LmpSnapshot *s = run->s;
    char share[64], count[LMP_NUM];
    if (!suspect_over(s->garbage_bytes, run->heap, SUSPECT_WASTES)) return;
    suspect_add(run, LMP_SUSPECT_GARBAGE, s->garbage_bytes, LMP_OBJECT_NONE,
                "%s of the heap is garbage that waits for the collector (%s objects).",
                suspect_share(share, s->garbage_bytes, run->heap),
                format_count(count, s->garbage_objects));
}
