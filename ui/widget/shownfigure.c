/* shownfigure.c - the table `shown_figure`: for each computed figure its titles, the function that
 * computes it from a tally, and the one that writes it into a cell. Without a value a figure is
 * NaN, and its cell empty. */
#include "widget/shownfigure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"

/* ---- tallies --------------------------------------------------------------------------------- */

/* Returns the freed share of the bytes made, 0 .. 1; negative: nothing was made. */
static double shownfigure_churn(const LmpTally *t) {
    double made = (double)tally_made(t);
    return made > 0 ? (double)t->free_bytes / made : -1;
}

uint64_t shownfigure_each(const LmpTally *t) {
    return t->allocs ? tally_made(t) / t->allocs : 0;
}

/* Counters read beside a running program may already include a later free. */
static uint64_t less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

uint64_t shownfigure_in_cycle(const LmpTally *t) {
    return less(t->short_lived, t->temporary);
}

uint64_t shownfigure_later(const LmpTally *t) {
    return less(t->frees, t->short_lived);
}

bool shownfigure_is_now(const Model *model) {
    return model->seen == LMP_SEEN_RUNNING;
}

static double over_the_run(const Model *model, double value) {
    return model->clock ? value / ((double)model->clock / 1e9) : 0;
}

static double none_below(double value) {
    return value > 0 ? value : 0;
}

double shownfigure_rate(const Model *model, const LmpTally *t) {
    uint64_t made = tally_made(t);
    if (!shownfigure_is_now(model)) return over_the_run(model, (double)made);
    return none_below(ledger_rate(&model->ledger, made, t->was.made));
}

/* Returns true if the tally holds more than at the mark, or a second ago. */
static bool shownfigure_grows(const Model *model, const LmpTally *t) {
    uint64_t before = model->ledger_marked ? t->mark.live : t->was.live;
    return t->live_bytes > before;
}

/* ---- of -------------------------------------------------------------------------------------- */

/* Returns whole bytes, as shownfigure_each() does. */
static uint64_t each_live(const LmpTally *t) {
    return t->live_blocks ? t->live_bytes / t->live_blocks : 0;
}

#define OF(name, value)                                                                            \
    static double of_##name(const Model *model, const LmpTally *t) {                               \
        (void)model;                                                                               \
        return (value);                                                                            \
    }
OF(each_live, t->live_blocks ? (double)each_live(t) : NAN)
OF(churn, shownfigure_churn(t) < 0 ? NAN : shownfigure_churn(t))
OF(each, t->allocs ? (double)shownfigure_each(t) : NAN)
#define PART(count) (t->allocs ? (double)(count) / (double)t->allocs : NAN)
OF(at_once, PART(t->temporary))
OF(in_cycle, PART(shownfigure_in_cycle(t)))
OF(later, PART(shownfigure_later(t)))
OF(per_cycle, model->gc.cycles ? (double)tally_made(t) / (double)model->gc.cycles : NAN)

static double of_change(const Model *model, const LmpTally *t) {
    if (model->ledger_marked) return (double)(int64_t)(t->live_bytes - t->mark.live);
    if (!shownfigure_is_now(model)) return over_the_run(model, (double)t->live_bytes);
    return ledger_rate(&model->ledger, t->live_bytes, t->was.live);
}

static double of_rate(const Model *model, const LmpTally *t) {
    if (!model->ledger_marked) return shownfigure_rate(model, t);
    if (model->against.name) return (double)(int64_t)(tally_made(t) - t->mark.made);
    return none_below((double)(int64_t)(tally_made(t) - t->mark.made));
}

/* All that was made before the mark is live or freed. */
static double of_freed(const Model *model, const LmpTally *t) {
    if (!model->ledger_marked) return NAN;
    return none_below((double)(int64_t)(t->free_bytes - (t->mark.made - t->mark.live)));
}

/* Returns NaN if no frame has ended in that time. */
static double of_per_lap(const Model *model, const LmpTally *t) {
    double frames = model->ledger_marked        ? (double)model->laps_since_mark
                    : shownfigure_is_now(model) ? model->laps_per_s
                                                : (double)model->stats.frames;
    if (!(frames > 0)) return NAN;
    bool all = !model->ledger_marked && !shownfigure_is_now(model);
    return (all ? (double)tally_made(t) : of_rate(model, t)) / frames;
}

