/* The panels over a snapshot: golden files of each at several sizes and with fewer colours, and
 * what keys do, with a heap built by hand (cached_heap.h). */
#include "cached_heap.h"
#include "panel_draw.h"
#include "snapshot/snapshot_pages.h"
#include "widget/table.h"

typedef struct Heaps {
    Graph *graph, *older_graph;
    LmpSnapshot now, older;
    OpenedSnapshot *heap;
    Model *model;
} Heaps;

static Heaps heaps_new(void) {
    Heaps h = {.graph = cached_graph(300), .older_graph = cached_graph(100)};
    const LmpObjectGraph *g = graph_done(h.graph), *older = graph_done(h.older_graph);
    LmpObjectInfo info = cached_info(g, 2), before = cached_info(older, 1);
    before.clock -= 30000000000u; /* of the same run, half a minute earlier */
    before.realtime -= 30000000000u;
    ck_assert_int_eq(snapshot_of_graph(&h.now, &info, g), LMP_OK);
    ck_assert_int_eq(snapshot_of_graph(&h.older, &before, older), LMP_OK);
    h.heap = opened_of(&h.now, &h.older);
    h.model = calloc(1, sizeof *h.model);
    h.model->heap = h.heap;
    return h;
}

static void heaps_free(Heaps *h) {
    opened_close(h->heap);
    snapshot_close(&h->now);
    snapshot_close(&h->older);
    graph_free(h->graph);
    graph_free(h->older_graph);
    free(h->model);
}

static const struct {
    const Panel *panel;
    const char *name;
} sights[] = {
    {&panel_held, "heap-verdict-118x28.txt"},
    {&panel_held, "heap-verdict-78x16.txt"},
    {&panel_held, "heap-verdict-30x6-mono-ascii.txt"},
    {&panel_objects, "heap-objects-118x20.txt"},
    {&panel_objects, "heap-objects-78x12.txt"},
    {&panel_objects, "heap-objects-20x4.txt"},
    {&panel_objects, "heap-objects-78x12-8-ascii.txt"},
    {&panel_dominators, "heap-dominators-118x20.txt"},
    {&panel_dominators, "heap-dominators-58x10.txt"},
    {&panel_dominators, "heap-dominators-20x4-mono-ascii.txt"},
    {&panel_treemap, "heap-treemap-118x28.txt"},
    {&panel_treemap, "heap-treemap-78x16.txt"},
    {&panel_treemap, "heap-treemap-78x16-8.txt"},
    {&panel_treemap, "heap-treemap-78x16-mono-ascii.txt"},
    {&panel_treemap, "heap-treemap-20x4.txt"},
    {&panel_suspects, "heap-lua-118x20.txt"},
    {&panel_suspects, "heap-lua-40x8.txt"},
    {&panel_compare, "heap-compare-118x20.txt"},
    {&panel_compare, "heap-compare-58x10.txt"},
};

TEST(test_sizes) {
    OWN(heaps_free) Heaps h = heaps_new();
    for (size_t i = 0; i < sizeof sights / sizeof *sights; i++) {
        OWN(stage_free_at) Stage *s = stage_named(sights[i].panel, h.model, sights[i].name);
        stage_draw(s);
        stage_golden(s, sights[i].name);
    }
}

/* The screen of a panel that something else opens. */
static void opened_golden(Heaps *h, const Panel *panel, const Ui *from, const char *name) {
    OWN(stage_free_at) Stage *s = stage_named(panel, h->model, name);
    s->ui.why = from->why;
    s->ui.members = from->members;
    s->ui.object = from->object;
    stage_golden(s, name);
}

/* The same objects by content and by keys; enter lists those of a row, escape goes back. */
static void what_is_alike(Heaps *h, const Ui *from) {
    OWN(stage_free_at) Stage *s = stage_new(&panel_members, h->model, 118, 16, true, 256);
    s->ui.members = from->members;
    stage_draw(s);
    ck_assert(stage_act(s, ACT_RIGHT));
    stage_golden(s, "heap-members-content-118x16.txt");
    ck_assert(stage_act(s, ACT_OWNER));
    stage_golden(s, "heap-members-keys-118x16.txt");
    OWN(free_at) char *groups = stage_text(s);
    ck_assert(stage_act(s, ACT_ENTER));
    OWN(free_at) char *within = stage_text(s);
    ck_assert_ptr_nonnull(strstr(within, "retains"));
    ck_assert(stage_act(s, ACT_BACK));
    OWN(free_at) char *again = stage_text(s);
    ck_assert_str_eq(groups, again);
    ck_assert(stage_act(s, ACT_RIGHT));
    ck_assert(!stage_act(s, ACT_BACK));
}

