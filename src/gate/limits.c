/* limits.c - takes a scope's words from the left, then value and figure from the right, so that a
 * file's name may have blanks; sizes in bytes and plain counts, which go by thousands. */
#include "gate/limits.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/nearest.h"

#define ROW(ID, word, bytes, scopes, needs_end, help)                                              \
    [LIMIT_##ID] = {#word, bytes, scopes, needs_end, help},
const LmpLimitInfo limit_figures[LIMIT_FIGURE_COUNT] = {LIMIT_FIGURES(ROW)};
#undef ROW

const LmpLimitScopeInfo limit_scopes[LIMIT_SCOPES] = {
    [LIMIT_PROGRAM] = {"", "", "the whole program"},
    [LIMIT_AT] = {"at", "FILE:LINE", "what this line makes; without `:LINE`, all of the file"},
    [LIMIT_TYPE] = {"type", "TYPE", "string, function, userdata, thread, table or other, by owner"},
    [LIMIT_TAG] = {"tag", "NAME", "what is made under this tag (`lmp.tag`)"},
};

/* A piece of the text. */
typedef struct Word {
    const char *at;
    size_t length;
} Word;

static Word first_word(const char **rest) {
    Word w = {*rest + strspn(*rest, " \t"), 0};
    w.length = strcspn(w.at, " \t");
    *rest = w.at + w.length + strspn(w.at + w.length, " \t");
    return w;
}

/* Returns the last word of the `length` bytes at `text`; *length becomes what is left before it. */
static Word last_word(const char *text, size_t *length) {
    while (*length > 0 && isspace((unsigned char)text[*length - 1]))
        --*length;
    size_t end = *length;
    while (*length > 0 && !isspace((unsigned char)text[*length - 1]))
        --*length;
    Word w = {text + *length, end - *length};
    while (*length > 0 && isspace((unsigned char)text[*length - 1]))
        --*length;
    return w;
}

static bool is_word(Word w, const char *word) {
    return strlen(word) == w.length && memcmp(w.at, word, w.length) == 0;
}

/* ---- numbers --------------------------------------------------------------------------------- */

enum { DIGITS_MOST = 19, EXPONENT_MOST = 18 };

static bool times_ten(uint64_t *n, uint64_t plus) {
    if (*n > (UINT64_MAX - plus) / 10) return false;
    *n = *n * 10 + plus;
    return true;
}

/* Parses "1000000", "1e6", "2.5e3", "500k", "2M": thousands, for these are no bytes. The result
 * must be a whole number. */
static bool parse_count(const char *text, uint64_t *out) {
    static const char units[] = "kMG";
    uint64_t n = 0;
    int behind = 0, digits = 0, power = 0;
    bool point = false;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (!times_ten(&n, (uint64_t)(*text - '0'))) return false;
        behind += point;
        digits++;
    }
    if (digits == 0) return false;
    if ((*text == 'e' || *text == 'E') && isdigit((unsigned char)text[text[1] == '+' ? 2 : 1])) {
        text += text[1] == '+' ? 2 : 1;
        for (; isdigit((unsigned char)*text); text++) {
            power = power * 10 + *text - '0';
            if (power > EXPONENT_MOST + DIGITS_MOST) return false;
        }
    }
    if (*text && strchr(units, *text)) {
        power += 3 * (int)(strchr(units, *text) - units + 1);
        text++;
    }
    if (*text) return false;
    for (; behind > power; behind--) { /* 1.50: nothing is lost */
        if (n % 10) return false;
        n /= 10;
    }
    for (; power > behind; power--)
        if (!times_ten(&n, 0)) return false;
    *out = n;
    return true;
}

/* ---- problems -------------------------------------------------------------------------------- */

/* Lists the figures that may stand there: "peak, live, ...". */
static void figure_words(char *out, size_t size, bool scoped) {
    size_t used = 0;
    *out = 0;
    for (int i = 0; i < LIMIT_FIGURE_COUNT && used < size; i++)
        if (!scoped || limit_figures[i].scopes)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                     limit_figures[i].word);
}

static bool no_figure(Word w, bool scoped, char *problem, size_t size) {
    char words[128], near_words[48] = "", shown[64], typed[48];
    Nearest near = {.typed = w.at, .length = w.length};
    for (int i = 0; i < LIMIT_FIGURE_COUNT && w.length; i++)
        if (!scoped || limit_figures[i].scopes) nearest_offer(&near, limit_figures[i].word);
    for (int i = LIMIT_AT; i < LIMIT_SCOPES && w.length && !scoped; i++)
        nearest_offer(&near, limit_scopes[i].word);
    if (near.word) snprintf(near_words, sizeof near_words, " (did you mean %s?)", near.word);
    figure_words(words, sizeof words, scoped);
    snprintf(typed, sizeof typed, "%.*s", (int)(w.length < 40 ? w.length : 40), w.at);
    format_text(shown, sizeof shown, typed, 0);
    snprintf(problem, size, "there is no limit '%s'%s; there are: %s%s", shown, near_words, words,
             scoped ? ""
                    : ", and those of at FILE:LINE, type TYPE, tag NAME, such as "
                      "'at app.lua:12 live 2MiB'");
    return false;
}

