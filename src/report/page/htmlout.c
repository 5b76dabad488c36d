/* htmlout.c - numbers and texts with < > & escaped; words are found by hash and written once, at
 * the end. */
#include "report/page/htmlout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

static void next(HtmlOut *o, const char *key) {
    if (o->comma) fputc(',', o->out);
    if (key) fprintf(o->out, "\"%s\":", key);
    o->comma = true;
}

void htmlout_begin(HtmlOut *o, const char *key, char bracket) {
    next(o, key);
    fputc(bracket, o->out);
    o->comma = false;
}

void htmlout_end(HtmlOut *o, char bracket) {
    fputc(bracket, o->out);
    fputc('\n', o->out);
    o->comma = true;
}

/* Writes digits by itself: there are millions of numbers, for which printf takes several times as
 * long. */
void htmlout_count(HtmlOut *o, const char *key, uint64_t n) {
    char digits[20];
    size_t at = sizeof digits;
    next(o, key);
    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10));
    fwrite(digits + at, 1, sizeof digits - at, o->out);
}

void htmlout_change(HtmlOut *o, const char *key, int64_t n) {
    if (n >= 0) {
        htmlout_count(o, key, (uint64_t)n);
        return;
    }
    next(o, key);
    fputc('-', o->out);
    o->comma = false;
    htmlout_count(o, NULL, 0 - (uint64_t)n);
}

void htmlout_number(HtmlOut *o, const char *key, double seconds) {
    /* not %f: the decimal point is the locale's there */
    uint64_t us = seconds > 0 && seconds < 1e12 ? (uint64_t)(seconds * 1e6 + 0.5) : 0;
    next(o, key);
    fprintf(o->out, "%" PRIu64 ".%06u", us / 1000000, (unsigned)(us % 1000000));
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Writes one character of at most `left` bytes. Returns how many it took. */
static size_t put_character(FILE *out, const char *at, size_t left) {
    char whole[5] = "";
    uint32_t c = 0;
    memcpy(whole, at, left < 4 ? left : 4);
    size_t n = format_utf8(whole, &c);
    if (n == 1 && (c == '\n' || c == '\t'))
        fputs(c == '\n' ? "\\n" : "\\t", out);
    else if (n == 0 || format_is_control(c) || (c & 0xfffe) == 0xfffe)
        fputs("\\ufffd", out);
    else if (c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
        fprintf(out, "\\u%04x", (unsigned)c);
    else
        fwrite(at, 1, n, out);
    return n ? n : 1;
}

void htmlout_bytes(HtmlOut *o, const char *key, const char *bytes, size_t n) {
    next(o, key);
    fputc('"', o->out);
    for (size_t at = 0; at < n;) {
        size_t plain = at; /* most of it */
        while (plain < n && bytes[plain] >= ' ' && bytes[plain] < 0x7f && bytes[plain] != '"' &&
               bytes[plain] != '\\' && bytes[plain] != '<' && bytes[plain] != '>' &&
               bytes[plain] != '&')
            plain++;
        fwrite(bytes + at, 1, plain - at, o->out);
        at = plain;
        if (at < n) at += put_character(o->out, bytes + at, n - at);
    }
    fputc('"', o->out);
}

void htmlout_text(HtmlOut *o, const char *key, const char *text) {
    htmlout_bytes(o, key, text, strlen(text));
}

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *text) {
    uint32_t h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

static uint32_t *find(const HtmlOut *o, const char *text) {
    uint32_t at = hash_of(text);
    while (o->slot[at & (o->slots - 1)] &&
           strcmp(o->word[o->slot[at & (o->slots - 1)] - 1], text) != 0)
        at++;
    return &o->slot[at & (o->slots - 1)];
}

static bool grow(HtmlOut *o) {
    uint32_t room = o->room ? o->room * 2 : 1024;
    const char **word = realloc(o->word, room * sizeof *word);
    if (word) o->word = word;
    uint32_t *slot = calloc((size_t)room * 2, sizeof *slot);
    if (!word || !slot) {
        free(slot);
        return false;
    }
    free(o->slot);
    o->slot = slot;
    o->slots = room * 2;
    o->room = room;
    for (uint32_t i = 0; i < o->words; i++)
        *find(o, o->word[i]) = i + 1;
    return true;
}

uint32_t htmlout_word(HtmlOut *o, const char *text) {
    if (o->words == o->room && !grow(o)) {
        o->failed = true;
        return 0;
    }
    uint32_t *slot = find(o, text);
    if (*slot) return *slot - 1;
    o->word[o->words++] = text;
    *slot = o->words;
    return o->words - 1;
}

void htmlout_words(HtmlOut *o, const char *key) {
    htmlout_begin(o, key, '[');
    for (uint32_t i = 0; i < o->words; i++)
        htmlout_text(o, NULL, o->word[i]);
    htmlout_end(o, ']');
}

void htmlout_free(HtmlOut *o) {
    free(o->word);
    free(o->slot);
    o->word = NULL;
    o->slot = NULL;
}