bool shownfigure_in_range(const Model *model) {
    return model->held && !model->against.name;
}

bool shownfigure_range(const TableSource *from) {
    return shownfigure_in_range(from->model);
}

bool shownfigure_no_range(const TableSource *from) {
    return !shownfigure_range(from);
}

bool shownfigure_in_since(const Model *model) {
    return model->since.shown && model->since.lines;
}

bool shownfigure_no_since(const TableSource *from) {
    return !shownfigure_in_since(from->model);
}

bool shownfigure_no_laps(const TableSource *from) {
    return from->model->stats.frames == 0;
}

/* ---- put ------------------------------------------------------------------------------------- */

static uint64_t whole(double value) {
    return value > 0 && value < 1.8e19 ? (uint64_t)(value + 0.5) : 0;
}

static void put_bytes(TableCell *cell, double value) {
    format_bytes(cell->text, whole(value));
    if (whole(value) == 0) cell->style = STYLE(TONE_FAINT);
}

static void put_count(TableCell *cell, double value) {
    if (cell->wide) {
        format_count(cell->text, whole(value));
    } else {
        format_short(cell->text, whole(value));
    }
    if (whole(value) == 0) cell->style = STYLE(TONE_FAINT);
}

static void put_change(TableCell *cell, double value) {
    int64_t bytes = value > 9e18 || value < -9e18 ? 0 : (int64_t)value;
    format_delta_bytes(cell->text, bytes);
    cell->style = STYLE(bytes > 0 ? TONE_GROWTH : bytes < 0 ? TONE_SHRINK : TONE_FAINT);
}

/* Shows 100% only for all of it, 0% only for nothing. */
static void put_percent(TableCell *cell, double value) {
    int percent = value >= 1 ? 100 : value > 0 ? (int)(value * 100 + 0.5) : 0;
    if (percent == 100 && value < 1) percent = 99;
    if (percent == 0 && value > 0) {
        snprintf(cell->text, sizeof cell->text, "<1%%");
        return;
    }
    snprintf(cell->text, sizeof cell->text, "%d%%", percent);
    if (percent == 0) cell->style = STYLE(TONE_FAINT);
}

static bool compares(const Model *model) {
    return model->against.name && model->ledger_marked;
}

bool shownfigure_differs(const ShownFigure *m) {
    return m == &shown_figure[M_CHANGE] || m == &shown_figure[M_RATE];
}

double shownfigure_key(const ShownFigure *m, const Model *model, double value) {
    return shownfigure_differs(m) && compares(model) ? fabs(value) : value;
}

/* clang-format off */
const ShownFigure shown_figure[SHOWN_FIGURES] = {
    [M_CHANGE] = {"Δ/s", "Δ mark", "mean Δ/s", false, of_change, put_change,
                  "what live bytes grow by a second, since the mark, or from the other run"},
    [M_EACH_LIVE] = {"each", NULL, NULL, false, of_each_live, put_bytes,
                     "live bytes of a block, on average"},
    [M_CHURN] = {"churn", NULL, NULL, false, of_churn, put_percent,
                 "how much of what was made has been freed; 0% lights up where live bytes grow"},
    [M_RATE] = {"made/s", "since mark", "mean/s", true, of_rate, put_bytes,
                "bytes made a second, since the mark, or more than in the other run; "
                "once the program has ended, over the whole run"},
    [M_EACH] = {"each", NULL, NULL, false, of_each, put_bytes,
                "bytes made for an allocation, on average"},
    [M_AT_ONCE] = {"at once", NULL, NULL, false, of_at_once, put_percent,
                   "of the allocations, freed before the next one there"},
    [M_IN_CYCLE] = {"cycle", NULL, NULL, false, of_in_cycle, put_percent,
                    "of the allocations, freed in the collector's next cycle"},
    [M_LATER] = {"later", NULL, NULL, false, of_later, put_percent,
                 "of the allocations, freed later than that"},
    [M_PER_CYCLE] = {"per cycle", NULL, NULL, true, of_per_cycle, put_bytes,
                     "bytes made between two cycles of the collector"},
    [M_PER_LAP] = {"per frame", NULL, NULL, true, of_per_lap, put_bytes,
                     "bytes made in a frame of the program's own (lmp.frame) in the last second, or since the mark;"
                     " once the program has ended, all bytes over all frames"},
    [M_FREED] = {"freed", NULL, NULL, true, of_freed, put_bytes,
                 "in a range of time: bytes freed in it, made there at any time"},
};
/* clang-format on */

