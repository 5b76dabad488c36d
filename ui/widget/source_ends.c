/* source_ends.c - splits the text into words as Lua's lexer does (strings and comments are
 * skipped), and keeps the open blocks on a stack. */
#include "widget/source_ends.h"

#include <stdbool.h>
#include <string.h>

enum { DEEPEST = 256 }; /* blocks within each other: Lua's compiler allows 200 */

typedef struct Reader {
    const char *at, *end;
    uint32_t line, depth;
    uint32_t open[DEEPEST]; /* line of each open function; 0: another block */
} Reader;

static void step(Reader *r) {
    r->line += *r->at++ == '\n';
}

/* Returns how many `=` a bracket such as `[==[` has; -1: not a long bracket. */
static int level(const Reader *r) {
    const char *p = r->at + 1;
    while (p < r->end && *p == '=')
        p++;
    return p < r->end && *p == '[' ? (int)(p - r->at) - 1 : -1;
}

/* Goes behind the `]==]` of a long string or comment. */
static void skip_long(Reader *r, int equals) {
    while (r->at < r->end) {
        const char *p = r->at + 1;
        int n = 0;
        bool closing = *r->at == ']';
        while (closing && p < r->end && *p == '=')
            p++, n++;
        if (closing && n == equals && p < r->end && *p == ']') {
            r->at = p + 1;
            return;
        }
        step(r);
    }
}

static void skip_line(Reader *r) {
    while (r->at < r->end && *r->at != '\n')
        r->at++;
}

static void skip_comment(Reader *r) {
    r->at += 2;
    int equals = r->at < r->end && *r->at == '[' ? level(r) : -1;
    if (equals >= 0)
        skip_long(r, equals);
    else
        skip_line(r);
}

/* A quoted string ends at its line's end, unless that is escaped. */
static void skip_string(Reader *r) {
    char quote = *r->at++;
    while (r->at < r->end && *r->at != quote && *r->at != '\n') {
        bool escape = *r->at == '\\';
        step(r);
        if (escape && r->at < r->end) {
            bool blanks = *r->at == 'z';
            step(r);
            while (blanks && r->at < r->end && strchr(" \t\r\n", *r->at))
                step(r);
        }
    }
    if (r->at < r->end && *r->at == quote) r->at++;
}

static bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is(const char *word, size_t n, const char *keyword) {
    return strlen(keyword) == n && memcmp(word, keyword, n) == 0;
}

/* Opens or ends a block. `while` and `for` have a `do` of their own, `repeat` ends with `until`. */
static void take_word(Reader *r, uint32_t *begins, uint32_t lines) {
    const char *word = r->at;
    while (r->at < r->end && in_word(*r->at))
        r->at++;
    size_t n = (size_t)(r->at - word);
    bool function = is(word, n, "function");
    if (function || is(word, n, "do") || is(word, n, "if") || is(word, n, "repeat")) {
        if (r->depth < DEEPEST) r->open[r->depth] = function ? r->line : 0;
        r->depth++;
    } else if (r->depth > 0 && (is(word, n, "end") || is(word, n, "until"))) {
        r->depth--;
        uint32_t begun = r->depth < DEEPEST ? r->open[r->depth] : 0;
        if (begun > 0 && begun < r->line && r->line <= lines && begins[r->line - 1] == 0)
            begins[r->line - 1] = begun;
    }
}

void source_ends(const char *text, size_t size, uint32_t *begins, uint32_t lines) {
    Reader r = {.at = text, .end = text + size, .line = 1};
    memset(begins, 0, lines * sizeof *begins);
    if (size > 0 && *text == '#') skip_line(&r);
    while (r.at < r.end) {
        char c = *r.at, next = r.at + 1 < r.end ? r.at[1] : 0;
        if (c == '-' && next == '-')
            skip_comment(&r);
        else if (c == '"' || c == '\'')
            skip_string(&r);
        else if (c == '[' && level(&r) >= 0)
            skip_long(&r, level(&r));
        else if (in_word(c))
            take_word(&r, begins, lines);
        else
            step(&r);
    }
}
