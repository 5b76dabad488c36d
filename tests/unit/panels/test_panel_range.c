/* What tables and the flame graph show of a range of time: what was allocated, freed and grew in
 * it. Golden files, and that the three agree in every row. */
#include "flame_stage.h"
#include "panels/flame/flametree.h"
#include "widget/shownfigure.h"
#include "widget/table.h"

#define SECOND 1000000000ull

/* A range that began when the program of the fixture had run: since then every fifth path has made
 * more, and every third has freed something. */
static LedgerFixture in_range(void) {
    LedgerFixture f = fixture_of(true, false);
    FakeTables *t = f.tables;
    fake_mark(t);
    f.model->ledger.count_from = 1;
    for (uint32_t i = 1; i < t->live->tables.nodes; i++) {
        FakeSpot at = {.site = t->t.node[i].site, .node = i, .cls = LMP_C_STRING};
        if (at.site == 0) continue;
        if (i % 5 == 0 || i % 3 == 0) fake_made(t, at, 40, i * 1000);
        if (i % 3 == 0) fake_freed(t, at, at, 30, i * 700, 0);
    }
    refresh(&f);
    ck_assert(f.model->ledger_marked);
    f.model->held = f.model->marked = true;
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        f.model->since_mark.bytes[k] = (int64_t)k * 1000 - 2000;
        f.model->since_mark.made[k] = (int64_t)k * 4000;
        f.model->since_mark.total_bytes += f.model->since_mark.bytes[k];
        f.model->since_mark.total_made += f.model->since_mark.made[k];
    }
    return f;
}

static const UiTime range = {.can = true,
                             .past = true,
                             .replay = true,
                             .range = true,
                             .from = 30 * SECOND,
                             .to = 90 * SECOND,
                             .clock = 90 * SECOND};

static Stage *stage_of(const Panel *panel, const LedgerFixture *f, int w, int h) {
    Stage *s = stage_new(panel, f->model, w, h, true, 256);
    s->ui.now = SECOND;
    s->ui.time = range;
    stage_draw(s);
    return s;
}

typedef struct Sight {
    const Panel *panel;
    const char *name;
    bool makes;
} Sight;

static void draw_all(const LedgerFixture *f, UiTime time, const Sight *sights, size_t n) {
    for (size_t i = 0; i < n; i++) {
        OWN(stage_free_at) Stage *s = stage_named(sights[i].panel, f->model, sights[i].name);
        s->ui.now = SECOND;
        s->ui.time = range;
        stage_draw(s);
        s->ui.time = time;
        s->ui.makes = sights[i].makes;
        stage_draw(s);
        stage_golden(s, sights[i].name);
    }
}

static const Sight sights[] = {
    {&panel_sites, "range-sites-118x16.txt", false},
    {&panel_sites, "range-sites-198x16-makes.txt", true},
    {&panel_sites, "range-sites-78x12.txt", false},
    {&panel_sites, "range-sites-58x8-mono-ascii.txt", true},
    {&panel_sites, "range-sites-20x4-8.txt", false},
    {&panel_functions, "range-functions-118x16.txt", false},
    {&panel_functions, "range-functions-78x12-8.txt", true},
    {&panel_tree, "range-tree-118x16.txt", false},
    {&panel_tree, "range-tree-78x12.txt", true},
    {&panel_tree, "range-tree-98x12.txt", false},
    {&panel_tree, "range-tree-58x8-mono-ascii.txt", false},
    {&panel_tags, "range-tags-78x8.txt", false},
    {&panel_types, "range-types-78x10.txt", false},
    {&panel_types, "range-types-54x10.txt", true},
    {&panel_flame, "range-flame-118x16.txt", false},
    {&panel_flame, "range-flame-78x12-mono-ascii.txt", false},
};

TEST(test_sizes) {
    OWN(ledger_fixture_free) LedgerFixture f = in_range();
    draw_all(&f, range, sights, sizeof sights / sizeof *sights);
}

