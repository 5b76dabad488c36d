/* The call tree as a panel: golden files, and what keys and mouse do. Which rows there are is
 * tested in test_treerows.c. */
#include "ledger_fixture.h"
#include "panel_draw.h"
#include "widget/table.h"

/* d, u: arrows down and up; r, l: right and left; e: enter; *: hottest; I: callers; >: sort by the
 * next column; R: reverse. */
static void press(Stage *s, const char *keys) {
    static const char known[] = "durle*I>R";
    static const Action action[] = {ACT_DOWN,    ACT_UP,     ACT_RIGHT,      ACT_LEFT,   ACT_ENTER,
                                    ACT_HOTTEST, ACT_INVERT, ACT_SORT_RIGHT, ACT_REVERSE};
    for (; *keys; keys++) {
        s->ui.now += 1000000;
        ck_assert_ptr_nonnull(strchr(known, *keys));
        stage_act(s, action[strchr(known, *keys) - known]);
        stage_draw(s);
    }
}

static void type_filter(Stage *s, const char *text) {
    ck_assert(stage_act(s, ACT_FILTER));
    ck_assert_ptr_nonnull(s->ui.edit);
    for (; *text; text++)
        edit_key(s->ui.edit, (Key)(unsigned char)*text);
    s->ui.edit = NULL;
}

static const struct {
    const char *name, *keys, *filter; /* see press() */
} sights[] = {
    {"tree-118x24.txt", "", ""},
    {"tree-198x40.txt", "", ""},
    {"tree-78x18.txt", "", ""},
    {"tree-58x9.txt", "", ""},
    {"tree-20x4.txt", "", ""},
    {"tree-78x18-ascii.txt", "", ""},
    {"tree-78x18-mono.txt", "", ""},
    {"tree-78x18-8.txt", "", ""},
    {"tree-118x24-callers.txt", "Id*", ""},
    {"tree-78x18-callers-ascii.txt", "I*", ""},
    {"tree-118x24-filter.txt", "", "walk"},
    {"tree-118x24-closed.txt", "dlll", ""},
    {"tree-118x24-by-allocs.txt", ">>", ""},
};

TEST(test_sizes) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    for (size_t i = 0; i < sizeof sights / sizeof *sights; i++) {
        OWN(stage_free_at) Stage *s = stage_named(&panel_tree, fixture.model, sights[i].name);
        s->ui.now = 1000000000;
        stage_draw(s);
        press(s, sights[i].keys);
        if (sights[i].filter[0]) type_filter(s, sights[i].filter);
        stage_golden(s, sights[i].name);
    }
}

/* What holds most and what makes most stand on different paths: the path that is opened, the order
 * and the bars follow the question. */
TEST(test_the_hottest_path_of_what_is_made) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, true);
    FakeTables *f = fixture.tables;
    uint32_t a = fake_function(f, LMP_F_MAIN, "@a.lua", 0, "main chunk");
    uint32_t keeps = fake_function(f, LMP_F_LUA, "@a.lua", 5, "local 'keeps'");
    uint32_t spends = fake_function(f, LMP_F_LUA, "@a.lua", 9, "upvalue 'spends'");
    uint32_t outer = fake_node(f, 0, fake_site(f, a, 1, 0), 0);
    uint32_t k = fake_site(f, keeps, 6, 0), s = fake_site(f, spends, 10, 0);
    uint32_t below_k = fake_node(f, outer, k, 0), below_s = fake_node(f, outer, s, 0);
    uint32_t deep_k = fake_site(f, keeps, 7, 0), deep_s = fake_site(f, spends, 11, 0);
    FakeSpot kept[] = {
        {.site = k, .node = below_k, .cls = LMP_C_TABLE},
        {.site = deep_k, .node = fake_node(f, outer, deep_k, 0), .cls = LMP_C_TABLE}};
    FakeSpot spent[] = {
        {.site = s, .node = below_s, .cls = LMP_C_STRING},
        {.site = deep_s, .node = fake_node(f, outer, deep_s, 0), .cls = LMP_C_STRING}};
    for (int i = 0; i < 2; i++) {
        fake_made(f, kept[i], 10, 10000);
        fake_made(f, spent[i], 1000, 90000);
        fake_freed(f, spent[i], spent[i], 999, 89000, 900);
    }
    ledger_fixture_refresh(&fixture);
    OWN(stage_free_at) Stage *stage = stage_new(&panel_tree, fixture.model, 140, 20, true, 256);
    OWN(free_at) char *text = stage_text(stage);
    ck_assert_ptr_nonnull(strstr(text, "line 6"));
    ck_assert_ptr_null(strstr(text, "line 10"));
    ck_assert(strstr(text, "keeps local") < strstr(text, "spends upvalue"));
    free(text);
    stage->ui.makes = true;
    text = stage_text(stage);
    ck_assert_ptr_null(strstr(text, "line 6"));
    ck_assert_ptr_nonnull(strstr(text, "line 10"));
    ck_assert(strstr(text, "spends upvalue") < strstr(text, "keeps local"));
    ck_assert_ptr_nonnull(strstr(text, "  90.0  175.8 KiB"));    /* its share of what was made */
    ck_assert_ptr_nonnull(strstr(text, "   90%     0%    10%")); /* freed at once, later */
}

