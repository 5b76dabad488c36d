/* gate_junit.c - what became of the limits, for CI: the XML that JUnit's readers take. */
#include <string.h>

#include "base/format.h"
#include "gate/gate.h"

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
    gate_words(words, sizeof words, f);
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
        gate_line_words(figure, sizeof figure, f, f->line[i].value);
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
    uint32_t broken = 0;
    for (uint32_t i = 0; i < findings; i++)
        broken += finding[i].broken;
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
