/* Searching in the flame graph: shares, counts of what cannot be seen, from match to match; and
 * graphs that are deeper than the screen. */
#include "flame_stage.h"

TEST(test_searching) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
    ck_assert(!panel_flame.seeks(s->state));
    find(s, "BIG");
    ck_assert(panel_flame.seeks(s->state));
    ck_says(s, "\"BIG\": 68.0 % · 2 frames");
    ck_press(s, "n", "1 of 2"); /* the larger one first */
    ck_says(s, "60.0 % of all");
    ck_press(s, "n", "2 of 2");
    ck_says(s, "8.0 % of all");
    ck_press(s, "n", "1 of 2");
    ck_press(s, "N", "2 of 2");
    ck_assert(stage_act(s, ACT_BACK)); /* no more */
    ck_assert(!panel_flame.seeks(s->state));
    /* one in the other: its bytes once */
    find(s, "a.lua");
    ck_says(s, "\"a.lua\": 100.0 % · 4 frames");
    stage_act(s, ACT_BACK);
    find(s, "nowhere");
    ck_says(s, "\"nowhere\": 0.0 % · 0 frames");
    press(s, "n");
}

/* Hits that have no column are counted, and the next one is brought into view. */
TEST(test_hits_too_narrow) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
    find(s, "narrow_3");
    ck_says(s, "\"narrow_3\": 0.4 % · 10 frames, 10 too narrow");
    ck_press(s, "n", "▸ narrow_3");
    ck_says(s, "1 of 10");
    ck_press(s, "n", "2 of 10");
    ck_says(s, "▸ narrow_3");
    press(s, "bb");
    ck_says_not(s, "▸");
}

TEST(test_the_same_function) {
    OWN(known_free) Known k = known_program();
    OWN(stage_free_at) Stage *s = known_stage(&k);
    ck_press(s, "dd#", "the same function: 68.0 % · 2 frames");
    ck_press(s, "n", "2 of 2");
    press(s, "#"); /* again: no more */
    ck_assert(!panel_flame.seeks(s->state));
}

/* More rows than lines: the selection takes the picture with it, pages and the wheel move it. */
TEST(test_deeper_than_the_screen) {
    enum { DEEP = 60 };
    OWN(ledger_fixture_free) LedgerFixture fixture = fixture_of(true, true);
    FakeTables *f = fixture.tables;
    uint32_t node = 0;
    FakeSpot spot = {.cls = LMP_C_TABLE};
    for (int i = 0; i < DEEP; i++) {
        char name[32];
        snprintf(name, sizeof name, "local 'level_%02d'", i);
        spot.site =
            fake_site(f, fake_function(f, LMP_F_LUA, "@a.lua", 10 * i + 1, name), 10 * i + 2, 0);
        spot.node = node = fake_node(f, node, spot.site, 0);
    }
    fake_made(f, spot, 10, 60000);
    refresh(&fixture);
    OWN(stage_free_at) Stage *s = stage_new(&panel_flame, fixture.model, 100, 20, true, 256);
    ck_says(s, "▼");
    for (int i = 0; i < DEEP + 5; i++)
        press(s, "d");
    ck_says(s, " level_59 local");
    ck_says(s, "▲");
    ck_says_not(s, "▼");
    stage_act(s, ACT_PAGE_UP);
    ck_says(s, " level_59 local"); /* still selected */
    ck_says_not(s, "level_58 ");
    stage_act(s, ACT_PAGE_DOWN);
    ck_says(s, "level_58 ");
    panel_flame.mouse(s->state, s->model, &s->ui, (MouseEvent){MOUSE_WHEEL_UP, 5, 5}, s->rect);
    ck_says(s, "▼");
    for (int i = 0; i < DEEP; i++)
        press(s, "u");
    ck_says_not(s, "▲");
    ck_says(s, "100.0 % of all");
    find(s, "level_40");
    ck_says(s, "1 frame, 1 out of sight");
    ck_press(s, "n", " level_40 local");
    ck_says_not(s, "out of sight");
    ck_press(s, "*", " level_59 local");
    ck_press(s, "e", "level_58 ▸ level_59");
}

/* What the smallest and the largest terminal show, with all colours, few and none, and in ASCII:
 * what is too narrow stands behind a number, is counted, and n zooms until it can be read; the same
 * function is lit on every block; of a name its end is left. */
TEST(test_on_any_terminal) {
    static const int widths[] = {58, 78, 198}, colours[] = {256, 8, 0};
    OWN(known_free) Known k = known_program();
    for (int i = 0; i < 3 * 3 * 2; i++) {
        int w = widths[i / 6];
        bool utf8 = i % 2;
        OWN(stage_free_at)
        Stage *s = stage_new(&panel_flame, k.fixture.model, w, 20, utf8, colours[i / 2 % 3]);
        ck_says(s, "big");
        ck_says(s, "small");
        find(s, "narrow_3");
        ck_says(s, utf8 ? "10 frames, 10 too narrow" : "10 frames, 10 too");
        ck_press(s, "n", "3"); /* narrow_30 or another one: its end */
        press(s, "n");
        char *text = stage_text(s), *row = strchr(text, '\n') + 1;
        int seen = 0;
        for (; row && *row && seen == 0; row = strchr(row, '\n') + 1)
            if (strncmp(row, "too narrow", 10) != 0 && strstr(row, "w_3")) seen++;
        ck_assert_msg(seen > 0, "%d wide: none can be read in\n%s", w, text);
        free(text);
        ck_press(s, "hdd#", "the same function: "); /* the one that stands in two places */
        ck_says(s, utf8 ? "· 2 frames" : "- 2 frames");
        ck_assert(stage_has_tone(s, "*_"));
        press(s, "b*");
    }
}
