/* saved_regs.c - the plan of saved_regs.h, from what the study (regs_study.h) has found. */
#include "agent/interp/saved_regs.h"

#include <stdlib.h>
#include <string.h>

#include "agent/interp/entry.h"
#include "agent/interp/learned.h"
#include "agent/interp/learning.h"
#include "agent/interp/regs_study.h"

static LmpSavedRegsPlan plan;
static bool plan_good;

bool saved_regs_none(void) {
    const char *seed = getenv(LMP_REGS_SEED);
    return seed && !strcmp(seed, "none");
}

#if LMP_HAS_ENTRY

enum { LEAST_SEEN = 3 }; /* requests after which a thread's location is known */

static uint64_t random_below(uint64_t n, const char *seed) {
    static uint64_t random;
    if (!random) random = strtoull(seed, NULL, 10) * 2 + 1;
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    return (random >> 33) % n;
}

/* Which of the n remaining candidates is taken: the first, or one by the tests' seed. */
static uint32_t choose(uint32_t n) {
    const char *seed = getenv(LMP_REGS_SEED);
    return seed && n ? (uint32_t)random_below(n, seed) : 0;
}

/* For a test of what happens when a word is not what it should be: random locations. */
static void run_wild(void) {
    const char *seed = getenv(LMP_REGS_SEED);
    enum { NEAR = 64 };
    if (!seed || strncmp(seed, "wild", 4) != 0) return;
    for (uint32_t i = 0; i < sizeof plan.asker / sizeof *plan.asker; i++)
        if (plan.asker[i].ret) plan.asker[i].at_thread = (int32_t)random_below(NEAR, seed + 4);
    for (uint32_t i = 0; i < LMP_NEWTABLES; i++) {
        plan.object[i].at_pc = (int32_t)random_below(NEAR, seed + 4);
        plan.part[i].at_pc = (int32_t)random_below(NEAR, seed + 4);
    }
    plan.objects.at_thread = (int32_t)random_below(NEAR, seed + 4);
    plan.resizer.at_thread = (int32_t)random_below(NEAR, seed + 4);
    plan.differed = 0;
}

static int32_t location_of(const LmpAskerStudy *asker) {
    uint32_t n = 0;
    if (asker->seen < LEAST_SEEN || !asker->others) return -1;
    for (size_t i = 0; i < LMP_REGS_SEEN / 64; i++)
        n += (uint32_t)__builtin_popcountll(asker->right.bits[i]);
    uint32_t nth = choose(n);
    for (int32_t i = 0; n && i < LMP_REGS_SEEN; i++)
        if (asker->right.bits[i / 64] >> (i % 64) & 1 && !nth--) return i;
    return -1;
}

static void enter_asker(LmpAsker asker) {
    uint32_t home = saved_regs_asker_home(asker.ret);
    while (plan.asker[home].ret)
        home = (home + 1) & ((1 << LMP_ASKER_BITS) - 1);
    plan.asker[home] = asker;
    plan.askers++;
}

static void enter_askers(const LmpRegsStudy *study) {
    const LmpAskerStudy *most = NULL, *resizes = NULL;
    for (uint32_t i = 0; i < study->askers; i++) {
        const LmpAskerStudy *a = &study->asker[i];
        if (a->first_try && a->object && (!most || a->seen > most->seen)) most = a;
        if (a->first_try && a->resizes && (!resizes || a->seen > resizes->seen)) resizes = a;
    }
    for (uint32_t i = 0; i < study->askers; i++) {
        const LmpAskerStudy *a = &study->asker[i];
        LmpAsker asker = {a->ret, location_of(a), !a->first_try};
        if (asker.at_thread < 0) continue;
        enter_asker(asker);
        if (a == most) plan.objects = asker;
        if (a == resizes) plan.resizer = asker;
    }
    plan.askers_met = study->askers;
}

static void enter_newtables(const LmpRegsStudy *study) {
    uint32_t objects = 0, parts = 0;
    for (uint32_t i = 0; i < study->ways; i++) {
        const LmpWayStudy *way = &study->way[i];
        uint32_t *n = way->object ? &objects : &parts;
        if (!way->proven || *n == LMP_NEWTABLES) continue;
        const LmpLocation *location = &way->location[choose(way->proven)];
        (way->object ? plan.object : plan.part)[(*n)++] =
            (LmpNewtable){way->ret, way->loop, way->at_loop, location->at, location->ahead};
    }
    plan.newtables = objects + parts;
    plan.newtables_met = study->ways + study->lost_ways;
}

static const LmpSavedRegsPlan *make_plan(const LmpRegsStudy *study) {
    enter_askers(study);
    enter_newtables(study);
    return &plan;
}

/* ---- kept for the next start ----------------------------------------------------------------- */

/* A row's first number says what it is; after it: the whole (askers and newtables that were met,
 * and the rehearsal), an asker (at_thread, again, has most objects, has most resizes), a way to a
 * table or a part of one (at_loop, at_pc, ahead), a caller that frees (at, collector, program). */
enum { ROW_WHOLE, ROW_ASKER, ROW_OBJECT, ROW_PART, ROW_FREE };
enum { ROWS_MOST = 1 + LMP_ASKERS + 2 * LMP_NEWTABLES + LMP_MOST_FREE_CALLERS };

