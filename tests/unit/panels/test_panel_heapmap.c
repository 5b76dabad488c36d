/* The heap map, drawn from a heap that is the same every time. */
#include "map_stage.h"

#define EVERY_KIND ((1u << LMP_KINDS) - 1)

/* Pauses in an operation that made this block. */
static void pause_at(Model *m, uint64_t addr, uint64_t size) {
    m->seen = LMP_SEEN_PAUSED;
    m->op.op = LMP_OP_ALLOC;
    m->op.number++;
    m->op.new_addr = addr;
    m->op.new_size = size;
}

TEST(test_whole_heap) {
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

/* The block that a pause is about is lit up, over as many cells as it has, and the line below is
 * about it. */
TEST(test_paused_block) {
    static const struct {
        int w, h, colours;
        bool utf8;
        uint64_t size;
        const char *name;
    } looks[] = {
        {72, 19, 256, true, 48, "heap-72x19-paused.txt"},
        {72, 19, 256, true, 300000, "heap-72x19-paused-large.txt"},
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

/* Zoomed in, the map goes where the block is, once: who moves away stays away. */
TEST(test_paused_block_is_sought) {
    FakeHeap *f = heap_fixture_new(4000000);
    Stage *s = map_stage(heap_fixture_model(f), 72, 19, true, 256);
    ck_assert(stage_act(s, ACT_HOME)); /* the cursor begins at the fullest cell */
    repeat(s, ACT_ZOOM_IN, 6);
    ck_assert(stage_shows(s, "0x55d0c2a00000 +"));
    pause_at(s->model, FIXTURE_LOW + 2000000, 48);
    ck_assert(stage_shows(s, "0x55d0c2be8480 +")); /* the cursor is there */
    ck_assert(stage_act(s, ACT_HOME));
    ck_assert(stage_shows(s, "0x55d0c2a00000 +"));
    pause_at(s->model, FIXTURE_LOW + 3000000, 48); /* the next one */
    ck_assert(stage_shows(s, "0x55d0c2cdc6c0 +"));
    pause_at(s->model, FIXTURE_LOW + 3000100, 48); /* near it: nothing has to move */
    ck_assert(stage_shows(s, "0x55d0c2cdc720 +"));
    pause_at(s->model, 0x100000, 48); /* it is not in the map (yet) */
    ck_assert(stage_shows(s, "0x55d0c2cdc6c0 +"));
    s->model->op.op = LMP_OP_FREE;
    s->model->op.number++;
    s->model->op.new_addr = 0;
    s->model->op.old_addr = FIXTURE_LOW + 1000000;
    s->model->op.old_size = 48;
    ck_assert(stage_shows(s, "0x55d0c2af4240 +"));
    s->model->seen = LMP_SEEN_RUNNING; /* nothing is lit up any more */
    s->model->op.old_addr = FIXTURE_LOW + 2000000;
    s->model->op.number++;
    ck_assert(stage_shows(s, "0x55d0c2af4240 +"));
    done(s, f);
}

TEST(test_zoom) {
    FakeHeap *f = heap_fixture_new(4000000);
    Stage *s = map_stage(heap_fixture_model(f), 60, 12, true, 256);
    repeat(s, ACT_DOWN, 3);
    repeat(s, ACT_RIGHT, 7);
    repeat(s, ACT_ZOOM_IN, 3);
    stage_golden(s, "heap-zoom.txt");
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

TEST(test_filter) {
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

/* Zooming in and out at any place comes back to the whole heap with the cursor on its block. */
TEST(test_cursor_stays) {
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

TEST(test_mouse) {
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

TEST(test_empty_and_absent) {
    FakeHeap *f = fake_new(true);
    OWN(stage_free_at) Stage *s = map_stage(heap_fixture_model(f), 30, 6, true, 256);
    ck_says(s, "no live blocks");
    ck_assert(!stage_act(s, ACT_ENTER));
    ck_assert(!stage_act(s, ACT_DOWN));
    s->model->view = NULL;
    Stage *b = blocks_stage(s);
    stage_draw(b);
    stage_free(b);
    done(s, f);
    OWN(free_at) Model *m = heap_fixture_model(NULL);
    s = map_stage(m, 30, 6, true, 256);
}

/* Every size from 1x1 on, in every mode, with any keys: nothing outside, no crash. */
TEST(test_every_size) {
    OWN(fake_free_at) FakeHeap *f = heap_fixture_new(300000);
    OWN(free_at) Model *m = heap_fixture_model(f);
    for (int round = 0; round < 250; round++) {
        int w = 1 + (int)suite_below(130), h = 2 + (int)suite_below(45);
        static const int colours[] = {0, 8, 16, 256};
        OWN(stage_free_at) Stage *s = map_stage(m, w, h, suite_below(2), colours[suite_below(4)]);
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
    }
}

/* A moment of a recording has so many cells, which share whatever room there is, in their order;
 * keys and mouse, which are for the heap of now, do nothing. */
TEST(test_recorded) {
    static const int sizes[][2] = {{8, 2}, {20, 6}, {60, 16}, {118, 40}, {198, 58}};
    OWN(free_at) Model *m = heap_fixture_model(NULL);
    m->map_cell = 1 << 20;
    for (uint32_t i = 0; i < 200; i++) {
        m->map[i].capacity = m->map_cell;
        m->map[i].bytes[i < 100 ? LMP_STRING : LMP_TABLE] = m->map_cell;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        OWN(stage_free_at)
        Stage *s = stage_new(&panel_heapmap, m, sizes[i][0], sizes[i][1], false, 0);
        s->ui.time.past = true;
        stage_update(s);
        stage_draw(s);
        OWN(free_at) char *text = stage_text(s);
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
    }
}
