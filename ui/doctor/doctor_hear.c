/* doctor_hear.c - reads, line by line, what the part of doctor in the interpreter says, and judges
 * whether a job with such figures is right. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "doctor/doctor.h"
#include "shared/layout.h"

/* Judges a job by its figures: a difference is no fault if lmp itself calls the figure
 * uncertain. */
static Health judge_row(const Job *j) {
    const uint64_t *f = j->f;
    bool exact = f[F_SAID_LINES] == LMP_LINES_EXACT;
    if (!f[F_BEHAVED] || f[F_TOTALS_WRONG] ||
        (f[F_SAID_OWNERS] && f[F_OWNERS_WRONG] > f[F_OWNERS_UNPROVEN]))
        return H_WRONG;
    if (exact && f[F_LINES_WRONG] > f[F_UNPROVEN]) return H_WRONG;
    if (exact && f[F_PATHS_WRONG] > f[F_UNPROVEN]) return H_WRONG;
    return f[F_LINES_WRONG] || f[F_PATHS_WRONG] || f[F_OWNERS_WRONG] ? H_SAID : H_RIGHT;
}

static void hear_row(Doctor *d, Job *j, char *words) {
    for (int i = 0; i < FIGURES; i++) {
        char *word = strsep(&words, "\t");
        j->f[i] = word ? strtoull(word, NULL, 10) : 0;
        d->sum[i] += j->f[i];
    }
    j->health = judge_row(j);
}

static void hear(Doctor *d, char *line) {
    char *what = strsep(&line, "\t");
    Job *j = d->at >= 0 ? &d->job[d->at] : NULL;
    if (!line) line = "";
    d->spoke = true;
    if (!strcmp(what, "refused")) {
        format_text(d->refused, sizeof d->refused, line, 0);
    } else if (!strcmp(what, "lua")) {
        format_text(d->lua, sizeof d->lua, line, 0);
    } else if (!strcmp(what, "code")) {
        format_text(d->code, sizeof d->code, strsep(&line, "\t"), 0);
        format_text(d->build_id, sizeof d->build_id, line ? line : "", 0);
    } else if (!strcmp(what, "job") && d->at + 1 < MOST_JOBS) {
        strsep(&line, "\t");
        j = &d->job[++d->at];
        d->jobs = d->at + 1;
        char *program = strsep(&line, "\t");
        format_text(j->program, sizeof j->program, program ? program : "", 0);
        format_text(j->mode, sizeof j->mode, line ? line : "", 0);
    } else if (!strcmp(what, "row") && j) {
        hear_row(d, j, line);
    } else if (!strcmp(what, "diff") && j) {
        format_text(j->first, sizeof j->first, line, 0);
    } else if (!strcmp(what, "trouble") && j) {
        format_text(j->first, sizeof j->first, line, 0);
        j->health = H_FELL;
    } else if (!strcmp(what, "end")) {
        d->ended = true;
    }
}

bool doctor_listen(Doctor *d, int fd) {
    char text[4096];
    size_t used = 0;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, (int)d->patience * 1000);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        ssize_t n = read(fd, text + used, sizeof text - 1 - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        used += (size_t)n;
        text[used] = '\0';
        char *line = text, *end;
        while ((end = strchr(line, '\n'))) {
            *end = '\0';
            hear(d, line);
            line = end + 1;
        }
        used = strlen(line);
        if (used == sizeof text - 1) used = 0; /* no line of ours is that long */
        memmove(text, line, used);
    }
}
