/* leaks_words.c - what leaks.c has found, in a line of words. */
#include <math.h>
#include <stdio.h>

#include "base/format.h"
#include "read/ledger/ledger_impl.h"

enum { WHERE_SIZE = 128 };

const char *const growth_words[LMP_GROWTHS] = {
    [LMP_GROWTH_UNKNOWN] = "unknown",
    [LMP_GROWTH_WAIT] = "wait",
    [LMP_GROWTH_NONE] = "none",
    [LMP_GROWTH_FOUND] = "found",
};

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

const char *ledger_untold(const Ledger *ledger) {
    static const char *const words[] = {[LEDGER_NOW] = "cannot tell yet",
                                        [LEDGER_THEN] = "too early to tell",
                                        [LEDGER_END] = "the run was too short to tell"};
    return words[ledger->when];
}

char *ledger_lacking(char out[LEDGER_LACKING], const Ledger *ledger, const LmpJudgement *judgement,
                     const char *cycle) {
    char a[LMP_NUM], b[LMP_NUM];
    uint64_t missing = judgement->missing, all = judgement->cycles + missing;
    if (ledger->when == LEDGER_NOW)
        snprintf(out, LEDGER_LACKING, "%s more full %s%s", format_count(a, missing), cycle,
                 missing == 1 ? "" : "s");
    else
        snprintf(out, LEDGER_LACKING, "%s of %s full %ss", format_count(a, judgement->cycles),
                 format_count(b, all), cycle);
    return out;
}

static void word_untold(LmpJudgement *v, const Ledger *ledger, const LmpLeak *first, bool beyond) {
    char what[WHERE_SIZE + 32] = "", where[WHERE_SIZE], lacking[LEDGER_LACKING];
    if (v->lately == 1)
        snprintf(what, sizeof what, "%s rose lately", where_words(where, ledger, first, 22));
    else if (v->lately > 1)
        snprintf(what, sizeof what, "%u sites rose lately", v->lately);
    else if (beyond)
        snprintf(what, sizeof what, "heap higher than in any full cycle");
    bool counts = !*what || ledger->when == LEDGER_NOW; /* elsewhere there is no room for both */
    snprintf(v->words, sizeof v->words, "%s: %s%s%s", ledger_untold(ledger), what,
             *what && counts ? ", " : "",
             counts ? ledger_lacking(lacking, ledger, v, "cycle") : "");
}

/* None is wider than 76 columns: they have their place in the summary. `first`: the worst of those
 * that grow, or else of those that rose lately. */
void leaks_word(LmpJudgement *v, const Ledger *ledger, const LmpLeak *first, bool beyond) {
    char where[WHERE_SIZE], a[LMP_NUM], b[LMP_NUM];
    size_t size = sizeof v->words;
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
        word_untold(v, ledger, first, beyond);
    } else if (ledger->lines == LMP_LINES_OFF)
        snprintf(v->words, size, "growth is not known without lines");
    else
        snprintf(v->words, size, "growth is not known: cycles cannot be seen on this interpreter");
}
