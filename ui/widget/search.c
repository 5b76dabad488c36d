/* search.c - asks the panel for one line after another and compares byte by byte without case;
 * lights up matches by reading the glyphs back from the canvas. */
#include "widget/search.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"

static uint32_t lower(uint32_t glyph) {
    return glyph >= 'A' && glyph <= 'Z' ? glyph + ('a' - 'A') : glyph;
}

static bool holds(const char *text, const char *sought) {
    for (; *text; text++) {
        size_t i = 0;
        while (sought[i] && lower((unsigned char)text[i]) == lower((unsigned char)sought[i]))
            i++;
        if (!sought[i]) return true;
    }
    return false;
}

static bool line_holds(const Search *s, const SearchLines *lines, uint64_t line) {
    char text[SEARCH_TEXT] = "";
    lines->text(lines->context, line, text, sizeof text);
    return holds(text, s->edit.text);
}

/* Finds the next matching line from `from` on, in steps of 1 or -1, wrapping around. */
static bool go(Search *s, const SearchLines *lines, uint64_t from, int step) {
    uint64_t count = lines->end > lines->first ? lines->end - lines->first : 0;
    uint64_t place = from >= lines->first && from < lines->end ? from - lines->first : 0;
    s->found = false;
    s->seen = lines->end;
    for (uint64_t i = 0; i < count; i++) {
        if (line_holds(s, lines, lines->first + place)) {
            s->found = true;
            s->at = lines->first + place;
            return true;
        }
        place = step > 0 ? (place + 1) % count : (place + count - 1) % count;
    }
    return false;
}

static void done(LineEdit *edit, Ui *ui, bool entered) {
    (void)ui;
    if (!entered) edit_clear(edit);
}

bool search_on(const Search *s) {
    return s->edit.used > 0;
}

bool search_act(Search *s, Ui *ui, Action action, const SearchLines *lines) {
    bool on = search_on(s), back = action == ACT_MATCH_BEFORE;
    switch (action) {
    case ACT_FILTER:
        s->edit.prompt = "find";
        s->edit.help = "enter keep  esc clear";
        s->edit.done = done;
        ui_edit(ui, &s->edit);
        return true;
    case ACT_BACK:
        edit_clear(&s->edit);
        return on;
    case ACT_NEXT_MATCH:
    case ACT_MATCH_BEFORE:
        if (!on) return false;
        if (s->found && back && s->at <= lines->first)
            go(s, lines, lines->end - 1, -1);
        else
            go(s, lines, !s->found ? lines->first : back ? s->at - 1 : s->at + 1, back ? -1 : 1);
        return true;
    default:
        return false;
    }
}

bool search_follow(Search *s, const SearchLines *lines, uint64_t from) {
    bool other = strcmp(s->sought, s->edit.text) != 0;
    if (other) memcpy(s->sought, s->edit.text, sizeof s->sought);
    if (!search_on(s)) {
        s->found = false;
        return false;
    }
    /* a match may have been added since */
    if (!other && (s->found || s->seen == lines->end)) return false;
    return go(s, lines, from, 1);
}

/* Returns the columns of the match that begins at (x, y), 0: none. */
static int match_at(const Canvas *canvas, int x, int y, int right, const char *sought) {
    int w = 0;
    for (uint32_t glyph; (glyph = canvas_decode(&sought)) != 0;) {
        int width = canvas_glyph_width(glyph);
        if (width == 0) continue;
        if (x + w + width > right || lower(canvas_at(canvas, x + w, y)->glyph) != lower(glyph))
            return 0;
        w += width;
    }
    return w;
}

static void light(Canvas *canvas, Rect rect, const char *sought, int here) {
    int left = rect.x > 0 ? rect.x : 0, right = rect.x + rect.w, bottom = rect.y + rect.h;
    if (right > canvas->w) right = canvas->w;
    if (bottom > canvas->h) bottom = canvas->h;
    for (int y = rect.y > 0 ? rect.y : 0; y < bottom; y++) {
        for (int x = left, w; x<right; x += w> 0 ? w : 1) {
            w = match_at(canvas, x, y, right, sought);
            if (w == 0) continue;
            if (y != here) canvas_tint(canvas, (Rect){x, y, w, 1}, TONE_SELECT);
            canvas_attr(canvas, (Rect){x, y, w, 1}, y == here ? ATTR_REVERSE : ATTR_UNDERLINE);
        }
    }
}

void search_light(const Search *s, Canvas *canvas, Rect rect, int here) {
    if (search_on(s)) light(canvas, rect, s->edit.text, here);
}

void search_light_words(Canvas *canvas, Rect rect, const char *words) {
    char word[EDIT_MAX];
    for (;;) {
        words += strspn(words, " ");
        size_t n = strcspn(words, " ");
        if (n == 0) return;
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        light(canvas, rect, word, -1);
        words += n;
    }
}

void search_note(const Search *s, const Ui *ui, char *out, size_t size) {
    char text[64];
    out[0] = 0;
    if (!search_on(s)) return;
    format_text(text, sizeof text, s->edit.text, !ui->utf8);
    if (s->found)
        snprintf(out, size, "\"%s\" in line %llu", text, (unsigned long long)s->at + 1);
    else
        snprintf(out, size, "\"%s\" is not here", text);
}

uint64_t search_top(uint64_t at, uint64_t top, int page) {
    uint64_t rows = page > 0 ? (uint64_t)page : 1;
    if (at >= top && at < top + rows) return top;
    return at > rows / 3 ? at - rows / 3 : 0;
}
