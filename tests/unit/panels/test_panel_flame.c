/* The flame graph as a panel: golden files, and what keys and the mouse do. Searching:
 * test_panel_flame_find.c. What stands where is tested in test_flameplan.c, which bars there
 * are in test_flametree.c. */
#include "flame_stage.h"

static const struct {
    const char *name, *keys, *words;
} sights[] = {
    {"flame-118x24.txt", "", ""},
    {"flame-198x40.txt", "", ""},
    {"flame-78x18.txt", "", ""},
    {"flame-58x9.txt", "", ""},
    {"flame-20x4.txt", "", ""},
    {"flame-78x18-8.txt", "", ""},
    {"flame-78x18-mono-ascii.txt", "", ""},
    {"flame-78x18-types-mono.txt", "T", ""},
    {"flame-118x24-types.txt", "T", ""},
    {"flame-118x24-inverted.txt", "I", ""},
    {"flame-118x24-made.txt", "%", ""},
    {"flame-118x24-zoomed.txt", "*e", ""},
    {"flame-118x24-found.txt", "", "price"},
    {"flame-78x18-found-mono.txt", "", "price"},
};

TEST(test_sizes) {
    OWN(ledger_fixture_free) LedgerFixture fixture = fixture_of(true, false);
    for (size_t i = 0; i < sizeof sights / sizeof *sights; i++) {
        OWN(stage_free_at) Stage *s = stage_named(&panel_flame, fixture.model, sights[i].name);
        stage_draw(s);
        press(s, sights[i].keys);
        if (sights[i].words[0]) find(s, sights[i].words);
        stage_golden(s, sights[i].name);
    }
}

TEST(test_without_stacks) {
    OWN(ledger_fixture_free) LedgerFixture fixture = fixture_of(false, false);
    OWN(stage_free_at) Stage *s = stage_new(&panel_flame, fixture.model, 78, 12, true, 256);
    ck_says(s, "lmp run --stacks");
    ck_assert(!stage_act(s, ACT_DOWN));
    ck_assert(!stage_act(s, ACT_BACK));
    ck_assert(stage_act(s, ACT_FLAME)); /* leads back, whatever there is */
    PanelPlace place;
    ck_assert(!panel_flame.place(s->state, s->model, &s->ui, &place));
}

TEST(test_from_the_tree_and_back) {
    OWN(ledger_fixture_free) LedgerFixture fixture = fixture_of(true, false);
    OWN(stage_free_at) Stage *s = stage_new(&panel_tree, fixture.model, 118, 24, true, 256);
    ck_assert(stage_act(s, ACT_FLAME));
    ck_assert_ptr_eq(s->ui.over, &panel_flame);
    panel_destroy(s->panel, s->state);
    s->panel = &panel_flame;
    s->state = panel_create(&panel_flame);
    ck_assert(stage_act(s, ACT_FLAME));
    ck_assert_ptr_null(s->ui.over);
}

TEST(test_moving) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
    ck_press(s, "d", "main chunk  a.lua");
    ck_press(s, "d", "big local  a.lua:5  in line 6"); /* to the widest */
    ck_says(s, "58.6 KiB live  60.0 % of all");
    ck_press(s, "r", "small upvalue"); /* the rest stands behind bars */
    ck_press(s, "r", "50 of what main chunk calls, each too narrow");
    ck_says(s, "2.0 KiB live  2.0 % of all");
    ck_press(s, "r", "50 of what main chunk calls"); /* nothing further */
    ck_press(s, "l", "small upvalue");
    ck_press(s, "du", "small upvalue");
    ck_press(s, "uu", "100.0 % of all");
    ck_press(s, "*", "big local");
    PanelPlace place;
    ck_assert(panel_flame.place(s->state, s->model, &s->ui, &place));
    ck_assert_str_eq(place.source, "@a.lua");
    ck_assert_int_eq(place.line, 6);
}

TEST(test_zooming) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
    ck_press(s, "ddr", "small upvalue");
    ck_assert(stage_act(s, ACT_ENTER));
    ck_says(s, "all ▸ main chunk ▸ small");
    ck_press(s, "d", "7.8 KiB live  8.0 % of all  21.1 % of small"); /* what it called has its share
                                                                        of the whole width now */
    ck_assert(stage_act(s, ACT_BACK));
    ck_says_not(s, "▸");
    ck_says(s, "big local");            /* the selection is where it was */
    ck_assert(!stage_act(s, ACT_BACK)); /* and then the panel closes */
    press(s, "eeee");                   /* into it, once */
    ck_says(s, "all ▸ main chunk ▸ small ▸ big");
    press(s, "b");
    ck_assert(!stage_act(s, ACT_BACK));
}

