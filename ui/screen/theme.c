/* theme.c - the palette: one row per tone, one column per colour mode. */
#include "screen/theme.h"

#include <stdio.h>
#include <string.h>

/* Colour numbers; -1: the terminal's own. Plain text has that, so it is readable even on a light
 * terminal that does not say so. `attr` applies in every colour mode, `few` replaces it with 8 and
 * 16 colours, `mono` with none. Grounds that few colours cannot show become an attribute. */
typedef struct Row {
    short dark, light, c16, c8;
    uint8_t attr, few, mono;
} Row;

#define B ATTR_BOLD
#define D ATTR_DIM
#define R ATTR_REVERSE

/* clang-format off */
static const Row palette[TONES] = {
    [TONE_NONE]          = { -1,  -1, -1, -1, 0, 0, 0},
    [TONE_TEXT]          = { -1,  -1, -1, -1, 0, 0, 0},
    [TONE_STRONG]        = { -1,  -1, -1, -1, B, B, B},
    [TONE_MUTED]         = {246, 242,  8, -1, 0, 0, 0},
    [TONE_FAINT]         = {240, 248,  8, -1, 0, D, D},
    [TONE_ACCENT]        = {214, 130, 11,  3, B, B, B},
    [TONE_GROWTH]        = {214, 130, 11,  3, 0, 0, 0},
    [TONE_SHRINK]        = { 74,  25, 14,  6, 0, 0, 0},
    [TONE_WRONG]         = {203, 160,  9,  1, 0, 0, 0},
    [TONE_BORDER]         = {240, 250,  8, -1, 0, 0, 0},
    [TONE_BORDER_FOCUS]   = { -1,  -1, -1, -1, 0, 0, B},
    [TONE_BAR]           = {236, 254, -1, -1, 0, 0, R},
    [TONE_SELECT]        = {238, 252, -1, -1, 0, R, R},
    [TONE_RUNNING]       = { 79,  29, 10,  2, B, B, B},
    [TONE_PAUSED]        = {214, 166, 11,  3, B, B, B},
    [TONE_FROZEN]        = { 81,  25, 14,  6, B, B, B},
    [TONE_FINISHED]      = { -1,  -1, -1, -1, B, B, B},
    [TONE_KILLED]        = {203, 160,  9,  1, B, B, B},
    [TONE_EMPTY]         = {235, 255,  0,  0, 0, 0, 0},
    [TONE_OUTSIDE]       = {233, 253,  0,  0, 0, 0, 0},
    [TONE_CURSOR]        = {231, 231, 15,  7, B, B, R},
    [TONE_CURSOR_GROUND] = { 16,  16,  0,  0, 0, 0, 0},
    [TONE_SOURCE]        = {222,  94, -1, -1, 0, 0, 0},
    [TONE_MARK]          = {219, 130, 11,  3, 0, 0, B},
    [TONE_GC]            = {244, 245,  8, -1, 0, 0, 0},
    [TONE_FLAME_REST]    = {237, 253,  8, -1, 0, 0, 0},

    [TONE_GRADE(0)] = { 25, 25,  4, 4, 0, 0, 0},
    [TONE_GRADE(1)] = { 31, 25,  4, 4, 0, 0, 0},
    [TONE_GRADE(2)] = { 37, 31,  4, 4, 0, 0, 0},
    [TONE_GRADE(3)] = { 43, 31,  6, 6, 0, 0, 0},
    [TONE_GRADE(4)] = { 79, 30,  6, 6, 0, 0, 0},
    [TONE_GRADE(5)] = { 80, 30,  6, 6, 0, 0, 0},
    [TONE_GRADE(6)] = { 81, 29, 14, 6, 0, 0, 0},
    [TONE_GRADE(7)] = {117, 29, 14, 6, 0, 0, 0},

    [TONE_HEATED(0)] = {246, 242,  8, -1, 0, 0, 0},
    [TONE_HEATED(1)] = { -1,  -1, -1, -1, 0, 0, 0},
    [TONE_HEATED(2)] = {221, 130, 11,  3, 0, 0, 0},
    [TONE_HEATED(3)] = {209, 160,  9,  1, B, B, B},

    [TONE_FLAMES(0)] = {110, 153,  7,  7, 0, 0, 0},
    [TONE_FLAMES(1)] = {115, 158, 14,  6, 0, 0, 0},
    [TONE_FLAMES(2)] = {186, 229, 10,  2, 0, 0, 0},
    [TONE_FLAMES(3)] = {215, 222, 11,  3, 0, 0, 0},
    [TONE_FLAMES(4)] = {203, 210,  9,  1, 0, 0, 0},

    [TONE_CHANGED(-2)] = { 69,  75, 12,  6, 0, 0, 0},
    [TONE_CHANGED(-1)] = {117, 153, 14,  6, 0, 0, 0},
    [TONE_CHANGED(0)]  = {250, 254,  7,  7, 0, 0, 0},
    [TONE_CHANGED(1)]  = {217, 224, 13,  5, 0, 0, 0},
    [TONE_CHANGED(2)]  = {203, 210,  9,  1, 0, 0, 0},

#define KIND(kind, d0, l0, d1, l1, d2, l2, d3, l3, dim, bright, c8)      \
    [TONE_KIND_LEVEL(kind, 0)] = {d0, l0, dim, c8, 0, 0, D},             \
    [TONE_KIND_LEVEL(kind, 1)] = {d1, l1, dim, c8, 0, 0, 0},             \
    [TONE_KIND_LEVEL(kind, 2)] = {d2, l2, bright, c8, 0, 0, 0},          \
    [TONE_KIND_LEVEL(kind, 3)] = {d3, l3, bright, c8, 0, 0, B}
    KIND(LMP_STRING,    94, 216, 130, 209, 172, 172, 214, 166, 3, 11, 3),
    KIND(LMP_FUNCTION,  22, 151,  29,  78,  36,  72,  43,  29, 2, 10, 2),
    KIND(LMP_USERDATA,  90, 218,  96, 212, 132, 205, 175, 162, 5, 13, 5),
    KIND(LMP_THREAD,    58, 186, 100, 143, 184, 101, 227,  58, 6, 14, 6),
    KIND(LMP_TABLE,     24, 117,  26, 111,  32,  68,  75,  26, 4, 12, 4),
    KIND(LMP_OTHER,    239, 252, 241, 250, 244, 246, 247, 242, 8,  7, 7),
#undef KIND
};
/* clang-format on */