TEST(test_a_group_leads_to_its_objects_and_why) {
    OWN(heaps_free) Heaps h = heaps_new();
    OWN(stage_free_at) Stage *s = stage_new(&panel_objects, h.model, 118, 20, true, 256);
    stage_draw(s);
    stage_act(s, ACT_RIGHT); /* by type */
    ck_assert(stage_act(s, ACT_ENTER));
    ck_assert_ptr_eq(s->ui.over, &panel_members);
    ck_assert_uint_gt(s->ui.members.count, 0);
    opened_golden(&h, &panel_members, &s->ui, "heap-members-118x16.txt");
    what_is_alike(&h, &s->ui);
    ck_assert(stage_act(s, ACT_WHY));
    ck_assert_ptr_eq(s->ui.over, &panel_why);
    ck_assert_ptr_nonnull(s->ui.why.member);
    opened_golden(&h, &panel_why, &s->ui, "heap-why-many-118x16.txt");
}

/* A string that is the body of a request: leaked through the cache. */
static uint32_t some_body(const LmpSnapshot *s) {
    for (uint32_t i = 1; i < s->g.objects; i++) {
        size_t length;
        const char *text = snapshot_text(s, i, &length);
        if (text && length > 20 && strncmp(text, "body of request 7:", 18) == 0) return i;
    }
    ck_abort_msg("no body");
    return 0;
}

TEST(test_why_marks_the_cut_and_leaves_out_holders) {
    OWN(heaps_free) Heaps h = heaps_new();
    uint32_t body = some_body(&h.now);
    OWN(stage_free_at) Stage *s = stage_new(&panel_why, h.model, 118, 28, true, 256);
    ui_open_why(&s->ui, h.heap, body);
    stage_golden(s, "heap-why-118x28.txt");
    ck_says(s, "held by 2 paths");
    ck_says(s, "cut here");
    ck_says(s, "frees 1.0 KiB alone");
    stage_act(s, ACT_HOME); /* the registry, and down to get() */
    for (int i = 0; i < 3; i++)
        stage_act(s, ACT_DOWN);
    ck_assert(stage_act(s, ACT_UNMARK));
    ck_says(s, "held by 1 path,");
    ck_says(s, "without 1 holder");
    ck_says_not(s, ".get");
    ck_assert(stage_act(s, ACT_BACK)); /* with all again */
    ck_says(s, "held by 2 paths");
    ck_assert(!stage_act(s, ACT_BACK)); /* now back to where it was opened from */
}

TEST(test_garbage_says_so) {
    OWN(heaps_free) Heaps h = heaps_new();
    uint32_t dead = 1;
    while (dead < h.now.g.objects && !snapshot_garbage(&h.now, dead))
        dead++;
    OWN(stage_free_at) Stage *s = stage_new(&panel_why, h.model, 78, 12, true, 256);
    ui_open_why(&s->ui, h.heap, dead);
    ck_says(s, "garbage: waits for the collector");
}

TEST(test_a_wish_from_the_program) {
    OWN(heaps_free) Heaps h = heaps_new();
    OWN(stage_free_at) Stage *s = stage_new(&panel_why, h.model, 78, 12, true, 256);
    ui_ask_why_block(&s->ui, h.now.g.addr[some_body(&h.now)]);
    ck_assert(request_waits(&s->ui.requests, REQUEST_OPEN_SNAPSHOT));
    ck_says(s, "body of request 7");
    ck_assert_int_eq(s->ui.wish.what, WISH_NOTHING);
    ui_ask_why_block(&s->ui, 12345);
    ck_says(s, "The block at 0x3039 is not in this snapshot");
    ui_ask_why_line(&s->ui, "./nowhere.lua", 3);
    ck_says(s, "What ./nowhere.lua:3 has made is not in this snapshot");
}

