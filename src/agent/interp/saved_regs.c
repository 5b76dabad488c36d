/* saved_regs.c - the plan of saved_regs.h, from what the study (regs_study.h) has found. */
#include "agent/interp/saved_regs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/interp/entry.h"
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
        uint32_t home = saved_regs_asker_home(a->ret);
        while (plan.asker[home].ret)
            home = (home + 1) & ((1 << LMP_ASKER_BITS) - 1);
        plan.asker[home] = asker;
        plan.askers++;
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

static void study_once(void) {
    const char *seed = getenv(LMP_REGS_SEED);
    if (!frames_known() || (seed && !strcmp(seed, "off"))) return;
    LmpRegsStudy *study = calloc(1, sizeof *study);
    if (!study) return;
    study->make_plan = make_plan;
    volatile uintptr_t room[LMP_REGS_SEEN]; /* the study looks at as many words above */
    room[0] = room[LMP_REGS_SEEN - 1] = 0;
    lua_State *L = lua_newstate(regs_study_alloc, study);
    if (L) {
        plan_good = regs_play_all(study, L) && plan.askers > 0;
        free_callers_enter(&study->free_callers, &plan);
        plan.checked = study->checked;
        plan.differed = study->differed;
        run_wild();
        lua_close(L);
    }
    free(study);
}

#else
static void study_once(void) {}
#endif

const LmpSavedRegsPlan *saved_regs_plan(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, study_once);
    return plan_good ? &plan : NULL;
}
