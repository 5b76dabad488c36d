/* when.c - tries in turn: a mark of just this name, fixed words, a time, a mark's number, and a
 * mark's name in any case or cut short. */
#include "replay/when.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/format.h"
#include "recording/reader/moment.h"

#define SECOND 1e9

/* ---- times ----------------------------------------------------------------------------------- */

static bool parse_time(const char *text, const WhenScene *scene, double *ns) {
    char sign = *text == '+' || *text == '-' ? *text++ : 0;
    double part;
    text += strspn(text, " ");
    const char *end = format_number(text, &part);
    if (!sign && end && strcmp(end, "%") == 0 && part <= 100) {
        *ns = (double)scene->end * part / 100;
        return true;
    }
    if (!moment_span(text, true, &part)) return false;
    *ns = part * SECOND;
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
    const char *end = last ? NULL : format_number(text + 5, &n);
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
