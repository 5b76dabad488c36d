/* relay_say.c - writes to the terminal: the output that was kept, the relay's own messages, and the
 * summary if the relay is the one to write it. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "base/io.h"
#include "base/outfile.h"
#include "relay/pty_relay_impl.h"
#include "report/report.h"
#include "shared/launch.h"
#include "shared/recnote.h"

PtyRelayEnd relay_ended(const PtyRelay *k) {
    return (PtyRelayEnd)atomic_load(&k->relay_state->end);
}

bool relay_has(const PtyRelay *k, uint32_t step) {
    return (atomic_load(&k->relay_state->steps) & step) != 0;
}

void relay_note(PtyRelay *k, uint32_t step) {
    atomic_fetch_or(&k->relay_state->steps, step);
}

void relay_write_out(PtyRelay *k) {
    if (k->showing) return;
    if (!k->tty_lost && !spool_pass(&k->spool, k->tty)) k->tty_lost = true;
    if (k->tty_lost) spool_drop(&k->spool);
    spool_trim(&k->spool);
}

static void say_text(PtyRelay *k, uint32_t step, const void *text, size_t size) {
    relay_write_out(k);
    if (!spool_say(&k->spool, step, text, size) && !k->tty_lost) {
        relay_note(k, step);
        io_write_all(k->tty, text, size);
    }
    relay_write_out(k);
}

bool relay_line_open(const PtyRelay *k) {
    int last = spool_last(&k->spool);
    return last >= 0 && last != '\n';
}

void relay_say(PtyRelay *k, const char *format, ...) {
    char text[512];
    size_t size = 0;
    va_list args;
    if (relay_line_open(k)) text[size++] = '\n';
    va_start(args, format);
    int n = vsnprintf(text + size, sizeof text - 2, format, args);
    va_end(args);
    if (n < 0) return;
    size += (size_t)n < sizeof text - 2 ? (size_t)n : sizeof text - 3;
    text[size++] = '\n';
    say_text(k, 0, text, size);
}

bool relay_run_gone(PtyRelay *k) {
    struct pollfd p = {.fd = LMP_FD_HOLD};
    if (k->under_run && poll(&p, 1, 0) > 0) {
        close(LMP_FD_HOLD);
        k->under_run = false;
        k->run_killed = true;
    }
    return k->run_killed;
}

/* Returns where the summary goes: "" nowhere, "-" the terminal. `lmp run` writes it, unless it was
 * killed. */
static const char *summary_place(PtyRelay *k) {
    const char *place = relay_run_gone(k) ? getenv(LMP_ENV_SUMMARY) : k->options.summary;
    return place ? place : "";
}

static void write_summary(const PtyRelay *k, FILE *out) {
    LmpReport report;
    const LmpView *v = &k->view;
    const char *ending = relay_ended(k) == PROGRAM_ENDED  ? "ended"
                         : relay_ended(k) == PROGRAM_LEFT ? "went on as another program"
                         : relay_ended(k) == PROGRAM_SHUT ? "went on without its display"
                                                          : "killed, or crashed";
    report_fill(&report, v->header, v->live, &v->tables, v->live->clock, ending);
    report_summary(&report, out);
    report_close(&report);
}

void relay_say_ending(PtyRelay *k) {
    if (relay_has(k, RELAY_SUMMARY)) return;
    const char *to = summary_place(k);
    bool terminal = strcmp(to, "-") == 0;
    char name[80], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    bool gone = relay_ended(k) == PROGRAM_GONE && !k->under_run;
    bool again = terminal && relay_has(k, RELAY_BEGUN);
    if (again) fputs("\nlmp: lmp run was killed while it wrote the summary; in full it is:\n", out);
    if ((gone || terminal) && relay_line_open(k)) fputc('\n', out);
    if (gone)
        fprintf(out, "lmp: %s (pid %u) was killed or crashed\n",
                format_text(name, sizeof name, k->view.header->program, 0), k->view.header->pid);
    if (terminal) {
        write_summary(k, out);
    } else if (to[0]) {
        FILE *file = outfile_open(to);
        if (file) write_summary(k, file);
        if (!file || fclose(file) != 0)
            fprintf(out, "lmp: cannot write the summary to %s: %s\n", to, outfile_problem(errno));
    }
    if (k->run_killed) fputs(recnote_lack(k->view.control), out);
    if (fclose(out) == 0) say_text(k, RELAY_SUMMARY, text, size);
    free(text);
}