/* What was made since a mark and lives: half of what a record has, of which it makes some up. */
static LedgerFixture since(void) {
    static LedgerLives record[1000], node[1000];
    static LedgerSince lives = {record, node, 1000, 1000};
    LedgerFixture f = in_range();
    Model *m = f.model;
    const FakeTables *t = f.tables;
    m->held = false;
    for (uint32_t i = 0; i < 1000; i++) {
        record[i] = node[i] = (LedgerLives){0};
        if (i < t->live->tables.records && i % 3)
            record[i] = (LedgerLives){i, t->t.record[i].use.bytes / (i + 1)};
        if (i < t->live->tables.nodes && i % 3)
            node[i] = (LedgerLives){i, t->t.usage[i].bytes / (i + 1)};
    }
    m->ledger.lives = &lives;
    m->since = (ModelSince){
        .on = true, .now = true, .shown = true, .lines = true, .from = 60 * SECOND, .to = m->clock};
    for (uint32_t cls = 1; cls < LMP_C_COUNTED; cls++)
        m->since.of_class[cls] = (LedgerLives){cls, cls * 5000};
    refresh(&f);
    return f;
}

static const Sight survivors[] = {
    {&panel_sites, "since-sites-118x16.txt", false},
    {&panel_sites, "since-sites-78x12-makes.txt", true},
    {&panel_sites, "since-sites-58x8-mono-ascii.txt", false},
    {&panel_functions, "since-functions-78x12.txt", false},
    {&panel_tree, "since-tree-78x12.txt", false},
    {&panel_tags, "since-tags-78x8.txt", false},
    {&panel_types, "since-types-78x10.txt", false},
    {&panel_types, "since-types-54x10.txt", true},
    {&panel_flame, "since-flame-118x16.txt", false},
};

TEST(test_since) {
    OWN(ledger_fixture_free) LedgerFixture f = since();
    draw_all(&f, (UiTime){.can = true}, survivors, sizeof survivors / sizeof *survivors);
}

/* Rows add up: lines, functions and paths to what the records have. */
TEST(test_since_adds_up) {
    OWN(ledger_fixture_free) LedgerFixture f = since();
    const Ledger *l = &f.model->ledger;
    LedgerLives sum[4] = {{0}};
    for (uint32_t i = 1; i < f.tables->live->tables.records; i++)
        sum[0].bytes += l->lives->record[i].bytes;
    for (uint32_t i = 0; i < l->sites; i++)
        sum[1].bytes += l->site[i].tally.since.bytes;
    for (uint32_t i = 0; i < l->functions; i++)
        sum[2].bytes += l->function[i].shallow.since.bytes;
    for (uint32_t i = 1; i < f.tables->live->tables.nodes; i++)
        sum[3].bytes += l->lives->node[i].bytes;
    ck_assert_uint_gt(sum[0].bytes, 0);
    ck_assert_uint_eq(sum[0].bytes, sum[1].bytes);
    ck_assert_uint_eq(sum[0].bytes, sum[2].bytes);
    ck_assert_uint_eq(sum[0].bytes, l->all.since.bytes);
    ck_assert_uint_eq(sum[3].bytes, l->tree[0].retained.since.bytes);
    f.model->ledger.lives = NULL;
    refresh(&f);
    ck_assert_uint_eq(l->all.since.bytes, 0);
}

/* Survivors have an order of their own, and room on the smallest terminal. */
TEST(test_since_order) {
    OWN(ledger_fixture_free) LedgerFixture f = since();
    OWN(stage_free_at) Stage *s = stage_of(&panel_sites, &f, 58, 12);
    s->ui.time = (UiTime){.can = true};
    ck_says(s, "survive▾");
    ck_says(s, "survivors");
    ck_says(s, "where");
    stage_act(s, ACT_SORT_RIGHT);
    ck_says(s, "survivors▾");
    f.model->since.shown = false;
    ck_says(s, "live▾");
    ck_says_not(s, "surviv");
    f.model->since.shown = true;
    ck_says(s, "survivors▾");
    f.model->since.lines = false;
    ck_says_not(s, "surviv");
    stage_free(s);
    s = stage_of(&panel_types, &f, 58, 12);
    s->ui.time = (UiTime){.can = true};
    ck_says(s, "survive"); /* by type it is known */
    f.model->since.now = false;
    ck_says(s, "Types: made in 00:01:00");
}