TEST(test_an_object_has_references_both_ways) {
    OWN(heaps_free) Heaps h = heaps_new();
    OWN(stage_free_at) Stage *s = stage_new(&panel_object, h.model, 118, 16, true, 256);
    uint32_t body = some_body(&h.now);
    ui_open_object(&s->ui, h.now.in_from[h.now.in_at[body]]); /* its session */
    stage_golden(s, "heap-object-118x16.txt");
    stage_act(s, ACT_RIGHT);
    ck_says(s, "upvalue");
    stage_act(s, ACT_ENTER); /* to the upvalue that has it */
    ck_assert_uint_eq(h.now.g.kind[s->ui.object], LMP_OBJECT_UPVALUE);
}

TEST(test_dominators_open_close_and_follow) {
    OWN(heaps_free) Heaps h = heaps_new();
    OWN(stage_free_at) Stage *s = stage_new(&panel_dominators, h.model, 118, 40, true, 256);
    ck_says(s, "[\"req-1"); /* opened down to where it spreads */
    stage_act(s, ACT_LEFT); /* the first row: all that is held */
    ck_says_not(s, "registry");
    stage_act(s, ACT_HOTTEST);
    stage_act(s, ACT_RIGHT);
    ck_says(s, "[\"req-1");
    ck_says_not(s, " more");
    bool more = false; /* what comes after the first hundred */
    for (int i = 0; i < 6 && !more; i++) {
        stage_act(s, ACT_PAGE_DOWN);
        more = stage_shows(s, " more");
    }
    ck_assert(more);
}

TEST(test_the_treemap_is_walked_and_zoomed) {
    OWN(heaps_free) Heaps h = heaps_new();
    OWN(stage_free_at) Stage *s = stage_new(&panel_treemap, h.model, 118, 30, true, 256);
    char *before = stage_text(s);
    stage_act(s, ACT_DOWN);
    char *below = stage_text(s);
    ck_assert_str_ne(before, below); /* the line about the cursor's tile */
    free(before);
    before = below;
    ck_assert(!stage_act(s, ACT_BACK)); /* nothing to go back to */
    stage_act(s, ACT_ENTER);
    below = stage_text(s);
    ck_assert_ptr_nonnull(strstr(below, "esc back"));
    ck_assert(stage_act(s, ACT_BACK));
    free(below);
    below = stage_text(s);
    ck_assert_str_eq(before, below);
    free(before);
    free(below);
    ck_assert(stage_act(s, ACT_WHY));
    ck_assert_ptr_eq(s->ui.over, &panel_why);
}

TEST(test_pages_of_lua) {
    OWN(heaps_free) Heaps h = heaps_new();
    OWN(stage_free_at) Stage *s = stage_new(&panel_suspects, h.model, 118, 16, true, 256);
    for (int i = 0; i < LMP_PAGES; i++) {
        char *text = stage_text(s);
        const LmpSuspectPageInfo *info = &suspects_pages[i];
        ck_assert_ptr_nonnull(strstr(text, info->title));
        if (opened_page(h.heap, (LmpSuspectPage)i)->rows == 0)
            ck_assert_ptr_nonnull(strstr(text, info->none));
        for (int c = 0; c < (int)SUSPECTS_COLUMNS && info->column[c].title; c++)
            ck_assert_msg(strstr(text, info->column[c].title), "%s lacks %s", info->name,
                          info->column[c].title);
        free(text);
        stage_act(s, ACT_RIGHT);
    }
    stage_act(s, ACT_RIGHT); /* around, to the coroutines */
    stage_draw(s);
    ck_assert(stage_act(s, ACT_ENTER));
    ck_assert(s->ui.over == &panel_object || s->ui.over == &panel_members);
}

TEST(test_compare_leads_to_new_objects) {
    OWN(heaps_free) Heaps h = heaps_new();
    Stage *s = stage_new(&panel_compare, h.model, 118, 16, true, 256);
    stage_draw(s);
    const LmpSnapshotChange *most = &opened_compare(h.heap, LMP_BY_CLASS)->change[0];
    ck_assert(stage_act(s, ACT_ENTER));
    ck_assert_ptr_eq(s->ui.over, &panel_members);
    ck_assert_uint_eq(s->ui.members.count, most->made);
    stage_free(s);
    h.heap->compared = false;
    s = stage_new(&panel_compare, h.model, 78, 10, true, 256);
    ck_says(s, "lmp heap NEWER OLDER");
    stage_free(s);
    h.heap->compared = true;
}

