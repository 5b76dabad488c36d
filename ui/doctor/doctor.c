/* doctor.c - reads, line by line, what the part of doctor in the interpreter says, judges whether a
 * job with such figures is right, and prints the table, the sums below it and the closing
 * sentence. */
#include "doctor/doctor.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "shared/layout.h"

/* ---- what is heard --------------------------------------------------------------------------- */

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

/* ---- what is printed ------------------------------------------------------------------------- */

static const char *const mode_name[] = {"default", "stacks", "generational", "sampled", "refused"};
enum { MODE_NAMES = sizeof mode_name / sizeof *mode_name };

static uint64_t wrong_of(const Job *j) {
    return j->f[F_LINES_WRONG] > j->f[F_PATHS_WRONG] ? j->f[F_LINES_WRONG] : j->f[F_PATHS_WRONG];
}

/* "120", "3 of 120" if some differ, "crash". */
static void cell(const Job *j) {
    char text[80], all[LMP_NUM], wrong[LMP_NUM];
    uint64_t other = j->f[F_OWNERS_WRONG] + j->f[F_TOTALS_WRONG];
    format_count(all, j->f[F_LINES] + j->f[F_LINES_WRONG]);
    if (j->health == H_FELL) {
        snprintf(text, sizeof text, "FELL");
    } else if (j->health == H_NONE) {
        snprintf(text, sizeof text, "-");
    } else if (!j->f[F_BEHAVED]) {
        snprintf(text, sizeof text, "OTHER");
    } else if (wrong_of(j) || other) {
        format_count(wrong, wrong_of(j) ? wrong_of(j) : other);
        snprintf(text, sizeof text, "%s/%s", wrong, all);
    } else {
        snprintf(text, sizeof text, "%s", all);
    }
    printf("  %13s", text);
}

static const Job *job_of(const Doctor *d, const char *program, const char *mode) {
    for (int i = 0; i < d->jobs; i++)
        if (!strcmp(d->job[i].program, program) && !strcmp(d->job[i].mode, mode)) return &d->job[i];
    return NULL;
}

static bool has_mode(const Doctor *d, const char *mode) {
    for (int i = 0; i < d->jobs; i++)
        if (!strcmp(d->job[i].mode, mode)) return true;
    return false;
}

static void print_programs(const Doctor *d) {
    printf("\n%-22s", "blocks, or differ/blocks");
    for (int m = 0; m < MODE_NAMES; m++)
        if (has_mode(d, mode_name[m])) printf("  %13s", mode_name[m]);
    printf("\n");
    for (int i = 0; i < d->jobs; i++) {
        const Job *first = &d->job[i];
        if (strcmp(first->mode, d->job[0].mode) != 0) break;
        printf("%-24s", first->program);
        for (int m = 0; m < MODE_NAMES; m++) {
            static const Job none;
            if (!has_mode(d, mode_name[m])) continue;
            const Job *j = job_of(d, first->program, mode_name[m]);
            cell(j ? j : &none);
        }
        printf("\n");
    }
}

static void print_sum(const Doctor *d, const char *what, const char *said, Figure agreed) {
    char a[LMP_NUM], b[LMP_NUM];
    printf("%-12s %-13s %s agree, %s differ\n", what, said, format_count(a, d->sum[agreed]),
           format_count(b, d->sum[agreed + 1]));
}

static const char *word(const Doctor *d, const char *mode, Figure f, const char *yes,
                        const char *no) {
    bool any = false;
    for (int i = 0; i < d->jobs; i++) {
        const Job *j = &d->job[i];
        if (j->health == H_NONE || j->health == H_FELL || (mode && strcmp(j->mode, mode) != 0))
            continue;
        any = true;
        if (!j->f[f]) return no;
    }
    return any ? yes : "not tried";
}

static const char *lines_word(const Doctor *d) {
    static const char *const name[] = {[LMP_LINES_OFF] = "off",
                                       [LMP_LINES_EXACT] = "exact",
                                       [LMP_LINES_APPROXIMATE] = "approximate"};
    for (int i = 0; i < d->jobs; i++)
        if (d->job[i].health != H_NONE && d->job[i].health != H_FELL)
            return name[d->job[i].f[F_SAID_LINES] % 3];
    return "not known";
}