/* The safe theme's rows in place of those above: the hues of Okabe and Ito, which people who see no
 * red or no green tell apart. States are bluish green, yellow, blue and vermilion; with few colours
 * nothing is green, and red is only for what is wrong. */
/* clang-format off */
static const struct {
    Tone tone;
    Row row;
} safe_rows[] = {
    {TONE_RUNNING,   { 43,  37, 14,  6, B, B, B}},
    {TONE_PAUSED,    {227, 172, 11,  3, B, B, B}},
    {TONE_FROZEN,    { 75,  25, 12,  4, B, B, B}},
    {TONE_KILLED,    {202, 124,  9,  1, B, B, B}},
    {TONE_WRONG,     {202, 124,  9,  1, 0, 0, 0}},
    {TONE_HEATED(3), {202, 124,  9,  1, B, B, B}},
    {TONE_FLAMES(1), { 80, 123, 14,  6, 0, 0, 0}},
    {TONE_FLAMES(2), {229, 230, 15,  3, 0, 0, 0}},
    {TONE_FLAMES(3), {214, 221, 11,  3, 0, 0, 0}},
    {TONE_FLAMES(4), {202, 209, 13,  5, 0, 0, 0}},
    {TONE_CHANGED(1), {216, 223,  5,  5, 0, 0, 0}},
    {TONE_CHANGED(2), {202, 209, 13,  5, 0, 0, 0}},
#define KIND(kind, d0, l0, d1, l1, d2, l2, d3, l3, dim, bright, c8)      \
    {TONE_KIND_LEVEL(kind, 0), {d0, l0, dim, c8, 0, 0, D}},              \
    {TONE_KIND_LEVEL(kind, 1), {d1, l1, dim, c8, 0, 0, 0}},              \
    {TONE_KIND_LEVEL(kind, 2), {d2, l2, bright, c8, 0, 0, 0}},           \
    {TONE_KIND_LEVEL(kind, 3), {d3, l3, bright, c8, 0, 0, B}}
    KIND(LMP_FUNCTION,  22, 151,  29,  78,  36,  72,  43,  29, 6, 14, 6),
    KIND(LMP_USERDATA,  90, 218,  96, 212, 176, 169, 219, 127, 5, 13, 5),
    KIND(LMP_THREAD,    58, 186, 100, 148, 184, 214, 228, 178, 7, 15, 7),
    KIND(LMP_TABLE,     24, 117,  26, 111,  32,  68,  69,  20, 4, 12, 4),
    KIND(LMP_OTHER,    238, 250, 239, 246, 240, 241, 242, 236, 8,  8, -1),
#undef KIND
};
/* clang-format on */

#undef B
#undef D
#undef R

static const struct ThemeName {
    const char *name;
    int light; /* 1, 0; -1: as COLORFGBG says */
    bool safe, mono;
} names[] = {
    {"dark", 0, false, false},      {"light", 1, false, false},          {"mono", -1, false, true},
    {"okabe-ito", -1, true, false}, {"okabe-ito-light", 1, true, false},
};

static const struct ThemeName *named(const char *name) {
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) return &names[i];
    return NULL;
}

