/* The heap map and the list of blocks, drawn from a heap that is the same every time. */
#include "heap_fixture.h"
#include "panel_draw.h"

#include "widget/describe.h"

#define EVERY_KIND ((1u << LMP_KINDS) - 1)

static Stage *map_stage(Model *m, int w, int h, bool utf8, int colours) {
    Stage *s = stage_new(&panel_heap, m, w, h, utf8, colours);
    stage_update(s);
    stage_draw(s);
    return s;
}

static void repeat(Stage *s, Action action, int times) {
    while (times-- > 0)
        ck_assert(stage_act(s, action));
}

static Stage *blocks_stage(const Stage *map) {
    Stage *s = stage_new(&panel_blocks, map->model, map->canvas->w, map->canvas->h, map->ui.utf8,
                         map->ui.colours);
    s->ui = map->ui;
    stage_update(s);
    return s;
}

static void done(Stage *s, FakeHeap *f) {
    Model *m = s->model;
    stage_free(s);
    if (!f) return;
    fake_free(f);
    free(m);
}

static bool shows(Stage *s, const char *words) {
    char *text = stage_text(s, false);
    bool found = strstr(text, words) != NULL;
    free(text);
    return found;
}

/* Pauses in an operation that made this block. */
static void pause_at(Model *m, uint64_t addr, uint64_t size) {
    m->seen = LMP_SEEN_PAUSED;
    m->op.op = LMP_OP_ALLOC;
    m->op.number++;
    m->op.new_addr = addr;
    m->op.new_size = size;
}

/* The block that a pause is about is lit up, over as many cells as it has, and the line below is
 * about it. */
START_TEST(test_paused_block) {
    static const struct {
        int w, h, colours;
        bool utf8;
        uint64_t size;
        const char *name;
    } looks[] = {
        {72, 19, 256, true, 48, "heap-paused.txt"},
        {72, 19, 256, true, 300000, "heap-paused-large.txt"},
        {40, 11, 0, false, 48, "heap-paused-mono.txt"},
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        FakeHeap *f = heap_fixture_new(4000000);
        Stage *s = map_stage(heap_fixture_model(f), looks[i].w, looks[i].h, looks[i].utf8,
                             looks[i].colours);
        s->ui.focus = &panel_inspector;
        pause_at(s->model, FIXTURE_LOW + 2000000, looks[i].size);
        stage_golden(s, looks[i].name);
        done(s, f);
    }
}
END_TEST

/* Zoomed in, the map goes where the block is, once: who moves away stays away. */
START_TEST(test_paused_block_is_sought) {
    FakeHeap *f = heap_fixture_new(4000000);
    Stage *s = map_stage(heap_fixture_model(f), 72, 19, true, 256);
    repeat(s, ACT_ZOOM_IN, 6);
    ck_assert(shows(s, "0x55d0c2a00000 +"));
    pause_at(s->model, FIXTURE_LOW + 2000000, 48);
    ck_assert(shows(s, "0x55d0c2be8480 +")); /* the cursor is there */
    ck_assert(stage_act(s, ACT_HOME));
    ck_assert(shows(s, "0x55d0c2a00000 +"));
    pause_at(s->model, FIXTURE_LOW + 3000000, 48); /* the next one */
    ck_assert(shows(s, "0x55d0c2cdc6c0 +"));
    pause_at(s->model, FIXTURE_LOW + 3000100, 48); /* near it: nothing has to move */
    ck_assert(shows(s, "0x55d0c2cdc720 +"));
    pause_at(s->model, 0x100000, 48); /* it is not in the map (yet) */
    ck_assert(shows(s, "0x55d0c2cdc6c0 +"));
    s->model->op.op = LMP_OP_FREE;
    s->model->op.number++;
    s->model->op.new_addr = 0;
    s->model->op.old_addr = FIXTURE_LOW + 1000000;
    s->model->op.old_size = 48;
    ck_assert(shows(s, "0x55d0c2af4240 +"));
    s->model->seen = LMP_SEEN_RUNNING; /* nothing is lit up any more */
    s->model->op.old_addr = FIXTURE_LOW + 2000000;
    s->model->op.number++;
    ck_assert(shows(s, "0x55d0c2af4240 +"));
    done(s, f);
}
END_TEST

