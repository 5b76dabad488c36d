/* The panel of break conditions: typing, switching, deleting, and what the program says of them. */
#include "ledger_fixture.h"
#include "panel_draw.h"

#include "shared/breaks.h"
#include "widget/source.h"

static Model *model;
static Stage *stage;

static void close_stage(void) {
    stage_free(stage);
    free(model);
}

static void open_stage(int w, int h) {
    suite_closes(close_stage);
    model = heap_fixture_model(NULL);
    model->seen = LMP_SEEN_RUNNING;
    model->gc.mode = LMP_GC_INCREMENTAL;
    stage = stage_new(&panel_breaks, model, w, h, true, 256);
    stage->ui.over = &panel_breaks;
}

static void add(const char *text) {
    ck_assert(stage_act(stage, ACT_BREAK));
    stage_type(stage, text, K_ENTER);
}

/* As the viewer and the program do. */
static void answer(uint32_t spent) {
    UiBreaks *breaks = &stage->ui.breaks;
    if (request_waits(&stage->ui.requests, REQUEST_BREAKS)) breaks->sent += 2;
    stage->ui.requests.waiting = 0;
    atomic_store(&model->breaks.taken, breaks->sent);
    model->breaks.count = breaks->count;
    model->breaks.spent = spent;
    model->breaks_ours = true;
    stage_update(stage);
}

static bool shows(const char *what) {
    return stage_shows(stage, what);
}

TEST(test_typing) {
    open_stage(100, 12);
    UiBreaks *breaks = &stage->ui.breaks;
    add("size 64KiB");
    ck_assert_ptr_null(stage->ui.edit);
    ck_assert_uint_eq(breaks->count, 1);
    ck_assert_uint_eq(breaks->row[0].kind, LMP_BREAK_SIZE);
    ck_assert_uint_eq(breaks->row[0].on, 1);
    ck_assert(request_waits(&stage->ui.requests, REQUEST_BREAKS));
    answer(0);
    add("size 64 chickens"); /* stays to be put right, and says why */
    ck_assert_ptr_nonnull(stage->ui.edit);
    ck_assert(!request_waits(&stage->ui.requests, REQUEST_BREAKS));
    ck_assert(shows("a number of bytes was expected"));
    stage_type(stage, "", K_BACKSPACE);
    ck_assert(!shows("a number of bytes was expected"));
    stage_type(stage, "", K_CTRL('U'));
    stage_type(stage, "type tables", K_NONE);
    ck_assert(shows("pauses at: memory of type table"));
    stage_type(stage, "", K_ESC);
    ck_assert_uint_eq(breaks->count, 1);
    add(""); /* nothing is nothing */
    ck_assert_ptr_null(stage->ui.edit);
    ck_assert_uint_eq(breaks->count, 1);
    ck_assert(!request_waits(&stage->ui.requests, REQUEST_BREAKS));
    ui_break_at(&stage->ui, "./src/options.lua", 12); /* begun with a line of the program */
    ck_assert(stage_act(stage, ACT_BREAK));
    ck_assert_str_eq(stage->ui.edit->text, "at src/options.lua:12");
    stage_type(stage, "", K_ENTER);
    ck_assert_uint_eq(breaks->count, 2);
    ck_assert_int_eq(breaks->row[1].line, 12);
    ck_assert(stage_act(stage, ACT_BREAK));
    ck_assert_str_eq(stage->ui.edit->text, "");
    stage_type(stage, "", K_ESC);
}

