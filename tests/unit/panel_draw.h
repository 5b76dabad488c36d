/* panel_draw.h - draws a panel by itself: its title and note in the first line, its inside below;
 * for golden files of single panels. */
#ifndef LMP_PANEL_DRAW_H
#define LMP_PANEL_DRAW_H

#include "app/panels.h"
#include "canvas_dump.h"
#include "widget/tablepanel.h"

typedef struct Stage {
    const Panel *panel;
    void *state;
    Model *model;
    Ui ui;
    Canvas *canvas;
    Rect rect; /* the inside */
} Stage;

static Stage *stage_new(const Panel *panel, Model *model, int w, int h, bool utf8, int colours) {
    Stage *s = calloc(1, sizeof *s);
    s->panel = panel;
    s->state = panel_create(panel);
    s->model = model;
    s->ui = (Ui){.utf8 = utf8,
                 .colours = colours,
                 .kinds = (1u << LMP_KINDS) - 1,
                 .focus = panel,
                 .site_page = &panel_site};
    s->canvas = canvas_new(w, h, utf8);
    s->rect = (Rect){0, 1, w, h - 1};
    return s;
}

/* A stage as the name of its golden file says: "-WxH" is its size; "-mono", "-8" and "-16" have
 * fewer colours, "-ascii" has no UTF-8. */
static inline Stage *stage_named(const Panel *panel, Model *model, const char *name) {
    int w = 0, h = 0, colours = 256;
    bool utf8 = true;
    char words[128];
    snprintf(words, sizeof words, "%.*s", (int)strcspn(name, "."), name);
    for (char *word = strtok(words, "-"); word; word = strtok(NULL, "-")) {
        if (strchr(word, 'x') && !h) sscanf(word, "%dx%d", &w, &h);
        if (!strcmp(word, "mono")) colours = 0;
        if (!strcmp(word, "8") || !strcmp(word, "16")) colours = atoi(word);
        if (!strcmp(word, "ascii")) utf8 = false;
    }
    ck_assert_msg(w > 0 && h > 0, "%s has no size", name);
    return stage_new(panel, model, w, h, utf8, colours);
}

static void stage_free(Stage *s) {
    panel_destroy(s->panel, s->state);
    canvas_free(s->canvas);
    free(s);
}
RELEASE_AT(stage_free)

static inline void stage_update(Stage *s) {
    if (s->panel->update) s->panel->update(s->state, s->model, &s->ui, s->rect);
}

static void stage_draw(Stage *s) {
    canvas_clear(s->canvas, STYLE(TONE_NONE));
    Rect old = canvas_clip(s->canvas, s->rect);
    PANEL_CALL(s->panel, draw)(s->state, s->model, &s->ui, s->canvas, s->rect);
    canvas_unclip(s->canvas, old);
    char note[160] = "";
    if (s->panel->note) s->panel->note(s->state, s->model, &s->ui, note, sizeof note);
    canvas_printf(s->canvas, 0, 0, -1, STYLE(TONE_STRONG), "%s: %s", s->panel->title, note);
}

static inline bool stage_act(Stage *s, Action action) {
    return PANEL_CALL(s->panel, act) &&
           PANEL_CALL(s->panel, act)(s->state, s->model, &s->ui, action, s->rect);
}

/* Keys that go into the line that is typed, `last` at its end; app.c does the same. */
static inline void stage_type(Stage *s, const char *text, Key last) {
    LineEdit *edit = s->ui.edit;
    ck_assert_ptr_nonnull(edit);
    for (; *text; text++)
        edit_key(edit, (Key)(unsigned char)*text);
    EditKey what = edit_key(edit, last);
    if (what != EDIT_ENTERED && what != EDIT_ESCAPED) return;
    s->ui.edit = NULL;
    edit->done(edit, &s->ui, what == EDIT_ENTERED);
}

/* Everything drawn; the caller frees it. */
static inline char *stage_text(Stage *s) {
    stage_draw(s);
    return canvas_dump(s->canvas);
}

static inline bool stage_shows(Stage *s, const char *words) {
    OWN(free_at) char *text = stage_text(s);
    return strstr(text, words) != NULL;
}

/* Is there such a tone, as golden files write them? */
static inline bool stage_has_tone(Stage *s, const char *word) {
    stage_draw(s);
    OWN(free_at) char *tones = canvas_dump_golden(s->canvas);
    return strstr(tones, word) != NULL;
}

#define ck_says(s, what)                                                                           \
    do {                                                                                           \
        char *text_ = stage_text(s);                                                               \
        ck_assert_msg(strstr(text_, what) != NULL, "no \"%s\" in\n%s", what, text_);               \
        free(text_);                                                                               \
    } while (0)

#define ck_says_not(s, what)                                                                       \
    do {                                                                                           \
        char *text_ = stage_text(s);                                                               \
        ck_assert_msg(strstr(text_, what) == NULL, "\"%s\" in\n%s", what, text_);                  \
        free(text_);                                                                               \
    } while (0)

static inline void stage_golden(Stage *s, const char *name) {
    stage_draw(s);
    canvas_golden(s->canvas, name);
}

#endif