/* Enter on those too narrow: first where they are, then they alone. */
TEST(test_zooming_into_the_rest) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
    ck_press(s, "ddrr", "50 of what main chunk calls");
    ck_press(s, "e", "all ▸ main chunk");
    ck_press(s, "drr", "50 of what main chunk calls");
    ck_says_not(s, "rrow_");
    press(s, "e");
    ck_press(s, "d", "narrow_00 local");
    ck_press(s, "r", "narrow_01 local");
    ck_says(s, "40 B live  <0.1 % of all");
    press(s, "bb");
    ck_says_not(s, "▸");
}

TEST(test_inverted) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
    ck_press(s, "Id", "big local");
    ck_says(s, "66.4 KiB live  68.0 % of all"); /* both of its calls */
    ck_press(s, "d", "main chunk");             /* the larger caller */
    ck_says(s, "60.0 % of all");
    ck_press(s, "r", "small upvalue");
    ck_says(s, "8.0 % of all");
}

TEST(test_widths) {
    OWN(known_free) Known k = known_program();
    fake_freed(k.fixture.tables, k.big, k.big, 5, 30000, 5);
    refresh(&k.fixture);
    OWN(stage_free_at) Stage *s = stage_new(&panel_flame, k.fixture.model, 120, 20, true, 256);
    static const char *const notes[] = {"bytes made", "temporary bytes", "bytes at the peak",
                                        "live blocks", "live bytes"};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        ck_press(s, "%", notes[i]);
    }
    ck_press(s, "ddl", "29.3 KiB live");
    ck_press(s, "%", "58.6 KiB made");                      /* what is selected stays */
    ck_press(s, "%", "29.3 KiB temporary  100.0 % of all"); /* five of ten, by their average size */
    ck_says(s, "50.0 % freed at once");
}

/* With a mark there are three more widths and one more colour; without it what they were is shown
 * in live bytes again. */
TEST(test_since_the_mark) {
    OWN(known_free) Known k = known_program();
    fake_mark(k.fixture.tables);
    k.fixture.model->ledger.count_from = 1;
    fake_made(k.fixture.tables, k.small, 10, 70000);
    fake_made(k.fixture.tables, k.big, 10, 20000);
    fake_freed(k.fixture.tables, k.big, k.big, 10, 50000, 0);
    refresh(&k.fixture);
    ck_assert(k.fixture.model->ledger_marked);
    OWN(stage_free_at) Stage *s = stage_new(&panel_flame, k.fixture.model, 160, 20, true, 256);
    ck_press(s, "%%%%%", "87.9 KiB made since");
    ck_press(s, "%%", "68.4 KiB grown · % grown since the mark");
    ck_says_not(s, " big"); /* it shrank */
    ck_press(s, "dd", "68.4 KiB grown  100.0 % of all");
    ck_says(s, "+68.4 KiB since the mark");
    ck_press(s, "TT", "T change");
    ck_says(s, "half gone");
    ck_press(s, "%", "shrunk · % shrunk since the mark");
    ck_says(s, " big");
    press(s, "%dd"); /* live bytes: all are there, less and more */
    ck_assert(stage_has_tone(s, "cursor-ground/change.0"));
    ck_assert(stage_has_tone(s, "change.4"));
    ck_press(s, "%%%%%%%", "grown since");
    k.fixture.model->ledger.count_from = 0;
    refresh(&k.fixture);
    ck_says(s, "live bytes · T what lives");
    ck_press(s, "%", "bytes made");
}

