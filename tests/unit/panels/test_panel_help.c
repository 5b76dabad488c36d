/* The help page: about the panel that was looked at, and what its columns mean. */
#include "panel_draw.h"

#include "widget/table.h"

static const Panel *const tables[] = {&panel_types,  &panel_sites,   &panel_functions,
                                      &panel_tree,   &panel_leaks,   &panel_tags,
                                      &panel_blocks, &panel_function};
enum { TABLES = sizeof tables / sizeof *tables };

/* Every column that has a name says what it means, in all tables and both modes. */
TEST(test_every_column) {
    int seen = 0;
    for (int i = 0; i < TABLES; i++) {
        void *state = panel_create(tables[i]);
        const Table *table = PANEL_CALL(tables[i], table)(state);
        ck_assert_msg(tables[i]->about, "%s", tables[i]->title);
        for (int c = 0; c < table->def->columns; c++) {
            const TableColumn *column = &table->def->column[c];
            if (!table_column_name(column) || (column->title && !*column->title))
                continue; /* a picture */
            const char *help = table_column_help(column);
            ck_assert_msg(help && *help, "%s: %s", tables[i]->title, table_column_name(column));
            seen++;
        }
        panel_destroy(tables[i], state);
    }
    ck_assert_int_gt(seen, 80);
}

static Model model;

static Stage *help_stage(const Panel *about, void *state, int w, int h) {
    Stage *s = stage_new(&panel_help, &model, w, h, true, 256);
    s->ui.help_of = about;
    s->ui.help_table = PANEL_CALL(about, table) ? PANEL_CALL(about, table)(state) : NULL;
    return s;
}

/* Of two modes it is the one that is shown now. */
TEST(test_modes) {
    void *state = panel_create(&panel_sites);
    Stage *s = help_stage(&panel_sites, state, 70, 40);
    ck_assert(stage_shows(s, "This panel: Sites"));
    ck_assert(stage_shows(s, "churn") && !stage_shows(s, "at once"));
    PANEL_CALL(&panel_sites, table)(state)->makes = true;
    ck_assert(!stage_shows(s, "churn") && stage_shows(s, "at once"));
    stage_free(s);
    panel_destroy(&panel_sites, state);
}

/* What stands in the header and is not plain is defined, on the screen and in the documents, and
 * alike: what it is, what it is not, and of which moment. */
TEST(test_outside_lua) {
    static const char *const words[] = {"Outside Lua", "beyond the heap", "ten seconds",
                                        "the same moment"};
    static char text[1 << 16];
    OWN(stage_free_at) Stage *s = help_stage(&panel_heapmap, NULL, 900, 120);
    FILE *docs = fopen(TEST_DOCS "/display.md", "r");
    ck_assert_ptr_nonnull(docs);
    text[fread(text, 1, sizeof text - 1, docs)] = 0;
    fclose(docs);
    const char *at = strstr(text, "## Heap, RSS, outside Lua"),
               *end = at ? strstr(at, "\n## ") : NULL;
    ck_assert(at && end);
    text[end - text] = 0;
    for (char *c = text; *c; c++)
        if (*c == '\n') *c = ' ';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ck_assert_msg(stage_shows(s, words[i]), "help: %s", words[i]);
        ck_assert_msg(strstr(at, words[i]), "display.md: %s", words[i]);
    }
}

TEST(test_pictures) {
    static const struct {
        const Panel *panel;
        int w, h;
        const char *name;
    } looks[] = {{&panel_sites, 78, 22, "help-sites-78x22.txt"},
                 {&panel_blocks, 118, 34, "help-blocks-118x34.txt"},
                 {&panel_heapmap, 58, 14, "help-heap-58x14.txt"},
                 {&panel_output, 58, 14, "help-output-58x14.txt"}}; /* needs no words */
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        void *state = panel_create(looks[i].panel);
        Stage *s = help_stage(looks[i].panel, state, looks[i].w, looks[i].h);
        stage_golden(s, looks[i].name);
        stage_free(s);
        panel_destroy(looks[i].panel, state);
    }
}
