/* verdict_line.c - the line under the header: the most useful true sentence right now, what to
 * change, and the key that leads to its evidence. If that does not fit and the screen is tall
 * enough, the advice has a line of its own. A sentence stays until it has been untrue for some
 * seconds, or another one weighs considerably more: so the line does not flicker. */
#include <stdio.h>
#include <string.h>

#include "app/app_state.h"
#include "base/format.h"

enum {
    LEAST = 14,
    HINT_FROM = 52,
    NUMBER_FROM = 72,
    NOTE = 6,           /* columns of the word before it */
    HINT_MOST = 21,     /* and of the keys behind it */
    ARROW = 4,          /* columns between the halves */
    ADVICE_LEAST = 16,  /* with less, it is left out */
    ADVICE_WANTED = 44, /* the sentence is cut for so much of it ... */
    ADVICE_GAIN = 8     /* ... if each cut brings so much */
};
#define HOLD 5000000000ull /* nanoseconds */
#define MORE 1.25          /* times the current score: that much replaces it */

static const Verdict *find(const App *app) {
    const Verdicts *all = &app->model.verdicts;
    for (uint32_t i = 0; i < all->count; i++) {
        const Verdict *v = &all->verdict[i];
        if (v->rule == app->verdict.rule && v->site == app->verdict.site) return v;
    }
    return NULL;
}

/* Copies the verdict with its texts; pointers into the ledger are left out. */
static void remember(App *app, const Verdict *v) {
    app->verdict.last = *v;
    app->verdict.last.source = app->verdict.last.short_src = app->verdict.last.func = "";
    app->verdict.true_at = app->ui.now;
}

static void show(App *app, const Verdict *v, bool chosen) {
    app->verdict.rule = v->rule;
    app->verdict.site = v->site;
    app->verdict.chosen = chosen;
    remember(app, v);
}

/* Returns the former sentence if it is still to be shown though not true at this moment, else NULL:
 * a figure near its rule's bound would make it come and go with each collection. */
static const Verdict *held(const App *app, const Verdict *best) {
    const Verdicts *all = &app->model.verdicts;
    const VerdictLine *line = &app->verdict;
    const Verdict *last = &line->last;
    if (!line->rule || !*last->advice || app->ended || best->score > last->score * MORE)
        return NULL;
    for (uint32_t i = 0; last->site && i < all->count;
         i++) /* another sentence about the same site */
        if (all->verdict[i].site == last->site && all->verdict[i].score * MORE >= last->score)
            return &all->verdict[i];
    return app->ui.now - line->true_at < HOLD ? last : NULL;
}

/* Returns the verdict to show; NULL: nothing is known yet. */
static const Verdict *shown(App *app) {
    const Verdicts *all = &app->model.verdicts;
    if (all->count == 0) return NULL;
    const Verdict *now = find(app), *best = &all->verdict[0];
    if (now && (app->verdict.chosen || best->score <= now->score * MORE)) {
        remember(app, now);
        return now;
    }
    const Verdict *still = now ? NULL : held(app, best);
    if (still == &app->verdict.last) return still;
    show(app, still ? still : best, false);
    return still ? still : best;
}

void verdict_next(App *app) {
    const Verdicts *all = &app->model.verdicts;
    const Verdict *v = shown(app);
    if (!v) return;
    uint32_t at = v == &app->verdict.last ? 0 : (uint32_t)(v - all->verdict) + 1;
    /* its page follows the next sentence: else it would be taken for evidence of that one */
    bool on_page = v->site && app->ui.over == &panel_site && app->ui.site == v->site;
    show(app, &all->verdict[at < all->count ? at : 0], at < all->count);
    if (!on_page) return;
    ui_close(&app->ui);
    if (shown(app)->place != VERDICT_NOWHERE) verdict_open(app);
}

/* Returns true if the program has a snapshot, or one may be taken. */
static bool can_prove(const App *app) {
    return app->ui.has_snapshot || (!app->ended && !app->ui.time.past);
}

static uint64_t held_by(const Verdict *v) {
    for (unsigned i = 0; i < VERDICT_FIGURES && v->figure[i].name; i++)
        if (strcmp(v->figure[i].name, "live_bytes") == 0) return (uint64_t)v->figure[i].value;
    return 0;
}

void verdict_open(App *app) {
    static const Panel *const panels[] = {[VERDICT_AT_LEAKS] = &panel_leaks,
                                          [VERDICT_AT_TIMELINE] = &panel_timeline,
                                          [VERDICT_AT_PROCESS] = &panel_process};
    const Verdict *v = shown(app);
    if (!v || v->place == VERDICT_NOWHERE) {
        app_say(app, "There is nothing to show for it");
    } else if (v->place == VERDICT_AT_SNAPSHOT && can_prove(app)) {
        ui_ask_why_line(&app->ui, v->kept, 0);
        app->ui.wish.site = v->site;
        app->ui.wish.held = held_by(v);
    } else if (v->place == VERDICT_AT_SITE || v->place == VERDICT_AT_SNAPSHOT) {
        ui_open_site(&app->ui, v->site);
    } else {
        app_show(app, panels[v->place]);
    }
}

