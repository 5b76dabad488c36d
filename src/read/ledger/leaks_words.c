/* leaks_words.c - what leaks.c has found, in a line of words. */
#include <math.h>
#include <stdio.h>

#include "base/format.h"
#include "read/ledger/ledger_impl.h"

enum { WHERE_SIZE = 128 };

/* The end of the place tells most: at most so many columns of it. */
static const char *where_words(char out[WHERE_SIZE], const Ledger *ledger, const LmpLeak *leak,
                               uint32_t most) {
    const LmpSiteRow *row = &ledger->site[leak->site];
    char line[16] = "";
    const char *p;
    uint32_t columns = 0, c;
    int n = row->line < 0 ? 0 : snprintf(line, sizeof line, ":%d", row->line);
    uint32_t room = most - (uint32_t)n;
    for (p = row->short_src; *p; p += format_utf8(p, &c))
        columns++;
    for (p = row->short_src; *p && columns > room; p += format_utf8(p, &c))
        columns--;
    bool cut = p > row->short_src;
    if (cut && *p) p += format_utf8(p, &c); /* for the mark */
    snprintf(out, WHERE_SIZE, "%s%.*s%s", cut ? "\u2026" : "", WHERE_SIZE - 24, p, line);
    return out;
}

/* None is wider than 76 columns: they have their place in the summary. `first`: the worst of those
 * that grow, or else of those that rose lately. */
void leaks_word(LmpJudgement *v, const Ledger *ledger, const LmpLeak *first, bool beyond) {
    char where[WHERE_SIZE], a[LMP_NUM], b[LMP_NUM], more[64];
    size_t size = sizeof v->words;
    format_count(a, v->missing);
    snprintf(more, sizeof more, "%s more full %s", a, v->missing == 1 ? "cycle" : "cycles");
    if (v->growth == LMP_GROWTH_FOUND) {
        format_bytes(a, (uint64_t)(fmin(first->bytes_per_cycle, 1e18) + 0.5));
        format_bytes(b, (uint64_t)(fmax(0, fmin(first->bytes_per_second, 1e18)) + 0.5));
        if (v->steady == 1)
            snprintf(v->words, size, "%s grows by %s a full cycle, %s/s",
                     where_words(where, ledger, first, 28), a, b);
        else
            snprintf(v->words, size, "%u sites grow, most %s by %s a full cycle", v->steady,
                     where_words(where, ledger, first, 24), a);
    } else if (v->growth == LMP_GROWTH_NONE) {
        format_count(a, v->cycles);
        snprintf(v->words, size, "no growth over the last %s full cycles", a);
    } else if (v->growth == LMP_GROWTH_WAIT) {
        if (v->lately == 0)
            snprintf(v->words, size, "cannot tell yet: %s%s",
                     beyond ? "heap higher than in any full cycle, " : "", more);
        else if (v->lately == 1)
            snprintf(v->words, size, "cannot tell yet: %s rose lately, %s",
                     where_words(where, ledger, first, 22), more);
        else
            snprintf(v->words, size, "cannot tell yet: %u sites rose lately, %s", v->lately, more);
    } else if (ledger->lines == LMP_LINES_OFF)
        snprintf(v->words, size, "growth is not known without lines");
    else
        snprintf(v->words, size, "growth is not known: cycles cannot be seen on this interpreter");
}