/* At lines of the program of fake_program.h, whose text is tests/ui/sources/options.lua. */
TEST(test_places) {
    OWN(ledger_fixture_free) LedgerFixture fixture = ledger_fixture(false, false);
    model = fixture.model;
    model->seen = LMP_SEEN_RUNNING;
    stage = stage_new(&panel_breaks, model, 100, 12, true, 256);
    UiBreaks *breaks = &stage->ui.breaks;
    stage->ui.sources = sources_new();
    sources_directory(stage->ui.sources, TEST_SOURCES);
    stage_update(stage);
    const SourceText *text = sources_get(stage->ui.sources, "@options.lua", 0);
    ck_assert_ptr_null(text->problem);
    int lines = (int)text->lines, empty = 0;
    char line[64], wanted[160];
    for (int i = lines; i > 0 && !empty; i--)
        if (!*sources_line(stage->ui.sources, (uint32_t)i, true, line, sizeof line)) empty = i;
    ck_assert_int_gt(empty, 0);
    add("at options.lua:12"); /* makes memory */
    ck_assert_uint_eq(breaks->count, 1);
    ck_assert(!shows("nothing") && !shows("no code"));
    ck_assert(stage_act(stage, ACT_BREAK)); /* said while it is typed, and may yet come */
    stage_type(stage, "at nosuch.lua:3", K_NONE);
    ck_assert(shows("nothing of nosuch.lua has made memory"));
    stage_type(stage, "", K_ENTER);
    ck_assert_uint_eq(breaks->count, 2);
    ck_assert(shows("nothing of it has made memory"));
    ck_assert(stage_act(stage, ACT_BREAK));
    stage_type(stage, "at option.lua:12", K_NONE);
    ck_assert(shows("did you mean options.lua?"));
    stage_type(stage, "", K_ESC);
    snprintf(wanted, sizeof wanted, "at options.lua:%d", lines + 40); /* never: not taken */
    add(wanted);
    ck_assert_uint_eq(breaks->count, 2);
    snprintf(wanted, sizeof wanted, "options.lua has only %d lines; the nearest", lines);
    ck_assert(shows(wanted));
    ck_assert_ptr_nonnull(stage->ui.edit); /* the nearest stands there, for the next enter */
    ck_assert_str_eq(stage->ui.edit->text, "at options.lua:64");
    stage_type(stage, "", K_ENTER);
    ck_assert_uint_eq(breaks->count, 3);
    ck_assert_int_eq(breaks->row[2].line, 64);
    snprintf(wanted, sizeof wanted, "at options.lua:%d", empty);
    add(wanted);
    ck_assert_uint_eq(breaks->count, 3);
    snprintf(wanted, sizeof wanted, "line %d of options.lua has no code", empty);
    ck_assert(shows(wanted));
    stage_type(stage, "", K_ESC);
    ledger_free(&model->ledger); /* where nothing is known nothing is said */
    memset(&model->ledger, 0, sizeof model->ledger);
    add("at options.lua:9999");
    ck_assert_uint_eq(breaks->count, 4);
    ck_assert(!shows("only"));
    sources_free(stage->ui.sources);
    stage_free(stage);
}

TEST(test_switching) {
    open_stage(100, 12);
    UiBreaks *breaks = &stage->ui.breaks;
    add("size 64KiB");
    add("peak");
    add("type string");
    answer(0);
    ck_assert_uint_eq(ui_breaks_on(&stage->ui), 3);
    stage_act(stage, ACT_HOME);
    uint64_t turn = breaks->row[0].turn;
    ck_assert(stage_act(stage, ACT_ENTER));
    ck_assert_uint_eq(breaks->row[0].on, 0);
    ck_assert(request_waits(&stage->ui.requests, REQUEST_BREAKS));
    answer(0);
    ck_assert(stage_act(stage, ACT_PAUSE));
    ck_assert_uint_eq(breaks->row[0].on, 1);
    ck_assert_uint_eq(breaks->row[0].turn, turn + 1);
    answer(0);
    add("size 64KiB"); /* it is there: no second one */
    ck_assert_uint_eq(breaks->count, 3);
    answer(2); /* the peak was met */
    ck_assert_uint_eq(breaks->row[1].on, 0);
    ck_assert(shows("was met: enter waits for the next"));
    ck_assert_uint_eq(ui_breaks_on(&stage->ui), 2);
    stage_act(stage, ACT_HOME);
    ck_assert(stage_act(stage, ACT_DELETE)); /* the size; the others move up */
    ck_assert_uint_eq(breaks->count, 2);
    ck_assert_uint_eq(breaks->row[0].kind, LMP_BREAK_PEAK);
    ck_assert(shows("was met: enter waits for the next"));
    turn = breaks->row[0].turn;
    ck_assert(stage_act(stage, ACT_ENTER));
    ck_assert_uint_eq(breaks->row[0].turn, turn + 1);
    ck_assert(!shows("was met"));
    answer(0);
    ck_assert_uint_eq(breaks->row[0].on, 1);
    stage_act(stage, ACT_DELETE);
    stage_act(stage, ACT_DELETE);
    ck_assert_uint_eq(breaks->count, 0);
    ck_assert(!stage_act(stage, ACT_DELETE));
    ck_assert(!stage_act(stage, ACT_PAUSE)); /* then space pauses, as everywhere */
    ck_assert(stage_act(stage, ACT_ENTER));
    ck_assert_ptr_nonnull(stage->ui.edit);
}