START_TEST(test_whole_heap) {
    static const struct {
        int w, h, colours;
        bool utf8;
        const char *name;
    } looks[] = {
        {72, 19, 256, true, "heap-72x19.txt"},       {40, 11, 256, true, "heap-40x11.txt"},
        {120, 40, 256, true, "heap-120x40.txt"},     {10, 4, 256, true, "heap-10x4.txt"},
        {40, 11, 8, true, "heap-40x11-8.txt"},       {40, 11, 16, true, "heap-40x11-16.txt"},
        {40, 11, 16, false, "heap-40x11-ascii.txt"}, {40, 11, 0, false, "heap-40x11-mono.txt"},
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        FakeHeap *f = heap_fixture_new(4000000);
        Stage *s = map_stage(heap_fixture_model(f), looks[i].w, looks[i].h, looks[i].utf8,
                             looks[i].colours);
        if (looks[i].w > 10) {
            repeat(s, ACT_DOWN, 2);
            repeat(s, ACT_RIGHT, 4);
        }
        stage_golden(s, looks[i].name);
        done(s, f);
    }
}
END_TEST

START_TEST(test_zoom) {
    FakeHeap *f = heap_fixture_new(4000000);
    Stage *s = map_stage(heap_fixture_model(f), 60, 12, true, 256);
    repeat(s, ACT_DOWN, 3);
    repeat(s, ACT_RIGHT, 7);
    repeat(s, ACT_ZOOM_IN, 3);
    stage_golden(s, "heap-zoom-3.txt");
    repeat(s, ACT_ZOOM_IN, 20); /* no further than 16 bytes */
    stage_golden(s, "heap-zoom-16.txt");
    repeat(s, ACT_PAGE_DOWN, 1);
    repeat(s, ACT_LEFT, 1);
    stage_golden(s, "heap-zoom-page.txt");
    repeat(s, ACT_ZOOM_OUT, 30);
    char note[160];
    s->panel->note(s->state, s->model, &s->ui, note, sizeof note);
    ck_assert_ptr_nonnull(strstr(note, "4 KiB/cell"));
    repeat(s, ACT_END, 1);
    stage_golden(s, "heap-end.txt");
    done(s, f);
}
END_TEST

START_TEST(test_filter) {
    FakeHeap *f = heap_fixture_new(4000000);
    Stage *s = map_stage(heap_fixture_model(f), 60, 12, true, 256);
    s->ui.kinds = 1u << LMP_STRING | 1u << LMP_THREAD;
    stage_golden(s, "heap-filter.txt");
    s->ui.kinds = 0;
    stage_golden(s, "heap-filter-none.txt");
    s->ui.kinds = 1u << LMP_STRING;
    s->ui.utf8 = s->canvas->utf8 = false;
    stage_golden(s, "heap-filter-ascii.txt");
    done(s, f);
}
END_TEST

/* Zooming in and out at any place comes back to the whole heap with the cursor on its block. */
START_TEST(test_cursor_stays) {
    suite_seed();
    FakeHeap *f = heap_fixture_new(3000000);
    Stage *s = map_stage(heap_fixture_model(f), 50, 12, true, 256);
    for (int round = 0; round < 200; round++) {
        int moves = (int)suite_below(60);
        static const Action any[] = {ACT_UP,      ACT_DOWN,    ACT_LEFT,      ACT_RIGHT,
                                     ACT_HOME,    ACT_END,     ACT_PAGE_DOWN, ACT_PAGE_UP,
                                     ACT_ZOOM_IN, ACT_ZOOM_OUT};
        while (moves-- > 0)
            stage_act(s, any[suite_below(10)]);
        s->rect.h = 5 + (int)suite_below(7); /* also when the panel becomes smaller */
        stage_draw(s);
        int brackets = 0;
        for (int i = 0; i < 50 * 11; i++) {
            uint32_t g = canvas_at(s->canvas, i % 50, 1 + i / 50)->glyph;
            brackets += g == '[' || g == ']';
        }
        ck_assert_msg(brackets == 1 || brackets == 2, "the cursor is not in the window");
        while (stage_act(s, ACT_BACK))
            ;
        s->rect.h = 11;
        stage_draw(s);
        char note[160];
        s->panel->note(s->state, s->model, &s->ui, note, sizeof note);
        ck_assert_ptr_nonnull(strstr(note, "4 KiB/cell"));
    }
    done(s, f);
}
END_TEST

