/* canvas_dump.h - a canvas as text, and the golden files of it: a first line WxH, the rows, and the
 * tones of each row's runs of cells: those of several rows once where they are the same. Rows at
 * the end with nothing in them are left out, and so are tones of rows that have none. */
#ifndef LMP_TEST_CANVAS_DUMP_H
#define LMP_TEST_CANVAS_DUMP_H

#include "screen/canvas.h"
#include "suite.h"

/* The word of a tone: "muted", "table.2"; out has at least 24 bytes. */
static inline char *tone_word(char *out, Tone tone) {
    static const char *const words[TONE_GRADIENT + 1] = {
#define TONE_WORD(name, word) [name] = (word),
        TONE_TABLE(TONE_WORD)
#undef TONE_WORD
    };
    static const struct {
        int first;
        const char *name;
    } ramp[] = {{TONE_CHANGE, "change"},
                {TONE_FLAME, "flame"},
                {TONE_HEAT, "heat"},
                {TONE_GRADIENT, "gradient"},
                {TONE_NONE, NULL}};
    int i = 0;
    while (tone < ramp[i].first)
        i++;
    int level = tone - TONE_KINDS, most = THEME_LEVELS - 1;
    if (tone >= TONES) {
        snprintf(out, 24, "?%u", tone);
    } else if (level >= 0 && level % THEME_LEVELS == most) {
        snprintf(out, 24, "%s", kind_info[level / THEME_LEVELS].name);
    } else if (level >= 0) {
        snprintf(out, 24, "%s.%d", kind_info[level / THEME_LEVELS].name, level % THEME_LEVELS);
    } else if (ramp[i].name) {
        snprintf(out, 24, "%s.%d", ramp[i].name, tone - ramp[i].first);
    } else {
        snprintf(out, 24, "%s", words[tone]);
    }
    return out;
}

static inline int columns_used(const Canvas *canvas, int y) {
    int end = canvas->w;
    while (end > 0 && canvas_at(canvas, end - 1, y)->glyph == ' ')
        end--;
    return end;
}

static inline void write_rows(const Canvas *canvas, int rows, FILE *out) {
    for (int y = 0; y < rows; y++) {
        for (int x = 0, end = columns_used(canvas, y); x < end; x++) {
            char text[5] = "";
            uint32_t glyph = canvas_at(canvas, x, y)->glyph;
            if (glyph) canvas_encode(text, glyph); /* 0: right half of a wide character */
            fputs(text, out);
        }
        putc('\n', out);
    }
}

/* The characters, rows without blanks at their end; the caller frees it. */
static inline char *canvas_dump(const Canvas *canvas) {
    write_rows(canvas, canvas->h, suite_write());
    return suite_written();
}

static inline void write_style(Style style, FILE *out) {
    static const struct {
        unsigned attr;
        char sign;
    } signs[] = {{ATTR_BOLD, '*'},
                 {ATTR_DIM, '.'},
                 {ATTR_UNDERLINE, '_'},
                 {ATTR_REVERSE, '~'},
                 {ATTR_SHADE, '^'}};
    char word[24];
    fputs(tone_word(word, style_fg(style)), out);
    if (style_bg(style) != TONE_NONE) fprintf(out, "/%s", tone_word(word, style_bg(style)));
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (style_attr(style) & signs[i].attr) putc(signs[i].sign, out);
    }
}

/* "" for none; the caller frees it. */
static inline char *tones_of(const Canvas *canvas, int y) {
    char *text;
    FILE *out = open_memstream(&text, &(size_t){0});
    for (int x = 0, n; x < canvas->w; x += n) {
        Style style = canvas_at(canvas, x, y)->style;
        bool blank = true;
        for (n = 0; x + n < canvas->w && canvas_at(canvas, x + n, y)->style == style; n++)
            if (canvas_at(canvas, x + n, y)->glyph != ' ') blank = false;
        /* blanks on the terminal's own ground show nothing */
        if (blank && style_bg(style) == TONE_NONE && !style_attr(style)) continue;
        fprintf(out, " %d+%d ", x, n);
        write_style(style, out);
    }
    fclose(out);
    return text;
}

/* As it is in golden files; the caller frees it. */
static inline char *canvas_dump_golden(const Canvas *canvas) {
    FILE *out = suite_write();
    int rows = canvas->h;
    while (rows > 0 && columns_used(canvas, rows - 1) == 0)
        rows--;
    fprintf(out, "%dx%d\n", canvas->w, canvas->h);
    write_rows(canvas, rows, out);
    fputs("tones, by row: column+cells tone/ground, * bold\n", out);
    char *tones = tones_of(canvas, 0);
    for (int y = 0, from = 0; y < canvas->h; y++) {
        char *next = y + 1 < canvas->h ? tones_of(canvas, y + 1) : strdup("");
        bool ends = !*next || strcmp(tones, next) != 0;
        if (ends && *tones && from < y) fprintf(out, "%d-%d:%s\n", from, y, tones);
        if (ends && *tones && from == y) fprintf(out, "%d:%s\n", y, tones);
        if (ends) from = y + 1;
        free(tones);
        tones = next;
    }
    free(tones);
    return suite_written();
}

static inline void canvas_golden(const Canvas *canvas, const char *name) {
    OWN(free_at) char *text = canvas_dump_golden(canvas);
    suite_golden_screen(name, text);
}

#endif
