/* The list of blocks below the heap map, drawn from a heap that is the same every time. */
#include "map_stage.h"

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

TEST(test_blocks) {
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

/* What a row of the list says, as numbers that its column is sorted by. */
typedef struct BlockRow {
    double by[4]; /* address, type, size, age */
} BlockRow;

static uint32_t block_rows(Stage *s, BlockRow *row, uint32_t room) {
    char *text = stage_text(s);
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

TEST(test_blocks_sorted) {
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

/* What is alike in one line, by content and by keys; enter lists the blocks, escape goes back. */
TEST(test_blocks_alike) {
    static const struct {
        int w, h, colours;
        bool utf8;
        const char *content, *keys;
    } looks[] = {
        {100, 14, 256, true, "blocks-content-100x14.txt", "blocks-keys-100x14.txt"},
        {58, 9, 0, false, "blocks-content-58x9-ascii.txt", "blocks-keys-58x9-ascii.txt"},
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        OWN(fake_free_at) FakeHeap *f = heap_fixture_new(4000000);
        OWN(free_at) Model *m = heap_fixture_model(f);
        Stage *s =
            stage_new(&panel_blocks, m, looks[i].w, looks[i].h, looks[i].utf8, looks[i].colours);
        s->ui.over = &panel_blocks;
        s->ui.look_from = FIXTURE_LOW + 0x66000; /* where there are strings */
        s->ui.look_to = s->ui.look_from + 0x10000;
        stage_draw(s);
        s->ui.requests.waiting = 0;
        ck_assert(stage_act(s, ACT_RIGHT));
        snprintf(s->ui.said, sizeof s->ui.said, "content"); /* what answer_alike goes by */
        ck_assert(stage_shows(s, "0 of "));
        do
            stage_draw(s);
        while (answer_alike(s));
        stage_golden(s, looks[i].content);
        ck_assert(stage_shows(s, "not co"));
        ck_assert(stage_shows(s, "4 contents"));
        char before[160], within[160];
        s->panel->note(s->state, m, &s->ui, before, sizeof before);
        ck_assert(stage_act(s, ACT_DOWN) && stage_act(s, ACT_DOWN));
        ck_assert(stage_act(s, ACT_ENTER));
        stage_draw(s);
        s->panel->note(s->state, m, &s->ui, within, sizeof within);
        ck_assert_str_ne(before, within);
        ck_assert(stage_shows(s, "0x55d0c2a") && !stage_shows(s, "not compared"));
        ck_assert(stage_act(s, ACT_BACK));
        ck_assert(stage_shows(s, "4 contents"));
        s->ui.said[0] = 0;
        ck_assert(stage_act(s, ACT_OWNER));
        do
            stage_draw(s);
        while (answer_alike(s));
        stage_golden(s, looks[i].keys);
        ck_assert(stage_act(s, ACT_LEFT) && stage_act(s, ACT_LEFT)); /* block by block */
        ck_assert(stage_shows(s, "address"));
        ck_assert(!stage_act(s, ACT_BACK));
        stage_free(s);
    }
}

/* The cursor stays on its block while others before it come and go. */
TEST(test_blocks_follow) {
    OWN(fake_free_at) FakeHeap *f = fake_new(true);
    for (uint64_t i = 1; i < 100; i += 2)
        fake_place(f, FIXTURE_LOW + i * 64, 40, LMP_C_TABLE, 1);
    OWN(free_at) Model *m = heap_fixture_model(f);
    OWN(stage_free_at) Stage *s = stage_new(&panel_blocks, m, 60, 8, true, 256);
    s->ui.over = &panel_blocks;
    s->ui.look_from = FIXTURE_LOW;
    s->ui.look_to = FIXTURE_LOW + 8192;
    stage_draw(s);
    repeat(s, ACT_DOWN, 9);
    for (int round = 0; round < 3; round++) {
        char *text = stage_text(s), *cursor = strstr(text, "▸");
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
    ck_says(s, "▸ 0x55d0c2a00540");
    s->ui.kinds = 0;
    ck_says(s, "no live blocks of the chosen types");
}