START_TEST(test_mouse) {
    FakeHeap *f = heap_fixture_new(4000000);
    Stage *s = map_stage(heap_fixture_model(f), 60, 12, true, 256);
    Rect r = s->rect;
    ck_assert(s->panel->mouse(s->state, s->model, &s->ui, (MouseEvent){MOUSE_CLICK, 20, 4}, r));
    stage_draw(s);
    ck_assert_uint_eq(canvas_at(s->canvas, 19, 5)->glyph, '[');
    ck_assert_uint_eq(canvas_at(s->canvas, 21, 5)->glyph, ']');
    ck_assert(s->panel->mouse(s->state, s->model, &s->ui, (MouseEvent){MOUSE_WHEEL_UP, 20, 4}, r));
    stage_draw(s); /* what is under the pointer stays there */
    ck_assert_uint_eq(canvas_at(s->canvas, 19, 5)->glyph, '[');
    ck_assert(
        s->panel->mouse(s->state, s->model, &s->ui, (MouseEvent){MOUSE_WHEEL_DOWN, 20, 4}, r));
    ck_assert(!s->panel->mouse(s->state, s->model, &s->ui, (MouseEvent){MOUSE_CLICK, 20, 50}, r));
    ck_assert(s->panel->mouse(s->state, s->model, &s->ui, (MouseEvent){MOUSE_DOUBLE, 20, 4}, r));
    ck_assert_ptr_eq(s->ui.over, &panel_blocks);
    done(s, f);
}
END_TEST

START_TEST(test_empty_and_absent) {
    FakeHeap *f = fake_new(true);
    Stage *s = map_stage(heap_fixture_model(f), 30, 6, true, 256);
    char *text = stage_text(s, false);
    ck_assert_ptr_nonnull(strstr(text, "no live blocks yet"));
    free(text);
    ck_assert(!stage_act(s, ACT_ENTER));
    ck_assert(!stage_act(s, ACT_DOWN));
    s->model->view = NULL;
    Stage *b = blocks_stage(s);
    stage_draw(b);
    stage_free(b);
    done(s, f);
    Model *m = heap_fixture_model(NULL);
    s = map_stage(m, 30, 6, true, 256);
    stage_free(s);
    free(m);
}
END_TEST

/* Every size from 1x1 on, in every mode, with any keys: nothing outside, no crash. */
START_TEST(test_every_size) {
    suite_seed();
    FakeHeap *f = heap_fixture_new(300000);
    Model *m = heap_fixture_model(f);
    for (int round = 0; round < 250; round++) {
        int w = 1 + (int)suite_below(130), h = 2 + (int)suite_below(45);
        static const int colours[] = {0, 8, 16, 256};
        Stage *s = map_stage(m, w, h, suite_below(2), colours[suite_below(4)]);
        for (int i = 0; i < 10; i++) {
            stage_act(s, (Action)(1 + suite_below(ACTIONS - 1)));
            s->panel->mouse(s->state, m, &s->ui,
                            (MouseEvent){(MouseWhat)suite_below(4), (int)suite_below(140),
                                         (int)suite_below(50)},
                            s->rect);
            s->rect.w = 1 + (int)suite_below((uint64_t)w);
            s->rect.h = (int)suite_below((uint64_t)h);
            s->ui.frozen = suite_below(3) == 0;
            stage_draw(s);
        }
        stage_free(s);
    }
    fake_free(f);
    free(m);
}
END_TEST

/* ---- blocks ---------------------------------------------------------------------------------- */

