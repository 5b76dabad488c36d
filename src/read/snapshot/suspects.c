/* suspects.c - the table of rules; evaluates them in turn, makes one verdict of those with a common
 * holder, and sorts them by bytes. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/suspects_impl.h"
#include "read/snapshot/why.h"

static const struct Rule {
    /* The rule itself, or that about a page, which is asked where the page makes up enough. */
    void (*rule)(SuspectRun *run);
    void (*of_page)(SuspectRun *run, const LmpSuspectTable *page);
    LmpSuspectPage page;
    const char
        *none; /* what is said where the rule has said nothing; %d is `percent` of the heap */
    int percent;
    const char *holds; /* it is about who holds something: what that is; NULL: it is not */
} rules[LMP_SUSPECT_RULES] = {
    [LMP_SUSPECT_HOLDER] = {.rule = suspects_retainers,
                            .none = "No single object holds %d %% of the heap.",
                            .percent = SUSPECT_HOLDS,
                            .holds = "Objects"},
    [LMP_SUSPECT_CLASS] = {.rule = suspects_classes,
                           .none = "No class of objects holds %d %% of the heap beside what is "
                                   "told already.",
                           .percent = SUSPECT_HOLDS,
                           .holds = "Classes"},
    [LMP_SUSPECT_LINE] = {.rule = suspects_lines,
                          .none = "Nothing that one line made holds %d %% of the heap beside what "
                                  "is told already.",
                          .percent = SUSPECT_HOLDS,
                          .holds = "Lines"},
    [LMP_SUSPECT_GROWN] = {.rule = suspects_grown, .holds = "Growth"},
    [LMP_SUSPECT_STRINGS] = {.of_page = suspects_strings,
                             .page = LMP_PAGE_STRINGS,
                             .none = "Equal strings: further copies take less than %d %% of the "
                                     "heap.",
                             .percent = SUSPECT_WASTES},
    [LMP_SUSPECT_SLOTS] = {.of_page = suspects_slots,
                           .page = LMP_PAGE_TABLES,
                           .none = "Table slots with nothing in them take less than %d %% of the "
                                   "heap.",
                           .percent = SUSPECT_WASTES},
    [LMP_SUSPECT_GARBAGE] = {.rule = suspects_garbage,
                             .none = "Garbage that waits for the collector is less than %d %% of "
                                     "the heap.",
                             .percent = SUSPECT_WASTES},
    [LMP_SUSPECT_COROUTINES] = {.of_page = suspects_suspended,
                                .page = LMP_PAGE_COROUTINES,
                                .none = "Suspended coroutines hold less than %d %% of the heap.",
                                .percent = SUSPECT_WASTES},
    [LMP_SUSPECT_REFERENCES] = {.of_page = suspects_references,
                                .page = LMP_PAGE_REFERENCES,
                                .none = "Numbers in the registry (luaL_ref) hold less than %d %% "
                                        "of the heap.",
                                .percent = SUSPECT_WASTES,
                                .holds = "References in the registry"},
};

/* ---- rows ------------------------------------------------------------------------------------ */

static void say(LmpSuspect *row, const char *words, va_list args) {
    vsnprintf(row->words, sizeof row->words, words, args);
}

static LmpSuspect *row_new(SuspectRun *run, LmpSuspectRule rule) {
    LmpSuspects *out = run->out;
    if (out->rows >= sizeof out->row / sizeof out->row[0]) return NULL;
    LmpSuspect *row = &out->row[out->rows++];
    *row = (LmpSuspect){
        .rule = rule, .object = LMP_OBJECT_NONE, .by = LMP_BYS, .group = LMP_OBJECT_NONE};
    return row;
}

static void put_path(const LmpSnapshot *s, LmpSuspect *row) {
    LmpWhyPaths why;
    if (row->object == LMP_OBJECT_NONE || row->object == 0) return;
    if (why_make(&why, s, row->object, 1, NULL, 0) != LMP_OK) return;
    if (why.paths > 0) why_text(s, &why.path[0], row->path, sizeof row->path);
    why_free(&why);
}

LmpSuspect *suspect_add(SuspectRun *run, LmpSuspectRule rule, uint64_t bytes, uint32_t object,
                        const char *words, ...) {
    LmpSuspect *row = row_new(run, rule);
    va_list args;
    if (!row) return NULL;
    row->fired = true;
    row->bytes = bytes;
    row->object = object;
    va_start(args, words);
    say(row, words, args);
    va_end(args);
    put_path(run->s, row);
    return row;
}

void suspect_none(SuspectRun *run, LmpSuspectRule rule, const char *words, ...) {
    LmpSuspect *row = row_new(run, rule);
    va_list args;
    if (!row) return;
    va_start(args, words);
    say(row, words, args);
    va_end(args);
}

bool suspect_any(const SuspectRun *run, LmpSuspectRule rule) {
    for (uint32_t i = 0; i < run->out->rows; i++)
        if (run->out->row[i].rule == rule) return true;
    return false;
}

