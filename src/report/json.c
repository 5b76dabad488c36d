/* json.c - a comma before each value but the first of a bracket; runs of plain characters are
 * written at once, and all control characters escaped. */
#include "report/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/format.h"
#include "read/stats.h"
#include "report/digits.h"

/* Nobody else writes to the file meanwhile, and there are tens of millions of pieces: no locks. */
static void next(Json *json, const char *key) {
    if (json->comma) putc_unlocked(',', json->out);
    if (key) {
        putc_unlocked('"', json->out);
        fputs_unlocked(key, json->out);
        fputs_unlocked("\":", json->out);
    }
    json->comma = true;
}

void json_begin(Json *json, const char *key, char bracket) {
    next(json, key);
    putc_unlocked(bracket, json->out);
    json->comma = false;
}

void json_end(Json *json, char bracket) {
    putc_unlocked(bracket, json->out);
    json->comma = true;
}

void json_text(Json *json, const char *key, const char *text) {
    FILE *out = json->out;
    next(json, key);
    putc_unlocked('"', out);
    while (*text) {
        size_t plain = 0; /* most of it */
        while (text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '"' &&
               text[plain] != '\\')
            plain++;
        fwrite_unlocked(text, 1, plain, out);
        text += plain;
        if (!*text) break;
        uint32_t c = 0;
        size_t n = format_utf8(text, &c);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (int)c);
        else if (format_is_control(c)) /* a terminal may be who gets it */
            fprintf(out, "\\u%04x", (unsigned)c);
        else
            fwrite(text, 1, n, out);
        text += n ? n : 1;
    }
    putc_unlocked('"', out);
}

void json_count(Json *json, const char *key, uint64_t n) {
    next(json, key);
    digits_put(json->out, n);
}

void json_change(Json *json, const char *key, int64_t n) {
    next(json, key);
    if (n < 0) fputc('-', json->out);
    digits_put(json->out, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void json_number(Json *json, const char *key, double number) {
    /* not %f: the decimal point is the locale's there */
    uint64_t us = number > 0 && number < 1e12 ? (uint64_t)(number * 1e6 + 0.5) : 0;
    next(json, key);
    fprintf(json->out, "%" PRIu64 ".%06u", us / 1000000, (unsigned)(us % 1000000));
}

void json_flag(Json *json, const char *key, bool flag) {
    next(json, key);
    fputs(flag ? "true" : "false", json->out);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void put_figure(Json *json, const void *of, const LmpFigure *f);

void json_figures(Json *json, const void *of, const LmpFigure *list) {
    for (const LmpFigure *f = list; f->name; f++)
        put_figure(json, of, f);
}

void json_node_figures(Json *json, const void *of, const LmpFigure *list) {
    for (const LmpFigure *f = list; f->name; f++)
        if (f->node && figure_number(f, of) != 0) put_figure(json, of, f);
}

static void put_types(Json *json, const char *key, const LmpKindStats *kind) {
    json_begin(json, key, '{');
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        json_begin(json, kind_info[k].name, '{');
        json_figures(json, &kind[k], kind_figures);
        json_end(json, '}');
    }
    json_end(json, '}');
}

static void put_laps(Json *json, const char *key, const LmpLapList *list) {
    json_begin(json, key, '[');
    for (uint32_t i = 0; i < list->count; i++) {
        json_begin(json, NULL, '{');
        json_figures(json, &list->row[i], lap_figures);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_figure(Json *json, const void *of, const LmpFigure *f) {
    const char *at = (const char *)of + f->at;
    double seconds;
    if (json->range && f->moment) return;
    switch (f->kind) {
    case LMP_FIG_COUNT:
        if (json->range)
            json_change(json, f->name, (int64_t)figure_number(f, of));
        else
            json_count(json, f->name, figure_number(f, of));
        break;
    case LMP_FIG_SIZE:
        json_count(json, f->name, figure_number(f, of));
        break;
    case LMP_FIG_CHANGE:
        json_change(json, f->name, (int64_t)figure_number(f, of));
        break;
    case LMP_FIG_SECONDS:
        memcpy(&seconds, at, sizeof seconds);
        json_number(json, f->name, seconds);
        break;
    case LMP_FIG_FLAG:
        json_flag(json, f->name, *(const bool *)at);
        break;
    case LMP_FIG_WORD:
    case LMP_FIG_WHY:
        json_text(json, f->name, figure_word(f, of));
        break;
    case LMP_FIG_TEXT:
        json_text(json, f->name, at);
        break;
    case LMP_FIG_LAPS:
        put_laps(json, f->name, (const LmpLapList *)at);
        break;
    case LMP_FIG_TYPES:
        put_types(json, f->name, (const LmpKindStats *)at);
        break;
    }
}
