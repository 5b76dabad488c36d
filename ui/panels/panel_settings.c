/* panel_settings.c - a person's lasting choices: the rows of the configuration that have a few
 * values, with a cursor; enter takes the next value, which holds at once and goes to the file. */
#include <string.h>

#include "screen/config.h"
#include "widget/panel.h"

enum { CHOICES = 8 }; /* of one row, at most */

typedef struct Settings {
    List list;
    int page;
} Settings;

/* Returns the n-th row that has choices; NULL: there are fewer. */
static const ConfigRow *row_at(uint64_t n) {
    for (const ConfigRow *row = config_rows; row->name; row++)
        if (row->choices && n-- == 0) return row;
    return NULL;
}

static uint64_t rows(void) {
    uint64_t n = 0;
    while (row_at(n))
        n++;
    return n;
}

/* Reads the word at `at`, and moves that to the next. Returns false: none. */
static bool next_word(const char **at, char *word, size_t size) {
    size_t n = strcspn(*at, ",");
    if (n == 0) return false;
    snprintf(word, size, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == ',');
    return true;
}

static void draw_row(const Model *model, const Ui *ui, uint64_t n, Canvas *canvas, Rect line) {
    (void)model;
    const ConfigRow *row = row_at(n);
    int x = line.x + 2, y = line.y, right = line.x + line.w - 1;
    const char *at = row->choices, *now = config_get(ui->config, row->name);
    char word[32];
    bool known = false;
    x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_TEXT), "%-9s", row->name);
    while (next_word(&at, word, sizeof word)) {
        bool chosen = now && strcmp(now, word) == 0;
        known = known || chosen;
        x += canvas_printf(canvas, x, y, right - x,
                           chosen ? STYLE_BOLD(TONE_ACCENT) : STYLE(TONE_MUTED), " %s", word);
    }
    if (!known)
        canvas_printf(canvas, x, y, right - x, STYLE_BOLD(TONE_ACCENT), "  %s",
                      now ? now : "not set");
}

/* Draws the help of the row under the cursor; the ticks around words are for documents. */
static void draw_help(const char *help, Canvas *canvas, int x, int y, int right) {
    for (size_t n; *help; help += n + (help[n] == '`')) {
        n = strcspn(help, "`");
        x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_MUTED), "%.*s", (int)n, help);
    }
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Settings none = {{0}, 0}, *s = state ? state : &none;
    s->page = list_draw(&s->list, rows(), draw_row, model, ui, canvas, rect);
    int below = (int)(rows() - s->list.top) + 1;
    if (below < rect.h)
        draw_help(row_at(s->list.cursor)->help, canvas, rect.x + 2, rect.y + below,
                  rect.x + rect.w - 1);
}

/* Chooses the value after the present one, or before it; if that is none of the choices, the
 * first. */
static void choose(Ui *ui, const ConfigRow *row, bool back) {
    const char *at = row->choices, *now = config_get(ui->config, row->name);
    char word[CHOICES][32];
    unsigned n = 0, chosen = CHOICES;
    Request request = {.kind = REQUEST_REMEMBER};
    for (; n < CHOICES && next_word(&at, word[n], sizeof *word); n++)
        if (now && strcmp(now, word[n]) == 0) chosen = n;
    unsigned next = chosen == CHOICES ? 0 : (chosen + (back ? n - 1 : 1)) % n;
    snprintf(request.remember.name, sizeof request.remember.name, "%s", row->name);
    snprintf(request.remember.value, sizeof request.remember.value, "%.31s", word[next]);
    request_put(&ui->requests, &request);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)model, (void)rect;
    Settings *s = state;
    if (!s) return false;
    list_fit(&s->list, rows(), s->page);
    bool back = action == ACT_LEFT, on = action == ACT_ENTER || action == ACT_PAUSE;
    if (!back && !on && action != ACT_RIGHT) return list_act(&s->list, action, s->page);
    choose(ui, row_at(s->list.cursor), back);
    return true;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    (void)model, (void)rect;
    Settings *s = state;
    if (!s || event.what != MOUSE_CLICK || event.y < 0) return false;
    const ConfigRow *row = row_at(s->list.top + (uint64_t)event.y);
    if (!row) return false;
    s->list.cursor = s->list.top + (uint64_t)event.y;
    choose(ui, row, false);
    return true;
}

const Panel panel_settings = {.title = "Settings",
                              .about = "What is kept for the next time. enter, or left and right, "
                                       "take another value, which holds at once.",
                              .offers = {ACT_PAUSE, ACT_ENTER},
                              .size = sizeof(Settings),
                              .draw = draw,
                              .act = act,
                              .mouse = mouse};