/* Another run beside it: what it had and this one has not is there at first, blue beside red. */
TEST(test_another_run) {
    OWN(known_free) Known k = known_program();
    fake_mark(k.fixture.tables);
    k.fixture.model->ledger.count_from = 1;
    fake_made(k.fixture.tables, k.small, 10, 70000);
    fake_freed(k.fixture.tables, k.big, k.big, 10, 50000, 0);
    refresh(&k.fixture);
    k.fixture.model->against.name = "old.lmprec";
    OWN(stage_free_at) Stage *s = stage_new(&panel_flame, k.fixture.model, 160, 20, true, 256);
    ck_says(s, "% live in either run · T change");
    ck_says(s, " big");
    ck_says(s, "against the other run: ");
    ck_says_not(s, "the mark");
    ck_assert(stage_has_tone(s, "change.0"));
    ck_assert(stage_has_tone(s, "change.4"));
    ck_press(s, "%%%%%%%%", "% more live bytes");
    ck_press(s, "%", "% fewer live bytes");
    ck_press(
        s, "T%%%%%%%%%%",
        "% fewer live bytes · T what lives"); /* what was chosen stays so, other figures or not */
}

/* What a block's alloc context points to: the fixture makes none. */
static void add_path(Known *k, FakeSpot at) {
    FakeTables *f = k->fixture.tables;
    LmpTablesUsed *used = &f->live->tables;
    f->t.path[used->paths++] =
        (LmpPath){.node = at.node, .record = fake_record(f, at.site, at.cls, at.tag)};
}

/* What each line makes most of, from the tables to the graph. */
TEST(test_types) {
    OWN(known_free) Known k = known_program();
    Ledger *ledger = &k.fixture.model->ledger;
    FakeSpot text = {.site = k.big.site, .node = k.big.node, .cls = LMP_C_STRING};
    fake_made(k.fixture.tables, text, 10, 10000); /* fewer bytes than tables */
    FakeSpot spots[] = {text, k.big, k.small, k.deep};
    for (int i = 0; i < 4; i++)
        add_path(&k, spots[i]);
    refresh(&k.fixture);
    for (uint32_t i = 0; i < ledger->nodes; i++) {
        const LmpTreeRow *row = &ledger->tree[i];
        unsigned want = strcmp(row->name, "local 'big'") == 0       ? LMP_TABLE
                        : strcmp(row->name, "upvalue 'small'") == 0 ? LMP_STRING
                                                                    : LMP_KINDS;
        ck_assert_uint_eq(row->kind, want);
    }
    OWN(stage_free_at) Stage *s = stage_new(&panel_flame, k.fixture.model, 100, 20, true, 0);
    ck_press(s, "T", "[ t big");
    ck_says(s, "[ s small");
}

/* Each row of the graph by the mouse; twice is enter. */
TEST(test_mouse) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
#define CLICK(what_, x_, y_)                                                                       \
    panel_flame.mouse(s->state, s->model, &s->ui, (MouseEvent){what_, x_, y_}, s->rect)
    for (int y = 6; y < 9; y++) { /* three lines each, as there is room */
        ck_assert(CLICK(MOUSE_CLICK, 10, y));
        ck_says(s, "big local");
        ck_assert(CLICK(MOUSE_CLICK, 70, y));
        ck_says(s, "small upvalue");
    }
    ck_assert(CLICK(MOUSE_CLICK, 10, 5));
    ck_says(s, " main chunk  ");
    ck_assert(CLICK(MOUSE_CLICK, 99, 8));
    ck_says(s, "50 of what main chunk calls");
    ck_assert(CLICK(MOUSE_CLICK, 70, 12)); /* nothing is there */
    ck_says(s, "50 of what main chunk calls");
    ck_assert(!CLICK(MOUSE_DOUBLE, 70, 7));
    ck_assert(stage_act(s, ACT_ENTER));
    ck_says(s, "all ▸ main chunk ▸ small");
    ck_assert(CLICK(MOUSE_WHEEL_DOWN, 70, 2));
    ck_assert(CLICK(MOUSE_WHEEL_UP, 70, 2));
}

/* The first line of the panel with `word` on it, below its title, from 0. */
static int line_of(Stage *s, const char *word) {
    char *text = stage_text(s), *at = strstr(text, word);
    ck_assert_msg(at != NULL, "no %s in\n%s", word, text);
    int line = -1;
    for (char *c = text; c < at; c++)
        line += *c == '\n';
    free(text);
    return line;
}

