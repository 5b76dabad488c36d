/* redact.c - goes through the functions and tags, marking each text that it has dealt with, and
 * wipes what is left. Texts are changed where they stand in the table, and only get shorter: no row
 * that names one moves. Rows are a file's, and may name anything. */
#include "recording/writer/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/luawords.h"

enum { STAND_IN = 32 };

typedef struct Redact {
    LmpView *view;
    char *text;    /* the table */
    uint8_t *done; /* by byte of it: it has been dealt with */
    bool all;
    uint32_t files, chunks, functions, tags; /* stand-ins so far */
} Redact;

static bool is_one_of(const char *text, const char *const *list) {
    for (; *list; list++)
        if (strcmp(text, *list) == 0) return true;
    return false;
}

/* ---- stand-ins ------------------------------------------------------------------------------- */

/* Writes `word` and `k`, in at most n bytes; where that is too little a shorter one, or none. */
static size_t stand_in(char out[STAND_IN], size_t n, const char *word, uint32_t k) {
    static const char digit[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    size_t length = (size_t)snprintf(out, STAND_IN, "%s%u", word, k);
    if (length <= n) return length;
    char digits[STAND_IN];
    size_t used = 0;
    for (uint32_t left = k; left > 0; left /= 36)
        digits[used++] = digit[left % 36];
    if (used > n) {
        out[0] = '-';
        return n > 0;
    }
    for (size_t i = 0; i < used; i++)
        out[i] = digits[used - 1 - i];
    return used;
}

/* Puts the stand-in in place of n bytes at `at` of a text that ends at `end`. */
static void replace(char *at, size_t n, char *end, const char *word, uint32_t k) {
    char by[STAND_IN];
    size_t length = stand_in(by, n, word, k);
    memcpy(at, by, length);
    memmove(at + length, at + n, (size_t)(end - at) - n);
    memset(end - (n - length), 0, n - length);
}

/* Returns the text at `at`, if there is one that was not dealt with yet; it is, from now on. */
static char *begin_text(Redact *x, uint32_t at, size_t *n) {
    if (at == 0 || at >= LMP_TEXT_MAX || x->done[at]) return NULL;
    *n = strnlen(x->text + at, LMP_TEXT_MAX - at);
    memset(x->done + at, 1, *n);
    return *n > 0 && at + *n < LMP_TEXT_MAX ? x->text + at : NULL;
}

/* ---- functions ------------------------------------------------------------------------------- */

static const char code_begins[] = "[string \"";
enum { CODE_ENDS = 2 /* bytes: "] */ };

/* A chunk's source is its code, unless that says that it is a file's ('@') or a name ('='); what
 * people see of it is [string "its first line"]. */
static void hide_source(Redact *x, const LmpFunction *f) {
    static const char *const own[] = {"=[C]", "=stdin", "=(command line)", "=(load)", "=?", NULL};
    static const char *const shown[] = {"[C]", "stdin", "(command line)", "(load)", "?", NULL};
    size_t n = 0, m = 0, skip = 0, tail = 0;
    char *source = begin_text(x, f->source, &n), *text = begin_text(x, f->short_src, &m);
    bool code = source ? *source != '@' && *source != '='
                       : text && strncmp(text, code_begins, sizeof code_begins - 1) == 0;
    if (f->kind == LMP_F_PSEUDO || (!code && !x->all)) return;
    if (source && is_one_of(source, own)) source = NULL;
    if (text && is_one_of(text, shown)) text = NULL;
    if (text && code && m >= sizeof code_begins - 1 + CODE_ENDS &&
        strncmp(text, code_begins, sizeof code_begins - 1) == 0) {
        skip = sizeof code_begins - 1;
        tail = CODE_ENDS;
    }
    size_t kind = source && !code; /* the byte that says so stays */
    size_t room = source ? n - kind : SIZE_MAX;
    if (text && m - skip - tail < room) room = m - skip - tail;
    if (!source && !text) return;
    uint32_t k = code ? ++x->chunks : ++x->files;
    const char *word = code ? "code" : "file";
    char by[STAND_IN];
    size_t length = stand_in(by, room, word, k); /* the same one in both */
    by[length] = 0;
    if (source) {
        memset(source + kind, 0, n - kind);
        memcpy(source + kind, by, length);
    }
    if (text) {
        memmove(text + skip + length, text + m - tail, tail);
        memset(text + skip + length + tail, 0, m - skip - length - tail);
        memcpy(text + skip, by, length);
    }
}

/* Returns true if a name is Lua's: of C code, or given by the interpreter to what it calls itself.
 * Code written in Lua has made its name up, whatever other functions have it. */
static bool is_lua(const LmpFunction *f, const char *worded, const char *name, size_t n) {
    bool called = strncmp(worded, "metamethod ", 11) == 0 || strncmp(worded, "for ", 4) == 0;
    return (f->kind == LMP_F_C || called) && luawords_only(name, n, "");
}

/* As tracebacks word them: "method 'push'", "function <app.lua:12>", "main chunk". */
static void hide_name(Redact *x, const LmpFunction *f) {
    static const char *const own[] = {"main chunk", "?", "function 'hook'", "hook '?'", NULL};
    static const char words[] =
        "function global local method field upvalue constant metamethod for iterator hook";
    size_t n;
    char *text = begin_text(x, f->name, &n);
    if (!text || f->kind == LMP_F_PSEUDO || is_one_of(text, own)) return;
    char *from = strpbrk(text, "'<"), *end = text + n;
    char *to = from ? strrchr(from + 1, *from == '<' ? '>' : '\'') : NULL;
    bool worded = to && from > text && from[-1] == ' ';
    for (const char *at = text; worded && at < from;) {
        size_t word = strcspn(at, " ");
        worded = luawords_in(words, at, word);
        at += word + 1;
    }
    bool code = strstr(text, code_begins) != NULL;
    if (!x->all && !code) return;
    if (!worded) {
        replace(text, n, end, "f", ++x->functions);
    } else if (*from == '<' || !is_lua(f, text, from + 1, (size_t)(to - from) - 1)) {
        memset(to + 1, 0, (size_t)(end - to) - 1);
        replace(from + 1, (size_t)(to - from) - 1, to + 1, "f", ++x->functions);
    }
}

static void hide_qualified(Redact *x, const LmpFunction *f) {
    size_t n;
    char *text = begin_text(x, f->qualified, &n);
    if (text && x->all && !is_lua(f, "", text, n)) replace(text, n, text + n, "f", ++x->functions);
}

static void hide_functions(Redact *x) {
    const LmpFunction *f = x->view->tables.function;
    for (uint32_t i = 1; i < LMP_FUNCTIONS_MAX && f[i].kind; i++) {
        hide_source(x, &f[i]);
        hide_name(x, &f[i]);
        hide_qualified(x, &f[i]);
    }
}

/* ---- all others ------------------------------------------------------------------------------ */

static void hide_tags(Redact *x) {
    for (uint32_t i = 2; i < tables_tags(&x->view->tables); i++) {
        size_t n;
        char *text = begin_text(x, x->view->live->tables.tag[i], &n);
        if (text) replace(text, n, text + n, "tag", ++x->tags);
    }
}

/* Wipes texts that no row names now: old names, or names that were hidden from us. */
static void wipe_others(Redact *x) {
    for (uint32_t i = 0; i < LMP_TEXT_MAX; i++)
        if (x->text[i] && !x->done[i]) x->text[i] = 0;
}

LmpErr redact_names(LmpView *view, LmpRedact how) {
    Redact x = {.view = view, .text = view->tables.text, .all = how == LMP_REDACT_ALL};
    x.done = calloc(LMP_TEXT_MAX, 1);
    if (!x.done) return LMP_E_NOMEM;
    hide_functions(&x);
    hide_tags(&x);
    wipe_others(&x);
    free(x.done);
    /* a short line could be guessed from its hash */
    for (uint32_t i = 1; i < LMP_SITES_MAX && view->tables.site[i].function; i++)
        view->tables.site[i].text = 0;
    LmpHeader *header = (LmpHeader *)view->header; /* a recording's own memory */
    if (x.all) memset(header->program, 0, sizeof header->program);
    if (x.all) snprintf(header->program, sizeof header->program, "program");
    return LMP_OK;
}

static void number(char *name, size_t size, const char *what, uint32_t n) {
    bool named = *name;
    memset(name, 0, size); /* all of it goes into the file, also what stands behind its end */
    if (named) snprintf(name, size, "%s %u", what, n);
}

void redact_figures(LmpView *view) {
    LmpLive *live = (LmpLive *)view->live; /* a recording's own memory */
    for (uint32_t i = 0; i < LMP_MARKS; i++)
        number(live->mark[i].name, sizeof live->mark[i].name, "mark", live->mark[i].number);
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++)
        number(live->laps.worst[i].name, sizeof live->laps.worst[i].name, "frame", i + 1);
    memset(live->snapshot.file, 0, sizeof live->snapshot.file);
    memset(live->snapshot_before, 0, sizeof live->snapshot_before);
    for (uint32_t i = 0; i < LMP_BREAKS; i++)
        memset(view->control->break_row[i].file, 0, sizeof view->control->break_row[i].file);
}