bool theme_is_name(const char *name) {
    return named(name) != NULL;
}

/* COLORFGBG is "foreground;background" or "foreground;default;background". */
static bool is_light(const char *colorfgbg) {
    const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
    return last && (strcmp(last, ";7") == 0 || strcmp(last, ";15") == 0);
}

Theme theme_choose(int colours, const char *no_color, const char *lmp_theme,
                   const char *colorfgbg) {
    Theme theme = {.mode = THEME_MONO, .light = is_light(colorfgbg)};
    const struct ThemeName *name = named(lmp_theme);
    if (colours >= 256) {
        theme.mode = THEME_256;
    } else if (colours >= 16) {
        theme.mode = THEME_16;
    } else if (colours >= 8) {
        theme.mode = THEME_8;
    }
    if (name && name->light >= 0) theme.light = name->light > 0;
    theme.safe = name && name->safe;
    bool none = no_color && *no_color; /* as no-color.org says: set and not empty */
    if (none || (name && name->mono)) theme.mode = THEME_MONO;
    return theme;
}

static const Row *row_of(const Theme *theme, Tone tone) {
    for (size_t i = 0; theme->safe && i < sizeof safe_rows / sizeof *safe_rows; i++)
        if (safe_rows[i].tone == tone) return &safe_rows[i].row;
    return &palette[tone < TONES ? tone : TONE_NONE];
}

static int colour_of(const Theme *theme, const Row *row) {
    switch (theme->mode) {
    case THEME_256:
        return theme->light ? row->light : row->dark;
    case THEME_16:
        return row->c16;
    case THEME_8:
        return row->c8;
    default:
        return -1;
    }
}

static unsigned attr_of(const Theme *theme, const Row *row) {
    switch (theme->mode) {
    case THEME_256:
        return row->attr;
    case THEME_16:
    case THEME_8:
        return row->few;
    default:
        return row->mono;
    }
}

/* Returns the next shade of a ground: lighter, or darker if it is nearly white; the hue stays. */
static int shade_of(int colour) {
    if (colour >= 232) return colour >= 248 ? colour - 3 : colour + 3;
    if (colour < 16) return colour;
    int cube = colour - 16, part[3] = {cube / 36, cube / 6 % 6, cube % 6};
    int step = part[0] + part[1] + part[2] >= 11 ? -1 : 1, shade = 0;
    for (int i = 0; i < 3; i++) {
        int to = part[i] + step;
        shade = shade * 6 + (to < 0 ? 0 : to > 5 ? 5 : to);
    }
    return 16 + shade;
}

/* Returns true if white on this colour is easier to read than black. */
static bool is_dark(int colour) {
    uint32_t rgb = theme_rgb(colour);
    return (rgb >> 16) * 299 + (rgb >> 8 & 255) * 587 + (rgb & 255) * 114 < 110 * 1000;
}

Look theme_look(const Theme *theme, Style style) {
    Tone fg = style_fg(style), bg = style_bg(style);
    const Row *front = row_of(theme, fg);
    const Row *ground = row_of(theme, bg);
    Look look;
    look.fg = colour_of(theme, front);
    look.bg = colour_of(theme, ground);
    /* the terminal's own colour goes with its own ground, not ours */
    if (look.fg < 0 && look.bg >= 0 && theme->mode == THEME_256) look.fg = theme->light ? 16 : 255;
    look.attr = (style_attr(style) & ~(unsigned)ATTR_SHADE) | attr_of(theme, front);
    if (style_attr(style) & ATTR_SHADE && theme->mode == THEME_256) look.bg = shade_of(look.bg);
    if (fg == TONE_CURSOR_GROUND && look.bg >= 16 && is_dark(look.bg)) look.fg = 231;
    /* only the attributes that replace a ground's colour count; a line of it is one piece */
    if (attr_of(theme, ground) & ATTR_REVERSE) {
        look.attr = (look.attr & ~(unsigned)ATTR_DIM) | ATTR_REVERSE;
        look.fg = look.bg = -1;
    }
    return look;
}

uint32_t theme_rgb(int colour) {
    static const uint32_t base[16] = {
        0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xd0d0d0,
        0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff,
    };
    if (colour < 0 || colour > 255) return 0xd0d0d0;
    if (colour < 16) return base[colour];
    if (colour >= 232) {
        uint32_t grey = (uint32_t)(8 + 10 * (colour - 232));
        return grey << 16 | grey << 8 | grey;
    }
    uint32_t rgb = 0;
    int cube = colour - 16, part[3] = {cube / 36, cube / 6 % 6, cube % 6};
    for (int i = 0; i < 3; i++)
        rgb = rgb << 8 | (uint32_t)(part[i] ? 55 + 40 * part[i] : 0);
    return rgb;
}
