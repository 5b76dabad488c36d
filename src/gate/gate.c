/* gate.c - takes a limit's figure from the report's totals, types, tags or sites, or adds up what a
 * snapshot still holds; a broken limit gets the lines that have most of it. */
#include "gate/gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "shared/breaks.h"

/* ---- figures --------------------------------------------------------------------------------- */

static uint64_t of_tally(LmpLimitFigure figure, const LmpTally *t) {
    switch (figure) {
    case LIMIT_PEAK:
        return t->peak_bytes;
    case LIMIT_LIVE:
        return t->live_bytes;
    case LIMIT_BLOCKS:
        return t->live_blocks;
    case LIMIT_BYTES:
        return tally_made(t);
    case LIMIT_ALLOCS:
        return t->allocs;
    default:
        return 0;
    }
}

static uint64_t of_type(LmpLimitFigure figure, const LmpKindStats *k) {
    const LmpTally t = {.peak_bytes = k->peak_bytes,
                        .live_bytes = k->live_bytes,
                        .live_blocks = k->live_blocks,
                        .free_bytes = k->made_bytes - k->live_bytes,
                        .allocs = k->allocs};
    return of_tally(figure, &t);
}

static uint64_t of_program(LmpLimitFigure figure, const LmpReport *r) {
    const LmpStats *s = &r->stats;
    const LmpTally t = {.peak_bytes = s->peak_bytes,
                        .live_bytes = s->live_bytes,
                        .live_blocks = s->live_blocks,
                        .free_bytes = s->free_bytes,
                        .allocs = s->mallocs};
    if (figure == LIMIT_LEAKS) return r->judgement.steady;
    if (figure == LIMIT_FRAME) return s->worst_frames.count ? s->worst_frames.row[0].bytes : 0;
    return of_tally(figure, &t);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_at(const LmpLimit *l, const LmpSiteRow *s) {
    return (l->line == 0 || l->line == s->line) &&
           breaks_file_is(l->name, s->raw_source, s->short_src);
}

/* Makes room for a line among the largest, which are kept in order; NULL: it is too small. */
static LmpGateLine *offer(LmpFinding *f, uint64_t value) {
    if (value == 0) return NULL;
    uint32_t at = f->lines;
    while (at > 0 && f->line[at - 1].value < value)
        at--;
    if (at == GATE_LINES) return NULL;
    uint32_t moved = (f->lines < GATE_LINES ? f->lines : GATE_LINES - 1) - at;
    memmove(&f->line[at + 1], &f->line[at], moved * sizeof *f->line);
    if (f->lines < GATE_LINES) f->lines++;
    f->line[at].value = value;
    return &f->line[at];
}

static void offer_site(LmpFinding *f, const Ledger *ledger, const LmpSiteRow *s, uint64_t value) {
    LmpGateLine *line = offer(f, value);
    if (!line) return;
    const char *called = s->details > 0 ? ledger->detail[s->first_detail].name : "";
    format_where(line->where, sizeof line->where, s->short_src, s->line);
    snprintf(line->what, sizeof line->what, *called ? "%s, %s" : "%s", s->func, called);
}

static uint64_t of_site(const LmpLimit *l, const Ledger *ledger, uint32_t row) {
    const LmpSiteRow *s = &ledger->site[row];
    if (l->scope == LIMIT_AT && !is_at(l, s)) return 0;
    if (l->scope == LIMIT_TAG)
        return ledger->tagged ? of_tally(l->figure, &ledger->tagged[row]) : 0;
    return of_tally(l->figure,
                    l->scope == LIMIT_TYPE ? &ledger_kind(s, l->kind)->tally : &s->tally);
}

static void offer_sites(LmpFinding *f, const Ledger *ledger) {
    for (uint32_t i = 0; i < ledger->sites; i++)
        offer_site(f, ledger, &ledger->site[i], of_site(f->limit, ledger, i));
}

static const LmpTagRow *find_tag(const Ledger *ledger, const char *name) {
    for (uint32_t i = 0; i < ledger->tags; i++)
        if (strcmp(ledger->tag[i].name, name) == 0) return &ledger->tag[i];
    return NULL;
}

/* A tag's lines are asked for by its row, in a ledger of their own. */
static void offer_tagged(LmpFinding *f, const LmpGateInput *in) {
    const LmpTagRow *tag = find_tag(&in->report->ledger, f->limit->name);
    if (!tag || !in->tables) return;
    Ledger ledger = {.of_tag = tag->id};
    if (!ledger_refresh(&ledger, in->tables, LEDGER_SITES | LEDGER_TAGS | LEDGER_TAG_LINES, 0))
        offer_sites(f, &ledger);
    ledger_free(&ledger);
}

static void offer_leaks(LmpFinding *f, const LmpReport *r) {
    for (uint32_t i = 0; i < r->leaks; i++)
        if (r->leak[i].steady)
            offer_site(f, &r->ledger, &r->ledger.site[r->leak[i].site], r->leak[i].gain);
}

static void offer_laps(LmpFinding *f, const LmpStats *s) {
    for (uint32_t i = 0; i < s->worst_frames.count; i++) {
        const LmpLapStats *lap = &s->worst_frames.row[i];
        LmpGateLine *line = offer(f, lap->bytes);
        char name[sizeof lap->name + 1];
        if (!line) continue;
        snprintf(line->where, sizeof line->where, "frame %llu", (unsigned long long)lap->number);
        snprintf(name, sizeof name, "%.*s", (int)sizeof lap->name, lap->name);
        format_text(line->what, sizeof line->what, name, 0);
    }
}

static void offer_responsible(LmpFinding *f, const LmpGateInput *in) {
    if (f->limit->figure == LIMIT_LEAKS) {
        offer_leaks(f, in->report);
    } else if (f->limit->figure == LIMIT_FRAME) {
        offer_laps(f, &in->report->stats);
    } else if (f->limit->scope == LIMIT_TAG) {
        offer_tagged(f, in);
    } else {
        offer_sites(f, &in->report->ledger);
    }
}

/* ---- what is still held ---------------------------------------------------------------------- */

/* Returns true if an object is still held when the program has ended: its stack goes then, and all
 * that is held by it alone. Lots, such as the interpreter's table of strings, are nobody's. */
static bool is_held(const LmpSnapshot *s, uint32_t i) {
    if (i == 0 || snapshot_garbage(s, i) || s->g.kind[i] == LMP_OBJECT_LOT) return false;
    return s->main_thread == LMP_OBJECT_NONE || !snapshot_dominates(s, s->main_thread, i);
}

static bool is_of(const LmpLimit *l, const LmpSnapshot *s, uint32_t i, uint32_t row) {
    if (l->scope == LIMIT_AT) return row != LEDGER_NO_ROW && is_at(l, &s->ledger.site[row]);
    return l->scope != LIMIT_TYPE || snapshot_kind(s, i) == l->kind;
}

static bool has_tag(const LmpSnapshot *s, uint32_t i, const LmpTagRow *tag) {
    uint32_t record = tables_record_of(&s->view->tables, s->g.context[i]);
    return tag && record && s->view->tables.record[record].use.tag == tag->id;
}

static void judge_held(LmpFinding *f, const LmpGateInput *in) {
    LmpSnapshot *s = in->heap;
    const LmpLimit *l = f->limit;
    uint64_t *by_site = calloc((size_t)s->ledger.sites + 1, sizeof *by_site);
    const LmpTagRow *tag = l->scope == LIMIT_TAG ? find_tag(&s->ledger, l->name) : NULL;
    f->told = by_site != NULL;
    if (!f->told) {
        snprintf(f->note, sizeof f->note, "%s", err_message(LMP_E_NOMEM));
        f->broken = true;
        return;
    }
    for (uint32_t i = 0; i < s->g.objects; i++) {
        uint64_t size = snapshot_counted(s, i);
        if (size == 0 || !is_held(s, i)) continue;
        uint32_t row =
            s->view ? ledger_site_of(&s->ledger, &s->view->tables, s->g.context[i]) : LEDGER_NO_ROW;
        if (l->scope == LIMIT_TAG ? !has_tag(s, i, tag) : !is_of(l, s, i, row)) continue;
        f->value += size;
        by_site[row < s->ledger.sites ? row : s->ledger.sites] += size;
    }
    f->broken = f->value > l->most;
    for (uint32_t i = 0; i < s->ledger.sites && f->broken; i++)
        offer_site(f, &s->ledger, &s->ledger.site[i], by_site[i]);
    free(by_site);
}

/* ---- all ------------------------------------------------------------------------------------- */

void gate_unknown(const LmpLimit *limit, const char *why, LmpFinding *out) {
    memset(out, 0, sizeof *out);
    out->limit = limit;
    out->broken = true;
    snprintf(out->note, sizeof out->note, "cannot be told: ");
    size_t n = strlen(out->note);
    format_text(out->note + n, sizeof out->note - n, why, 0);
}

static bool any_at(const LmpLimit *l, const Ledger *ledger) {
    for (uint32_t i = 0; i < ledger->sites; i++)
        if (is_at(l, &ledger->site[i])) return true;
    return false;
}

/* Notes what makes a kept limit less than it seems. */
static void note(LmpFinding *f, const LmpReport *r) {
    const LmpLimit *l = f->limit;
    bool scoped = l->scope == LIMIT_AT || l->scope == LIMIT_TAG;
    if (l->figure == LIMIT_LEAKS && r->judgement.growth <= LMP_GROWTH_WAIT) {
        const char *words = r->judgement.words;
        bool said = *words && r->judgement.growth == LMP_GROWTH_WAIT; /* that it cannot be told */
        snprintf(f->note, sizeof f->note, "%s%s",
                 said ? "" : "cannot tell: ", *words ? words : "nothing is known of its lines");
    }
    if (l->figure == LIMIT_FRAME && r->stats.frames == 0)
        snprintf(f->note, sizeof f->note, "no frame has ended");
    else if (l->scope == LIMIT_AT && !any_at(l, &r->ledger))
        snprintf(f->note, sizeof f->note, "nothing was made there");
    else if (l->scope == LIMIT_TAG && !find_tag(&r->ledger, l->name))
        snprintf(f->note, sizeof f->note, "this tag was never set");
    else if (scoped && r->ledger.sample && l->figure != LIMIT_HELD)
        snprintf(f->note, sizeof f->note, "estimated from samples");
}

static void judge_figure(LmpFinding *f, const LmpGateInput *in) {
    const LmpReport *r = in->report;
    const LmpLimit *l = f->limit;
    f->told = true;
    if (l->scope == LIMIT_PROGRAM) {
        f->value = of_program(l->figure, r);
    } else if (l->scope == LIMIT_TYPE) {
        f->value = of_type(l->figure, &r->stats.kind[l->kind]);
    } else if (l->scope == LIMIT_TAG) {
        const LmpTagRow *tag = find_tag(&r->ledger, l->name);
        f->value = tag ? of_tally(l->figure, &tag->tally) : 0;
    } else {
        for (uint32_t i = 0; i < r->ledger.sites; i++)
            f->value += of_site(l, &r->ledger, i);
    }
    f->broken = f->value > l->most;
    if (f->broken) offer_responsible(f, in);
}

void gate_judge(const LmpLimit *limit, const LmpGateInput *in, LmpFinding *out) {
    const LmpReport *r = in->report;
    char why[200];
    bool lines = limit->scope == LIMIT_AT || limit->scope == LIMIT_TAG;
    if (limit_figures[limit->figure].needs_end && !in->ended) {
        snprintf(why, sizeof why, "%s, and this needs the program's end", r->ending);
        gate_unknown(limit, why, out);
        return;
    }
    if (lines && (r->ledger_error || r->ledger.lines == LMP_LINES_OFF)) {
        snprintf(why, sizeof why, "lines are not known%s%s", r->stats.why ? ": " : "",
                 stats_why_words[r->stats.why < LMP_WHYS ? r->stats.why : 0]);
        gate_unknown(limit, why, out);
        return;
    }
    if (limit->figure == LIMIT_HELD && !in->heap) {
        gate_unknown(limit, in->no_snapshot ? in->no_snapshot : "there is no snapshot of its end",
                     out);
        return;
    }
    memset(out, 0, sizeof *out);
    out->limit = limit;
    if (limit->figure == LIMIT_HELD)
        judge_held(out, in);
    else
        judge_figure(out, in);
    if (out->told) note(out, r);
}
