/* breaks.c - a row of functions for each kind reads and words its argument; a condition's line is
 * the action, the kind, the argument. */
#include "shared/breaks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/* How a kind reads its argument (surrounding blanks are removed) and how it is worded. The parser
 * returns NULL, or what was expected. */
typedef struct Row {
    const char *(*parse)(const char *argument, LmpBreak *out);
    void (*argument)(const LmpBreak *b, char *out, size_t size); /* as it is typed */
    void (*words)(const LmpBreak *b, char *out, size_t size);
    void (*value)(uint64_t value, char *out); /* LMP_NUM + 8 bytes; NULL: there is none */
} Row;

/* ---- numbers of bytes ------------------------------------------------------------------------ */

static const char *parse_bytes(const char *argument, LmpBreak *out) {
    return format_parse_size(argument, &out->bytes) ? NULL : "a number of bytes was expected";
}

/* Bytes as they are typed, exactly and as short as can be: 65536 as 64, KiB apart by `between`. */
static void exact_bytes(uint64_t bytes, const char *between, char *out, size_t size) {
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    uint64_t tenths = bytes < UINT64_MAX / 10 ? bytes * 10 : UINT64_MAX;
    for (; unit < 4 && tenths > 10230 && tenths % 1024 == 0; unit++)
        tenths /= 1024;
    if (unit > 0 && tenths % 10) {
        snprintf(out, size, "%llu.%llu%s%s", (unsigned long long)(tenths / 10),
                 (unsigned long long)(tenths % 10), between, names[unit]);
        return;
    }
    for (unit = 0; unit < 4 && bytes > 0 && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    snprintf(out, size, "%llu%s%s", (unsigned long long)bytes, between, names[unit]);
}

static void argument_bytes(const LmpBreak *b, char *out, size_t size) {
    exact_bytes(b->bytes, "", out, size);
}

/* As a person reads it; where units are not exact, rounded, followed by the bytes. */
static void say_bytes(uint64_t bytes, char *out, size_t size) {
    char rounded[LMP_NUM], count[LMP_NUM];
    exact_bytes(bytes, " ", out, size);
    if (bytes >= 1024 && strchr(out, 'i') == NULL)
        snprintf(out, size, "%s (%s B)", format_bytes(rounded, bytes), format_count(count, bytes));
}

static void saved_regs_size(const LmpBreak *b, char *out, size_t size) {
    char bytes[2 * LMP_NUM + 8];
    say_bytes(b->bytes, bytes, sizeof bytes);
    snprintf(out, size, "block larger than %s", bytes);
}

static void argument_heap(const LmpBreak *b, char *out, size_t size) {
    char bytes[2 * LMP_NUM + 8];
    say_bytes(b->bytes, bytes, sizeof bytes);
    snprintf(out, size, "heap above %s", bytes);
}

static void value_exact(uint64_t value, char *out) {
    char count[LMP_NUM];
    snprintf(out, LMP_NUM + 8, "%s B", format_count(count, value));
}

/* ---- file:line ------------------------------------------------------------------------------- */

static const char *parse_at(const char *argument, LmpBreak *out) {
    const char *colon = strrchr(argument, ':');
    if (!colon || colon == argument) return "FILE:LINE was expected";
    char *end;
    long line = strtol(colon + 1, &end, 10);
    if (!isdigit((unsigned char)colon[1]) || *end || line < 1 || line > INT32_MAX)
        return "a line's number was expected behind the colon";
    size_t n = (size_t)(colon - argument);
    while (n > 2 && argument[0] == '.' && argument[1] == '/')
        argument += 2, n -= 2;
    if (n >= sizeof out->file)
        return "the last parts of the file's path are enough: at DIR/FILE:LINE";
    memcpy(out->file, argument, n);
    out->file[n] = 0;
    out->line = (int32_t)line;
    return NULL;
}

/* A leading blank of a name would be mistaken for a separator. */
static void argument_at(const LmpBreak *b, char *out, size_t size) {
    const char *here = isspace((unsigned char)b->file[0]) ? "./" : "";
    snprintf(out, size, "%s%s:%d", here, b->file, b->line);
}

static void saved_regs_at(const LmpBreak *b, char *out, size_t size) {
    snprintf(out, size, "allocation at %s:%d", b->file, b->line);
}

/* Returns true if `end` is the whole path or its last parts. */
static bool ends_path(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    if (m == 0 || m > n || strcmp(path + n - m, end) != 0) return false;
    return m == n || path[n - m - 1] == '/' || *end == '/';
}

bool breaks_file_is(const char *file, const char *source, const char *short_src) {
    if (strcmp(file, short_src) == 0) return true;
    return (*source == '@' || *source == '=') && ends_path(source + 1, file);
}

/* ---- type ------------------------------------------------------------------------------------ */

static const char *parse_type(const char *argument, LmpBreak *out) {
    size_t n = strlen(argument);
    for (uint32_t k = 0; k < LMP_KINDS; k++) {
        const char *name = kind_info[k].name;
        bool plural = n == strlen(name) + 1 && argument[n - 1] == 's';
        bool letter = n == 1 && argument[0] == kind_info[k].letter;
        if (!letter &&
            (strncmp(argument, name, strlen(name)) != 0 || (argument[strlen(name)] && !plural)))
            continue;
        out->type = k;
        return NULL;
    }
    return "string, function, userdata, thread, table or other was expected";
}

static void argument_type(const LmpBreak *b, char *out, size_t size) {
    snprintf(out, size, "%s", kind_info[b->type].name);
}

static void saved_regs_type(const LmpBreak *b, char *out, size_t size) {
    snprintf(out, size, "memory of type %s", kind_info[b->type].name);
}

/* ---- moments --------------------------------------------------------------------------------- */

static const char *parse_none(const char *argument, LmpBreak *out) {
    (void)out;
    return *argument ? "nothing was expected behind it" : NULL;
}

static void saved_regs_peak(const LmpBreak *b, char *out, size_t size) {
    (void)b;
    snprintf(out, size, "new peak of the heap");
}

static void saved_regs_gc(const LmpBreak *b, char *out, size_t size) {
    (void)b;
    snprintf(out, size, "end of a collector cycle");
}

static void value_cycle(uint64_t value, char *out) {
    char count[LMP_NUM];
    snprintf(out, LMP_NUM + 8, "cycle %s", format_count(count, value));
}

/* ---- the table ------------------------------------------------------------------------------- */

const char *const break_action_name[LMP_BREAK_ACTIONS] = {"pause", "snapshot"};

const BreakInfo break_info[LMP_BREAK_KINDS] = {
    [LMP_BREAK_SIZE] = {"size", "BYTES", "size 64KiB", "a block larger than this is asked for",
                        false},
    [LMP_BREAK_HEAP] = {"heap", "BYTES", "heap 10MiB", "the heap grows above this", false},
    [LMP_BREAK_AT] = {"at", "FILE:LINE", "at main.lua:12", "memory is asked for at this line",
                      false},
    [LMP_BREAK_TYPE] = {"type", "TYPE", "type string", "memory of this type is asked for", false},
    [LMP_BREAK_PEAK] = {"peak", NULL, "peak", "the heap is larger than ever before (once)", true},
    [LMP_BREAK_GC] = {"gc", NULL, "gc", "a collector cycle has ended (once)", true},
};

static const Row rows[LMP_BREAK_KINDS] = {
    [LMP_BREAK_SIZE] = {parse_bytes, argument_bytes, saved_regs_size, value_exact},
    [LMP_BREAK_HEAP] = {parse_bytes, argument_bytes, argument_heap, value_exact},
    [LMP_BREAK_AT] = {parse_at, argument_at, saved_regs_at, NULL},
    [LMP_BREAK_TYPE] = {parse_type, argument_type, saved_regs_type, NULL},
    [LMP_BREAK_PEAK] = {parse_none, NULL, saved_regs_peak, value_exact},
    [LMP_BREAK_GC] = {parse_none, NULL, saved_regs_gc, value_cycle},
};

/* ---- reading --------------------------------------------------------------------------------- */

static void complain_unknown(char *problem, size_t size, const char *name, int n) {
    int used = snprintf(problem, size, "no condition is called '%.*s': ", n, name);
    for (int kind = 1; kind < LMP_BREAK_KINDS && used >= 0 && (size_t)used < size; kind++)
        used += snprintf(problem + used, size - (size_t)used, "%s%s",
                         kind == 1                     ? ""
                         : kind == LMP_BREAK_KINDS - 1 ? " or "
                                                       : ", ",
                         break_info[kind].name);
}

static const char *skip_blanks(const char *text) {
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* "snapshot heap 64MiB": what to do may come first. */
static const char *parse_action(const char *text, uint32_t *action) {
    text = skip_blanks(text);
    *action = LMP_BREAK_PAUSE;
    for (uint32_t i = 0; i < LMP_BREAK_ACTIONS; i++) {
        size_t n = strlen(break_action_name[i]);
        if (strncmp(text, break_action_name[i], n) != 0 || !isspace((unsigned char)text[n]))
            continue;
        *action = i;
        return skip_blanks(text + n);
    }
    return text;
}

bool breaks_parse(const char *text, LmpBreak *out, char *problem, size_t size) {
    char argument[2 * LMP_BREAK_FILE];
    uint32_t action;
    text = parse_action(text, &action);
    size_t n = strcspn(text, " \t\n");
    const char *rest = skip_blanks(text + n);
    size_t length = strlen(rest);
    while (length > 0 && isspace((unsigned char)rest[length - 1]))
        length--;
    for (uint32_t kind = 1; kind < LMP_BREAK_KINDS; kind++) {
        const BreakInfo *info = &break_info[kind];
        if (strlen(info->name) != n || memcmp(info->name, text, n) != 0) continue;
        LmpBreak b = {.kind = kind, .on = 1, .action = action};
        const char *wrong = "it is too long";
        if (length < sizeof argument) {
            memcpy(argument, rest, length);
            argument[length] = 0;
            wrong = rows[kind].parse(argument, &b);
        }
        if (wrong) {
            snprintf(problem, size, "%s: %s, as in: %s", info->name, wrong, info->example);
            return false;
        }
        *out = b;
        return true;
    }
    complain_unknown(problem, size, n > 0 ? text : "", n < 40 ? (int)n : 40);
    return false;
}

uint32_t breaks_parse_lines(const char *lines, LmpBreak row[LMP_BREAKS]) {
    char line[4 * LMP_BREAK_FILE], problem[8];
    uint32_t n = 0;
    while (*lines && n < LMP_BREAKS) {
        size_t length = strcspn(lines, "\n");
        if (length >= sizeof line) break;
        memcpy(line, lines, length);
        line[length] = 0;
        if (line[strspn(line, " \t")] && !breaks_parse(line, &row[n++], problem, sizeof problem))
            return n - 1;
        lines += length + (lines[length] == '\n');
    }
    return n;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_known(const LmpBreak *b) {
    return b->kind > LMP_BREAK_NONE && b->kind < LMP_BREAK_KINDS;
}

char *breaks_text(char *out, size_t size, const LmpBreak *b) {
    char argument[BREAKS_TEXT] = "";
    out[0] = 0;
    if (!is_known(b)) return out;
    if (rows[b->kind].argument) rows[b->kind].argument(b, argument, sizeof argument);
    snprintf(out, size, "%s%s%s%s", b->action == LMP_BREAK_SNAPSHOT ? "snapshot " : "",
             break_info[b->kind].name, *argument ? " " : "", argument);
    return out;
}

char *breaks_words(char *out, size_t size, const LmpBreak *b) {
    out[0] = 0;
    if (!is_known(b)) return out;
    rows[b->kind].words(b, out, size);
    size_t n = strlen(out);
    if (b->action == LMP_BREAK_SNAPSHOT) snprintf(out + n, size - n, ": a snapshot");
    return out;
}

char *breaks_hit_words(char *out, size_t size, const LmpBreak *b, uint64_t value) {
    char words[BREAKS_TEXT], text[LMP_NUM + 8];
    breaks_words(words, sizeof words, b);
    if (is_known(b) && rows[b->kind].value) {
        rows[b->kind].value(value, text);
        snprintf(out, size, "%s: %s", words, text);
    } else {
        snprintf(out, size, "%s", words);
    }
    return out;
}

bool breaks_same(const LmpBreak *a, const LmpBreak *b) {
    return a->kind == b->kind && a->bytes == b->bytes && a->type == b->type && a->line == b->line &&
           a->action == b->action && strncmp(a->file, b->file, sizeof a->file) == 0;
}

void breaks_check(LmpBreak *b) {
    b->file[sizeof b->file - 1] = 0;
    if (!is_known(b) || b->type >= LMP_KINDS || b->action >= LMP_BREAK_ACTIONS)
        b->kind = LMP_BREAK_NONE;
}
