/* panel_site.c - the page of one site: its figures, types, history, the sizes and ages of its live
 * blocks and the first of them, its callers, and its source. In one, two or three columns; the
 * source, the chart and the blocks get the room that is left. Opened over the table of sites
 * (ui->site). */
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/line_below.h"
#include "panels/opened.h"
#include "panels/site_blocks.h"
#include "panels/site_callers.h"
#include "widget/describe.h"
#include "widget/flow.h"
#include "widget/panel.h"
#include "widget/search.h"
#include "widget/source.h"
#include "widget/spark.h"
#include "widget/tallycell.h"

extern const Panel panel_site; /* below */

#define BUDGET 4000000ull /* nanoseconds of a repaint for looking at blocks */
#define TWO_COLUMNS 92    /* from this width on */
#define THREE_COLUMNS 150 /* and from this on the blocks have one of their own */
#define GAP 3             /* between the columns */
#define LEFT_FULL 56      /* the figures with all their explanations */
#define RIGHT_LEAST 40    /* the histograms with their bars */
#define BLOCKS_W 60       /* the column of the blocks */
#define SOURCE_LEAST 5    /* lines */
#define SOURCE_MOST 48
#define CHART_LEAST 3
#define CHART_MOST 10
#define CALLERS 12

typedef struct SitePage {
    SiteBlocks *blocks;
    Previews previews; /* what the strings among them hold */
    int top, most;     /* first line shown, and the largest it can be */
    uint64_t site;     /* the site that was last drawn */
    Search search;     /* the search in its source */
    int source;        /* line of the page on which the source begins */
} SitePage;

static bool begin(void *state) {
    SitePage *s = state;
    s->blocks = site_blocks_new(LMP_PREVIEWS);
    return true;
}

static void end(void *state) {
    SitePage *s = state;
    site_blocks_free(s->blocks);
}

static const LmpSiteRow *find_site(const Model *model, uint64_t id) {
    for (uint32_t i = 0; i < model->ledger.sites; i++)
        if (model->ledger.site[i].id == id) return &model->ledger.site[i];
    return NULL;
}

/* Looks at blocks for a part of this repaint; requests more repaints until all have been seen once,
 * even if the program stands still. */
static void look(SitePage *s, const Model *model, Ui *ui) {
    if (!s->blocks || !model->view || !model->view->tables.text) return;
    site_blocks_step(s->blocks, model->view, &model->ledger, (uint32_t)ui->site, model->clock,
                     ui->now, BUDGET);
    if (!site_blocks_found(s->blocks)->any) ui->restless = true;
}

/* ---- sections -------------------------------------------------------------------------------- */

static void put_head(Flow *f, const LmpSiteRow *row, const Ledger *ledger) {
    char where[160], func[160], plain[160], word[24];
    describe_where(where, sizeof where, row->short_src, row->line, !f->utf8);
    describe_function(plain, sizeof plain, word, sizeof word, row->func);
    format_text(func, sizeof func, plain, !f->utf8);
    int kind = describe_site_kind(row, (1u << LMP_KINDS) - 1);
    int x = f->rect.x, y = flow_y(f);
    x += canvas_text(f->canvas, x, y, f->rect.w, STYLE_BOLD(kind < 0 ? TONE_TEXT : TONE_KIND(kind)),
                     where);
    if (row->line > 0) {
        x += canvas_printf(f->canvas, x, y, f->rect.x + f->rect.w - x, STYLE(TONE_MUTED),
                           "  in %s%s", word, word[0] ? " " : "");
        x += canvas_text(f->canvas, x, y, f->rect.x + f->rect.w - x, STYLE(TONE_TEXT), func);
    }
    if (row->function < ledger->functions && ledger->function[row->function].linedefined > 0) {
        canvas_printf(f->canvas, x, y, f->rect.x + f->rect.w - x, STYLE(TONE_MUTED),
                      ", which begins in line %d", ledger->function[row->function].linedefined);
    }
    f->line++;
}