static void answer(Model *m, const Ui *ui) {
    static const char *const texts[] = {"options.lua", "line\n\ttwo",
                                        ("Gr\xc3\xbc\xc3\x9f"
                                         "e"),
                                        "\x1b[2Jbad\xff\xc3", "a \"quoted\" \\ word"};
    m->preview_ready = true;
    m->preview_count = ui->requests.of[REQUEST_PREVIEW].preview.count;
    for (uint32_t i = 0; i < m->preview_count; i++) {
        LmpPreview *p = &m->preview[i];
        *p = (LmpPreview){.addr = ui->requests.of[REQUEST_PREVIEW].preview.addr[i],
                          .valid = i % 6 != 5};
        snprintf((char *)p->bytes, sizeof p->bytes, "%s", texts[i % 5]);
        p->shown = (uint32_t)strlen(texts[i % 5]);
        p->size = i % 4 ? p->shown : 4000;
        if (i != 1) continue; /* the one that is a table */
        *p = (LmpPreview){.addr = p->addr, .valid = LMP_PREVIEW_SHAPE, .shown = 8};
        p->shape = LMP_SHAPE_NAMES | LMP_SHAPE_ITEMS;
        memcpy(p->bytes, "id, name", 8);
    }
}

/* The same by what blocks are: strings and tables of four sorts each. */
static bool answer_alike(Stage *s) {
    static const char *const texts[] = {"options.lua", "a \"quoted\" \\ word", "session-\xff", ""};
    static const char *const keys[] = {"id, name, price", "a key\n, b", "", "k1, k2"};
    static const uint32_t shapes[] = {LMP_SHAPE_NAMES, LMP_SHAPE_NAMES | LMP_SHAPE_ITEMS,
                                      LMP_SHAPE_ITEMS, LMP_SHAPE_NAMES | LMP_SHAPE_CUT};
    Requests *requests = &s->ui.requests;
    if (!request_waits(requests, REQUEST_PREVIEW)) return false;
    const Request *r = &requests->of[REQUEST_PREVIEW];
    bool content = strstr(s->ui.said, "content");
    requests->waiting = 0;
    s->model->preview_ready = true;
    s->model->preview_count = r->preview.count;
    for (uint32_t i = 0; i < r->preview.count; i++) {
        LmpPreview *p = &s->model->preview[i];
        uint32_t sort = (uint32_t)(r->preview.addr[i] / 48 % 4);
        *p = (LmpPreview){.addr = r->preview.addr[i], .hash = 1 + sort};
        p->valid = content ? LMP_PREVIEW_STRING : LMP_PREVIEW_SHAPE;
        p->shape = content ? 0 : shapes[sort];
        p->shown = (uint32_t)strlen(content ? texts[sort] : keys[sort]);
        memcpy(p->bytes, content ? texts[sort] : keys[sort], p->shown);
        p->size = content ? p->shown : 2;
    }
    stage_update(s);
    return true;
}

START_TEST(test_blocks) {
    static const struct {
        int w, h, colours;
        bool utf8;
        const char *name;
    } looks[] = {
        {100, 16, 256, true, "blocks-100x16.txt"},
        {60, 10, 256, true, "blocks-60x10.txt"},
        {30, 6, 8, true, "blocks-30x6.txt"},
        {80, 12, 0, false, "blocks-80x12-ascii.txt"},
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        FakeHeap *f = heap_fixture_new(4000000);
        Stage *map = map_stage(heap_fixture_model(f), looks[i].w, looks[i].h, looks[i].utf8,
                               looks[i].colours);
        repeat(map, ACT_DOWN, 4);
        repeat(map, ACT_ENTER, 1);
        ck_assert_ptr_eq(map->ui.over, &panel_blocks);
        Stage *s = blocks_stage(map);
        s->ui.look_from = FIXTURE_LOW + 0x66000; /* where there are strings */
        s->ui.look_to = s->ui.look_from + 0x1000;
        stage_draw(s);
        ck_assert(request_waits(&s->ui.requests, REQUEST_PREVIEW));
        answer(s->model, &s->ui);
        stage_update(s);
        repeat(s, ACT_DOWN, 2);
        stage_golden(s, looks[i].name);
        stage_free(s);
        done(map, f);
    }
}
END_TEST

