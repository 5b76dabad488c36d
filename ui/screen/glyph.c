/* glyph.c - code points: UTF-8, their widths, and their ASCII stand-ins. */
#include "screen/canvas.h"

typedef struct Range {
    uint32_t from, to;
} Range;

static const Range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26ce, 0x26ce},
    {0x2705, 0x2705},   {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2755},
    {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},
    {0x3041, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x17000, 0x18cff},
    {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff},
    {0x20000, 0x3fffd},
};

/* Combining marks, joiners, and the marks that change the direction of writing. */
static const Range none[] = {
    {0x00ad, 0x00ad},   {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f},   {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff},   {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff},
    {0x302a, 0x302d},   {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
    {0xe0000, 0xe0fff},
};

static bool in_ranges(const Range *range, size_t n, uint32_t glyph) {
    for (size_t i = 0; i < n; i++) {
        if (glyph >= range[i].from && glyph <= range[i].to) return true;
    }
    return false;
}

int canvas_glyph_width(uint32_t glyph) {
    if (glyph < 0x300) return glyph == 0xad ? 0 : 1;
    if (in_ranges(none, sizeof none / sizeof *none, glyph)) return 0;
    return in_ranges(wide, sizeof wide / sizeof *wide, glyph) ? 2 : 1;
}

uint32_t canvas_glyph_ascii(uint32_t glyph) {
    static const struct {
        uint32_t glyph;
        char ascii;
    } stand_in[] = {
        {G_HLINE, '-'},       {G_VLINE, '|'},        {G_TOP_LEFT, '+'},   {G_TOP_RIGHT, '+'},
        {G_BOTTOM_LEFT, '+'}, {G_BOTTOM_RIGHT, '+'}, {G_UPPER_HALF, '"'}, {G_LOWER_HALF, '_'},
        {G_FULL, '#'},        {G_SQUARE, '#'},       {G_UP, '^'},         {G_DOWN, 'v'},
        {G_RIGHT, '>'},       {G_DOT, '*'},          {G_MIDDOT, '-'},     {G_ELLIPSIS, '~'},
        {G_DELTA, 'd'},       {G_DASH_VLINE, ':'},   {G_PAUSE, '='},      {G_FROZEN, '*'},
        {G_CHECK, 'v'},       {G_CROSS, 'x'},        {G_BAR, '='},        {0x2581, '_'},
        {0x258c, '|'},        {0x2191, '^'},         {0x2193, 'v'},       {0x2190, '<'},
        {0x2192, '>'},        {0x2013, '-'},         {0x2014, '-'},       {0x2018, '\''},
        {0x2019, '\''},       {0x201c, '"'},         {0x201d, '"'},       {0x00d7, 'x'},
        {0x25a1, '.'},        {0x251c, '+'},         {0x2524, '+'},       {0x252c, '+'},
        {0x2534, '+'},        {0x00a0, ' '},         {0x2503, '#'},       {0x2514, '`'},
        {G_SORT_DOWN, '*'},   {G_SORT_UP, '^'},      {G_BULLET, '*'},
    };
    if (glyph < 0x7f) return glyph;
    if (glyph >= G_BRAILLE && glyph < G_BRAILLE + 256) { /* by the number of dots */
        int points = __builtin_popcount(glyph - G_BRAILLE);
        return (uint32_t)(points == 0 ? ' ' : points < 4 ? '.' : points < 7 ? ':' : '#');
    }
    for (size_t i = 0; i < sizeof stand_in / sizeof *stand_in; i++) {
        if (stand_in[i].glyph == glyph) return (uint32_t)stand_in[i].ascii;
    }
    return '?';
}

int canvas_encode(char *out, uint32_t glyph) {
    int n;
    if (glyph < 0x80) {
        out[0] = (char)glyph;
        n = 1;
    } else if (glyph < 0x800) {
        out[0] = (char)(0xc0 | glyph >> 6);
        n = 2;
    } else if (glyph < 0x10000) {
        out[0] = (char)(0xe0 | glyph >> 12);
        n = 3;
    } else {
        out[0] = (char)(0xf0 | (glyph >> 18 & 7));
        n = 4;
    }
    for (int i = 1; i < n; i++)
        out[i] = (char)(0x80 | (glyph >> 6 * (n - 1 - i) & 0x3f));
    out[n] = 0;
    return n;
}

uint32_t canvas_decode(const char **text) {
    const unsigned char *p = (const unsigned char *)*text;
    if (*p == 0) return 0;
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    int n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : (*p & 0xf0) == 0xe0 ? 3 : 0;
    if (*p >= 0xf0 && *p < 0xf5) n = 4;
    uint32_t glyph = n == 1 ? *p : n == 2 ? *p & 0x1fu : n == 3 ? *p & 0xfu : *p & 7u;
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) n = 0;
        if (n) glyph = glyph << 6 | (p[i] & 0x3fu);
    }
    if (n == 0 || glyph < least[n] || glyph > 0x10ffff || (glyph >= 0xd800 && glyph < 0xe000)) {
        *text += 1;
        return 0xfffd;
    }
    *text += n;
    return glyph;
}