static void put_nothing(Flow *f, const LmpSiteRow *row) {
    if (row->line < 1 || row->tally.allocs > 0 || row->side == LMP_SIDE_WENT) return;
    flow_wrapped(f, 1, STYLE(TONE_MUTED),
                 "This line has made nothing itself: what functions that it calls make counts at "
                 "their lines.");
}

/* Shows the functions that end in a line of `end)`, which makes them. */
static void put_ends(Flow *f, const Ui *ui, const LmpSiteRow *row) {
    char code[120], text[280];
    uint32_t begins = tallycell_begins(ui, row);
    if (begins == 0) return;
    sources_line(ui->sources, begins, !f->utf8, code, sizeof code);
    snprintf(text, sizeof text,
             "Lua counts a function to the line of its end: the one that ends here begins in line "
             "%u, %s",
             begins, code + strspn(code, " "));
    flow_wrapped(f, 1, STYLE(TONE_MUTED), text);
}

/* Shows one fate of allocations: how many of them, and their share of all. */
static void put_fate(Flow *f, const LmpTally *t, const char *label, uint64_t count,
                     const char *what) {
    char a[LMP_NUM];
    flow_figure(f, label, STYLE(count ? TONE_TEXT : TONE_FAINT), format_count(a, count),
                "%5.1f %%, %s", tallycell_share_of(count, t->allocs) * 100, what);
}

static void put_figures(Flow *f, const Model *model, const LmpSiteRow *row) {
    const LmpTally *t = &row->tally;
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM];
    Style strong = STYLE(TONE_STRONG), plain = STYLE(TONE_TEXT);
    flow_title(f, "Held", NULL);
    flow_figure(f, "live", strong, format_bytes(a, t->live_bytes), "%.1f %% of the heap",
                tallycell_share_of(t->live_bytes, model->stats.live_bytes) * 100);
    flow_figure(f, "blocks", plain, format_count(a, t->live_blocks), "%s each",
                format_bytes(b, t->live_blocks ? t->live_bytes / t->live_blocks : 0));
    flow_figure(f, "at the peak", plain, format_bytes(a, t->peak_bytes), "%.1f %% of %s",
                tallycell_share_of(t->peak_bytes, model->stats.peak_bytes) * 100,
                format_bytes(b, model->stats.peak_bytes));
    if (model->ledger_marked) {
        int64_t bytes = (int64_t)(t->live_bytes - t->mark.live);
        Style style = STYLE(bytes > 0 ? TONE_GROWTH : bytes < 0 ? TONE_SHRINK : TONE_FAINT);
        int64_t made = (int64_t)(tally_made(t) - t->mark.made);
        if (model->against.name)
            flow_figure(f, "difference", style, format_delta_bytes(a, bytes), "%s made",
                        format_delta_bytes(b, made));
        else
            flow_figure(f, model->held ? "in the range" : "since mark", style,
                        format_delta_bytes(a, bytes), "%s made, %s freed",
                        format_bytes(b, (uint64_t)made), format_bytes(c, (uint64_t)(made - bytes)));
    }
    if (t->reallocs > 0)
        flow_figure(f, "resized", plain, format_delta_bytes(a, t->realloc_bytes),
                    "%s reallocation%s", format_count(b, t->reallocs), t->reallocs == 1 ? "" : "s");
    flow_figure(f, "freed", plain, format_bytes(a, t->free_bytes), "%s block%s, churn %.0f %%",
                format_count(b, t->frees), t->frees == 1 ? "" : "s",
                tallycell_share_of(t->free_bytes, t->free_bytes + t->live_bytes) * 100);
    flow_title(f, "Made", NULL);
    flow_figure(f, "all", strong, format_bytes(a, tally_made(t)), "%.1f %% of all bytes",
                tallycell_share_of(tally_made(t), tally_made(&model->ledger.all)) * 100);
    flow_figure(f, "a second", plain, format_bytes(a, (uint64_t)shownfigure_rate(model, t)), "%s",
                shownfigure_is_now(model) ? "now" : "over the whole run");
    flow_figure(f, "allocations", plain, format_count(a, t->allocs), "%s each",
                format_bytes(b, shownfigure_each(t)));
    if (model->gc.cycles > 0)
        flow_figure(f, "a cycle", plain, format_bytes(a, tally_made(t) / model->gc.cycles),
                    "between two collections");
    put_fate(f, t, "at once", t->temporary, "before the next made");
    put_fate(f, t, "in a cycle", shownfigure_in_cycle(t), "in the next cycle");
    put_fate(f, t, "later", shownfigure_later(t), "after that");
    put_fate(f, t, "still there", t->live_blocks, "not freed");
    if (row->here_frees > 0)
        flow_figure(f, "frees here", plain, format_bytes(a, row->here_free_bytes),
                    "%s block%s of any site", format_count(b, row->here_frees),
                    row->here_frees == 1 ? "" : "s");
}

