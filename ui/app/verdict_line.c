/* verdict_line.c - the line under the header: the most useful true sentence right now, what to
 * change, and the key that leads to its evidence. It does not flicker: a sentence stays until it is
 * no longer true, or another one weighs considerably more. */
#include <string.h>

#include "app/app_state.h"

enum {
    LEAST = 14,
    HINT_FROM = 64,
    NUMBER_FROM = 100,
    ADVICE_LEAST = 16,
    ADVICE_WANTED = 44,
    ADVICE_SOME = 24
};
#define MORE 1.25 /* times the current score: that much replaces it */

static const Verdict *find(const App *app) {
    const Verdicts *all = &app->model.verdicts;
    for (uint32_t i = 0; i < all->count; i++) {
        const Verdict *v = &all->verdict[i];
        if (v->rule == app->verdict.rule && v->site == app->verdict.site) return v;
    }
    return NULL;
}

static void show(App *app, const Verdict *v, bool chosen) {
    app->verdict = (VerdictLine){v->rule, v->site, chosen};
}

/* The one to show; NULL: nothing is known yet. */
static const Verdict *shown(App *app) {
    const Verdicts *all = &app->model.verdicts;
    if (all->count == 0) return NULL;
    const Verdict *now = find(app), *best = &all->verdict[0];
    if (now && (app->verdict.chosen || best->score <= now->score * MORE)) return now;
    show(app, best, false);
    return best;
}

void verdict_next(App *app) {
    const Verdicts *all = &app->model.verdicts;
    const Verdict *v = shown(app);
    if (!v) return;
    uint32_t at = (uint32_t)(v - all->verdict) + 1;
    show(app, &all->verdict[at < all->count ? at : 0], at < all->count);
}

void verdict_open(App *app) {
    static const Panel *const panels[] = {[VERDICT_AT_LEAKS] = &panel_leaks,
                                          [VERDICT_AT_TIMELINE] = &panel_timeline,
                                          [VERDICT_AT_TYPES] = &panel_types};
    const Verdict *v = shown(app);
    if (!v || v->place == VERDICT_NOWHERE) {
        app_say(app, "There is nothing to show for it");
    } else if (v->place == VERDICT_AT_SITE) {
        ui_open_site(&app->ui, v->site);
    } else {
        app_show(app, panels[v->place]);
    }
}

/* "w why  W 1/3", if there is room for it. */
static int draw_hint(const App *app, Canvas *canvas, Rect rect, int y, const Verdict *v) {
    const Verdicts *all = &app->model.verdicts;
    int right = rect.x + rect.w - 1, x = right;
    if (rect.w < HINT_FROM) return rect.w;
    char number[24];
    snprintf(number, sizeof number, " %u/%u", (uint32_t)(v - all->verdict) + 1, all->count);
    bool numbered = all->count > 1 && rect.w >= NUMBER_FROM;
    if (numbered) {
        x -= canvas_text_right(canvas, x, y, -1, STYLE(TONE_MUTED), number);
        x -= canvas_text_right(canvas, x, y, -1, STYLE(TONE_ACCENT), "W");
    }
    if (v->place != VERDICT_NOWHERE) {
        x -= canvas_text_right(canvas, x, y, -1, STYLE(TONE_TEXT), numbered ? " why  " : " why");
        x -= canvas_text_right(canvas, x, y, -1, STYLE(TONE_ACCENT), "w");
    }
    return x - rect.x - 2;
}

/* A path in full if there is room for the whole sentence and the advice, else its last part. */
static const char *short_where(const Verdict *v, int room) {
    const char *slash = strrchr(v->where, '/');
    int advice = *v->advice ? canvas_width(v->advice) + 4 : 0;
    bool fits = canvas_width(v->where) + 1 + canvas_width(v->text) + advice <= room;
    return slash && slash[1] && !fits ? slash + 1 : v->where;
}

/* Whole words of a text, as many as fit: half a figure would be a wrong one. */
static int draw_words(Canvas *canvas, int x, int y, int room, Style style, const char *text) {
    char cut[sizeof((Verdict *)0)->text];
    snprintf(cut, sizeof cut, "%s", text);
    if (canvas_width(cut) <= room) return canvas_text(canvas, x, y, room, style, cut);
    char *space;
    while ((space = strrchr(cut, ' '))) {
        *space = 0;
        if (canvas_width(cut) + 1 > room) continue;
        int used = canvas_text(canvas, x, y, room, style, cut);
        canvas_put(canvas, x + used, y, G_ELLIPSIS, style);
        return used + 1;
    }
    return canvas_text(canvas, x, y, room, style, text);
}

/* Of a sentence, as many of its parts between commas as leave room for the advice: which line to
 * change matters more than the last figures, which its page has. All of it if not even the first
 * part does. */
static const char *first_parts(const Verdict *v, int room, char out[sizeof v->text + 4]) {
    int advice = canvas_width(v->advice) + 4, most = room - ADVICE_SOME;
    room -= advice < ADVICE_WANTED ? advice : ADVICE_WANTED;
    snprintf(out, sizeof v->text, "%s", v->text);
    for (size_t i = strlen(out); *v->advice && i-- > 0 && canvas_width(out) + 1 > room;)
        if (out[i] == ',' && out[i + 1] == ' ') out[i] = 0;
    if (canvas_width(out) + 1 > most) return v->text;
    return out;
}

void verdict_draw(App *app, Canvas *canvas, Rect rect, int y) {
    const Verdict *v = shown(app);
    if (!v || rect.w < LEAST) return;
    int x = rect.x + 1, end = rect.x + draw_hint(app, canvas, rect, y, v);
    bool to_do = *v->advice != 0;
    if (rect.w >= HINT_FROM) x += canvas_text(canvas, x, y, end - x, STYLE(TONE_MUTED), "Note  ");
    const char *where = short_where(v, end - x);
    if (*where) {
        x += canvas_text(canvas, x, y, end - x, STYLE_BOLD(TONE_STRONG), where);
        x++;
    }
    char parts[sizeof v->text + 4];
    const char *text = first_parts(v, end - x, parts);
    x += draw_words(canvas, x, y, end - x, STYLE(to_do ? TONE_STRONG : TONE_TEXT), text);
    if (strlen(text) < strlen(v->text)) {
        canvas_put(canvas, x, y, G_ELLIPSIS, STYLE(TONE_STRONG));
        x++;
    }
    if (!to_do || end - x < ADVICE_LEAST) return;
    x += canvas_text(canvas, x, y, end - x, STYLE(TONE_ACCENT), app->ui.utf8 ? "  → " : "  -> ");
    draw_words(canvas, x, y, end - x, STYLE(TONE_TEXT), v->advice);
}
