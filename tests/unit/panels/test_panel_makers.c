/* Panels of functions, leaks and tags: golden files, and what keys do. */
#include "app_play.h"
#include "base/format.h"
#include "ledger_fixture.h"
#include "panel_draw.h"
#include "widget/source.h"
#include "widget/table.h"

RELEASE_AT(canvas_free)
RELEASE_AT(app_free)

static const struct {
    const Panel *panel;
    const char *name;
    bool stacks;
} sights[] = {
    {&panel_functions, "functions-118x20.txt", true},
    {&panel_functions, "functions-198x30.txt", true},
    {&panel_functions, "functions-78x12.txt", true},
    {&panel_functions, "functions-58x8.txt", true},
    {&panel_functions, "functions-20x4.txt", true},
    {&panel_functions, "functions-without-stacks-118x20.txt", false},
    {&panel_functions, "functions-78x12-ascii.txt", true},
    {&panel_functions, "functions-78x12-mono.txt", true},
    {&panel_functions, "functions-78x12-8.txt", true},
    {&panel_leaks, "leaks-118x16.txt", false},
    {&panel_leaks, "leaks-198x24.txt", false},
    {&panel_leaks, "leaks-78x12.txt", false},
    {&panel_leaks, "leaks-58x8.txt", false},
    {&panel_leaks, "leaks-20x4.txt", false},
    {&panel_leaks, "leaks-78x12-ascii.txt", false},
    {&panel_leaks, "leaks-78x12-mono.txt", false},
    {&panel_leaks, "leaks-78x12-8.txt", false},
    {&panel_tags, "tags-118x8.txt", false},
    {&panel_tags, "tags-198x8.txt", false},
    {&panel_tags, "tags-78x6.txt", false},
    {&panel_tags, "tags-58x6.txt", false},
    {&panel_tags, "tags-20x4.txt", false},
    {&panel_tags, "tags-78x6-ascii.txt", false},
    {&panel_tags, "tags-78x6-mono.txt", false},
};

TEST(test_sizes) {
    for (size_t i = 0; i < sizeof sights / sizeof *sights; i++) {
        OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(sights[i].stacks, false);
        OWN(stage_free_at) Stage *s = stage_named(sights[i].panel, fixture.model, sights[i].name);
        s->ui.now = 1000000000;
        stage_draw(s);
        stage_golden(s, sights[i].name);
    }
}

/* With calls: in full where there is room, else short; none of what is no function. */
TEST(test_calls_are_shown) {
    static const char *const names[] = {"functions-calls-118x14.txt", "functions-calls-78x14.txt"};
    for (int i = 0; i < 2; i++) {
        OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(false, false);
        LmpTablesUsed *used = &fixture.tables->live->tables;
        used->counts = LMP_COUNTS_CALLS;
        for (uint32_t f = 1; f < used->functions; f++)
            if (fixture.tables->t.function[f].kind != LMP_F_PSEUDO)
                fixture.tables->t.function[f].calls = 7ull * f * f * f * f * f;
        ledger_fixture_refresh(&fixture);
        OWN(stage_free_at) Stage *s = stage_named(&panel_functions, fixture.model, names[i]);
        stage_draw(s);
        stage_golden(s, names[i]);
        char words[128];
        panel_functions.note(s->state, s->model, &s->ui, words, sizeof words);
        ck_assert_ptr_null(strstr(words, "not all there"));
        fixture.model->stats.hook_lost = 1;
        panel_functions.note(s->state, s->model, &s->ui, words, sizeof words);
        ck_assert_ptr_nonnull(strstr(words, "calls are not all there"));
    }
}