/* Returns the bytes that a mode lists by. */
static uint64_t bytes_of(const LmpTally *t, bool makes) {
    return makes ? tally_made(t) : t->live_bytes;
}
static uint64_t blocks_of(const LmpTally *t, bool makes) {
    return makes ? t->allocs : t->live_blocks;
}
static const char *in_words(bool makes) {
    return makes ? "bytes made and allocations" : "live bytes and blocks";
}

static void put_details(Flow *f, const Ledger *ledger, const LmpSiteRow *row, bool makes) {
    bool any = false;
    for (uint32_t i = 0; i < row->details; i++)
        any = any || ledger->detail[row->first_detail + i].name[0] != 0;
    if (!any) return;
    flow_title(f, "Made through", in_words(makes));
    for (uint32_t i = 0; i < row->details; i++) {
        const LmpSiteDetail *detail = &ledger->detail[row->first_detail + i];
        char name[80];
        format_text(name, sizeof name, detail->name[0] ? detail->name : "the line", !f->utf8);
        flow_bar(f, name, STYLE(TONE_TEXT), STYLE(TONE_MUTED),
                 tallycell_share_of(bytes_of(&detail->tally, makes), bytes_of(&row->tally, makes)),
                 bytes_of(&detail->tally, makes), blocks_of(&detail->tally, makes));
    }
}

static void put_types(Flow *f, const LmpSiteRow *row, bool makes) {
    flow_title(f, "Types", in_words(makes));
    for (int k = 0; k < LMP_KINDS; k++) {
        const LmpTally *t = &row->kind[k].tally;
        if (t->allocs == 0) continue;
        flow_bar(f, kind_info[k].name, STYLE(TONE_KIND(k)), STYLE(TONE_KIND(k)),
                 tallycell_share_of(bytes_of(t, makes), bytes_of(&row->tally, makes)),
                 bytes_of(t, makes), blocks_of(t, makes));
    }
}

static const char *how_old(char *out, size_t size, const Model *model, uint64_t clock) {
    char a[LMP_NUM];
    format_span(a, model->ledger.clock > clock ? model->ledger.clock - clock : 0);
    bool ended = model->seen == LMP_SEEN_FINISHED || model->seen == LMP_SEEN_KILLED;
    snprintf(out, size, "%s %s", a, ended ? "before the end" : "ago");
    return out;
}

/* `rows`: lines of the chart, with that of its times. */
static void put_history(Flow *f, const Model *model, const LmpSiteRow *row, int rows) {
    const Ledger *ledger = &model->ledger;
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM + 8], note[96];
    if (!row->live_history || ledger->live_history_rows < 2) {
        flow_title(f, "History", NULL);
        flow_text(f, "bytes held after full cycles: fewer than two");
        return;
    }
    uint64_t even[LMP_LIVE_HISTORY];
    uint32_t n = ledger_live_history_even(ledger, row->live_history, even);
    uint64_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (even[i] > most) most = even[i];
    bool peak = most > even[0] && most > even[n - 1];
    if (peak) snprintf(c, sizeof c, ", most %s", format_bytes(a, most));
    snprintf(note, sizeof note, "held%s: %s to %s%s", peak ? "" : " after full cycles",
             format_bytes(a, even[0]), format_bytes(b, even[n - 1]), peak ? c : "");
    flow_title(f, "History", note);
    int w = f->rect.w - 2;
    if (w > (int)n * 2) w = (int)n * 2;
    Rect chart = {f->rect.x + 1, flow_y(f), w, rows - 1};
    int kind = describe_site_kind(row, (1u << LMP_KINDS) - 1);
    spark_draw(f->canvas, chart, even, n, STYLE(kind < 0 ? TONE_TEXT : TONE_KIND(kind)));
    f->line += rows - 1;
    how_old(note, sizeof note, model, ledger->live_history_clock[ledger->live_history_rows - 1]);
    int last = canvas_text_right(f->canvas, chart.x + w - 1, flow_y(f), w, STYLE(TONE_MUTED), note);
    how_old(note, sizeof note, model, ledger->live_history_clock[0]);
    if (canvas_width(note) + last + 2 <= w)
        canvas_text(f->canvas, chart.x, flow_y(f), w, STYLE(TONE_MUTED), note);
    f->line++;
}