const char *suspect_share(char *out, uint64_t bytes, uint64_t whole) {
    char size[LMP_NUM];
    double percent = whole ? (double)bytes * 100 / (double)whole : 0;
    snprintf(out, 64, "%u %% (%s)", (unsigned)(percent + 0.5), format_bytes(size, bytes));
    return out;
}

/* ---- what everything hangs from -------------------------------------------------------------- */

/* Root, registry, globals, package.loaded and the main thread hold everything in every program: it
 * is what hangs from them that is of interest. */
static void find_trunk(SuspectRun *run) {
    const LmpSnapshot *s = run->s;
    const uint32_t trunk[] = {s->registry, s->globals, s->loaded, s->main_thread};
    run->trunk[0] = 1;
    for (size_t i = 0; i < sizeof trunk / sizeof trunk[0]; i++)
        if (trunk[i] != LMP_OBJECT_NONE) run->trunk[trunk[i]] = 1;
}

/* ---- one verdict for one holder -------------------------------------------------------------- */

static bool about_keepers(const LmpSuspect *row) {
    return row->fired && rules[row->rule].holds;
}

static bool common_holder(const SuspectRun *run, const LmpSuspect *kept, const LmpSuspect *other) {
    if (kept->object == LMP_OBJECT_NONE || other->object == LMP_OBJECT_NONE) return false;
    if (kept->object == other->object) return true;
    return kept->rule == LMP_SUSPECT_HOLDER && other->rule != LMP_SUSPECT_HOLDER &&
           !run->trunk[kept->object] && snapshot_dominates(run->s, kept->object, other->object);
}

/* A class is already named as what the holder holds; the other rules add a sentence. */
static void append(LmpSuspect *kept, const LmpSuspect *other) {
    size_t used = strlen(kept->words), more = strlen(other->words);
    bool said = kept->rule == LMP_SUSPECT_HOLDER && other->rule == LMP_SUSPECT_CLASS;
    if (said || kept->rule == other->rule || used + more + 2 > sizeof kept->words) return;
    kept->words[used] = ' ';
    memcpy(kept->words + used + 1, other->words, more + 1);
}

static void make_one(SuspectRun *run) {
    LmpSuspects *out = run->out;
    bool fired[LMP_SUSPECT_RULES] = {false};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->rows; i++) {
        uint32_t k = 0;
        while (k < kept && !(about_keepers(&out->row[i]) && about_keepers(&out->row[k]) &&
                             common_holder(run, &out->row[k], &out->row[i])))
            k++;
        fired[out->row[i].rule] = true;
        if (k < kept)
            append(&out->row[k], &out->row[i]);
        else
            out->row[kept++] = out->row[i];
    }
    out->rows = kept;
    for (uint32_t rule = 0; rule < LMP_SUSPECT_RULES; rule++)
        if (fired[rule] && !suspect_any(run, rule))
            suspect_none(run, rule, "%s: what they hold is said with its holder.",
                         rules[rule].holds);
}

static int by_bytes(const void *a, const void *b) {
    const LmpSuspect *x = a, *y = b;
    if (x->fired != y->fired) return x->fired ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

static void evaluate_page(SuspectRun *run, const struct Rule *rule) {
    LmpSuspectTable page;
    run->failed = suspects_page_make_of(&page, run->s, rule->page, run->heap) != LMP_OK;
    if (page.rows > 0 && suspect_over(page.all_bytes, run->heap, SUSPECT_WASTES))
        rule->of_page(run, &page);
    suspects_page_free(&page);
}

static void evaluate(SuspectRun *run) {
    find_trunk(run);
    for (uint32_t i = 0; i < LMP_SUSPECT_RULES && !run->failed; i++) {
        if (rules[i].rule)
            rules[i].rule(run);
        else
            evaluate_page(run, &rules[i]);
        if (!run->failed && !suspect_any(run, i))
            suspect_none(run, i, rules[i].none, rules[i].percent);
    }
    make_one(run);
    qsort(run->out->row, run->out->rows, sizeof run->out->row[0], by_bytes);
    while (run->out->fired < run->out->rows && run->out->row[run->out->fired].fired)
        run->out->fired++;
}

LmpErr suspects_make(LmpSuspects *out, const LmpSnapshot *s, const LmpSnapshot *old,
                     const LmpSnapshotSteps *before) {
    SuspectRun run = {.s = s,
                      .old = old,
                      .before = before && before->steps > 0 ? before : NULL,
                      .out = out,
                      .heap = s->garbage_bytes + s->reachable_bytes,
                      .trunk = calloc((size_t)s->g.objects + 1, 1),
                      .told = calloc((size_t)s->g.objects + 1, 1),
                      .count = malloc(((size_t)s->g.objects + 1) * sizeof *run.count)};
    memset(out, 0, sizeof *out);
    run.failed = !run.trunk || !run.told || !run.count;
    if (!run.failed) evaluate(&run);
    free(run.trunk);
    free(run.told);
    free(run.count);
    free(run.was);
    return run.failed ? LMP_E_NOMEM : LMP_OK;
}