TEST(test_a_function_has_its_lines) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    OWN(stage_free_at) Stage *s = stage_new(&panel_functions, fixture.model, 118, 20, true, 256);
    stage_draw(s);
    ck_assert(stage_act(s, ACT_ENTER));
    ck_assert_ptr_eq(s->ui.over, &panel_function);
    OWN(stage_free_at) Stage *page = stage_new(&panel_function, fixture.model, 118, 12, true, 256);
    page->ui = s->ui;
    stage_golden(page, "function-118x12.txt");
    ck_assert(stage_act(page, ACT_DOWN));
    PanelPlace place;
    ck_assert(PANEL_CALL(&panel_function, place)(page->state, page->model, &page->ui, &place));
    ck_assert_str_eq(place.source, "@options.lua");
    /* all its lines, and only they: together they are what it made */
    uint64_t sum = 0, lines = 0;
    const Ledger *l = &fixture.model->ledger;
    for (uint32_t i = 0; i < l->sites; i++) {
        if (l->function[l->site[i].function].id != page->ui.function) continue;
        sum += l->site[i].tally.live_bytes;
        lines++;
    }
    for (uint32_t i = 0; i < l->functions; i++)
        if (l->function[i].id == page->ui.function)
            ck_assert_uint_eq(sum, l->function[i].shallow.live_bytes);
    char *text = stage_text(page), want[32];
    snprintf(want, sizeof want, "%d lines", (int)lines);
    ck_assert_ptr_nonnull(strstr(text, want));
    free(text);
    ck_assert(stage_act(page, ACT_ENTER)); /* the page of that line */
    ck_assert_ptr_eq(page->ui.over, &panel_site);
}

/* Where blocks cannot be looked at, as in a recording, the source has their column; of a line that
 * has made nothing zeros are explained. */
TEST(test_a_line_has_its_page) {
    static const char long_line[] =
        "-- The price of one option: as many paths as it takes until the error is small";
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    OWN(stage_free_at) Stage *s = stage_new(&panel_site, fixture.model, 198, 50, true, 256);
    s->ui.sources = sources_new();
    sources_directory(s->ui.sources, TEST_SOURCES);
    LmpSiteRow *row = NULL;
    for (uint32_t i = 0; i < fixture.model->ledger.sites && !row; i++)
        if (strcmp(fixture.model->ledger.site[i].short_src, "options.lua") == 0)
            row = &fixture.model->ledger.site[i];
    s->ui.site = row->id;
    fixture.model->view = NULL;
    for (int empty = 0; empty < 2; empty++) {
        char *text = stage_text(s);
        ck_assert_msg(strstr(text, long_line), "%s", text);
        ck_assert_int_eq(strstr(text, "has made nothing itself") != NULL, empty);
        free(text);
        row->tally = (LmpTally){0};
    }
    sources_free(s->ui.sources);
}

/* Each tag has the lines that made something under it, and only they; a line that has several tags
 * is shared out among them. */
TEST(test_a_tag_has_its_lines) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    Model *m = fixture.model;
    OWN(stage_free_at) Stage *s = stage_new(&panel_tags, m, 118, 8, true, 256);
    OWN(stage_free_at) Stage *page = stage_new(&panel_tag, m, 118, 10, true, 256);
    uint32_t tags = m->ledger.tags, seen = 0;
    ck_assert_uint_ge(tags, 3);
    for (uint32_t i = 0; i < tags; i++) {
        s->ui.over = NULL;
        stage_draw(s);
        ck_assert(stage_act(s, ACT_ENTER));
        ck_assert_ptr_eq(s->ui.over, &panel_tag);
        seen |= 1u << s->ui.tag;
        page->ui = s->ui;
        page->ui.focus = &panel_tag;
        m->ledger.of_tag = s->ui.tag;
        unsigned parts = LEDGER_ALL | LEDGER_TAG_LINES;
        ck_assert_int_eq(
            ledger_refresh(&m->ledger, &fixture.tables->t, parts | LEDGER_RATES, m->clock), LMP_OK);
        m->ledger_parts = parts;
        m->ledger_serial++;
        if (i == 0) stage_golden(page, "tag-118x10.txt");
        LmpTally sum = {0};
        int lines = 0;
        for (uint32_t row = 0; row < m->ledger.sites; row++) {
            const LmpTally *t = &m->ledger.tagged[row];
            uint64_t own = 0; /* straight from the records */
            for (uint32_t r = 1; r < tables_records(&fixture.tables->t); r++) {
                const LmpRecord *record = &fixture.tables->t.record[r];
                const LmpSite *site = &fixture.tables->t.site[record->site];
                const LmpFunctionRow *f = &m->ledger.function[m->ledger.site[row].function];
                if (record->use.tag == s->ui.tag && site->line == m->ledger.site[row].line &&
                    site->function == f->id)
                    own += fake_live(&record->use);
            }
            ck_assert_uint_eq(t->live_bytes, own);
            tally_add(&sum, t);
            lines += t->allocs > 0;
        }
        for (uint32_t tag = 0; tag < tags; tag++) {
            if (m->ledger.tag[tag].id != s->ui.tag) continue;
            ck_assert_uint_eq(sum.live_bytes, m->ledger.tag[tag].tally.live_bytes);
            ck_assert_uint_eq(sum.allocs, m->ledger.tag[tag].tally.allocs);
            ck_assert_uint_gt(lines, 0);
        }
        char want[32], *text = stage_text(page);
        snprintf(want, sizeof want, "%d line%s", lines, lines == 1 ? "" : "s");
        ck_assert_msg(strstr(text, want) != NULL, "%s not in %s", want, text);
        free(text);
        stage_act(s, ACT_DOWN);
    }
    ck_assert_int_eq(__builtin_popcount(seen), (int)tags); /* another one each time */
    ck_assert(stage_act(page, ACT_ENTER));
    ck_assert_ptr_eq(page->ui.over, &panel_site);
    page->ui.tag ^= 1; /* of another tag there are no figures yet: not those of this one */
    page->ui.over = &panel_tag;
    OWN(free_at) char *text = stage_text(page);
    ck_assert_ptr_null(strstr(text, "MiB"));
    ck_assert_ptr_null(strstr(text, "KiB"));
}