TEST(test_full) {
    open_stage(100, 12);
    for (int i = 0; i < (int)LMP_BREAKS; i++) {
        char text[32];
        snprintf(text, sizeof text, "size %dKiB", i + 1);
        add(text);
    }
    ck_assert_uint_eq(stage->ui.breaks.count, LMP_BREAKS);
    add("gc");
    ck_assert_uint_eq(stage->ui.breaks.count, LMP_BREAKS);
    ck_assert(shows("as many as there can be"));
    stage_type(stage, "", K_ESC);
    add("size 3KiB");
    ck_assert_ptr_null(stage->ui.edit);
    for (int h = 1; h < 30; h++) { /* every one can be reached, whatever the height */
        stage->rect = (Rect){0, 1, 40 + h * 4 % 80, h};
        stage_draw(stage);
        stage_act(stage, ACT_END);
        stage_draw(stage);
        stage_act(stage, ACT_HOME);
    }
}

TEST(test_taken_over) {
    LmpView view = {0};
    open_stage(100, 12);
    add("size 64KiB");
    answer(0);
    model->view = &view;
    model->breaks_ours = false;
    stage_update(stage);
    ck_assert_uint_eq(ui_breaks_on(&stage->ui), 0);
    ck_assert(shows("another display has set its own"));
    model->view = NULL;
}

static void golden(int w, int h, bool utf8, int colours, bool typing, const char *name) {
    open_stage(w, h);
    stage->ui.utf8 = utf8;
    stage->ui.colours = colours;
    canvas_free(stage->canvas);
    stage->canvas = canvas_new(w, h, utf8);
    add("size 64KiB");
    add("heap 150MiB");
    add("at pricing/normal.lua:83");
    add("type table");
    add("peak");
    add("gc");
    stage_act(stage, ACT_HOME);
    stage_act(stage, ACT_DOWN);
    stage_act(stage, ACT_ENTER);
    answer(16);
    model->breaks.hits[0] = 1;
    model->breaks.hits[3] = 1204;
    model->breaks.hits[4] = 1;
    model->seen = LMP_SEEN_PAUSED;
    model->op.hit = 1;
    model->op.hits = 1;
    model->gc.mode = LMP_GC_UNKNOWN;
    if (typing) {
        stage_act(stage, ACT_BREAK);
        stage_type(stage, "heap 1.5GiB", K_NONE);
    }
    stage_golden(stage, name);
}

TEST(test_sizes) {
    golden(118, 13, true, 256, false, "breaks-118x13.txt");
    golden(78, 14, true, 256, false, "breaks-78x14.txt");
    golden(78, 14, true, 256, true, "breaks-78x14-typing.txt");
    golden(58, 9, false, 0, false, "breaks-58x9-ascii.txt");
    golden(20, 4, true, 8, false, "breaks-20x4.txt");
}