/* What a row of the list says, as numbers that its column is sorted by. */
typedef struct BlockRow {
    double by[4]; /* address, type, size, age */
} BlockRow;

static uint32_t block_rows(Stage *s, BlockRow *row, uint32_t room) {
    char *text = stage_text(s, false);
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, " 0x")) != NULL && n < room; at++) {
        unsigned long long addr;
        char type[32], size_unit[8], age_unit[8];
        double size, age;
        if (sscanf(at, " 0x%llx  %31[a-z ] %lf %7s %lf %7s", &addr, type, &size, size_unit, &age,
                   age_unit) != 6)
            continue;
        double kind = -1;
        for (unsigned k = 0; k < LMP_KINDS; k++)
            if (strncmp(type, kind_info[k].name, strlen(kind_info[k].name)) == 0) kind = k;
        if (size_unit[0] != 'B') size *= 1024;
        if (age_unit[0] == 'm') age *= 60;
        row[n++] = (BlockRow){{(double)addr, 2 * kind + (strstr(type, "part") != NULL), size, age}};
    }
    free(text);
    return n;
}

static bool is_sorted(const BlockRow *row, uint32_t n, int by, bool rising) {
    for (uint32_t i = 1; i < n; i++)
        if (rising ? row[i].by[by] < row[i - 1].by[by] : row[i].by[by] > row[i - 1].by[by])
            return false;
    return true;
}

START_TEST(test_blocks_sorted) {
    enum { ROOM = 100 };
    BlockRow row[ROOM];
    FakeHeap *f = heap_fixture_new(4000000);
    Stage *map = map_stage(heap_fixture_model(f), 120, 80, true, 256);
    repeat(map, ACT_DOWN, 4);
    repeat(map, ACT_ENTER, 1);
    Stage *s = blocks_stage(map);
    s->ui.look_from = FIXTURE_LOW + 0x66000;
    s->ui.look_to = s->ui.look_from + 0x1000;
    stage_update(s);
    uint32_t n = block_rows(s, row, ROOM);
    ck_assert_uint_gt(n, 50);
    ck_assert(is_sorted(row, n, 0, true));
    static const bool rising[] = {true, true, false, false};
    for (int by = 1; by < 4; by++) {
        ck_assert(!is_sorted(row, n, by, true) && !is_sorted(row, n, by, false));
        repeat(s, ACT_SORT_RIGHT, 1);
        stage_update(s);
        ck_assert_uint_eq(block_rows(s, row, ROOM), n);
        ck_assert_msg(is_sorted(row, n, by, rising[by]), "column %d", by);
        repeat(s, ACT_REVERSE, 1);
        stage_update(s);
        ck_assert_uint_eq(block_rows(s, row, ROOM), n);
        ck_assert_msg(is_sorted(row, n, by, !rising[by]), "column %d, reversed", by);
    }
    stage_free(s);
    done(map, f);
}
END_TEST

static bool block_shows(Stage *s, const char *words) {
    char *text = stage_text(s, false);
    bool found = strstr(text, words) != NULL;
    free(text);
    return found;
}

