/* flame_stage.h - the flame graph as a panel, for suites that press its keys: on the program of the
 * ledger's fixture, or on one whose shares are known. */
#ifndef LMP_FLAME_STAGE_H
#define LMP_FLAME_STAGE_H

#include "ledger_fixture.h"
#include "panel_draw.h"

#define PARTS (LEDGER_ALL | LEDGER_RATES | LEDGER_TREE_KINDS)

static inline void refresh(LedgerFixture *f) {
    Model *m = f->model;
    ck_assert_int_eq(ledger_refresh(&m->ledger, &f->tables->t, PARTS, m->clock), LMP_OK);
    m->ledger_parts = PARTS;
    m->ledger_serial++;
    m->ledger_marked = m->ledger.marked;
}

static inline LedgerFixture fixture_of(bool stacks, bool empty) {
    LedgerFixture f = ledger_fixture(stacks, empty);
    refresh(&f);
    return f;
}

/* d, u, l, r: arrows; e: enter; b: back; *: hottest; I: inverted; %: next width; T: next colours;
 * #: same function; n, N: matches; h: home; /: begins a search. */
static inline void press(Stage *s, const char *keys) {
    static const char known[] = "dulreb*I%T#nNh/+-";
    static const Action action[] = {
        ACT_DOWN,         ACT_UP,     ACT_LEFT,   ACT_RIGHT,   ACT_ENTER,   ACT_BACK,
        ACT_HOTTEST,      ACT_INVERT, ACT_WIDTH,  ACT_COLOUR,  ACT_SAME,    ACT_NEXT_MATCH,
        ACT_MATCH_BEFORE, ACT_HOME,   ACT_FILTER, ACT_ZOOM_IN, ACT_ZOOM_OUT};
    for (; *keys; keys++) {
        ck_assert_ptr_nonnull(strchr(known, *keys));
        stage_act(s, action[strchr(known, *keys) - known]);
        stage_draw(s);
    }
}

static inline void find(Stage *s, const char *words) {
    press(s, "/");
    stage_type(s, words, K_ENTER);
    stage_draw(s);
}

/* What is there after these keys. */
#define ck_press(s, keys, what)                                                                    \
    do {                                                                                           \
        press(s, keys);                                                                            \
        ck_says(s, what);                                                                          \
    } while (0)

/* Two branches of known sizes below the main chunk, and beside them fifty that are too narrow. */
typedef struct Known {
    LedgerFixture fixture;
    uint32_t outer;
    FakeSpot big, small, deep;
} Known;

enum { NARROW = 50 };

static inline Known known_program(void) {
    Known k = {.fixture = fixture_of(true, true)};
    FakeTables *f = k.fixture.tables;
    uint32_t a = fake_function(f, LMP_F_MAIN, "@a.lua", 0, "main chunk");
    uint32_t big = fake_function(f, LMP_F_LUA, "@a.lua", 5, "local 'big'");
    uint32_t small = fake_function(f, LMP_F_LUA, "@a.lua", 9, "upvalue 'small'");
    uint32_t b = fake_site(f, big, 6, 0), s = fake_site(f, small, 10, 0);
    k.outer = fake_node(f, 0, fake_site(f, a, 1, 0), 0);
    k.big = (FakeSpot){.site = b, .node = fake_node(f, k.outer, b, 0), .cls = LMP_C_TABLE};
    k.small = (FakeSpot){.site = s, .node = fake_node(f, k.outer, s, 0), .cls = LMP_C_STRING};
    /* the one in the other */
    k.deep = (FakeSpot){.site = b, .node = fake_node(f, k.small.node, b, 0), .cls = LMP_C_TABLE};
    fake_made(f, k.big, 10, 60000);
    fake_made(f, k.small, 10, 30000);
    fake_made(f, k.deep, 10, 8000);
    for (int i = 0; i < NARROW; i++) {
        char name[32];
        snprintf(name, sizeof name, "local 'narrow_%02d'", i);
        uint32_t n =
            fake_site(f, fake_function(f, LMP_F_LUA, "@b.lua", 10 * i + 1, name), 10 * i + 2, 0);
        FakeSpot spot = {.site = n, .node = fake_node(f, k.outer, n, 0), .cls = LMP_C_STRING};
        fake_made(f, spot, 1, 40);
    }
    refresh(&k.fixture);
    return k;
}

static inline void known_free(Known *k) {
    ledger_fixture_free(&k->fixture);
}

static inline Stage *known_stage(Known *k) {
    Stage *s = stage_new(&panel_flame, k->fixture.model, 100, 20, true, 256);
    stage_draw(s);
    return s;
}

#endif