/* ---- what it is of --------------------------------------------------------------------------- */

static bool parse_at(LmpLimit *l, char *problem, size_t size) {
    char *colon = strrchr(l->name, ':');
    l->line = 0;
    if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
        uint64_t line;
        *colon = 0;
        if (!parse_count(colon + 1, &line) || line == 0 || line > INT32_MAX || !*l->name) {
            snprintf(problem, size, "lines count from 1: at FILE:LINE was expected");
            return false;
        }
        l->line = (int32_t)line;
    }
    return true;
}

static bool parse_type(LmpLimit *l, char *problem, size_t size) {
    for (int k = 0; k < LMP_KINDS; k++) {
        size_t n = strlen(kind_info[k].name);
        if (strncmp(l->name, kind_info[k].name, n) != 0) continue;
        if (l->name[n] && strcmp(l->name + n, "s") != 0) continue;
        l->kind = (LmpKind)k;
        return true;
    }
    char shown[64], near_words[48] = "";
    Nearest near = {.typed = l->name};
    for (int k = 0; k < LMP_KINDS; k++)
        nearest_offer(&near, kind_info[k].name);
    if (near.word) snprintf(near_words, sizeof near_words, " (did you mean %s?)", near.word);
    snprintf(problem, size,
             "there is no type '%s'%s; there are: string, function, userdata, thread, table, other",
             format_text(shown, sizeof shown, l->name, 0), near_words);
    return false;
}

static bool parse_scope(LmpLimit *l, const char *name, size_t length, char *problem, size_t size) {
    const LmpLimitScopeInfo *scope = &limit_scopes[l->scope];
    if (length == 0) {
        snprintf(problem, size, "'%s %s FIGURE MOST' was expected, such as '%s %s live 2MiB'",
                 scope->word, scope->argument, scope->word,
                 l->scope == LIMIT_AT     ? "app/cache.lua:12"
                 : l->scope == LIMIT_TYPE ? "string"
                                          : "parser");
        return false;
    }
    memcpy(l->name, name, length);
    l->name[length] = 0;
    return l->scope == LIMIT_AT     ? parse_at(l, problem, size)
           : l->scope == LIMIT_TYPE ? parse_type(l, problem, size)
                                    : true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool find_figure(Word w, LmpLimit *l) {
    for (int i = 0; i < LIMIT_FIGURE_COUNT; i++) {
        if (!is_word(w, limit_figures[i].word)) continue;
        l->figure = (LmpLimitFigure)i;
        return !l->scope || limit_figures[i].scopes;
    }
    return false;
}

static bool parse_most(LmpLimit *l, const char *value, char *problem, size_t size) {
    const LmpLimitInfo *f = &limit_figures[l->figure];
    char shown[64];
    if (parse_count(value, &l->most)) return true;
    if (f->bytes && format_parse_size(value, &l->most)) return true;
    snprintf(problem, size, "%s '%s': %s was expected, such as %s", f->word,
             format_text(shown, sizeof shown, value, 0), f->bytes ? "a size" : "a whole number",
             f->bytes ? "64MiB" : "1e6");
    return false;
}

/* Returns true if the last word is a unit alone, as in "live 1.5 MiB". */
static bool is_unit(Word w) {
    return w.length > 0 && isalpha((unsigned char)w.at[0]) && w.length <= 3;
}

bool limits_parse(const char *text, LmpLimit *out, char *problem, size_t size) {
    LmpLimit l = {.scope = LIMIT_PROGRAM};
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= sizeof l.text) {
        snprintf(problem, size, "too long");
        return false;
    }
    memcpy(l.text, text, length);
    const char *rest = l.text;
    Word first = first_word(&rest);
    for (int i = LIMIT_AT; i < LIMIT_SCOPES; i++)
        if (is_word(first, limit_scopes[i].word)) l.scope = (LmpLimitScope)i;
    if (!l.scope) {
        if (!find_figure(first, &l)) return no_figure(first, false, problem, size);
        if (!parse_most(&l, rest, problem, size)) return false;
    } else {
        size_t left = strlen(rest);
        size_t before = left;
        Word value = last_word(rest, &left), figure = last_word(rest, &left);
        if (is_unit(value) && figure.length && isdigit((unsigned char)figure.at[0])) {
            value = (Word){figure.at, before - (size_t)(figure.at - rest)};
            figure = last_word(rest, &left);
        }
        char most[LIMIT_TEXT];
        snprintf(most, sizeof most, "%.*s", (int)value.length, value.at);
        if (!parse_scope(&l, rest, left, problem, size)) return false;
        if (!find_figure(figure, &l)) return no_figure(figure, true, problem, size);
        if (!parse_most(&l, most, problem, size)) return false;
    }
    *out = l;
    return true;
}

bool limits_need_lines(const LmpLimit *limit) {
    return limit->scope == LIMIT_AT || limit->scope == LIMIT_TAG || limit->figure == LIMIT_LEAKS;
}