/* What is alike in one line, by content and by keys; enter lists the blocks, escape goes back. */
START_TEST(test_blocks_alike) {
    static const struct {
        int w, h, colours;
        bool utf8;
        const char *content, *keys;
    } looks[] = {
        {100, 14, 256, true, "blocks-content-100x14.txt", "blocks-keys-100x14.txt"},
        {58, 9, 0, false, "blocks-content-58x9-ascii.txt", "blocks-keys-58x9-ascii.txt"},
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        FakeHeap *f = heap_fixture_new(4000000);
        Model *m = heap_fixture_model(f);
        Stage *s =
            stage_new(&panel_blocks, m, looks[i].w, looks[i].h, looks[i].utf8, looks[i].colours);
        s->ui.over = &panel_blocks;
        s->ui.look_from = FIXTURE_LOW + 0x66000; /* where there are strings */
        s->ui.look_to = s->ui.look_from + 0x10000;
        stage_draw(s);
        s->ui.requests.waiting = 0;
        ck_assert(stage_act(s, ACT_RIGHT));
        snprintf(s->ui.said, sizeof s->ui.said, "content"); /* what answer_alike goes by */
        ck_assert(block_shows(s, "0 of "));
        do
            stage_draw(s);
        while (answer_alike(s));
        stage_golden(s, looks[i].content);
        ck_assert(block_shows(s, "not co"));
        ck_assert(block_shows(s, "4 contents"));
        char before[160], within[160];
        s->panel->note(s->state, m, &s->ui, before, sizeof before);
        ck_assert(stage_act(s, ACT_DOWN) && stage_act(s, ACT_DOWN));
        ck_assert(stage_act(s, ACT_ENTER));
        stage_draw(s);
        s->panel->note(s->state, m, &s->ui, within, sizeof within);
        ck_assert_str_ne(before, within);
        ck_assert(block_shows(s, "0x55d0c2a") && !block_shows(s, "not compared"));
        ck_assert(stage_act(s, ACT_BACK));
        ck_assert(block_shows(s, "4 contents"));
        s->ui.said[0] = 0;
        ck_assert(stage_act(s, ACT_OWNER));
        do
            stage_draw(s);
        while (answer_alike(s));
        stage_golden(s, looks[i].keys);
        ck_assert(stage_act(s, ACT_LEFT) && stage_act(s, ACT_LEFT)); /* block by block */
        ck_assert(block_shows(s, "address"));
        ck_assert(!stage_act(s, ACT_BACK));
        stage_free(s);
        fake_free(f);
        free(m);
    }
}
END_TEST

/* The cursor stays on its block while others before it come and go. */
START_TEST(test_blocks_follow) {
    FakeHeap *f = fake_new(true);
    for (uint64_t i = 1; i < 100; i += 2)
        fake_place(f, FIXTURE_LOW + i * 64, 40, LMP_C_TABLE, 1);
    Model *m = heap_fixture_model(f);
    Stage *s = stage_new(&panel_blocks, m, 60, 8, true, 256);
    s->ui.over = &panel_blocks;
    s->ui.look_from = FIXTURE_LOW;
    s->ui.look_to = FIXTURE_LOW + 8192;
    stage_draw(s);
    repeat(s, ACT_DOWN, 9);
    for (int round = 0; round < 3; round++) {
        char *text = stage_text(s, false), *cursor = strstr(text, "▸");
        ck_assert_ptr_nonnull(cursor);
        ck_assert_msg(strncmp(cursor + strlen("▸ "), "0x55d0c2a004c0", 14) == 0, "%.40s", cursor);
        free(text);
        if (round == 0)
            for (uint64_t i = 1; i < 9; i += 2)
                fake_take(f, FIXTURE_LOW + i * 64, 40);
        if (round == 1)
            for (uint64_t i = 0; i < 12; i += 2)
                fake_place(f, FIXTURE_LOW + i * 64, 40, LMP_C_STRING, 1);
    }
    fake_take(f, FIXTURE_LOW + 19 * 64, 40); /* the block itself goes: on to the next */
    char *text = stage_text(s, false);
    ck_assert_ptr_nonnull(strstr(text, "▸ 0x55d0c2a00540"));
    free(text);
    s->ui.kinds = 0;
    text = stage_text(s, false);
    ck_assert_ptr_nonnull(strstr(text, "no live blocks of the chosen types"));
    free(text);
    stage_free(s);
    fake_free(f);
    free(m);
}
END_TEST

/* ---- words ----------------------------------------------------------------------------------- */

