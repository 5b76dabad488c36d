/* large_run.h - what benches of runs share: a run with as many call paths as are asked for, of
 * 2,000 functions with three lines each. */
#ifndef LMP_BENCH_LARGE_RUN_H
#define LMP_BENCH_LARGE_RUN_H

#include "chance.h"
#include "fake_tables.h"

typedef struct LargeRun {
    uint32_t (*parent)(uint32_t node); /* of a node above 2: 2, or one between 2 and this one */
    uint64_t (*most)(uint32_t site);   /* bytes that are made there at once, at most */
} LargeRun;

enum { RUN_FUNCTIONS = 2000, RUN_LINES = 3 };

static inline void large_run_function(FakeTables *f, int i, uint32_t *site) {
    LmpTablesUsed *u = &f->live->tables;
    char text[64];
    snprintf(text, sizeof text, "@app/module_%d.lua", i / 20);
    uint32_t source = fake_text(f, text), short_src = fake_text(f, text + 1);
    snprintf(text, sizeof text, "function 'module_%d.step_%d'", i / 20, i);
    f->t.function[u->functions] = (LmpFunction){.kind = LMP_F_LUA,
                                                .source = source,
                                                .short_src = short_src,
                                                .linedefined = i % 20 * 10 + 1,
                                                .name = fake_text(f, text)};
    for (int line = 0; line < RUN_LINES; line++) {
        site[line] = u->sites;
        f->t.site[u->sites++] = (LmpSite){.function = u->functions, .line = i % 20 * 10 + 2 + line};
    }
    u->functions++;
}

/* Each line calls one of eight functions. What is made, is made everywhere. */
static inline FakeTables *large_run(const LargeRun *how, uint32_t nodes) {
    static uint32_t site[RUN_FUNCTIONS * RUN_LINES];
    FakeTables *f = fake_tables_new(NULL);
    LmpTablesUsed *u = &f->live->tables;
    for (int i = 0; i < RUN_FUNCTIONS; i++)
        large_run_function(f, i, site + i * RUN_LINES);
    u->stacks = 1;
    for (uint32_t i = u->nodes; i < nodes && i < LMP_NODES_MAX; i++) {
        uint32_t parent = i > 2 ? how->parent(i) : 0, k = (uint32_t)below(8);
        uint32_t caller = f->t.node[parent].site;
        uint32_t at = site[(caller * 7u + k * k * 31u + k) % (RUN_FUNCTIONS * RUN_LINES)];
        f->t.node[i] = (LmpNode){.parent = parent, .site = at};
        u->nodes = i + 1;
        FakeSpot spot = {at, i, i % 3 ? LMP_C_TABLE : LMP_C_STRING, 0};
        f->t.path[u->paths++] = (LmpPath){.node = i, .record = fake_record(f, at, spot.cls, 0)};
        fake_made(f, spot, 1 + below(100), 1 + below(how->most(at)));
        if (below(2)) fake_freed(f, spot, spot, 1, 1, 1);
    }
    return f;
}

#endif
