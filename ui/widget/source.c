/* source.c - keeps the last files with the offsets of their lines, looks again each second whether
 * one has changed, and draws lines with their numbers. Files are found by the program's working
 * directory and root in /proc, recorded texts by SourcesKept.find. To find the ends of functions,
 * the text is split into words as Lua's lexer does (strings and comments are skipped), and the open
 * blocks are kept on a stack. */
#include "widget/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"

#define FILES 48                  /* kept at once */
#define SIZE_MAX_FILE (16u << 20) /* bytes; nobody reads longer ones line by line */
#define LOOK_AGAIN 1000000000ull  /* nanoseconds between looks at whether a file has changed */
#define TAB 4

typedef struct File {
    char *source; /* as it was requested; NULL: a free slot */
    SourceText text;
    char path[PATH_MAX];
    char *bytes; /* `size` of them and a NUL */
    size_t size;
    uint32_t *at;     /* where lines begin, text.lines + 1 of them */
    uint32_t *begins; /* as from source_ends; NULL: nobody has asked yet */
    struct timespec mtime;
    uint64_t looked, used; /* clock */
    bool kept;             /* a recorded text (SourcesKept), not a file's */
    char problem[128];
} File;

struct Sources {
    uint32_t pid;
    uint64_t start;
    bool fixed; /* the directory was given, see sources_directory */
    int cwd;    /* of the program when first seen, -1: not known */
    char cwd_path[PATH_MAX];
    SourcesKept kept;
    File file[FILES];
    File *last;
};

Sources *sources_new(void) {
    Sources *s = calloc(1, sizeof *s);
    if (s) s->cwd = -1;
    return s;
}

static void forget(File *file) {
    free(file->source);
    free(file->bytes);
    free(file->at);
    free(file->begins);
    *file = (File){0};
}

static void forget_all(Sources *s) {
    for (int i = 0; i < FILES; i++)
        forget(&s->file[i]);
    s->last = NULL;
}

void sources_free(Sources *s) {
    if (!s) return;
    forget_all(s);
    if (s->cwd >= 0) close(s->cwd);
    free(s);
}

static int open_directory(const char *path) {
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void look_in(Sources *s, int directory, const char *path) {
    if (s->cwd >= 0) close(s->cwd);
    s->cwd = directory;
    snprintf(s->cwd_path, sizeof s->cwd_path, "%s", path);
    forget_all(s);
}

void sources_directory(Sources *s, const char *path) {
    if (!s) return;
    look_in(s, open_directory(path), path);
    s->fixed = true;
}

void sources_program(Sources *s, uint32_t pid, uint64_t start) {
    if (!s || s->fixed || (s->pid == pid && s->start == start)) return;
    char link[48], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%u/cwd", pid);
    bool any = pid || s->pid; /* else a recording's program: sources_kept knows where that ran */
    int directory = pid ? open_directory(link) : -1;
    ssize_t n = directory >= 0 ? readlink(link, path, sizeof path - 1) : -1;
    path[n > 0 ? n : 0] = 0;
    s->pid = pid;
    s->start = start;
    if (any)
        look_in(s, directory, path);
    else
        forget_all(s);
}

void sources_kept(Sources *s, const SourcesKept *kept) {
    if (!s) return;
    s->kept = *kept;
    s->kept.directory = NULL; /* may not live long */
    int directory = kept->directory ? open_directory(kept->directory) : -1;
    if (directory >= 0) look_in(s, directory, kept->directory); /* else look in our own directory */
}

/* ---- reading --------------------------------------------------------------------------------- */

static void say(File *file, const char *what) {
    snprintf(file->problem, sizeof file->problem, "%s", what);
    file->text.problem = file->problem;
}

/* Records where the lines begin. Returns false: no memory. */
static bool find_lines(File *file) {
    uint32_t lines = 0;
    for (size_t i = 0; i < file->size; i++)
        lines += file->bytes[i] == '\n';
    if (file->size > 0 && file->bytes[file->size - 1] != '\n') lines++;
    file->at = malloc((lines + 1) * sizeof *file->at);
    if (!file->at) return false;
    uint32_t n = 0;
    for (size_t i = 0; i < file->size && n < lines; i++) {
        if (i == 0 || file->bytes[i - 1] == '\n') file->at[n++] = (uint32_t)i;
    }
    file->at[lines] = (uint32_t)file->size;
    file->text.lines = lines;
    return true;
}

static void take_bytes(File *file, char *bytes, size_t size) {
    file->bytes = bytes;
    file->size = size;
    if (size > 0 && bytes[0] == '\033') {
        say(file, "a compiled chunk: it has no source text");
    } else if (!find_lines(file)) {
        say(file, "no memory for the source text");
    }
}

static char *read_all(int fd, size_t size, size_t *got) {
    char *bytes = malloc(size + 1);
    *got = 0;
    while (bytes && *got < size) {
        ssize_t n = read(fd, bytes + *got, size - *got);
        if (n <= 0) break;
        *got += (size_t)n;
    }
    if (bytes) bytes[*got] = 0;
    return bytes;
}

/* Opens the file of "@name": in the program's directory, and under its root if that is another
 * one. */
static int open_file(const Sources *s, const char *name, char path[PATH_MAX]) {
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, fd = -1;
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
        fd = open(path, flags);
        if (fd >= 0 || !s->pid) return fd;
        snprintf(path, PATH_MAX, "/proc/%u/root%s", s->pid, name);
        return open(path, flags);
    }
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    if (s->cwd >= 0) fd = openat(s->cwd, name, flags);
    if (fd >= 0 || s->cwd >= 0) {
        int error = errno;
        size_t n = strlen(s->cwd_path);
        if (n + strlen(name) + 2 > PATH_MAX) n = 0; /* a truncated name would be another file's */
        snprintf(path, PATH_MAX, "%.*s/%s", (int)(n > 1 ? n : 0), s->cwd_path, name);
        errno = error;
        return fd;
    }
    snprintf(path, PATH_MAX, "%s", name);
    return open(name, flags);
}