START_TEST(test_words) {
    char out[LMP_PREVIEW_BYTES * 4];
    ck_assert_str_eq(describe_cell_size(out, 16), "16 B");
    ck_assert_str_eq(describe_cell_size(out, 64 << 10), "64 KiB");
    ck_assert_str_eq(describe_cell_size(out, 1ull << 40), "1 TiB");
    ck_assert_str_eq(describe_age(out, 51, 2000000000, 101500000000), "< 2 s");
    ck_assert_str_eq(describe_age(out, 46, 2000000000, 102000000000), "11 s");
    ck_assert_str_eq(describe_age(out, 0, 2000000000, 102000000000), "?");
    ck_assert_str_eq(describe_class(LMP_C_TABLE_PART), "table part");
    ck_assert_str_eq(describe_class(99), "?");
    LmpPreview p = {.size = 3, .shown = 3, .valid = 1};
    memcpy(p.bytes, "\xe4\xb8\x96", 3);
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, false), "\"\xe4\xb8\x96\"");
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, true), "\"\\u{4e16}\"");
    p.shown = 2; /* cut within the character */
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, true), "\"\"...");
    p.size = 2;
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, true), "\"\\xe4\\xb8\"");
    memcpy(p.bytes, "a\0b\n\x7f\x1b", 6);
    p.size = p.shown = 6;
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, false), "\"a\\x00b\\n\\x7f\\x1b\"");
    memcpy(p.bytes, "\xe2\x80\xae", 3); /* turns the direction of writing */
    p.size = p.shown = 3;
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, false), "\"\\u{202e}\"");
}
END_TEST

START_TEST(test_preview_hostile) {
    suite_seed();
    for (int round = 0; round < 20000; round++) {
        LmpPreview p;
        for (size_t i = 0; i < sizeof p; i++)
            ((uint8_t *)&p)[i] = (uint8_t)(suite_below(3) ? suite_random() : suite_below(4) + 0xc0);
        if (suite_below(2)) p.shown = (uint32_t)suite_below(LMP_PREVIEW_BYTES + 1);
        char out[400];
        size_t size = 1 + suite_below(sizeof out);
        describe_preview(out, size, &p, suite_below(2));
        ck_assert_uint_lt(strnlen(out, sizeof out), size);
        for (const char *c = out; *c; c++)
            ck_assert((unsigned char)*c >= ' ' && *c != 0x7f);
    }
}
END_TEST

/* A moment of a recording has so many cells, which share whatever room there is, in their order;
 * keys and mouse, which are for the heap of now, do nothing. */
START_TEST(test_recorded) {
    static const int sizes[][2] = {{8, 2}, {20, 6}, {60, 16}, {118, 40}, {198, 58}};
    Model *m = heap_fixture_model(NULL);
    m->map_cell = 1 << 20;
    for (uint32_t i = 0; i < 200; i++) {
        m->map[i].capacity = m->map_cell;
        m->map[i].bytes[i < 100 ? LMP_STRING : LMP_TABLE] = m->map_cell;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Stage *s = stage_new(&panel_heap, m, sizes[i][0], sizes[i][1], false, 0);
        s->ui.time.past = true;
        stage_update(s);
        stage_draw(s);
        char *text = stage_text(s, false);
        size_t strings = 0, tables = 0, last = 0, first = SIZE_MAX;
        for (const char *c = text; *c; c++) { /* no other words have these letters */
            if (*c == 'S') strings++, last = (size_t)(c - text);
            if (*c == 'T' && first == SIZE_MAX) first = (size_t)(c - text);
            if (*c == 'T') tables++;
        }
        ck_assert_uint_gt(strings, 0);
        ck_assert_uint_lt(last, first);
        ck_assert_uint_le(strings > tables ? strings - tables : tables - strings, 1);
        ck_assert(!stage_act(s, ACT_ENTER) && !stage_act(s, ACT_ZOOM_IN));
        free(text);
        stage_free(s);
    }
    free(m);
}
END_TEST

SUITE("panel_heap", test_recorded, test_paused_block, test_paused_block_is_sought, test_whole_heap,
      test_zoom, test_filter, test_cursor_stays, test_mouse, test_empty_and_absent, test_every_size,
      test_blocks, test_blocks_alike, test_blocks_sorted, test_blocks_follow, test_words,
      test_preview_hostile)
