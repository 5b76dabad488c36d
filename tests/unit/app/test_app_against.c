/* Two runs beside each other in the display: golden screens of what differs, and any keys at any
 * size, since what went is in no table of the program. */
#include "app_fixture.h"
#include "read/rundiff/rundiff.h"

#define PARTS (LEDGER_ALL | LEDGER_TREE_KINDS | LEDGER_TAG_LINES)

static FakeTables *older;
static Ledger old;

static FakeSpot spot_of(FakeTables *f, const char *source, int begins, const char *name, int line) {
    uint32_t function = fake_function(f, LMP_F_LUA, source, begins, name);
    FakeSpot at = {.site = fake_site(f, function, line, 0), .cls = LMP_C_STRING};
    at.node = fake_node(f, 0, at.site, 0);
    return at;
}

/* The newer run has a line more and one less, and some of one that both have was freed. */
static void compare(void) {
    RunJoined joined;
    Model *model = app_model(app);
    ledger_free(&model->ledger);
    ck_assert(model_fill_ledger(model, &view, PARTS));
    ck_assert_int_eq(runjoin(&model->ledger, &old, &joined), LMP_OK);
    model->held = model->marked = model->ledger_marked = true;
    model->base = LMP_MARKS;
    model->since_mark.total_bytes = 70000;
    model->since_mark.total_made = -3000000;
    model->since_mark.total_allocs = -12345;
    model->against = (ModelAgainst){.name = "runs/old.lmprec@peak",
                                    .live = 1000000,
                                    .peak = model->stats.peak_bytes - 123456,
                                    .came = joined.came,
                                    .went = joined.went,
                                    .came_bytes = joined.came_bytes,
                                    .went_bytes = joined.went_bytes,
                                    .read = true};
    app_ui(app)->time = (UiTime){.can = true,
                                 .replay = true,
                                 .past = true,
                                 .clock = 12 * SECOND,
                                 .end = 60 * SECOND,
                                 .frame = 3,
                                 .frames = 9,
                                 .speed = 1};
    app_fresh(app, now);
    draw();
}

static void close_runs(void) {
    ledger_free(&old);
    fake_tables_free(older);
    tear_down();
}

static void open_runs(int w, int h, bool utf8, int colours) {
    suite_closes(close_runs);
    app = app_new(&(AppOptions){.utf8 = utf8, .colours = colours});
    canvas = canvas_new(w, h, utf8);
    fixed_model(app_model(app));
    know_lines();
    fake_made(tables, spot_of(tables, "@fresh.lua", 3, "local 'fresh'", 5), 100, 40000);
    older = fake_tables_new(NULL);
    fake_program(older, true);
    fake_made(older, spot_of(older, "@legacy.lua", 7, "local 'legacy'", 9), 3, 90000);
    ck_assert_int_eq(ledger_refresh(&old, &older->t, PARTS, 1), LMP_OK);
    compare();
}

/* The whole screen, or the panel alone. */
static const struct {
    const char *name;
    bool whole;
    int w, h;
    bool utf8;
    int colours;
    const char *keys;
} screens[] = {
    {"sites-120x36", true, 120, 36, true, 256, "6"},
    {"sites-80x24", true, 80, 24, true, 256, "6"},
    {"sites-200x50", false, 200, 50, true, 256, "6"},
    {"sites-60x15", false, 60, 15, true, 256, "6"},
    {"makes-120x36", false, 120, 36, true, 256, "6G"},
    {"tree-120x36", false, 120, 36, true, 256, "8"},
    {"flame-120x36", false, 120, 36, true, 256, "8F"},
    {"sites-ascii-100x30", false, 100, 30, false, 0, "6"},
    {"flame-ascii-80x24", false, 80, 24, false, 0, "8F"},
};

TEST(test_screens) {
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
        open_runs(screens[i].w, screens[i].h, screens[i].utf8, screens[i].colours);
        press(screens[i].keys);
        compare();
        char name[64];
        snprintf(name, sizeof name, "%s-compare-%s.txt", screens[i].whole ? "screen" : "panel",
                 screens[i].name);
        if (screens[i].whole) {
            canvas_golden(canvas, name);
        } else {
            panel_golden(app, canvas, name);
        }
    }
}

/* What went can be looked at as any other line. */
TEST(test_pages) {
    open_runs(120, 36, true, 256);
    ck_press("6", "legacy.lua:9 gone");
    ck_assert(shows("fresh.lua:5 new"));
    ck_assert(shows("Compared with runs/old.lmprec@peak"));
    ck_assert(!shows("V range"));
    press("\n");
    compare();
    ck_assert(shows("difference"));
    ck_assert(shows("-87.9 KiB"));
    press("\033");
    press("7\n");
    compare();
    press("\033");
}

TEST(test_any_keys) {
    static const char keys[] = "67890123456789GFIT%*#\n\n\033wWLzxmv<>Orabstfu/,.g?kjhl";
    static const Key special[] = {K_UP, K_DOWN, K_LEFT, K_RIGHT, K_HOME, K_END, K_PAGE_DOWN};
    open_runs(120, 36, true, 256);
    for (int i = 0; i < 3000; i++) {
        if (suite_below(3) == 0)
            play_key(app, special[suite_below(sizeof special / sizeof *special)]);
        else
            play_key(app, (Key)(unsigned char)keys[suite_below(sizeof keys - 1)]);
        if (suite_below(10) == 0) {
            app_model(app)->ledger.of_tag = app_ui(app)->tag;
            compare();
        }
        if (suite_below(100) == 0) {
            canvas_free(canvas);
            canvas = canvas_new(20 + (int)suite_below(200), 5 + (int)suite_below(60), true);
        }
        draw();
    }
}