/* Draws "w why  W 1/3", if there is room. Returns where it begins. */
static int draw_hint(const App *app, Canvas *canvas, Rect rect, int y, const Verdict *v) {
    const Verdicts *all = &app->model.verdicts;
    int right = rect.x + rect.w - 1, x = right;
    if (rect.w < HINT_FROM) return rect.w;
    char number[24];
    bool listed = v != &app->verdict.last;
    bool numbered = (all->count > 1 || !listed) && rect.w >= NUMBER_FROM;
    snprintf(number, sizeof number, " %u/%u", listed ? (uint32_t)(v - all->verdict) + 1 : 1,
             all->count + !listed); /* a sentence that is still shown comes before all others */
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

/* ---- two halves of one line ------------------------------------------------------------------ */

typedef struct Halves {
    const char *where;
    char text[sizeof((Verdict *)0)->text], advice[sizeof((Verdict *)0)->advice];
} Halves;

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Returns the snapshot's proof of who holds what the sentence is about; NULL: none. */
static const UiProof *proof_of(const App *app, const Verdict *v) {
    for (int i = 0; i < UI_PROOFS && v->place == VERDICT_AT_SNAPSHOT && v->site; i++)
        if (app->ui.proof[i].site == v->site) return &app->ui.proof[i];
    return NULL;
}

static void wish_for(const Verdict *v, UiWish *wish) {
    *wish = (UiWish){.what = WISH_LINE, .site = v->site, .held = held_by(v)};
    snprintf(wish->line, sizeof wish->line, "%s", v->kept);
}

int app_unproven(App *app, UiWish wish[UI_PROOFS]) {
    const Verdicts *all = &app->model.verdicts;
    const Verdict *v = shown(app);
    int n = 0;
    if (!v || v->place != VERDICT_AT_SNAPSHOT || proof_of(app, v)) return 0;
    wish_for(v, &wish[n++]);
    for (uint32_t i = 0; i < all->count && n < UI_PROOFS; i++) {
        const Verdict *other = &all->verdict[i];
        if (other->place == VERDICT_AT_SNAPSHOT && other->site != v->site)
            wish_for(other, &wish[n++]);
    }
    return n;
}

/* Returns the sentence, or what a snapshot has proven of it. */
static Halves halves_of(const App *app, const Verdict *v) {
    Halves h = {.where = v->where};
    const UiProof *proof = proof_of(app, v);
    char a[LMP_NUM], b[LMP_NUM];
    snprintf(h.text, sizeof h.text, "%s", v->text);
    snprintf(h.advice, sizeof h.advice, "%s", v->advice);
    if (!proof) return h;
    int n = snprintf(h.advice, sizeof h.advice, "take entries out of %s: it held %s at %s",
                     proof->path, format_bytes(a, proof->retained), format_span(b, proof->clock));
    if (proof->part < proof->of && n > 0 && (size_t)n < sizeof h.advice)
        snprintf(h.advice + n, sizeof h.advice - (size_t)n, ", with %u %% of what %s made",
                 (unsigned)(100ull * proof->part / proof->of), base_of(v->kept));
    return h;
}

/* Returns true for a word that needs the next one: a number before its unit, "and". */
static bool wants_more(const char *word) {
    return strchr("+-0123456789", *word) || strcmp(word, "and") == 0 || strcmp(word, "or") == 0;
}

/* Ends a text at a blank in it, without a comma before that. */
static void end_at(char *text, char *blank) {
    for (;;) {
        while (blank > text && strchr(" ,;:", blank[-1]))
            blank--;
        *blank = 0;
        char *word = strrchr(text, ' ');
        if (!word || !wants_more(word + 1)) return;
        blank = word;
    }
}

/* Cuts a text to whole words: half a figure would be a wrong one. Returns the columns it takes,
 * with the mark that there was more; 0: not even a word fits. */
static int cut_words(char *text, int room) {
    int columns = canvas_width(text);
    char *blank;
    if (columns <= room) return columns;
    while ((blank = strrchr(text, ' '))) {
        end_at(text, blank);
        columns = canvas_width(text) + 1;
        if (columns <= room) return columns;
    }
    *text = 0;
    return 0;
}

/* Returns the columns that cut_words would leave. */
static int words_fitting(const char *text, int room) {
    char copy[sizeof((Verdict *)0)->advice];
    snprintf(copy, sizeof copy, "%s", text);
    return cut_words(copy, room);
}

/* Returns the advice's columns beside so much of the sentence, at most what is wanted for it. */
static int advice_beside(const char *advice, int room) {
    int columns = words_fitting(advice, room - ARROW);
    return columns < ADVICE_LEAST ? 0 : columns < ADVICE_WANTED ? columns : ADVICE_WANTED;
}

/* Drops parts between commas from the sentence's end until the advice has enough room: which line
 * to change matters more than the last figures, which its page has. A part stays if dropping it
 * would bring the advice nothing. Returns whether parts were left out. */
static bool choose_parts(Halves *h, int room) {
    char text[sizeof h->text];
    int all = canvas_width(h->text), best = advice_beside(h->advice, room - all);
    size_t end = strlen(h->text), cut = end;
    int depth = 0; /* of parentheses, which are not torn */
    snprintf(text, sizeof text, "%s", h->text);
    for (size_t i = end; *h->advice && i-- > 0;) {
        depth += text[i] == ')';
        depth -= text[i] == '(';
        if (text[i] != ',' || text[i + 1] != ' ' || depth > 0) continue;
        text[i] = 0;
        int columns = advice_beside(h->advice, room - canvas_width(text) - 1);
        if (columns >= best + ADVICE_GAIN) {
            best = columns;
            cut = i;
        }
    }
    h->text[cut] = 0;
    return cut < end;
}

static int draw_words(Canvas *canvas, int x, int y, int room, Style style, char *text, bool more) {
    size_t length = strlen(text);
    char first[sizeof((Verdict *)0)->advice];
    snprintf(first, sizeof first, "%s", text);
    if (cut_words(text, room) == 0) return canvas_text(canvas, x, y, room, style, first);
    int used = canvas_text(canvas, x, y, room, style, text);
    if (!more && strlen(text) == length) return used;
    canvas_put(canvas, x + used, y, G_ELLIPSIS, style);
    return used + 1;
}

/* Returns true if both halves fit beside the hint at its widest. */
static bool fits_one_line(const App *app, const Verdict *v, int w) {
    Halves h = halves_of(app, v);
    int room = w - 1 - NOTE - HINT_MOST;
    int advice = canvas_width(h.advice);
    return (*h.where ? canvas_width(h.where) + 1 : 0) + canvas_width(h.text) +
               (advice > 0 ? advice + ARROW : 0) <=
           room;
}

bool verdict_is_tall(App *app, int w, int h) {
    VerdictLine *line = &app->verdict;
    const Verdict *v = shown(app);
    if (line->w != w || line->h != h) line->tall = false;
    line->w = w;
    line->h = h;
    if (h < SCREENPLAN_TALL || w < HINT_FROM) return false;
    line->tall = line->tall || (v && !fits_one_line(app, v, w));
    return line->tall;
}

/* Leaves out parts behind commas, but not in parentheses, until the rest fits. Returns whether any
 * were. */
static bool cut_parts(char *text, int room) {
    bool cut = false;
    for (char *comma; canvas_width(text) + cut > room && (comma = strrchr(text, ','));) {
        if (strchr(comma, ')') || comma[1] != ' ') break;
        *comma = 0;
        cut = true;
    }
    return cut;
}

/* Draws the place that the sentence is about, if any. Returns the columns it takes. */
static int draw_where(Canvas *canvas, int x, int y, int end, const char *where) {
    return *where ? canvas_text(canvas, x, y, end - x, STYLE_BOLD(TONE_STRONG), where) + 1 : 0;
}

/* Draws the sentence in one line, the advice in the next. */
static void draw_tall(const App *app, Canvas *canvas, int x, int y, int end, int right,
                      const Verdict *v) {
    const Style said = STYLE(*v->advice ? TONE_STRONG : TONE_TEXT);
    const char *arrow = app->ui.utf8 ? "→ " : "-> ";
    int at = x;
    Halves h = halves_of(app, v);
    at += draw_where(canvas, at, y, end, h.where);
    bool more = cut_parts(h.text, end - at);
    draw_words(canvas, at, y, end - at, said, h.text, more);
    if (!*v->advice) return;
    x += canvas_text(canvas, x, y + 1, right - x, STYLE(TONE_ACCENT), arrow);
    draw_words(canvas, x, y + 1, right - x, STYLE(TONE_TEXT), h.advice, false);
}

void verdict_draw(App *app, Canvas *canvas, Rect rect, int y) {
    const Verdict *v = shown(app);
    if (!v || rect.w < LEAST) return;
    int x = rect.x + 1, end = rect.x + draw_hint(app, canvas, rect, y, v);
    if (rect.w >= HINT_FROM) x += canvas_text(canvas, x, y, end - x, STYLE(TONE_MUTED), "Note  ");
    if (y + 1 < rect.y + rect.h) {
        draw_tall(app, canvas, x, y, end, rect.x + rect.w - 1, v);
        return;
    }
    Halves h = halves_of(app, v);
    x += draw_where(canvas, x, y, end, h.where);
    const Style said = STYLE(*v->advice ? TONE_STRONG : TONE_TEXT);
    bool more = choose_parts(&h, end - x);
    x += draw_words(canvas, x, y, end - x, said, h.text, more);
    if (advice_beside(h.advice, end - x) == 0) return;
    x += canvas_text(canvas, x, y, end - x, STYLE(TONE_ACCENT), app->ui.utf8 ? "  → " : "  -> ");
    draw_words(canvas, x, y, end - x, STYLE(TONE_TEXT), h.advice, false);
}