static void read_file(const Sources *s, File *file) {
    struct stat st;
    int fd = open_file(s, file->source + 1, file->path);
    if (fd < 0) {
        snprintf(file->problem, sizeof file->problem, "cannot read %.60s: %.50s", file->source + 1,
                 strerror(errno));
        file->text.problem = file->problem;
        return;
    }
    size_t got = 0;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        say(file, "not a file");
    } else if (st.st_size > SIZE_MAX_FILE) {
        say(file, "the file is too long to show");
    } else {
        char *bytes = read_all(fd, (size_t)st.st_size, &got);
        file->mtime = st.st_mtim;
        uint64_t changed = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
        file->text.changed = s->start != 0 && changed > s->start;
        file->text.path = file->path;
        if (bytes) {
            take_bytes(file, bytes, got);
        } else {
            say(file, "no memory for the source text");
        }
    }
    close(fd);
}

/* Takes the recorded text. Returns false if there is none. The path is that of the file, if there
 * is one, for an editor. */
static bool read_kept(const Sources *s, File *file) {
    size_t n = 0;
    const char *text = s->kept.find ? s->kept.find(s->kept.of, file->source, &n) : NULL;
    char *copy = text ? malloc(n + 1) : NULL;
    if (!copy) return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    file->kept = true;
    int fd = open_file(s, file->source + 1, file->path);
    if (fd >= 0) file->text.path = file->path;
    if (fd >= 0) close(fd);
    take_bytes(file, copy, n);
    return true;
}

static void read_source(const Sources *s, File *file) {
    const char *source = file->source;
    if (source[0] == '@' && read_kept(s, file)) return;
    if (source[0] == '@') {
        read_file(s, file);
    } else if (source[0] == '=') {
        say(file, source[1] == '(' ? "no line of a program"
                                   : "the chunk was given a name, not its source");
    } else {
        char *copy = strdup(source);
        if (copy) {
            take_bytes(file, copy, strlen(copy));
        } else {
            say(file, "no memory for the source text");
        }
    }
}

/* Returns true if the file has changed on the disk since it was read. */
static bool is_stale(const Sources *s, File *file, uint64_t now) {
    struct stat st;
    size_t n;
    if (file->source[0] != '@' || file->kept || now - file->looked < LOOK_AGAIN) return false;
    file->looked = now;
    if (s->kept.find && s->kept.find(s->kept.of, file->source, &n))
        return true; /* recorded later */
    if (stat(file->path, &st) != 0) return file->text.problem == NULL;
    return file->text.problem || st.st_mtim.tv_sec != file->mtime.tv_sec ||
           st.st_mtim.tv_nsec != file->mtime.tv_nsec || (uint64_t)st.st_size != file->size;
}

const SourceText *sources_get(Sources *s, const char *source, uint64_t now) {
    static const SourceText none = {.problem = "no source"};
    if (!s || !source) return &none;
    File *file = &s->file[0];
    for (int i = 0; i < FILES; i++) {
        File *one = &s->file[i];
        if (one->source && strcmp(one->source, source) == 0) {
            file = one;
            break;
        }
        if (one->used < file->used) file = one; /* the least recently used one */
    }
    bool other = !file->source || strcmp(file->source, source) != 0;
    if (other || is_stale(s, file, now)) {
        forget(file);
        file->source = strdup(source);
        if (!file->source) return &none;
        file->looked = now;
        read_source(s, file);
    }
    file->used = now + 1;
    s->last = file;
    return &file->text;
}

