/* kill_check.c - see kill_check.h. */
#include "kill_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SUMMARY "Memory of "

char check_problem[512];
char kill_work[256];

bool check_wrong(const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!check_problem[0]) vsnprintf(check_problem, sizeof check_problem, format, args);
    va_end(args);
    return false;
}

/* A line of the program: its number, filled up to a length that depends on it. */
static size_t line_text(char *out, unsigned n) {
    int head = sprintf(out, "L%06u ", n);
    size_t size = (size_t)head + n % 37;
    memset(out + head, 'a' + (int)(n % 26), size - (size_t)head);
    out[size++] = '$';
    out[size++] = '\n';
    return size;
}

/* The messages of lmp in between begin a line, if need be by ending one that goes on after them. */
static size_t skip_message(const char *at, const char *end, bool in_line) {
    const char *start = at;
    if (in_line && at < end && *at == '\n') at++;
    if (end - at < 5 || memcmp(at, "lmp: ", 5) != 0) return 0;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? (size_t)(newline + 1 - start) : 0;
}

/* The lines from the first on. Returns how many there are; *rest what follows them. */
static unsigned count_lines(const Screen *s, const char **rest, bool *partial) {
    const char *at = s->text ? s->text : "", *end = at + s->used;
    unsigned n = 0;
    *partial = false;
    for (;; n++) {
        char want[128];
        size_t size = line_text(want, n + 1), got = 0;
        const char *line = at;
        while (got < size) {
            size_t skip = skip_message(at, end, got > 0 && want[got] != '\n');
            at += skip;
            if (skip > 0 && got == 0 && at < end && *at == '\n') at++; /* of the line before it */
            if (skip > 0) continue;
            if (at >= end || *at != want[got]) break;
            at++;
            got++;
        }
        if (got < size) {
            /* a killed program's last line may be cut off: no system call writes more than it does
             */
            *partial = got > 0;
            *rest = got > 0 ? line : at;
            return n;
        }
    }
}

static unsigned lines_written(void) {
    char path[300];
    unsigned n = 0;
    snprintf(path, sizeof path, "%s/count", kill_work);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%u", &n) != 1) n = 0;
    if (f) fclose(f);
    return n;
}

bool check_file(const char *name) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", kill_work, name);
    return access(path, F_OK) == 0;
}

bool check_output(const Plan *p, const Screen *s) {
    const char *rest;
    bool partial;
    if ((p->victim[RUN] || p->victim[V_PROGRAM]) && !check_file("count"))
        return true; /* nothing had been started yet */
    unsigned shown = count_lines(s, &rest, &partial), written = lines_written();
    unsigned least = p->victim[V_PROGRAM] ? written : p->lines;
    if (shown < least || shown > p->lines)
        return check_wrong("%u of %u lines came (%u written); then: %.60s", shown, p->lines,
                           written, rest);
    if (strstr(rest, "$\nL0")) return check_wrong("lines came twice");
    /* Without a display there was nobody but the program, or `lmp run`. */
    bool alone = p->kind == K_START || p->victim[RUN];
    if (p->victim[V_PROGRAM] && alone && (!s->shown || p->early)) return true;
    if (!strstr(rest, SUMMARY)) return check_wrong("no summary; but: %.80s", rest);
    /* `lmp run` can be killed while it writes its own: who writes the other one says so. */
    if (strstr(strstr(rest, SUMMARY) + 1, SUMMARY) && !strstr(rest, "while it wrote the summary"))
        return check_wrong("two summaries");
    return true;
}

bool check_terminal(const Screen *s, int tty, const struct termios *before) {
    struct termios now;
    tcgetattr(tty, &now);
    if (s->alternate || s->hidden || s->mouse || s->keys)
        return check_wrong("left on:%s%s%s%s", s->alternate ? " alternate screen" : "",
                           s->hidden ? " hidden cursor" : "", s->mouse ? " mouse" : "",
                           s->keys ? " keypad" : "");
    if (now.c_iflag != before->c_iflag || now.c_oflag != before->c_oflag ||
        now.c_cflag != before->c_cflag || now.c_lflag != before->c_lflag ||
        memcmp(now.c_cc, before->c_cc, sizeof now.c_cc) != 0)
        return check_wrong("settings: iflag %x->%x oflag %x->%x lflag %x->%x", before->c_iflag,
                           now.c_iflag, before->c_oflag, now.c_oflag, before->c_lflag, now.c_lflag);
    return true;
}