typedef struct Callers {
    SiteCaller caller[CALLERS];
    uint32_t n;
    uint64_t samples; /* 0: not from samples */
} Callers;

static void find_callers(Callers *c, const Model *model, const LmpSiteRow *row, bool makes) {
    const Ledger *ledger = &model->ledger;
    *c = (Callers){.n = 0};
    if (ledger->stacks)
        c->n = site_callers(ledger, row, makes, c->caller, CALLERS);
    else if (!model->against.name)
        c->n = site_callers_sampled(ledger, &model->callers, row, c->caller, CALLERS, &c->samples);
}

static void put_caller(Flow *f, const SiteCaller *caller, const LmpTally *whole, bool makes) {
    char where[96], name[96], plain[96], bytes[LMP_NUM];
    uint64_t part = bytes_of(&caller->tally, makes);
    double share = tallycell_share_of(part, bytes_of(whole, makes));
    int x = f->rect.x + 1, y = flow_y(f), right = f->rect.x + f->rect.w;
    describe_where(where, sizeof where, caller->short_src, caller->line, !f->utf8);
    describe_function(plain, sizeof plain, NULL, 0, caller->name);
    format_text(name, sizeof name, plain, !f->utf8);
    canvas_text_right(f->canvas, x + 10, y, 10, STYLE(TONE_STRONG), format_bytes(bytes, part));
    canvas_printf(f->canvas, x + 11, y, 6, STYLE(table_heat(share)), "%4.0f%%", share * 100);
    x += 18;
    x += canvas_text(f->canvas, x, y, right - x, STYLE(TONE_TEXT), where);
    x += 1 + canvas_text(f->canvas, x + 1, y, right - x - 1, STYLE(TONE_MUTED), name);
    for (unsigned i = 0; i < LMP_CALLER_LEVELS - 1 && caller->behind[i].line; i++) {
        const LedgerPlace *by = &caller->behind[i];
        describe_function(plain, sizeof plain, NULL, 0, by->name);
        describe_where(where, sizeof where, by->line > 0 ? by->short_src : plain, by->line,
                       !f->utf8);
        x += canvas_printf(f->canvas, x, y, right - x, STYLE(TONE_FAINT), "%s%s",
                           i > 0 ? ", " : "  by ", where);
    }
    f->line++;
}

static void put_sampled(Flow *f, const LmpSiteRow *row, const Callers *callers) {
    char note[96], a[LMP_NUM], b[LMP_NUM];
    snprintf(note, sizeof note, "sampled: %s of %s allocations", format_count(a, callers->samples),
             format_count(b, row->tally.allocs));
    flow_title(f, "Callers", note);
    for (uint32_t i = 0; i < callers->n; i++)
        put_caller(f, &callers->caller[i], &row->tally, true);
    flow_text(f, "exact with lmp run --stacks");
}

static void put_callers(Flow *f, const Ledger *ledger, const LmpSiteRow *row,
                        const Callers *callers, bool makes) {
    if (callers->samples > 0) {
        put_sampled(f, row, callers);
        return;
    }
    if (!ledger->stacks) {
        flow_title(f, "Callers", NULL);
        flow_text(f, "not recorded: lmp run --stacks, or stacks = true");
        return;
    }
    flow_title(f, "Callers",
               makes ? "what was made for them here" : "what was made for them here, and is live");
    for (uint32_t i = 0; i < callers->n; i++)
        put_caller(f, &callers->caller[i], &row->tally, makes);
    if (callers->n == 0) flow_text(f, "none known");
}