char *sources_line(const Sources *s, uint32_t line, bool ascii, char *out, size_t size) {
    char flat[1024];
    size_t used = 0;
    out[0] = 0;
    const File *file = s ? s->last : NULL;
    if (!file || file->text.problem || line < 1 || line > file->text.lines) return out;
    const char *at = file->bytes + file->at[line - 1], *end = file->bytes + file->at[line];
    while (end > at && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    for (; at < end && used + TAB + 1 < sizeof flat; at++) {
        if (*at == '\t') {
            do
                flat[used++] = ' ';
            while (used % TAB != 0);
        } else {
            flat[used++] = *at ? *at : '?';
        }
    }
    /* leave out a character that was cut in two */
    while (at < end && used > 0 && ((unsigned char)flat[used - 1] & 0xc0) == 0x80)
        used--;
    flat[used] = 0;
    return format_text(out, size, flat, ascii);
}

uint32_t sources_function(const Sources *s, uint32_t line) {
    File *file = s ? s->last : NULL;
    if (!file || file->text.problem || line < 1 || line > file->text.lines) return 0;
    if (!file->begins) {
        file->begins = malloc(file->text.lines * sizeof *file->begins);
        if (!file->begins) return 0;
        source_ends(file->bytes, file->size, file->begins, file->text.lines);
    }
    return file->begins[line - 1];
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_one(const Sources *s, Canvas *canvas, Rect rect, const SourceText *text,
                     const char *name, int line) {
    char code[1024];
    int x = rect.x;
    format_where(code, sizeof code, name, line > 0 ? line : -1);
    x += canvas_printf(canvas, x, rect.y, rect.w, STYLE(TONE_MUTED), "%s ", code);
    canvas_put(canvas, x, rect.y, G_VLINE, STYLE(TONE_BORDER));
    x += 2;
    int room = rect.x + rect.w - x;
    if (text->problem) {
        canvas_text(canvas, x, rect.y, room, STYLE(TONE_MUTED), text->problem);
        return;
    }
    if (text->changed) x += canvas_text(canvas, x, rect.y, room, STYLE(TONE_WRONG), "changed: ");
    room = rect.x + rect.w - x;
    sources_line(s, line > 0 ? (uint32_t)line : 0, !canvas->utf8, code, sizeof code);
    canvas_text(canvas, x, rect.y, room, STYLE(TONE_SOURCE), code + strspn(code, " "));
}

/* Returns the indentation that lines [first, last] have in common. */
static size_t common_indent(const Sources *s, int first, int last, bool ascii) {
    char code[1024];
    size_t least = sizeof code;
    for (int i = first; i <= last; i++) {
        sources_line(s, (uint32_t)i, ascii, code, sizeof code);
        size_t indent = strspn(code, " ");
        if (code[indent] && indent < least) least = indent;
    }
    return least < sizeof code ? least : 0;
}

void source_draw(Sources *s, Canvas *canvas, Rect rect, const char *source, const char *name,
                 int line, uint64_t now) {
    source_draw_around(s, canvas, rect, source, name, line, line, now);
}

int source_draw_around(Sources *s, Canvas *canvas, Rect rect, const char *source, const char *name,
                       int line, int around, uint64_t now) {
    if (rect.w < 4 || rect.h < 1) return 0;
    const SourceText *text = sources_get(s, source, now);
    if (rect.h < 2 || text->problem || line < 1 || (uint32_t)line > text->lines) {
        draw_one(s, canvas, rect, text, name, line);
        return 0;
    }
    int rows = rect.h, first = around - rows / 2, last;
    if (first + rows - 1 > (int)text->lines) first = (int)text->lines - rows + 1;
    if (first < 1) first = 1;
    last = first + rows - 1 < (int)text->lines ? first + rows - 1 : (int)text->lines;
    int digits = snprintf(NULL, 0, "%d", last);
    size_t indent = common_indent(s, first, last, !canvas->utf8);
    for (int i = first; i <= last; i++) {
        char code[1024];
        int y = rect.y + i - first, x = rect.x;
        bool here = i == line;
        if (here) canvas_put(canvas, x, y, G_RIGHT, STYLE(TONE_ACCENT));
        canvas_printf(canvas, x + 2, y, digits, STYLE(here ? TONE_STRONG : TONE_FAINT), "%*d",
                      digits, i);
        x += 2 + digits + 1;
        canvas_put(canvas, x, y, G_VLINE, STYLE(TONE_BORDER));
        x += 2;
        sources_line(s, (uint32_t)i, !canvas->utf8, code, sizeof code);
        canvas_text(canvas, x, y, rect.x + rect.w - x, STYLE(here ? TONE_SOURCE : TONE_MUTED),
                    strlen(code) > indent ? code + indent : "");
        if (here) canvas_tint(canvas, (Rect){rect.x, y, rect.w, 1}, TONE_SELECT);
    }
    return first;
}

/* ---- where functions end --------------------------------------------------------------------- */

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