/* Heads of columns are clicked here, too, wherever the table stands in the panel: sorts by it,
 * again: the other way round. */
TEST(test_headings_sort) {
    static const struct {
        const Panel *panel;
        const char *head;
    } row[] = {{&panel_objects, " size"},
               {&panel_suspects, " retains"},
               {&panel_compare, " gone"},
               {&panel_compare, " name"}};
    OWN(heaps_free) Heaps h = heaps_new();
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        OWN(stage_free_at) Stage *s = stage_new(row[i].panel, h.model, 118, 16, true, 256);
        char line[120], *at = NULL;
        int y = 0;
        stage_draw(s);
        while (!at && ++y < s->canvas->h) {
            for (int x = 0; x < s->canvas->w; x++) {
                uint32_t glyph = canvas_at(s->canvas, x, y)->glyph;
                line[x] = glyph < 127 ? (char)glyph : '?';
            }
            line[s->canvas->w] = 0;
            at = strstr(line, row[i].head);
        }
        ck_assert_msg(at != NULL, "no head%s", row[i].head);
        int end = (int)(at - line) + (int)strlen(row[i].head);
        MouseEvent click = {MOUSE_CLICK, end - 1 - s->rect.x, y - s->rect.y};
        uint32_t sign[2];
        for (int turn = 0; turn < 2; turn++) {
            ck_assert(PANEL_CALL(row[i].panel, mouse)(s->state, s->model, &s->ui, click, s->rect));
            stage_draw(s);
            sign[turn] = canvas_at(s->canvas, end, y)->glyph;
            ck_assert(sign[turn] == G_SORT_DOWN || sign[turn] == G_SORT_UP);
        }
        ck_assert_uint_ne(sign[0], sign[1]);
    }
}

static bool stop_it(LmpProgress *progress, const char *step, double share) {
    (void)progress, (void)step, (void)share;
    return false;
}

TEST(test_what_takes_long_says_so_first) {
    OWN(graph_free_at) Graph *graph = graph_new();
    uint32_t list = graph_table(graph, 300001, 300001, 0, 0);
    graph_edge(graph, 0, list, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    for (uint32_t i = 0; i < 300001; i++)
        graph_index(graph, list, i + 1, graph_table(graph, 0, 0, 0, 0));
    const LmpObjectGraph *g = graph_done(graph);
    LmpObjectInfo info = cached_info(g, 1);
    OWN(snapshot_close) LmpSnapshot snapshot;
    ck_assert_int_eq(snapshot_of_graph(&snapshot, &info, g), LMP_OK);
    OWN(free_at) Model *model = calloc(1, sizeof *model);
    model->heap = opened_of(&snapshot, NULL);
    static const Panel *const all[] = {&panel_held, &panel_objects, &panel_suspects};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        OWN(stage_free_at) Stage *s = stage_new(all[i], model, 78, 12, true, 256);
        ck_says(s, "Summing up 300,002 objects");
        ck_assert(s->ui.at_once);
        model->heap->progress = &(LmpProgress){.tell = stop_it};
        for (int frame = 0; frame < 3; frame++) { /* stopped, and not begun again by itself */
            OWN(free_at) char *text = stage_text(s);
            ck_assert(model->heap->stopped);
            if (frame) ck_assert_ptr_nonnull(strstr(text, "Stopped summing up 300,002 objects"));
        }
        model->heap->progress = NULL;
        model->heap->stopped = false; /* as a key does */
        ck_says(s, "Summing up 300,002 objects");
        ck_says_not(s, "umming up");
        ck_assert(!model->heap->stopped);
    }
    opened_close(model->heap);
}

TEST(test_nothing_is_open) {
    static const Panel *const all[] = {&panel_held,    &panel_objects,  &panel_dominators,
                                       &panel_treemap, &panel_suspects, &panel_compare,
                                       &panel_members, &panel_object,   &panel_why};
    OWN(free_at) Model *model = calloc(1, sizeof *model);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        OWN(stage_free_at) Stage *s = stage_new(all[i], model, 78, 10, true, 256);
        ck_says(s, "no snapshot is open");
        for (int action = ACT_NONE + 1; action < ACTIONS; action++)
            stage_act(s, (Action)action);
        PanelPlace place;
        ck_assert(!all[i]->place || !all[i]->place(s->state, model, &s->ui, &place));
    }
}
