/* test_theme.c - colours as people see them who do not see red, or green: what must be told apart
 * is, by more than that. */
#include "canvas_dump.h"

#include <math.h>

typedef struct Lab {
    double l, a, b;
} Lab;

static double linear(uint32_t byte) {
    double v = byte / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double lab_of(double t) {
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

enum { ALL, NO_RED, NO_GREEN, EYES };

/* Machado, Oliveira and Fernandes 2009, severity 1, of linear light. */
static const double seen[EYES][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
};

static Lab look_as(uint32_t rgb, int eyes) {
    double light[3] = {linear(rgb >> 16 & 255), linear(rgb >> 8 & 255), linear(rgb & 255)}, c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = 0;
        for (int k = 0; k < 3; k++)
            c[i] += seen[eyes][i][k] * light[k];
        c[i] = c[i] < 0 ? 0 : c[i] > 1 ? 1 : c[i];
    }
    double x = lab_of((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
    double y = lab_of(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
    double z = lab_of((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.0888);
    return (Lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/* How far apart two tones are for these eyes, by CIE 1976; 2 is the least that one can see. */
static double apart(const Theme *theme, Tone a, Tone b, int eyes) {
    Lab p = look_as(theme_rgb(theme_look(theme, STYLE(a)).fg), eyes);
    Lab q = look_as(theme_rgb(theme_look(theme, STYLE(b)).fg), eyes);
    return sqrt(pow(p.l - q.l, 2) + pow(p.a - q.a, 2) + pow(p.b - q.b, 2));
}

static double least_apart(const Theme *theme, const Tone *tone, int n, const char *what) {
    double least = INFINITY;
    for (int eyes = 0; eyes < EYES; eyes++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < i; k++) {
                double d = apart(theme, tone[i], tone[k], eyes);
                char a[24], b[24];
                if (getenv("TELL"))
                    printf("%s%s %s: %s %s %.0f\n", theme->safe ? "safe " : "",
                           theme->light ? "light" : "dark", what, tone_word(a, tone[i]),
                           tone_word(b, tone[k]), d);
                if (d < least) least = d;
            }
    return least;
}

static const Tone states[] = {TONE_RUNNING, TONE_PAUSED, TONE_FROZEN, TONE_KILLED};
static const Tone ways[] = {TONE_GROWTH, TONE_SHRINK};
static const Tone kinds[] = {TONE_KIND(LMP_STRING),   TONE_KIND(LMP_FUNCTION),
                             TONE_KIND(LMP_USERDATA), TONE_KIND(LMP_THREAD),
                             TONE_KIND(LMP_TABLE),    TONE_KIND(LMP_OTHER)};
static const Tone flames[] = {TONE_FLAMES(0), TONE_FLAMES(1), TONE_FLAMES(2), TONE_FLAMES(3),
                              TONE_FLAMES(4)};
static const Tone changes[] = {TONE_CHANGED(-2), TONE_CHANGED(-1), TONE_CHANGED(0), TONE_CHANGED(1),
                               TONE_CHANGED(2)};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

TEST(told_apart_without_red_or_green) {
    for (int light = 0; light < 2; light++) {
        Theme theme = theme_choose(256, NULL, light ? "okabe-ito-light" : "okabe-ito", NULL);
        ck_assert_int_ge(least_apart(&theme, states, COUNT(states), "states"), 20);
        ck_assert_int_ge(least_apart(&theme, ways, COUNT(ways), "ways"), 40);
        ck_assert_int_ge(least_apart(&theme, kinds, COUNT(kinds), "kinds"), 15);
        ck_assert_int_ge(least_apart(&theme, flames, COUNT(flames), "flames"), 10);
        ck_assert_int_ge(least_apart(&theme, changes, COUNT(changes), "changes"), 10);
        /* the other themes, too, tell growth and what was killed by more than red and green */
        theme = theme_choose(256, NULL, light ? "light" : "dark", NULL);
        const Tone end[] = {TONE_RUNNING, TONE_KILLED};
        ck_assert_int_ge(least_apart(&theme, end, COUNT(end), "ends"), 25);
        ck_assert_int_ge(least_apart(&theme, ways, COUNT(ways), "ways"), 40);
    }
}

TEST(few_colours_have_no_green) {
    for (int colours = 8; colours <= 16; colours += 8) {
        Theme theme = theme_choose(colours, NULL, "okabe-ito", NULL);
        for (unsigned tone = 0; tone < TONES; tone++) {
            int fg = theme_look(&theme, STYLE(tone)).fg;
            bool wrong = tone == TONE_WRONG || tone == TONE_KILLED || tone == TONE_HEATED(3);
            ck_assert_msg(fg != 2 && fg != 10, "tone %u is green", tone);
            ck_assert_msg(wrong || (fg != 1 && fg != 9), "tone %u is red", tone);
        }
    }
}
