/* Whole screens against golden files: from a fixed model and clock, at several sizes and in each
 * colour mode. GENERATE=1 writes them anew; look at the difference before committing it. */
#include "app_play.h"
#include "base/os.h"
#include "fake_tables.h"
#include "fixed.h"
#include "heap_fixture.h"
#include "panel_golden.h"
#include "widget/source.h"

RELEASE_AT(canvas_free)
RELEASE_AT(app_free)
RELEASE_AT(output_free)

#define SECOND 1000000000ull
#define DOWN "\x01"     /* stands for the arrow */
#define NO_LINES "\x02" /* stands for a run that does not know its lines */
#define FRAMES "\x03"   /* stands for a program that calls lmp.frame */
#define ESC "\x1b"

/* What a screen shows, one row each; its golden file is screen-NAME.txt. */
typedef struct Screen {
    const char *name;
    int w, h, colours;
    bool utf8, live;
    LmpSeen seen;
    const char *keys;
} Screen;

static const Screen screens[] = {
    {"120x36", 120, 36, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"80x24", 80, 24, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"60x15", 60, 15, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"200x60", 200, 60, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"40x10", 40, 10, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"20x5", 20, 5, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"20x40", 20, 40, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"80x24-ascii", 80, 24, 256, false, true, LMP_SEEN_RUNNING, ""},
    {"80x24-mono", 80, 24, 0, true, true, LMP_SEEN_RUNNING, ""},
    {"80x24-mono-ascii", 80, 24, 0, false, true, LMP_SEEN_RUNNING, ""},
    {"80x24-8", 80, 24, 8, true, true, LMP_SEEN_RUNNING, ""},
    {"120x36-paused", 120, 36, 256, true, true, LMP_SEEN_PAUSED, ""},
    {"80x24-paused", 80, 24, 256, true, true, LMP_SEEN_PAUSED, ""},
    {"200x60-paused", 200, 60, 256, true, true, LMP_SEEN_PAUSED, ""},
    {"60x15-paused", 60, 15, 256, true, true, LMP_SEEN_PAUSED, ""},
    {"80x24-frozen", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "z"},
    {"80x24-ended", 80, 24, 256, true, true, LMP_SEEN_FINISHED, ""},
    {"80x24-finished", 80, 24, 256, true, true, LMP_SEEN_FINISHED, ""},
    {"80x24-failed", 80, 24, 256, true, true, LMP_SEEN_FINISHED, ""},
    {"80x24-interrupted", 80, 24, 256, true, true, LMP_SEEN_KILLED, ""},
    {"80x24-killed", 80, 24, 256, true, false, LMP_SEEN_KILLED, ""},
    {"80x24-top", 80, 24, 256, true, false, LMP_SEEN_RUNNING, ""},
    {"80x24-filtered", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "su"},
    {"80x24-by-tag", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "v"},
    {"80x24-typing", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "iyes, go on"},
    {"120x36-no-lines", 120, 36, 256, true, true, LMP_SEEN_RUNNING, NO_LINES},
    {"120x36-frames", 120, 36, 256, true, true, LMP_SEEN_RUNNING, FRAMES},
    {"120x36-sites", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6" DOWN DOWN},
    {"120x36-filter", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6/NORMAL random"},
    {"60x15-sites", 60, 15, 256, true, true, LMP_SEEN_RUNNING, "6"},
    {"20x5-sites", 20, 5, 256, true, true, LMP_SEEN_RUNNING, "6"},
    {"20x5-site", 20, 5, 256, true, true, LMP_SEEN_RUNNING, "6\r"},
    {"120x36-marked", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6"},
    {"120x36-waits", 120, 36, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"80x24-waits", 80, 24, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"80x24-waits-pausing", 80, 24, 256, true, true, LMP_SEEN_RUNNING, " "},
    {"80x24-waits-elsewhere", 80, 24, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"40x10-waits", 40, 10, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"200x60-replay", 200, 60, 256, true, false, LMP_SEEN_RUNNING, ""},
    {"120x36-replay", 120, 36, 256, true, false, LMP_SEEN_RUNNING, ""},
    {"80x24-replay", 80, 24, 256, true, false, LMP_SEEN_RUNNING, ""},
    {"60x15-replay", 60, 15, 256, true, false, LMP_SEEN_RUNNING, ""},
    {"80x24-replay-mono-ascii", 80, 24, 0, false, false, LMP_SEEN_RUNNING, ""},
    {"80x24-replay-go-to", 80, 24, 256, true, false, LMP_SEEN_RUNNING, ":-5m"},
    {"120x36-past", 120, 36, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"80x24-past", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "3"},
    {"120x36-help", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "?"},
    {"60x15-help", 60, 15, 256, true, true, LMP_SEEN_RUNNING, "?" DOWN DOWN},
};

/* The same of what one panel shows; its golden file is panel-NAME.txt. */
static const Screen panels[] = {
    {"120x36-blocks", 120, 36, 256, true, true, LMP_SEEN_RUNNING, DOWN DOWN "\r"},
    {"120x36-block-site", 120, 36, 256, true, true, LMP_SEEN_RUNNING, DOWN DOWN "\r" DOWN "\r"},
    {"120x36-site-blocks", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6\n\n"},
    {"80x24-site-blocks", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "6\n\n"},
    {"200x60-site-blocks", 200, 60, 256, true, true, LMP_SEEN_RUNNING, "6\n\n"},
    {"80x24-map", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "1"},
    {"80x24-timeline", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "3\r"},
    {"80x24-frames", 80, 24, 256, true, true, LMP_SEEN_RUNNING, FRAMES},
    {"200x60-frames-worst", 200, 60, 256, true, true, LMP_SEEN_RUNNING, FRAMES "33"},
    {"120x36-frames-worst", 120, 36, 256, true, true, LMP_SEEN_RUNNING, FRAMES "33k"},
    {"80x24-frames-worst", 80, 24, 256, true, true, LMP_SEEN_RUNNING, FRAMES "33"},
    {"60x15-frames", 60, 15, 256, true, true, LMP_SEEN_RUNNING, FRAMES},
    {"120x36-frames-makes", 120, 36, 256, true, true, LMP_SEEN_RUNNING, FRAMES "66G"},
    {"80x24-frames-makes", 80, 24, 256, true, true, LMP_SEEN_RUNNING, FRAMES "66G"},
    {"80x24-frames-makes-ended", 80, 24, 256, true, true, LMP_SEEN_FINISHED, FRAMES "66G"},
    {"120x36-sites-large", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "66" DOWN DOWN},
    {"120x36-site", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6\r"},
    {"120x36-site-through-c", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6" DOWN "\r"},
    {"120x36-sorted", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6<O"},
    {"80x24-sites", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "6"},
    {"80x24-sites-ascii", 80, 24, 256, false, true, LMP_SEEN_RUNNING, "66" DOWN},
    {"80x24-sites-mono", 80, 24, 0, true, true, LMP_SEEN_RUNNING, "6"},
    {"80x24-sites-8", 80, 24, 8, true, true, LMP_SEEN_RUNNING, "6"},
    {"80x24-site", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "6\r"},
    {"200x60-sites", 200, 60, 256, true, true, LMP_SEEN_RUNNING, "66"},
    {"60x15-site", 60, 15, 256, true, true, LMP_SEEN_RUNNING, "6\r"},
    {"80x24-sites-of-strings", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "6cs"},
    {"120x36-makes", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6G"},
    {"80x24-makes", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "6G"},
    {"200x60-makes", 200, 60, 256, true, true, LMP_SEEN_RUNNING, "66G"},
    {"200x60-makes-frames", 200, 60, 256, true, true, LMP_SEEN_RUNNING, FRAMES "66G"},
    {"80x24-makes-ascii", 80, 24, 256, false, true, LMP_SEEN_RUNNING, "6G"},
    {"80x24-makes-ended", 80, 24, 256, true, true, LMP_SEEN_FINISHED, "6G>"},
    {"120x36-makes-sorted", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6G>>"},
    {"120x36-makes-of-strings", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6Gcs"},
    {"120x36-site-makes", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6G/cache.lua:14\r\r"},
    {"120x36-site-makes-callers", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6/cache.lua:14\r\r"},
    {"200x60-tree-makes", 200, 60, 256, true, true, LMP_SEEN_RUNNING, "88G"},
    {"120x36-tree-makes", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "88G"},
    {"80x24-tree-makes", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "88G"},
    {"200x60-functions-makes", 200, 60, 256, true, true, LMP_SEEN_RUNNING, "77G"},
    {"120x36-functions-makes", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "77G"},
    {"80x24-functions-makes", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "77G"},
    {"120x36-tags-makes", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "0G"},
    {"120x36-types-makes", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "2G"},
    {"80x24-types-makes", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "22G"},
    {"80x24-types-makes-ended", 80, 24, 256, true, true, LMP_SEEN_FINISHED, "22G"},
    {"200x60-site", 200, 60, 256, true, true, LMP_SEEN_RUNNING, "6\r"},
    {"120x36-leaks-large", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "99"},
    {"200x60-leaks", 200, 60, 256, true, true, LMP_SEEN_RUNNING, "99"},
    {"120x36-marked-makes", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6G"},
    {"80x24-marked-ascii", 80, 24, 256, false, true, LMP_SEEN_RUNNING, "6"},
    {"120x36-marked-functions", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "7"},
    {"120x36-marked-tree", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "88"},
    {"120x36-marked-leaks", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "9"},
    {"120x36-marked-tags", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "0"},
    {"120x36-marked-site", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "6\r"},
    {"120x36-marked-list", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "L"},
    {"80x24-marked-list", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "L"},
    {"120x36-replay-timeline", 120, 36, 256, true, false, LMP_SEEN_RUNNING, "33"},
    {"120x36-replay-marked-range", 120, 36, 256, true, false, LMP_SEEN_RUNNING, "6G"},
    {"80x24-replay-marked-range-mono-ascii", 80, 24, 0, false, false, LMP_SEEN_RUNNING, "3"},
};

static FakeHeap *heap;
static FakeTables *tables;

/* The model as it is to be drawn: a program in the middle of its run or paused in it. */
static void set_model(App *app, const Screen *screen, bool paused) {
    Model *model = app_model(app);
    ledger_free(&model->ledger);
    (paused ? fixed_pause : fixed_model)(model);
    if (strstr(screen->keys, FRAMES)) fixed_frames(model);
    model->view = &heap->view;
    heap->view.tables = tables->t;
    if (strstr(screen->keys, NO_LINES)) heap->view.tables = (LmpTables){0};
    ck_assert(model_fill_ledger(model, &heap->view, LEDGER_ALL));
    model_fill_verdicts(model, heap->view.tables.text ? &heap->view.tables : NULL);
}

/* What some of the records have made in the second before: so there are rates. */
static void go_back(int64_t sign) {
    for (uint32_t i = 2; i < tables->live->tables.records; i++) {
        LmpUsage *use = &tables->t.record[i].use;
        uint64_t allocs = use->allocs / (20 + i), bytes = use->bytes / (30 + i);
        static uint64_t gone[64][2];
        if (i >= 64 || i % 4 == 3) continue;
        if (sign < 0) {
            gone[i][0] = allocs;
            gone[i][1] = bytes;
        }
        use->allocs += (uint64_t)sign * gone[i][0];
        use->bytes += (uint64_t)sign * gone[i][1];
    }
}

/* Two marks, of which all tables count from the last: one of the script's, and one by hand. */
static void set_marks(Model *model, const char *name) {
    static const char *const names[] = {"loaded", "mark 2"};
    if (!strstr(name, "marked")) return;
    const LmpLive *live = tables->live;
    uint32_t last = live->marks - 1;
    model->marks = 2;
    model->marks_all = 2;
    model->marks_kept = live->marked;
    for (uint32_t i = 0; i < 2; i++) {
        LmpMark *mark = &model->mark[i];
        *mark = live->mark[(last - 1 + i) % LMP_MARKS];
        mark->clock = (40 + 41 * i) * SECOND;
        mark->class_live[LMP_C_TABLE] = (60 + 50 * i) << 20;
        snprintf(mark->name, sizeof mark->name, "%s", names[i]);
    }
    model->base = 1;
    model->marked = true;
    for (int k = 0; k < LMP_KINDS; k++) {
        model->since_mark.bytes[k] = model->since_mark.tag_bytes[k] = model->per_s.bytes[k] * 3;
        model->since_mark.made[k] = model->since_mark.tag_made[k] = model->per_s.made[k] * 20;
    }
    model->since_mark.total_bytes = model->per_s.total_bytes * 3;
    model->since_mark.total_made = model->per_s.total_made * 20;
}

/* What the program stands still for. */
static void set_wait(App *app, const char *name) {
    if (!strstr(name, "waits")) return;
    app_ui(app)->wait = (UiWait){.words = "waits for input", .input = true, .ours = true};
    if (strstr(name, "elsewhere")) app_ui(app)->wait = (UiWait){.words = "waits in read of a pipe"};
}

/* A heap of 40 MiB, of which one part in eight is not in use. */
static void set_map(Model *model) {
    model->map_cell = 256 << 10;
    for (uint32_t i = 0; i < 160; i++) {
        MapCell *cell = &model->map[i];
        cell->capacity = model->map_cell;
        if (i % 8 == 7) continue;
        cell->bytes[i / 24 % LMP_KINDS] = model->map_cell * (1 + i % 7) / 8;
        cell->blocks = 100;
    }
}

/* Another moment than now: of a recording of the whole run, or of the program's past. */
static void set_time(App *app, const char *name) {
    static Model whole;
    UiTime *time = &app_ui(app)->time;
    bool replay = strstr(name, "replay") != NULL;
    if (!replay && !strstr(name, "past")) return;
    fixed_model(&whole);
    app_model(app)->clock = 70 * SECOND;
    set_map(app_model(app));
    *time = (UiTime){.can = true,
                     .replay = replay,
                     .past = true,
                     .clock = 70 * SECOND,
                     .end = whole.clock,
                     .frame = 700,
                     .frames = 1020,
                     .speed = 10,
                     .playing = strstr(name, "200x60") != NULL,
                     .range = strstr(name, "range") != NULL,
                     .from = 35 * SECOND,
                     .to = 70 * SECOND,
                     .whole = &whole};
    time->open = time->range && !strstr(name, "mono");
    app_model(app)->held = time->range;
}

/* What `lmp run` tells of the end. */
static void set_end(App *app, const char *name) {
    Model *model = app_model(app);
    if (strstr(name, "finished")) model->ended = 1;
    if (strstr(name, "failed")) model->ended = 1 + (3 << 8);
    if (strstr(name, "interrupted")) model->ended = 1 + 2;
    if (strstr(name, "failed"))
        snprintf(app_ui(app)->error, sizeof app_ui(app)->error,
                 "lua5.4: options.lua:12: attempt to index a nil value (local 'cache')");
}

static void compare(const Screen *screen, bool whole) {
    OWN(output_free_at) Output *output = output_new();
    fixed_output(output);
    AppOptions options = {.utf8 = screen->utf8,
                          .colours = screen->colours,
                          .live = screen->live,
                          .can_type = screen->live,
                          .hold = true,
                          .output = screen->live ? output : NULL};
    OWN(app_free_at) App *app = app_new(&options);
    OWN(canvas_free_at) Canvas *canvas = canvas_new(screen->w, screen->h, screen->utf8);
    sources_directory(app_ui(app)->sources, TEST_SOURCES);
    go_back(-1);
    set_model(app, screen, false);
    app_draw(app, canvas, SECOND); /* now the panels know their places */
    app_fresh(app, SECOND);
    app_draw(app, canvas, SECOND);
    app_fresh(app, SECOND);
    tables->live->marks = tables->live->marked = 0;
    for (int i = 0; strstr(screen->name, "marked") && i < 2; i++)
        fake_mark(tables);
    go_back(1);
    if (screen->seen == LMP_SEEN_PAUSED) {
        set_model(app, screen, true);
    } else if (heap->view.tables.text) {
        app_model(app)->clock += SECOND;
        set_marks(app_model(app), screen->name);
        ck_assert(model_fill_ledger(app_model(app), &heap->view, LEDGER_ALL));
        model_fill_verdicts(app_model(app), &heap->view.tables);
    }
    app_model(app)->seen = screen->seen;
    set_end(app, screen->name);
    set_wait(app, screen->name);
    set_time(app, screen->name);
    app_fresh(app, 2 * SECOND);
    app_draw(app, canvas, 2 * SECOND);
    for (const char *key = screen->keys; *key; key++) {
        if (*key == NO_LINES[0] || *key == FRAMES[0]) continue;
        play_key(app, *key == DOWN[0] ? K_DOWN : (Key)(unsigned char)*key);
        app_draw(app, canvas, 2 * SECOND);
        if (!app_ui(app)->frozen) app_fresh(app, 2 * SECOND);
        app_draw(app, canvas, 2 * SECOND);
    }
    if (strstr(screen->name, "pausing")) app_draw(app, canvas, 4 * SECOND); /* for long */
    char name[64];
    snprintf(name, sizeof name, "%s-%s.txt", whole ? "screen" : "panel", screen->name);
    if (whole) {
        canvas_golden(canvas, name);
    } else {
        panel_golden(app, canvas, name);
    }
    ledger_free(&app_model(app)->ledger);
}

/* What may take a part of a frame's time gets all it needs. */
static uint64_t still(void) {
    return 5 * SECOND;
}

TEST(screens_are_as_they_were) {
    static LmpOs os;
    os = os_real;
    os.clock = still;
    lmp_os = &os;
    heap = heap_fixture_new(4 << 20);
    tables = fake_tables_new(NULL);
    fake_program(tables, true);
    heap_fixture_contexts(heap, tables);
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++)
        compare(&screens[i], true);
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++)
        compare(&panels[i], false);
    fake_free(heap);
    fake_tables_free(tables);
}