static const char kept_name[] = "registers";

static uint32_t newtable_rows(LmpLearnedRow *row, const LmpNewtable *n, int32_t kind) {
    uint32_t rows = 0;
    for (; n->ret; n++)
        row[rows++] = (LmpLearnedRow){{n->ret, n->loop}, {kind, n->at_loop, n->at_pc, n->ahead}};
    return rows;
}

static void keep_plan(const LmpFreeCallers *frees) {
    LmpLearnedRow *row = calloc(ROWS_MOST, sizeof *row);
    uint32_t n = 0;
    if (!row) return;
    row[n++] = (LmpLearnedRow){{0},
                               {ROW_WHOLE, (int32_t)plan.askers_met, (int32_t)plan.newtables_met,
                                (int32_t)plan.checked, (int32_t)plan.differed}};
    for (uint32_t i = 0; i < 1 << LMP_ASKER_BITS; i++) {
        const LmpAsker *a = &plan.asker[i];
        if (!a->ret) continue;
        row[n++] = (LmpLearnedRow){{a->ret},
                                   {ROW_ASKER, a->at_thread, a->again, a->ret == plan.objects.ret,
                                    a->ret == plan.resizer.ret}};
    }
    n += newtable_rows(row + n, plan.object, ROW_OBJECT);
    n += newtable_rows(row + n, plan.part, ROW_PART);
    for (uint32_t i = 0; i < frees->n; i++) {
        const struct LmpFreeCaller *f = &frees->caller[i];
        row[n++] = (LmpLearnedRow){{f->ret, f->next}, {ROW_FREE, f->at, f->collector, f->program}};
    }
    learned_write(kept_name, row, n);
    free(row);
}

static bool seen_word(int32_t at) {
    return at >= 0 && at < LMP_REGS_SEEN;
}

static bool take_newtable(const LmpLearnedRow *row, LmpNewtable *list) {
    const int32_t *n = row->number;
    uint32_t i = 0;
    while (list[i].ret)
        i++;
    if (i == LMP_NEWTABLES || !seen_word(n[1]) || !seen_word(n[2])) return false;
    list[i] = (LmpNewtable){row->place[0], row->place[1], n[1], n[2], n[3]};
    plan.newtables++;
    return true;
}

static bool take_row(const LmpLearnedRow *row, LmpFreeCallers *frees) {
    const int32_t *n = row->number;
    LmpAsker asker = {row->place[0], n[1], n[2] != 0};
    if (n[0] != ROW_WHOLE && !row->place[0]) return false;
    switch (n[0]) {
    case ROW_WHOLE:
        plan.askers_met = (uint32_t)n[1];
        plan.newtables_met = (uint32_t)n[2];
        plan.checked = (uint32_t)n[3];
        plan.differed = (uint32_t)n[4];
        return true;
    case ROW_ASKER:
        if (!seen_word(n[1]) || plan.askers == LMP_ASKERS) return false;
        enter_asker(asker);
        if (n[3]) plan.objects = asker;
        if (n[4]) plan.resizer = asker;
        return true;
    case ROW_OBJECT:
        return take_newtable(row, plan.object);
    case ROW_PART:
        return take_newtable(row, plan.part);
    case ROW_FREE:
        if (frees->n == LMP_MOST_FREE_CALLERS || !free_caller_near(n[1])) return false;
        frees->caller[frees->n++] =
            (struct LmpFreeCaller){row->place[0], row->place[1], n[1], n[2] != 0, n[3] != 0};
        return true;
    default:
        return false;
    }
}

/* What an earlier start has learned of the same code, if all of it holds. */
static bool take_kept(void) {
    uint32_t rows = 0;
    LmpLearnedRow *row = learned_read(kept_name, &rows);
    LmpFreeCallers *frees = row ? calloc(1, sizeof *frees) : NULL;
    bool good = frees != NULL;
    for (uint32_t i = 0; good && i < rows; i++)
        good = take_row(&row[i], frees);
    good = good && plan.askers > 0;
    if (good)
        free_callers_enter(frees, &plan);
    else
        plan = (LmpSavedRegsPlan){0};
    free(frees);
    free(row);
    return good;
}

static void study_once(void) {
    const char *seed = getenv(LMP_REGS_SEED);
    if (!frames_known() || (seed && !strcmp(seed, "off"))) return;
    plan_good = !seed && take_kept();
    if (plan_good) return;
    LmpRegsStudy *study = calloc(1, sizeof *study);
    if (!study) return;
    study->make_plan = make_plan;
    volatile uintptr_t room[LMP_REGS_SEEN]; /* the study looks at as many words above */
    room[0] = room[LMP_REGS_SEEN - 1] = 0;
    lua_State *L = luafacts_newstate(regs_study_alloc, study);
    if (L) {
        plan_good = regs_play_all(study, L) && plan.askers > 0;
        free_callers_enter(&study->free_callers, &plan);
        plan.checked = study->checked;
        plan.differed = study->differed;
        if (plan_good && !seed) keep_plan(&study->free_callers);
        run_wild();
        lua_close(L);
    }
    free(study);
}

#else
static void study_once(void) {}
#endif

const LmpSavedRegsPlan *saved_regs_plan(void) {
    static atomic_bool once;
    learning_once(&once, study_once);
    return plan_good ? &plan : NULL;
}