/* Each table has room for all three on the smallest terminal, 60 columns wide, as for the name. */
TEST(test_columns_have_room) {
    static const Panel *const panels[] = {&panel_sites, &panel_functions, &panel_tree, &panel_tags,
                                          &panel_types};
    OWN(ledger_fixture_free) LedgerFixture f = in_range();
    for (size_t i = 0; i < 2 * sizeof panels / sizeof *panels; i++)
        for (int w = 58; w < 200; w++) {
            OWN(stage_free_at) Stage *s = stage_of(panels[i / 2], &f, w, 12);
            s->ui.makes = i % 2;
            stage_draw(s);
            ck_says(s, "allocated");
            ck_says(s, "freed");
            ck_says(s, "grew");
            const Table *table = PANEL_CALL(panels[i / 2], table)(s->state);
            ck_assert_int_le(table->def->columns, TABLE_COLUMNS);
        }
}

static double figure(const LedgerFixture *f, ShownName name, const LmpTally *t) {
    return shownfigure_value(&shown_figure[name], f->model, t);
}

/* What was allocated and not freed is what has grown, in each line and function. */
TEST(test_the_three_agree) {
    OWN(ledger_fixture_free) LedgerFixture f = in_range();
    const Ledger *l = &f.model->ledger;
    uint32_t freed = 0;
    for (uint32_t i = 0; i < l->sites + l->functions; i++) {
        const LmpTally *t = i < l->sites ? &l->site[i].tally : &l->function[i - l->sites].retained;
        double made = figure(&f, M_RATE, t), gone = figure(&f, M_FREED, t);
        ck_assert_double_eq(made - gone, figure(&f, M_CHANGE, t));
        freed += gone > 0;
    }
    ck_assert_uint_gt(freed, 3);
    ck_assert_uint_eq(flame_metric[FLAME_MADE_SINCE].of(&l->all) -
                          flame_metric[FLAME_FREED_SINCE].of(&l->all),
                      l->all.live_bytes - l->all.mark.live);
    f.model->ledger_marked = false;
    ck_assert_double_nan(figure(&f, M_FREED, &l->all));
}

/* A range has an order of its own, and leaves the others as they were. */
TEST(test_order) {
    OWN(ledger_fixture_free) LedgerFixture f = in_range();
    OWN(stage_free_at) Stage *s = stage_of(&panel_sites, &f, 118, 16);
    Table *table = PANEL_CALL(&panel_sites, table)(s->state);
    ck_says(s, "allocated▾");
    int ranged = table->sort;
    stage_act(s, ACT_SORT_RIGHT);
    ck_says(s, "freed▾");
    s->ui.time.range = f.model->held = false;
    ck_says(s, "live▾");
    ck_says_not(s, "freed");
    s->ui.makes = true;
    ck_says(s, "made▾");
    s->ui.time.range = f.model->held = true;
    ck_says(s, "allocated▾"); /* of what is made it has one, too */
    ck_assert_int_eq(table->sort, ranged);
    s->ui.makes = false;
    ck_says(s, "freed▾");
}

/* The flame graph follows, and goes back to the figure that was chosen before. */
TEST(test_flame) {
    OWN(ledger_fixture_free) LedgerFixture f = in_range();
    OWN(stage_free_at) Stage *s = stage_of(&panel_flame, &f, 118, 16);
    ck_says(s, "% allocated in the range");
    press(s, "%%");
    ck_says(s, "% grown in the range");
    press(s, "%%%%%%%%");
    ck_says(s, "% freed in the range");
    s->ui.time.range = f.model->held = false;
    ck_says(s, "% live bytes");
    press(s, "%");
    ck_says(s, "% bytes made");
    s->ui.time.range = f.model->held = true;
    ck_says(s, "% freed in the range");
}

/* A range in which nothing happened says so of what it would show. */
TEST(test_flame_of_nothing) {
    OWN(ledger_fixture_free) LedgerFixture f = fixture_of(true, false);
    fake_mark(f.tables);
    f.model->ledger.count_from = 1;
    refresh(&f);
    f.model->held = f.model->marked = true;
    OWN(stage_free_at) Stage *s = stage_of(&panel_flame, &f, 78, 16);
    ck_says(s, "allocated in the range: nothing now; % shows another figure");
    press(s, "%");
    ck_says(s, "freed in the range: nothing now");
}
