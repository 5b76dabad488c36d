/* json.c - a comma before each value but the first of a bracket; runs of plain characters are
 * written at once. */
#include "report/json.h"

#include <string.h>

#include "base/format.h"
#include "read/stats.h"
#include "report/text.h"

/* Nobody else writes to the file meanwhile, and there are tens of millions of pieces: no locks. */
static void next(Json *json, const char *key) {
    if (json->comma) putc_unlocked(',', json->out);
    if (json->line) putc_unlocked('\n', json->out);
    if (key) {
        putc_unlocked('"', json->out);
        fputs_unlocked(key, json->out);
        fputs_unlocked("\":", json->out);
    }
    json->comma = true;
    json->line = false;
}

void json_begin(Json *json, const char *key, char bracket) {
    next(json, key);
    putc_unlocked(bracket, json->out);
    json->comma = false;
}

void json_end(Json *json, char bracket) {
    putc_unlocked(bracket, json->out);
    if (json->style == JSON_ON_PAGE) putc_unlocked('\n', json->out);
    json->comma = true;
}

void json_line(Json *json) {
    json->line = true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Returns true for what every style writes as it is. */
static bool is_plain(char c) {
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

/* Reads one character of at most `left` bytes. Returns how many it has, 0: it is not UTF-8. */
static size_t character(const char *at, size_t left, uint32_t *code) {
    char whole[5] = "";
    memcpy(whole, at, left < 4 ? left : 4);
    return format_utf8(whole, code);
}

static void put_for_page(FILE *out, uint32_t c, const char *at, size_t n) {
    if (c == '\n' || c == '\t')
        fputs(c == '\n' ? "\\n" : "\\t", out);
    else if (format_is_control(c) || (c & 0xfffe) == 0xfffe)
        fputs("\\ufffd", out);
    else if (c < 0x7f)
        fprintf(out, "\\u%04x", (unsigned)c);
    else
        fwrite_unlocked(at, 1, n, out);
}

/* Controls are escaped: a terminal may be who gets them. */
static void put_escaped(FILE *out, uint32_t c, const char *at, size_t n, bool in_script) {
    if (c == '"' || c == '\\')
        fprintf(out, "\\%c", (int)c);
    else if (format_is_control(c) || (in_script && c == '<'))
        fprintf(out, "\\u%04x", (unsigned)c);
    else
        fwrite_unlocked(at, 1, n, out);
}

void json_bytes(Json *json, const char *key, const char *bytes, size_t n) {
    FILE *out = json->out;
    next(json, key);
    putc_unlocked('"', out);
    for (size_t at = 0; at < n;) {
        size_t plain = at; /* most of it */
        while (plain < n && is_plain(bytes[plain]))
            plain++;
        fwrite_unlocked(bytes + at, 1, plain - at, out);
        if ((at = plain) == n) break;
        uint32_t c = 0;
        size_t length = character(bytes + at, n - at, &c);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (json->style == JSON_ON_PAGE)
            put_for_page(out, c, bytes + at, length);
        else
            put_escaped(out, c, bytes + at, length, json->style == JSON_IN_SCRIPT);
        at += length ? length : 1;
    }
    putc_unlocked('"', out);
}

void json_text(Json *json, const char *key, const char *text) {
    json_bytes(json, key, text, strlen(text));
}

void json_word(Json *json, const char *text) {
    json_count(json, NULL, texttable_text(json->words, text));
}

void json_words(Json *json, const char *key) {
    const TextTable *words = json->words;
    JSON_LIST(json, key, i, words->texts,
              json_bytes(json, NULL, words->bytes + words->at[i], words->at[i + 1] - words->at[i]));
}

/* ---- numbers --------------------------------------------------------------------------------- */

void json_count(Json *json, const char *key, uint64_t n) {
    next(json, key);
    text_digits(json->out, n);
}

void json_change(Json *json, const char *key, int64_t n) {
    next(json, key);
    if (n < 0) fputc('-', json->out);
    text_digits(json->out, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void json_number(Json *json, const char *key, double number) {
    next(json, key);
    text_number(json->out, number);
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

void json_object(Json *json, const char *key, const void *of, const LmpFigure *list) {
    json_begin(json, key, '{');
    json_figures(json, of, list);
    json_end(json, '}');
}

void json_node_figures(Json *json, const void *of, const LmpFigure *list) {
    for (const LmpFigure *f = list; f->name; f++)
        if (f->node && figure_number(f, of) != 0) put_figure(json, of, f);
}

static void put_types(Json *json, const char *key, const LmpKindStats *kind) {
    json_begin(json, key, '{');
    for (unsigned k = 0; k < LMP_KINDS; k++)
        json_object(json, kind_info[k].name, &kind[k], kind_figures);
    json_end(json, '}');
}

static void put_laps(Json *json, const char *key, const LmpLapList *list) {
    JSON_OBJECTS(json, key, i, list->count, json_figures(json, &list->row[i], lap_figures));
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