static void text_of(void *context, uint64_t line, char *out, size_t size) {
    const Ui *ui = context;
    sources_line(ui->sources, (uint32_t)line + 1, !ui->utf8, out, size);
}

/* Returns the lines of the site's source, from 0; sources_get was called for it. */
static SearchLines search_lines(Ui *ui, const SourceText *text) {
    return (SearchLines){0, text->problem ? 0 : text->lines, text_of, ui};
}

static void put_source(SitePage *s, Flow *f, Ui *ui, const LmpSiteRow *row, int rows) {
    char name[96];
    const SourceText *text = sources_get(ui->sources, row->raw_source, ui->now);
    format_text(name, sizeof name, row->short_src, !f->utf8);
    flow_title(f, "Source",
               text->problem   ? NULL
               : text->changed ? "the file has changed since the program's start"
                               : "e opens it in the editor");
    s->source = f->line;
    if (text->problem) {
        flow_text(f, text->problem);
        return;
    }
    SearchLines lines = search_lines(ui, text);
    search_follow(&s->search, &lines, row->line > 0 ? (uint64_t)row->line - 1 : 0);
    if (rows > (int)text->lines) rows = (int)text->lines;
    int around = s->search.found ? (int)s->search.at + 1 : row->line;
    Rect rect = {f->rect.x, flow_y(f), f->rect.w, rows};
    int first = source_draw_around(ui->sources, f->canvas, rect, row->raw_source, name, row->line,
                                   around, ui->now);
    bool here = s->search.found && first > 0;
    search_light(&s->search, f->canvas, rect, here ? rect.y + around - first : -1);
    f->line += rows;
}

/* ---- panel ----------------------------------------------------------------------------------- */

/* Returns the width of the left column: half, if that is enough for the figures. */
static int left_column(int w) {
    if (w >= THREE_COLUMNS) return LEFT_FULL;
    int half = (w - GAP) / 2, most = w - GAP - RIGHT_LEAST;
    int request = half > LEFT_FULL ? half : LEFT_FULL;
    return request < most ? request : most;
}

