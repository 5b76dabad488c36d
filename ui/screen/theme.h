/* theme.h - tones: what a cell means, and what colour a terminal shows for that.
 *
 * A style is a tone for the glyph, a tone for the ground and attributes. The palette is one table
 * with a row per tone and a column per colour mode (theme.c); a style never names a colour. The
 * hues of the kinds can be told apart even by people who do not see red and green; with fewer than
 * eight colours, kinds are told by their letter, never by tone alone. */
#ifndef LMP_THEME_H
#define LMP_THEME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/kind.h"

#define THEME_LEVELS 4   /* brightness of a kind: 0 nearly empty ... 3 full */
#define THEME_HEAT 4     /* tones of figures, from small (0) to those that matter most */
#define THEME_GRADIENT 8 /* tones of the timeline from the ground (0) to the top */
#define THEME_FLAME 5    /* grounds of the flame graph: from all freed (0) to all live */
#define THEME_CHANGE 5   /* grounds of change: much less (0) ... as it was (2) ... much more */

/* X(name, word in golden files). Tones of kinds follow these, see TONE_KIND. */
#define TONE_TABLE(X)                                                                              \
    X(TONE_NONE, "-") /* the terminal's own */                                                     \
    X(TONE_TEXT, "text")                                                                           \
    X(TONE_STRONG, "strong") /* figures that matter, titles */                                     \
    X(TONE_MUTED, "muted")   /* labels, units */                                                   \
    X(TONE_FAINT, "faint")   /* zeroes, what is switched off */                                    \
    X(TONE_ACCENT, "accent") /* keys, the program's name */                                        \
    X(TONE_GROWTH, "growth") /* allocation, more */                                                \
    X(TONE_SHRINK, "shrink") /* free, less */                                                      \
    X(TONE_WRONG, "wrong")   /* errors, what lacks */                                              \
    X(TONE_BORDER, "frame")                                                                        \
    X(TONE_BORDER_FOCUS, "focus") /* border of the panel that has the keys */                      \
    X(TONE_BAR, "bar")            /* ground of the header's first line */                          \
    X(TONE_SELECT, "select")      /* ground of the cursor line */                                  \
    X(TONE_RUNNING, "running")                                                                     \
    X(TONE_PAUSED, "paused")                                                                       \
    X(TONE_FROZEN, "frozen")                                                                       \
    X(TONE_FINISHED, "finished")                                                                   \
    X(TONE_KILLED, "killed")                                                                       \
    X(TONE_EMPTY, "empty")     /* heap map: a cell without live blocks */                          \
    X(TONE_OUTSIDE, "outside") /* heap map: no heap here */                                        \
    X(TONE_CURSOR, "cursor")   /* heap map: the cursor's brackets */                               \
    X(TONE_CURSOR_GROUND, "cursor-ground")                                                         \
    X(TONE_SOURCE, "source")         /* source text, text of the program */                        \
    X(TONE_MARK, "mark")             /* marks in the timeline */                                   \
    X(TONE_GC, "gc")                 /* collections in the timeline */                             \
    X(TONE_FLAME_REST, "flame-rest") /* flame graph: what is not meant */                          \
    X(TONE_GRADIENT, "gradient")     /* first of THEME_GRADIENT */

typedef enum ToneName {
#define TONE_ENUM(name, word) name,
    TONE_TABLE(TONE_ENUM)
#undef TONE_ENUM
        TONE_HEAT = TONE_GRADIENT + THEME_GRADIENT,
    TONE_FLAME = TONE_HEAT + THEME_HEAT,
    TONE_CHANGE = TONE_FLAME + THEME_FLAME,
    TONE_KINDS = TONE_CHANGE + THEME_CHANGE,
    TONES = TONE_KINDS + LMP_KINDS * THEME_LEVELS
} ToneName;

typedef uint8_t Tone; /* < TONES */

/* The tone of a kind (LmpKind) at a level (0 .. THEME_LEVELS-1); full brightness for text. */
#define TONE_KIND_LEVEL(kind, level)                                                               \
    ((Tone)(TONE_KINDS + (unsigned)(kind)*THEME_LEVELS + (unsigned)(level)))
#define TONE_KIND(kind) TONE_KIND_LEVEL(kind, THEME_LEVELS - 1)
#define TONE_HEATED(i) ((Tone)(TONE_HEAT + (unsigned)(i)))
#define TONE_GRADE(i) ((Tone)(TONE_GRADIENT + (unsigned)(i)))
#define TONE_FLAMES(i) ((Tone)(TONE_FLAME + (unsigned)(i)))
/* From -2 (much less) to 2. */
#define TONE_CHANGED(change) ((Tone)(TONE_CHANGE + 2 + (change)))

enum {
    ATTR_BOLD = 1,
    ATTR_DIM = 2,
    ATTR_UNDERLINE = 4,
    ATTR_REVERSE = 8,
    ATTR_SHADE = 16 /* the ground in another shade, with 256 colours: rows that touch */
};

typedef uint32_t Style; /* tone of the glyph, tone of the ground << 8, attributes << 16 */

#define STYLE(fg) ((Style)(fg))
#define STYLE_ON(fg, bg) ((Style)((unsigned)(fg) | (unsigned)(bg) << 8))
#define STYLE_BOLD(fg) ((Style)((unsigned)(fg) | (unsigned)ATTR_BOLD << 16))
#define STYLE_WITH(style, attr) ((Style)((style) | (unsigned)(attr) << 16))
static inline Tone style_fg(Style style) {
    return (Tone)(style & 0xff);
}
static inline Tone style_bg(Style style) {
    return (Tone)(style >> 8 & 0xff);
}
static inline unsigned style_attr(Style style) {
    return style >> 16 & 0xff;
}

typedef enum ThemeMode { THEME_MONO, THEME_8, THEME_16, THEME_256, THEME_MODES } ThemeMode;

typedef struct Theme {
    ThemeMode mode;
    bool light; /* for terminals with a light background (used only with 256 colours) */
    bool safe;  /* no two colours that differ as red and green do */
} Theme;

/* What the terminal gets: colour numbers (-1: its own) and ATTR_... */
typedef struct Look {
    int fg, bg;
    unsigned attr;
} Look;

/* Chooses by the terminal's number of colours and the environment (NULL: unset): NO_COLOR gives
 * monochrome, LMP_THEME is a theme's name (others change nothing), COLORFGBG "0;15" indicates a
 * light background. */
bool theme_is_name(const char *name);
Theme theme_choose(int colours, const char *no_color, const char *lmp_theme, const char *colorfgbg);
Look theme_look(const Theme *theme, Style style);
/* Returns 0xrrggbb of a colour number 0 .. 255 as xterm shows it. */
uint32_t theme_rgb(int colour);

#endif