/* A C function has the lines that called it, with what it made there. */
TEST(test_a_c_function_has_its_callers_lines) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    OWN(stage_free_at) Stage *s = stage_new(&panel_function, fixture.model, 118, 8, true, 256);
    const Ledger *l = &fixture.model->ledger;
    for (uint32_t i = 0; i < l->functions; i++)
        if (strstr(l->function[i].name, "string.format")) s->ui.function = l->function[i].id;
    ck_assert_uint_gt(s->ui.function, 0);
    stage_golden(s, "function-c-118x8.txt");
    ck_says(s, "options.lua:24");
    ck_says(s, "logging/file.lua:52");
    ck_says_not(s, "options.lua:12");
}

TEST(test_no_growth_is_said) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(false, true);
    OWN(stage_free_at) Stage *s = stage_new(&panel_leaks, fixture.model, 78, 8, true, 256);
    ck_says_not(s, "grows");
    FakeSpot spot = {.site = FAKE_OTHERS, .node = FAKE_OTHERS, .cls = LMP_C_TABLE};
    for (uint64_t i = 0; i < 30; i++) { /* nothing but garbage */
        fake_made(fixture.tables, spot, 1000, 1000000);
        fake_freed(fixture.tables, spot, spot, 1000, 1000000, 0);
        fake_grown(fixture.tables, 1000000000ull * (i + 1));
    }
    fixture.tables->live->gc.mode = LMP_GC_INCREMENTAL;
    ledger_fixture_refresh(&fixture);
    ck_says(s, "no growth over the last ");
}

TEST(test_what_is_off_is_said) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(false, true);
    const Panel *const panels[] = {&panel_functions, &panel_tree, &panel_leaks, &panel_tags};
    fixture.tables->live->tables.lines = LMP_LINES_OFF;
    ledger_fixture_refresh(&fixture);
    for (int i = 0; i < 4; i++) {
        OWN(stage_free_at) Stage *s = stage_new(panels[i], fixture.model, 78, 8, true, 256);
        ck_says(s, "Lines are off");
    }
    fixture.tables->live->tables.lines = LMP_LINES_EXACT;
    ledger_fixture_refresh(&fixture);
    OWN(stage_free_at) Stage *s = stage_new(&panel_tags, fixture.model, 78, 8, true, 256);
    ck_says(s, "lmp.tag(\"name\")");
}

/* What has not been read is not taken for nothing. */
TEST(test_not_read_yet) {
    static const Panel *const panels[] = {&panel_functions, &panel_tree, &panel_leaks, &panel_tags};
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    fixture.model->ledger_parts = 0;
    for (int i = 0; i < 4; i++) {
        OWN(stage_free_at) Stage *s = stage_new(panels[i], fixture.model, 78, 8, true, 256);
        stage_draw(s);
        for (int y = 1; y < 8; y++)
            for (int x = 0; x < 78; x++)
                ck_assert_uint_eq(canvas_at(s->canvas, x, y)->glyph, ' ');
        s->ui.frozen = true;
        ck_says(s, "z thaws the display");
    }
}