void doctor_print(const char *what, const char *text) {
    char plain[4096];
    format_text(plain, sizeof plain, text, 0);
    printf("%-12s %s\n", what, plain);
}

/* Returns the path, or the name alone where others are to read it. */
static const char *place(const Doctor *d, const char *path) {
    const char *slash = strrchr(path, '/');
    return d->shared && slash ? slash + 1 : path;
}

static void print_interpreter(const Doctor *d) {
    char compiler[256];
    doctor_print("interpreter", place(d, d->program.path));
    doctor_print("version", d->lua);
    if (strcmp(d->code, d->program.path) != 0) doctor_print("code in", place(d, d->code));
    doctor_print("build id", d->build_id[0] ? d->build_id : "none");
    compiler_of(d->code, compiler, sizeof compiler);
    doctor_print("compiler", compiler[0] ? compiler : "not said");
}

static const Job *worst(const Doctor *d, Health health) {
    for (int i = 0; i < d->jobs; i++)
        if (d->job[i].health == health) return &d->job[i];
    return NULL;
}

static int conclude(const Doctor *d) {
    char a[LMP_NUM], b[LMP_NUM];
    const Job *fallen = worst(d, H_FELL), *wrong = worst(d, H_WRONG), *said = worst(d, H_SAID);
    if (wrong)
        printf("\nfirst difference: %s, %s: %s\n", wrong->program, wrong->mode, wrong->first);
    printf("\n");
    if (fallen) {
        printf("CRASHED: %s in %s, %s.\n", fallen->first, fallen->program, fallen->mode);
        return EXIT_TROUBLE;
    }
    if (wrong) {
        printf("WRONG: lmp says %s lines, %s owners, and not every block agrees.\n", lines_word(d),
               word(d, NULL, F_SAID_OWNERS, "known", "unknown"));
        return EXIT_DIFFERENT;
    }
    uint64_t lines = d->sum[F_LINES] + d->sum[F_LINES_WRONG];
    if (said && strcmp(lines_word(d), "exact") != 0) {
        printf("Approximate, and said: %s of %s blocks are charged to another line; totals agree, "
               "and owners where they are said to be known.\n",
               format_count(a, d->sum[F_LINES_WRONG]), format_count(b, lines));
        return 0;
    }
    if (said) {
        uint64_t more = d->sum[F_OWNERS_WRONG] > d->sum[F_LINES_WRONG] ? d->sum[F_OWNERS_WRONG]
                                                                       : d->sum[F_LINES_WRONG];
        printf("Right but for %s of %s blocks, of which lmp itself says that it may be wrong.\n",
               format_count(a, more), format_count(b, lines));
        return 0;
    }
    printf("Right: all %s blocks agree, in line, call path, owner and size; lines are %s.\n",
           format_count(a, d->sum[F_LINES]), lines_word(d));
    return 0;
}

int doctor_report(const Doctor *d) {
    char a[LMP_NUM];
    print_interpreter(d);
    print_programs(d);
    printf("\n");
    print_sum(d, "lines", lines_word(d), F_LINES);
    print_sum(d, "call paths", word(d, "stacks", F_SAID_STACKS, "kept", "not kept"), F_PATHS);
    print_sum(d, "owners", word(d, NULL, F_SAID_OWNERS, "known", "not known"), F_OWNERS);
    print_sum(d, "totals", "counted", F_TOTALS);
    printf("%-12s %s\n", "samples", word(d, "sampled", F_SAID_SAMPLES, "taken", "not taken"));
    if (d->sum[F_UNPROVEN] + d->sum[F_OWNERS_UNPROVEN])
        printf("%-12s %s of those that differ, by lmp's own count\n", "unproven",
               format_count(a, d->sum[F_UNPROVEN] + d->sum[F_OWNERS_UNPROVEN]));
    return conclude(d);
}