/* NULL: the figure is computed. */
static const LmpFigure *stored(const ShownFigure *m) {
    size_t name = (size_t)(m - shown_figure);
    return name < TALLY_FIGURES ? &tally_figures[name] : NULL;
}

double shownfigure_value(const ShownFigure *m, const Model *model, const LmpTally *tally) {
    const LmpFigure *figure = stored(m);
    return figure ? (double)figure_number(figure, tally) : m->of(model, tally);
}

const char *shownfigure_name(const ShownFigure *m) {
    return stored(m) ? stored(m)->title : m->title;
}

const char *shownfigure_help(const ShownFigure *m) {
    return stored(m) ? stored(m)->shown : m->help;
}

bool shownfigure_adds(const ShownFigure *m) {
    return stored(m) || m->adds;
}

static void put(const ShownFigure *m, TableCell *cell, double value) {
    const LmpFigure *figure = stored(m);
    if (!figure)
        m->put(cell, value);
    else if (strcmp(figure->unit, "bytes") == 0)
        put_bytes(cell, value);
    else
        put_count(cell, value);
}

/* ---- columns --------------------------------------------------------------------------------- */

const char *shownfigure_word(const char *title, bool utf8) {
    static const char *const ascii[][2] = {{"Δ/s", "change/s"},     {"Δ mark", "since mark"},
                                           {"Δ range", "in range"}, {"Δ live", "live +-"},
                                           {"Δ made", "made +-"},   {"mean Δ/s", "mean/s"}};
    for (size_t i = 0; !utf8 && i < sizeof ascii / sizeof *ascii; i++)
        if (strcmp(title, ascii[i][0]) == 0) return ascii[i][1];
    return title;
}

const char *shownfigure_title(const ShownFigure *m, const TableSource *from) {
    const char *title = shownfigure_name(m);
    if (m->mean && !shownfigure_is_now(from->model)) title = m->mean;
    if (m->marked && from->model->ledger_marked) title = m->marked;
    if (shownfigure_differs(m) && compares(from->model))
        title = m == &shown_figure[M_CHANGE] ? "Δ live" : "Δ made";
    if (m == &shown_figure[M_CHANGE] && from->model->since.now && from->model->ledger_marked)
        title = "net";
    return shownfigure_word(title, from->ui->utf8);
}

/* When the program stands still, uses what the line held after full collections. */
static bool grows(const TableSource *from, uint32_t row, const LmpTally *tally) {
    const Ledger *ledger = &from->model->ledger;
    if (shownfigure_is_now(from->model) || from->model->ledger_marked || !from->site)
        return shownfigure_grows(from->model, tally);
    const LmpSiteRow *site = from->site(from, row);
    uint32_t n = ledger->live_history_rows;
    return site->live_history && n >= 4 && site->live_history[n - 1] > site->live_history[n / 2];
}

void shownfigure_cell(const ShownFigure *m, const TableSource *from, uint32_t row,
                      const LmpTally *tally, TableCell *cell) {
    if (!tally) return;
    double value = shownfigure_value(m, from->model, tally);
    if (isnan(value)) return;
    if (shownfigure_differs(m) && compares(from->model))
        put_change(cell, value);
    else
        put(m, cell, value);
    /* lights up memory that is never freed and grows; mutes garbage that is freed, as it should
     * be */
    if (m == &shown_figure[M_CHURN]) {
        if (value < 0.005 && grows(from, row, tally)) cell->style = STYLE_BOLD(TONE_GROWTH);
        if (value >= 0.8) cell->style = STYLE(TONE_MUTED);
    }
}