static int clamp(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

/* Where each part goes on; in a page of one column all are the same Flow. */
typedef struct Columns {
    Flow flow[3];
    Flow *figures, *source, *blocks;
} Columns;

/* `found`: lines for the blocks; 0: they cannot be looked at, as in a recording. */
static void divide(Columns *c, const Flow *head, int found) {
    int w = head->rect.w, columns = w >= TWO_COLUMNS ? 2 + (w >= THREE_COLUMNS && found > 0) : 1;
    int left = left_column(w), right = columns == 3 ? BLOCKS_W : 0;
    for (int i = 0; i < columns; i++)
        c->flow[i] = *head;
    c->figures = &c->flow[0];
    c->source = &c->flow[columns > 1];
    c->blocks = &c->flow[columns - 1];
    if (columns == 1) return;
    c->figures->rect.w = left;
    c->source->rect.x += left + GAP;
    c->source->rect.w -= left + GAP + (right > 0 ? right + GAP : 0);
    if (columns == 2) return;
    c->blocks->rect.x += w - right;
    c->blocks->rect.w = right;
}

static int longest(const Columns *c) {
    int a = c->figures->line, b = c->source->line, d = c->blocks->line;
    int most = a > b ? a : b;
    return most > d ? most : d;
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    SitePage *s = state;
    const Ledger *ledger = &model->ledger;
    if (!s || rect.w <= 0 || rect.h <= 0) return;
    const LmpSiteRow *row = find_site(model, ui->site);
    if (!row) {
        canvas_text(canvas, rect.x + 1, rect.y, rect.w - 1, STYLE(TONE_MUTED),
                    "this site is not known any more");
        return;
    }
    if (s->site != ui->site) {
        s->top = 0;
        s->search = (Search){0}; /* the next page may be of another source */
    }
    s->site = ui->site;
    look(s, model, ui);
    Rect in = rect.w > 24 ? (Rect){rect.x + 1, rect.y, rect.w - 3, rect.h} : rect;
    Flow head = {canvas, in, 0, s->top, ui->utf8};
    put_head(&head, row, ledger);
    line_verdicts(&head, model, row);
    put_ends(&head, ui, row);
    put_nothing(&head, row);
    Columns c;
    int found = site_found_lines(s->blocks, model);
    divide(&c, &head, found);
    Callers callers;
    find_callers(&callers, model, row, ui->makes);
    /* the source gets the lines that the others in its column leave */
    int others = flow_section_lines((int)callers.n) + (callers.samples > 0);
    if (c.blocks == c.source) others += found;
    int left = rect.h - head.line - 2 - others;
    bool one = c.figures == c.source;
    put_source(s, c.source, ui, row,
               one ? SOURCE_LEAST : clamp(left, SOURCE_LEAST + 2, SOURCE_MOST));
    put_figures(c.figures, model, row);
    put_details(c.figures, ledger, row, ui->makes);
    put_types(c.figures, row, ui->makes);
    put_history(c.figures, model, row,
                clamp(rect.h - c.figures->line - 2, CHART_LEAST, one ? CHART_LEAST : CHART_MOST));
    put_callers(c.source, ledger, row, &callers, ui->makes);
    site_found_sizes(c.blocks, s->blocks, model, row);
    if (!one)
        site_found_blocks(c.blocks, s->blocks, &s->previews, model, ui,
                          rect.h - c.blocks->line - 2);
    int height = longest(&c);
    s->most = height > rect.h ? height - rect.h : 0;
    if (s->top > s->most) s->top = s->most;
    canvas_scroll(canvas, rect.x + rect.w - 1, rect.y, rect.h, (uint64_t)s->top, (uint64_t)rect.h,
                  (uint64_t)height);
}

static void update(void *state, const Model *model, Ui *ui, Rect rect) {
    SitePage *s = state;
    if (s && rect.w > 0 && ui->over == &panel_site) previews_take(&s->previews, model);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    SitePage *s = state;
    if (action == ACT_ENTER) {
        if (!model->view || !find_site(model, ui->site)) return false;
        ui->look_site = true;
        ui->look_site_id = ui->site;
        ui_open(ui, &panel_blocks);
        return true;
    }
    if (!s) return false;
    const LmpSiteRow *row = find_site(model, ui->site);
    SearchLines lines = {0};
    if (row) lines = search_lines(ui, sources_get(ui->sources, row->raw_source, ui->now));
    if (search_act(&s->search, ui, action, &lines)) {
        if (action != ACT_BACK && (s->source < s->top || s->source >= s->top + rect.h))
            s->top = s->source < s->most ? s->source : s->most; /* show the source */
        return true;
    }
    List list = {.cursor = (uint64_t)s->top, .count = (uint64_t)s->most + 1};
    if (!list_act(&list, action, rect.h)) return false;
    s->top = (int)list.cursor;
    return true;
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    (void)state;
    const LmpSiteRow *row = find_site(model, ui->site);
    if (row) *out = panel_place_of(row);
    return row != NULL;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const SitePage *s = state;
    if (s) search_note(&s->search, ui, out, size);
    if (out[0]) return;
    const LmpSiteRow *row = find_site(model, ui->site);
    char where[160];
    if (!row) return;
    snprintf(out, size, "%s · enter blocks · esc back",
             describe_where(where, sizeof where, row->short_src, row->line, !ui->utf8));
}

static bool seeks(const void *state) {
    return search_on(&((const SitePage *)state)->search);
}

const Panel panel_site = {.title = "Site",
                          .seeks = seeks,
                          .ledger = LEDGER_SITES | LEDGER_FUNCTIONS | LEDGER_TREE,
                          .offers = {ACT_MAKES, ACT_EDIT, ACT_FILTER, ACT_NEXT_MATCH, ACT_ENTER},
                          .size = sizeof(SitePage),
                          .begin = begin,
                          .end = end,
                          .update = update,
                          .draw = draw,
                          .act = act,
                          .note = note,
                          .place = place};