TEST(test_any_size) {
    static const Panel *const panels[] = {&panel_functions, &panel_function, &panel_leaks,
                                          &panel_tags};
    static const Action acts[] = {ACT_DOWN, ACT_SORT_RIGHT, ACT_REVERSE,
                                  ACT_END,  ACT_SORT_LEFT,  ACT_UP};
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(true, false);
    for (int w = 1; w < 130; w += 3) {
        for (int h = 1; h < 20; h += 3) {
            OWN(stage_free_at)
            Stage *s = stage_new(panels[(w + h) % 4], fixture.model, w, h + 1, w % 2, 256);
            s->ui.function = fixture.model->ledger.function[1].id;
            for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
                stage_draw(s);
                stage_act(s, acts[i]);
                PANEL_CALL(s->panel, mouse)
                (s->state, s->model, &s->ui, (MouseEvent){MOUSE_CLICK, w / 2, (int)i}, s->rect);
            }
        }
    }
}

TEST(test_each_has_its_key) {
    static const struct {
        Key key;
        const Panel *panel;
    } keys[] = {
        {'7', &panel_functions}, {'8', &panel_tree}, {'9', &panel_leaks}, {'0', &panel_tags}};
    AppOptions options = {.utf8 = true, .colours = 256};
    OWN(app_free_at) App *app = app_new(&options);
    OWN(canvas_free_at) Canvas *canvas = canvas_new(120, 36, true);
    app_draw(app, canvas, 1);
    for (int i = 0; i < 4; i++) {
        play_key(app, keys[i].key);
        app_draw(app, canvas, 1);
        ck_assert_ptr_eq(app_ui(app)->focus, keys[i].panel);
        ck_assert_int_gt(app_where(app, keys[i].panel).w, 0);
        ck_assert_uint_eq(app_parts(app) & keys[i].panel->ledger, keys[i].panel->ledger);
        if (i > 0) ck_assert_int_eq(app_where(app, keys[i - 1].panel).w, 0);
        play_key(app, keys[i].key); /* again: enlarged */
        app_draw(app, canvas, 1);
        ck_assert(app_ui(app)->enlarged);
        play_key(app, keys[i].key);
    }
}

/* Without call paths: who called by samples, with those who called them, and how many samples. */
TEST(test_callers_by_samples) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(false, false);
    Model *m = fixture.model;
    const LmpSiteRow *of = &m->ledger.site[0];
    uint32_t a = m->ledger.site[1].id, b = m->ledger.site[2].id, c = m->ledger.site[3].id;
    OWN(stage_free_at) Stage *s = stage_new(&panel_site, m, 149, 50, true, 256);
    s->ui.site = of->id;
    char want[200], count[LMP_NUM], *text = stage_text(s);
    ck_assert_ptr_nonnull(strstr(text, "not recorded: lmp run --stacks"));
    free(text);
    static const uint32_t never = UINT32_MAX; /* no row has it */
    const LmpCallerRow row[] = {
        {of->id, 0, {a, b, c}, 60, 600, 6000}, {of->id, 0, {a, c, 0}, 20, 100, 1000},
        {of->id, 0, {b, 0, 0}, 20, 100, 2000}, {of->id, 1, {0}, 5, 50, 500},
        {of->id, 0, {never}, 1, 10, 500},      {a, 0, {c, 0, 0}, 100, 1000, 90000},
    };
    memcpy(m->callers.row, row, sizeof row);
    text = stage_text(s);
    snprintf(want, sizeof want, "sampled: 106 of %s allocations",
             format_count(count, of->tally.allocs));
    ck_assert_msg(strstr(text, want) != NULL, "%s not in %s", want, text);
    for (int i = 1; i <= 3; i++) { /* a twice, with the way that was met most; c never */
        const LmpSiteRow *by = &m->ledger.site[i];
        snprintf(want, sizeof want, "%s  %s:%d ", i == 1 ? "70%" : "20%", by->short_src, by->line);
        ck_assert_msg((strstr(text, want) != NULL) == (i < 3), "%s in %s", want, text);
    }
    snprintf(want, sizeof want, "  by %s:%d, ", m->ledger.site[2].short_src,
             m->ledger.site[2].line);
    ck_assert_msg(strstr(text, want) != NULL, "%s not in %s", want, text);
    ck_assert_ptr_nonnull(strstr(text, "5%  (others)"));
    ck_assert_ptr_nonnull(strstr(text, "5%  (unknown)"));
    ck_assert_ptr_nonnull(strstr(text, "lmp run --stacks"));
    free(text);
    m->against.name = "older.lmprec"; /* rows are of two runs */
    ck_says_not(s, "sampled");
}
