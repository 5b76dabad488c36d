/* gate_text.c - what became of the limits, for people. */
#include <string.h>

#include "base/format.h"
#include "gate/gate.h"
#include "report/text.h"

enum { LIMIT_MOST = 44, FIGURE_WIDTH = 14 };

static bool in_bytes(const LmpFinding *f) {
    return limit_figures[f->limit->figure].bytes;
}

char *gate_line_words(char *out, size_t size, const LmpFinding *f, uint64_t value) {
    char a[LMP_NUM];
    bool bytes = in_bytes(f) || f->limit->figure == LIMIT_LEAKS; /* by so much it grew */
    snprintf(out, size, "%s%s", format_count(a, value), bytes ? " B" : "");
    return out;
}

char *gate_words(char *out, size_t size, const LmpFinding *f) {
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
    gate_line_words(figure, sizeof figure, f, line->value);
    fprintf(out, "    %*s  %s%s%s\n", FIGURE_WIDTH, figure, line->where, *line->what ? "  " : "",
            line->what);
}

void gate_text(const LmpGateOf *of, const LmpFinding *finding, uint32_t findings, FILE *out) {
    char name[300], words[512], text[LIMIT_TEXT];
    uint32_t broken = 0;
    for (uint32_t i = 0; i < findings; i++)
        broken += finding[i].broken;
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
        fprintf(out, "  %s\n", gate_words(words, sizeof words, f));
        for (uint32_t k = 0; k < f->lines; k++)
            put_line(f, &f->line[k], out);
    }
}