/* Rows get lower where more come, and not higher again before something else is looked at. */
TEST(test_rows_share_the_height) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
    FakeTables *f = k.fixture.tables;
    ck_assert_int_eq(line_of(s, "main chunk a"), 3);
    ck_says(s, "97.7 KiB");
    ck_says(s, "60.0 %");
    FakeSpot deeper = k.deep;
    for (int i = 0; i < 2; i++) {
        uint32_t function = fake_function(f, LMP_F_LUA, "@c.lua", 10 * i + 1, i ? "c" : "d");
        deeper.site = fake_site(f, function, 10 * i + 2, 0);
        deeper.node = fake_node(f, deeper.node, deeper.site, 0);
    }
    fake_made(f, deeper, 10, 30000);
    refresh(&k.fixture);
    ck_assert_int_eq(line_of(s, "main chunk a"), 2);
    fake_freed(f, deeper, deeper, 10, 30000, 0);
    refresh(&k.fixture);
    ck_assert_int_eq(line_of(s, "main chunk a"), 2);
    press(s, "ddeh");
    ck_assert_int_eq(line_of(s, "main chunk a"), 3);
    stage_free(s);
    s = stage_new(&panel_flame, k.fixture.model, 100, 9, true, 256);
    ck_assert_int_eq(line_of(s, "main chunk a"), 1);
}

/* Figures change, and with them the order of the ledger: bars keep their places, and what is
 * selected and zoomed to stays. */
TEST(test_refreshes) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
    press(s, "ddr");
    fake_made(k.fixture.tables, k.small, 10, 300000);
    refresh(&k.fixture);
    ck_says(s, "small upvalue");
    char *text = stage_text(s);
    ck_assert(strstr(text, "big") < strstr(text, "small"));
    free(text);
    press(s, "e");
    fake_made(k.fixture.tables, k.big, 10, 3000000);
    refresh(&k.fixture);
    ck_says(s, "all ▸ main chunk ▸ small");
    ck_says(s, "small upvalue");
    ck_press(s, "b", "small upvalue");
    fake_freed(k.fixture.tables, k.small, k.small, 20, 330000, 0);
    fake_freed(k.fixture.tables, k.deep, k.deep, 10, 8000, 0);
    refresh(&k.fixture); /* nothing of it lives: what is around it */
    ck_says(s, "main chunk  a.lua");
    fake_made(k.fixture.tables, k.small, 10, 300000);
    refresh(&k.fixture); /* and there it is again */
    ck_says(s, "small upvalue");
}

TEST(test_nothing_to_show) {
    OWN(ledger_fixture_free) LedgerFixture fixture = fixture_of(true, true);
    OWN(stage_free_at) Stage *s = stage_new(&panel_flame, fixture.model, 78, 12, true, 256);
    press(s, "dulreb*I%T#nNh+-");
    find(s, "x");
    press(s, "nN");
}

/* Names come from the program: nothing in them reaches the terminal as a control sequence. */
TEST(test_names_are_safe) {
    OWN(ledger_fixture_free) LedgerFixture fixture = fixture_of(true, false);
    Model *m = fixture.model;
    for (uint32_t i = 0; i < m->ledger.functions; i++) {
        m->ledger.function[i].name = "local '\033[2J\x07\xff'";
        m->ledger.function[i].short_src = "\033]0;x\007.lua";
    }
    OWN(stage_free_at) Stage *s = stage_new(&panel_flame, m, 78, 20, true, 256);
    press(s, "ddd");
    OWN(free_at) char *text = stage_text(s);
    for (const char *p = text; *p; p++)
        ck_assert(*p == '\n' || (unsigned char)*p >= ' ');
}

TEST(test_any_size) {
    OWN(ledger_fixture_free) LedgerFixture fixture = fixture_of(true, false);
    static const char keys[] = "dulreb*I%T#nNh+-";
    for (int w = 1; w < 130; w += 3) {
        for (int h = 1; h < 30; h += 4) {
            OWN(stage_free_at)
            Stage *s = stage_new(&panel_flame, fixture.model, w, h + 1, w % 2, w % 3 ? 256 : 0);
            stage_draw(s);
            for (int i = 0; i < 40; i++) {
                press(s, (char[]){keys[suite_below(sizeof keys - 1)], 0});
                int x = (int)suite_below((uint64_t)w), y = (int)suite_below((uint64_t)h);
                if (i % 4 == 0)
                    panel_flame.mouse(s->state, s->model, &s->ui, (MouseEvent){MOUSE_CLICK, x, y},
                                      s->rect);
                if (i == 20) find(s, "e");
                if (i % 9 == 0) refresh(&fixture);
            }
            stage_draw(s);
        }
    }
}
