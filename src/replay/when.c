/* when.c - tries in turn: a mark of just this name, fixed words, a time, a mark's number, and a
 * mark's name in any case or cut short. */
#include "replay/when.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SECOND 1e9
#define MOST 1e18 /* nanoseconds: thirty years */

/* ---- numbers --------------------------------------------------------------------------------- */

/* Reads a number without sign, exponent or locale. Returns what follows it; NULL: there is none. */
static const char *number(const char *at, double *out) {
    const char *begin = at;
    double value = 0, place = 1;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++)
            value += (*at - '0') * (place /= 10);
    *out = value < MOST ? value : MOST;
    return at > begin && !(at == begin + 1 && *begin == '.') ? at : NULL;
}

/* "1:02:03.5" or "90": of up to three numbers each is worth sixty of the next one. */
static bool by_colons(const char *at, double *ns) {
    double sum = 0, part;
    for (int parts = 0; parts < 3; parts++) {
        at = number(at, &part);
        if (!at) return false;
        if (parts > 0 && part >= 60) return false; /* "12:75" is a mistake */
        sum = sum * 60 + part;
        if (*at == 0) {
            *ns = sum * SECOND;
            return true;
        }
        if (*at++ != ':') return false;
    }
    return false;
}

static const struct {
    const char *word;
    double ns;
} units[] = {
    {"ms", 1e6},        {"h", 3600 * SECOND}, {"min", 60 * SECOND},
    {"m", 60 * SECOND}, {"sec", SECOND},      {"s", SECOND},
};

/* "1h30m", "5 m", "250ms" */
static bool by_units(const char *at, double *ns) {
    double sum = 0, part;
    do {
        at = number(at, &part);
        if (!at) return false;
        at += strspn(at, " ");
        size_t i = 0, n = sizeof units / sizeof *units;
        while (i < n && strncasecmp(at, units[i].word, strlen(units[i].word)) != 0)
            i++;
        if (i == n) return false;
        sum += part * units[i].ns;
        at += strlen(units[i].word);
        at += strspn(at, " ");
    } while (*at);
    *ns = sum;
    return true;
}

static bool parse_time(const char *text, const WhenScene *scene, double *ns) {
    char sign = *text == '+' || *text == '-' ? *text++ : 0;
    double part;
    text += strspn(text, " ");
    const char *end = number(text, &part);
    if (!sign && end && strcmp(end, "%") == 0 && part <= 100) {
        *ns = (double)scene->end * part / 100;
        return true;
    }
    if (!by_colons(text, ns) && !by_units(text, ns)) return false;
    if (sign) *ns = (double)scene->now + (sign == '-' ? -*ns : *ns);
    return true;
}

/* ---- marks ----------------------------------------------------------------------------------- */

enum { SAME, SAME_BUT_CASE, BEGINS, HOWS };

static bool alike(int how, const char *name, const char *text) {
    switch (how) {
    case SAME:
        return strcmp(name, text) == 0;
    case SAME_BUT_CASE:
        return strcasecmp(name, text) == 0;
    default:
        return strncasecmp(name, text, strlen(text)) == 0;
    }
}

/* Finds a mark by its name: of several of one name the next one after now, and after the last the
 * first again. */
static bool by_name(const char *text, const WhenScene *scene, int how, int end, uint64_t *clock) {
    for (; how < end; how++) {
        const char *first = NULL;
        bool several = false, later = false;
        for (uint32_t i = 0; i < scene->marks; i++) {
            WhenMark mark = scene->mark(scene->context, i);
            if (!*mark.name || !alike(how, mark.name, text)) continue;
            if (first && strcmp(first, mark.name) != 0) several = true;
            bool after = mark.clock > scene->now;
            if (!first || (after && !later)) *clock = mark.clock;
            later |= after;
            if (!first) first = mark.name;
        }
        if (first && !several) return true;
    }
    return false;
}

/* "mark 3", wherever that is in the list; "mark": the last one. */
static bool by_number(const char *text, const WhenScene *scene, uint64_t *clock) {
    double n;
    bool last = strcasecmp(text, "mark") == 0;
    if (!last && strncasecmp(text, "mark ", 5) != 0) return false;
    const char *end = last ? NULL : number(text + 5, &n);
    if (!last && (!end || *end)) return false;
    for (uint32_t i = scene->marks; i-- > 0;) {
        WhenMark mark = scene->mark(scene->context, i);
        if (!last && (double)mark.number != n) continue;
        *clock = mark.clock;
        return true;
    }
    return false;
}

/* ---- all together ---------------------------------------------------------------------------- */

bool when_parse(const char *text, const WhenScene *scene, uint64_t *clock) {
    char line[256];
    double ns;
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        size--;
    if (size == 0 || size >= sizeof line) return false;
    memcpy(line, text, size);
    line[size] = 0;
    if (by_name(line, scene, SAME, SAME_BUT_CASE, clock)) {
        /* as it was given */
    } else if (strcasecmp(line, "start") == 0) {
        *clock = 0;
    } else if (strcasecmp(line, "end") == 0 || strcasecmp(line, "now") == 0) {
        *clock = scene->end;
    } else if (strcasecmp(line, "peak") == 0) {
        *clock = scene->peak;
    } else if (parse_time(line, scene, &ns)) {
        *clock = ns <= 0 ? 0 : ns >= (double)scene->end ? scene->end : (uint64_t)ns;
    } else if (!by_number(line, scene, clock) &&
               !by_name(line, scene, SAME_BUT_CASE, HOWS, clock)) {
        return false;
    }
    if (*clock > scene->end) *clock = scene->end;
    return true;
}