TEST(test_without_stacks) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(false, false);
    OWN(stage_free_at) Stage *s = stage_new(&panel_tree, fixture.model, 78, 6, true, 256);
    stage_golden(s, "tree-without-stacks.txt");
    ck_assert(!stage_act(s, ACT_DOWN));
    ck_assert(!stage_act(s, ACT_INVERT));
    PanelPlace place;
    ck_assert(!panel_tree.place(s->state, s->model, &s->ui, &place));
}

/* The line of the screen that the cursor is on. */
static char *cursor_line(Stage *s) {
    char *text = stage_text(s), *at = strstr(text, "▸ ");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "▸ ", strlen("▸ ")) == 0) return memmove(text, line, strlen(line) + 1);
    (void)at;
    text[0] = 0;
    return text;
}

#define ck_cursor(s, what)                                                                         \
    do {                                                                                           \
        char *line_ = cursor_line(s);                                                              \
        ck_assert_msg(strstr(line_, what) != NULL, "cursor on: %s", line_);                        \
        free(line_);                                                                               \
    } while (0)

TEST(test_moving_and_opening) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    OWN(stage_free_at) Stage *s = stage_new(&panel_tree, fixture.model, 118, 30, true, 256);
    s->ui.now = 1000000000;
    stage_draw(s);
    ck_cursor(s, "main chunk");
    press(s, "l"); /* closes it */
    ck_cursor(s, "▸ main chunk");
    press(s, "r");
    ck_cursor(s, "▾ main chunk");
    press(s, "r"); /* to its first child */
    ck_cursor(s, "├─· line 12");
    press(s, "l");
    ck_cursor(s, "main chunk");
    press(s, "ee");
    ck_cursor(s, "▾ main chunk");
    PanelPlace place;
    ck_assert(panel_tree.place(s->state, s->model, &s->ui, &place));
    ck_assert_int_eq(place.line, 12); /* one of its lines */
    press(s, "r");
    ck_assert(panel_tree.place(s->state, s->model, &s->ui, &place));
    ck_assert_str_eq(place.source, "@options.lua");
    ck_assert_int_eq(place.line, 12);
    press(s, "e"); /* the page of that line */
    ck_assert_ptr_eq(s->ui.over, &panel_site);
    ck_assert_uint_gt(s->ui.site, 0);
}

/* What is open and where the cursor is stays as the figures change, though the order does not. */
TEST(test_refreshes) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    OWN(stage_free_at) Stage *s = stage_new(&panel_tree, fixture.model, 118, 40, true, 256);
    s->ui.now = 1000000000;
    stage_draw(s);
    press(s, "ddd");
    char *was = cursor_line(s), *name = strstr(was, "· line");
    ck_assert_ptr_nonnull(name);
    name = strdup(name);
    free(was);
    fake_program(fixture.tables, true); /* once more */
    ledger_fixture_refresh(&fixture);
    ck_cursor(s, name);
    s->ui.now += 2 * TABLE_HOLD;
    ck_cursor(s, name);
    free(name);
}

TEST(test_before_anything) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, true);
    OWN(stage_free_at) Stage *s = stage_new(&panel_tree, fixture.model, 78, 6, true, 256);
    stage_act(s, ACT_DOWN);
    stage_act(s, ACT_HOTTEST);
    stage_act(s, ACT_INVERT);
    stage_act(s, ACT_RIGHT);
    stage_draw(s);
}

/* Names come from the program: nothing in them reaches the terminal as a control sequence. */
TEST(test_names_are_safe) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    Model *m = fixture.model;
    for (uint32_t i = 0; i < m->ledger.nodes; i++) {
        m->ledger.tree[i].name = "local '\033[2J\x07\xff'";
        m->ledger.tree[i].short_src = "\033]0;x\007.lua";
    }
    OWN(stage_free_at) Stage *s = stage_new(&panel_tree, m, 78, 20, true, 256);
    OWN(free_at) char *text = stage_text(s);
    for (const char *p = text; *p; p++)
        ck_assert(*p == '\n' || (unsigned char)*p >= ' ');
}

TEST(test_any_size) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    for (int w = 1; w < 130; w += 3) {
        for (int h = 1; h < 30; h += 4) {
            OWN(stage_free_at)
            Stage *s = stage_new(&panel_tree, fixture.model, w, h + 1, w % 2, 256);
            s->ui.now = 1000000000;
            stage_draw(s);
            press(s, "dr*dddI*ddlleI");
            for (int x = 0; x < w; x += 5)
                panel_tree.mouse(s->state, s->model, &s->ui, (MouseEvent){MOUSE_CLICK, x, h / 2},
                                 s->rect);
            stage_draw(s);
        }
    }
}
