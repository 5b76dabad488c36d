/* kill_plan.c - see kill_plan.h. */
#include "kill_plan.h"

#include <stdio.h>

static const char *const victim_names[] = {"run",     "relay",    "viewer",
                                           "program", "recorder", "snapshot"};
const char *const kill_kinds[KINDS] = {"run", "start", "top"};
static uint64_t random_state;

static void seed_random(uint64_t seed, unsigned round) {
    random_state = seed * 0x9e3779b97f4a7c15u + round * 0xbf58476d1ce4e5b9u + 1;
}

static unsigned below(unsigned n) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ z >> 31) >> 33) % n;
}

static bool chance(unsigned percent) {
    return below(100) < percent;
}

/* Somebody must be left to do it: one of lmp's processes, or the program, whose module does it in
 * the end. */
bool plan_kills_all(const Plan *p) {
    const bool *v = p->victim;
    if (p->kind == K_TOP) return v[RUN] && v[V_VIEWER];
    return v[V_RELAY] && v[V_VIEWER] && (p->kind == K_START || v[RUN]);
}

static bool survivable(const Plan *p) {
    const bool *v = p->victim;
    bool any = false;
    for (int i = 0; i < VICTIMS; i++)
        any |= v[i];
    return any && !(plan_kills_all(p) && (p->kind == K_TOP || v[V_PROGRAM]));
}

Plan plan_make(uint64_t seed, unsigned round, int kind) {
    seed_random(seed, round);
    static const unsigned most_ms[] = {20, 120, 500};
    Plan p = {.kind = kind >= 0 ? (Kind)kind
                                : (Kind)(chance(55)   ? K_RUN
                                         : chance(75) ? K_START
                                                      : K_TOP)};
    p.hold = chance(50);
    p.slow_reader = chance(15);
    p.lines = p.slow_reader ? 100 + below(500) : chance(30) ? 5000 + below(15000) : below(400);
    p.pause_ms = below(3) * below(150);
    p.status = chance(50) ? 0 : 1 + (int)below(100);
    p.pause = chance(30);
    p.record = p.kind != K_TOP && chance(50);
    p.snapshot = p.kind != K_TOP && p.lines > 0 && chance(30);
    do {
        for (int i = 0; i < VICTIMS; i++)
            p.victim[i] = chance(i == V_PROGRAM ? 20 : 50);
        if (p.kind == K_START) p.victim[RUN] = false;
        p.victim[V_RECORDER] &= p.record;
        p.victim[V_SNAPSHOT] &= p.snapshot;
        if (p.kind == K_TOP) p.victim[V_RELAY] = p.victim[V_PROGRAM] = false;
    } while (!survivable(&p));
    /* Nobody else reads what the program writes then: it must not wait for that. */
    if (plan_kills_all(&p) && p.lines > 60) p.lines = 60;
    unsigned most = most_ms[below(3)], together = below(most);
    bool at_once = chance(40);
    for (int i = 0; i < VICTIMS; i++)
        p.at_ms[i] = at_once ? together : below(most);
    p.at_end = p.kind != K_TOP && chance(40);
    return p;
}

void plan_describe(char *out, size_t size, const Plan *p) {
    int n = snprintf(
        out, size, "%s%s%s%s%s, %u lines in %u ms%s, status %d; kill", kill_kinds[p->kind],
        p->kind == K_TOP ? ""
        : p->hold        ? " --hold"
                         : " --no-hold",
        p->record ? " recorded" : "", p->pause ? " paused" : "", p->snapshot ? " snapshot" : "",
        p->lines, p->pause_ms, p->slow_reader ? " (slow reader)" : "", p->status);
    for (int i = 0; i < VICTIMS; i++)
        if (p->victim[i] && n > 0 && (size_t)n < size)
            n += snprintf(out + n, size - (size_t)n, " %s@%u", victim_names[i], p->at_ms[i]);
    if (p->at_end && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " after its output");
}
