/* flame.c - what a frame of the flame graph costs when the tables have just been read: the median
 * of some, in processor time. Prints Markdown.
 *
 *     flame [NODES [ROW]]
 */
#include "large_run.h"
#include "panels/flame/flamestate.h"
#include "widget/tablepanel.h"

enum { DEFAULT_NODES = 100000, FRAMES = 31, W = 198, H = 46 };

/* Half of the calls are made in the one before, the others in any: about 25 frames a path. */
static uint32_t parent_of(uint32_t node) {
    return below(2) ? node - 1 : 2 + (uint32_t)below(node - 2);
}

/* Some lines make what can be seen. */
static uint64_t most_at(uint32_t site) {
    return site % 101 ? 10000 : 1000000;
}

static double now(void) {
    return (double)spent() / 1e6;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct Case {
    const char *name;
    bool inverted, types;
    const char *find; /* NULL: nothing */
} Case;

static const Case cases[] = {
    {"the graph", false, false, NULL},
    {"coloured by type", false, true, NULL},
    {"a search of 1 function", false, false, "step_1234"},
    {"a search of 111", false, false, "step_10"},
    {"a search of half", false, false, "step_1"},
    {"inverted", true, false, NULL},
    {"inverted, by type", true, true, NULL},
    {"inverted, a search of 1 function", true, false, "step_1234"},
    {"inverted, a search of 111", true, false, "step_10"},
    {"inverted, a search of half", true, false, "step_1"},
};

static void time_one(const Case *c, Model *model, Canvas *canvas) {
    Ui ui = {.utf8 = true, .colours = 256, .kinds = (1u << LMP_KINDS) - 1, .focus = &panel_flame};
    Rect rect = {0, 0, W, H};
    Flame *s = panel_create(&panel_flame);
    double took[FRAMES], again[FRAMES];
    char note[256] = "";
    if (!s) return;
    s->inverted = c->inverted;
    if (c->types) s->colour = FLAME_BY_TYPE;
    if (c->find) s->edit.used = (int)strlen(strcpy(s->edit.text, c->find));
    for (int i = 0; i < FRAMES; i++) {
        model->ledger_serial++;
        double begun = now();
        panel_flame.draw(s, model, &ui, canvas, rect);
        double fresh = now();
        panel_flame.draw(s, model, &ui, canvas, rect);
        again[i] = now() - fresh;
        took[i] = fresh - begun;
    }
    panel_flame.note(s, model, &ui, note, sizeof note);
    qsort(took, FRAMES, sizeof *took, by_size);
    qsort(again, FRAMES, sizeof *again, by_size);
    printf("| %s | %.1f ms | %.1f ms | %s |\n", c->name, took[FRAMES / 2], again[FRAMES / 2], note);
    fflush(stdout);
    panel_destroy(&panel_flame, s);
}

int main(int argc, char **argv) {
    uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : DEFAULT_NODES;
    FakeTables *f = large_run(&(const LargeRun){parent_of, most_at}, nodes);
    Model *model = calloc(1, sizeof *model);
    Canvas *canvas = canvas_new(W, H, true);
    if (!model || !canvas) return 1;
    if (ledger_refresh(&model->ledger, &f->t, FLAME_PARTS, 1) != LMP_OK) return 1;
    model->ledger_parts = FLAME_PARTS;
    printf("| flame graph of %u call paths, %d columns | new figures | the same | note |\n"
           "|---|---|---|---|\n",
           model->ledger.nodes - 1, W);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc <= 2 || strcmp(argv[2], cases[i].name) == 0) time_one(&cases[i], model, canvas);
    ledger_free(&model->ledger);
    canvas_free(canvas);
    free(model);
    fake_tables_free(f);
    return 0;
}
