/* gate_say.c - what became of the limits: for people, and for CI as the XML that JUnit's readers
 * take. */
#include <string.h>

#include "base/format.h"
#include "gate/gate.h"
#include "report/text.h"

enum { LIMIT_MOST = 44, FIGURE_WIDTH = 14 };

static bool in_bytes(const LmpFinding *f) {
    return limit_figures[f->limit->figure].bytes;
}

/* "1.5 MiB (1,572,865 B), 1 B over", "12"; what a finding found, in words. Returns out. */
static char *finding_words(char *out, size_t size, const LmpFinding *f) {
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM];
    const char *unit = in_bytes(f) ? " B" : "";
    int n = 0;
    *out = 0;
    if (f->told && in_bytes(f) && f->value >= 1024)
        n = snprintf(out, size, "%s (%s B)", format_bytes(a, f->value), format_count(b, f->value));
    else if (f->told)
        n = snprintf(out, size, "%s%s", format_count(b, f->value), unit);
    if (n >= 0 && (size_t)n < size && f->told && f->broken)
        n += snprintf(out + n, size - (size_t)n, ", %s%s over",
                      format_count(c, f->value - f->limit->most), unit);
    if (n >= 0 && (size_t)n < size && *f->note)
        snprintf(out + n, size - (size_t)n, "%s%s", n > 0 ? "; " : "", f->note);
    return out;
}

/* Returns the same of one of its lines' figures. */
static char *line_words(char *out, size_t size, const LmpFinding *f, uint64_t value) {
    char a[LMP_NUM];
    bool bytes = in_bytes(f) || f->limit->figure == LIMIT_LEAKS; /* by so much it grew */
    snprintf(out, size, "%s%s", format_count(a, value), bytes ? " B" : "");
    return out;
}

static uint32_t broken_of(const LmpFinding *finding, uint32_t findings) {
    uint32_t broken = 0;
    for (uint32_t i = 0; i < findings; i++)
        broken += finding[i].broken;
    return broken;
}

/* ---- for people ------------------------------------------------------------------------------ */

static int limit_width(const LmpFinding *finding, uint32_t findings) {
    int width = 0;
    char text[LIMIT_TEXT];
    for (uint32_t i = 0; i < findings; i++) {
        format_text(text, sizeof text, finding[i].limit->text, 0);
        int columns = text_columns(text);
        if (columns > width) width = columns;
    }
    return width < LIMIT_MOST ? width : LIMIT_MOST;
}

static void put_line(const LmpFinding *f, const LmpGateLine *line, FILE *out) {
    char figure[LMP_NUM + 4];
    line_words(figure, sizeof figure, f, line->value);
    fprintf(out, "    %*s  %s%s%s\n", FIGURE_WIDTH, figure, line->where, *line->what ? "  " : "",
            line->what);
}

void gate_text(const LmpGateOf *of, const LmpFinding *finding, uint32_t findings, FILE *out) {
    char name[300], words[512], text[LIMIT_TEXT];
    uint32_t broken = broken_of(finding, findings);
    fprintf(out, "\nLimits of %s", format_text(name, sizeof name, of->program, 0));
    if (of->pid) fprintf(out, " (pid %u)", of->pid);
    if (broken)
        fprintf(out, ": %u of %u broken\n", broken, findings);
    else
        fprintf(out, ": %s\n", findings == 1 ? "kept" : "all kept");
    int width = limit_width(finding, findings);
    for (uint32_t i = 0; i < findings; i++) {
        const LmpFinding *f = &finding[i];
        fprintf(out, "  %s  ", f->broken ? "BROKEN" : "kept  ");
        format_text(text, sizeof text, f->limit->text, 0);
        text_put_whole(out, text, 10, width);
        fprintf(out, "  %s\n", finding_words(words, sizeof words, f));
        for (uint32_t k = 0; k < f->lines; k++)
            put_line(f, &f->line[k], out);
    }
}

/* ---- for CI ---------------------------------------------------------------------------------- */

/* Of any bytes: what XML 1.0 does not allow, and what is not UTF-8, becomes U+FFFD. */
static void put_text(const char *text, FILE *out) {
    while (*text) {
        uint32_t code;
        size_t n = format_utf8(text, &code);
        bool control = n > 0 && code < 0x20 && code != '\t' && code != '\n' && code != '\r';
        if (n == 0 || control || code == 0xfffe || code == 0xffff) {
            fputs("\xef\xbf\xbd", out);
            text += n ? n : 1;
            continue;
        }
        if (code == '<' || code == '>' || code == '&' || code == '"' || format_is_control(code))
            fprintf(out, "&#%u;", (unsigned)code); /* also line ends, which attributes would lose */
        else
            fwrite(text, 1, n, out);
        text += n;
    }
}

static void put_attribute(const char *name, const char *text, FILE *out) {
    fprintf(out, " %s=\"", name);
    put_text(text, out);
    fputc('"', out);
}

/* Whatever the locale, a point. */
static void put_seconds(double seconds, FILE *out) {
    uint64_t ms = seconds > 0 && seconds < 1e12 ? (uint64_t)(seconds * 1000) : 0;
    fprintf(out, " time=\"%llu.%03llu\"", (unsigned long long)(ms / 1000),
            (unsigned long long)(ms % 1000));
}

static void put_case(const LmpGateOf *of, const LmpFinding *f, FILE *out) {
    char words[512], figure[LMP_NUM + 4];
    fputs("    <testcase", out);
    put_attribute("classname", of->program, out);
    put_attribute("name", f->limit->text, out);
    fputs(" time=\"0\">\n", out);
    finding_words(words, sizeof words, f);
    if (!f->broken) {
        fputs("      <system-out>", out);
        put_text(words, out);
        fputs("</system-out>\n    </testcase>\n", out);
        return;
    }
    fputs("      <failure type=\"limit\"", out);
    put_attribute("message", words, out);
    fputc('>', out);
    put_text(f->limit->text, out);
    fputs(": ", out);
    put_text(words, out);
    fputc('\n', out);
    for (uint32_t i = 0; i < f->lines; i++) {
        line_words(figure, sizeof figure, f, f->line[i].value);
        fprintf(out, "%s  ", figure);
        put_text(f->line[i].where, out);
        fputs("  ", out);
        put_text(f->line[i].what, out);
        fputc('\n', out);
    }
    fputs("</failure>\n    </testcase>\n", out);
}

void gate_junit_begin(FILE *out) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lmp\">\n", out);
}

void gate_junit_suite(const LmpGateOf *of, const LmpFinding *finding, uint32_t findings,
                      FILE *out) {
    char name[400];
    uint32_t broken = broken_of(finding, findings);
    snprintf(name, sizeof name, of->pid ? "memory of %.300s (pid %u)" : "memory of %.300s",
             of->program, of->pid);
    fputs("  <testsuite", out);
    put_attribute("name", name, out);
    fprintf(out, " tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"0\"", findings, broken);
    put_seconds(of->seconds, out);
    fputs(">\n", out);
    for (uint32_t i = 0; i < findings; i++)
        put_case(of, &finding[i], out);
    if (of->failed) { /* a suite that is all green says nothing of that */
        fputs("    <system-err>the program itself: ", out);
        put_text(of->ending, out);
        fputs("</system-err>\n", out);
    }
    fputs("  </testsuite>\n", out);
}

void gate_junit_end(FILE *out) {
    fputs("</testsuites>\n", out);
}
