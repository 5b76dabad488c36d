/* panel_site.c - the page of one site: its figures, types, history, the sizes and ages of its live
 * blocks, who called it, and its source. Opened over the table of sites (ui->site). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "panels/site_blocks.h"
#include "panels/site_callers.h"
#include "widget/describe.h"
#include "widget/panel.h"
#include "widget/search.h"
#include "widget/source.h"
#include "widget/spark.h"
#include "widget/tallycell.h"

#define BUDGET 4000000ull /* nanoseconds of a frame for looking at blocks */
#define TWO_COLUMNS 92    /* from this width on */
#define GAP 3             /* between the columns */
#define LEFT_FULL 56      /* the figures with all their explanations */
#define RIGHT_LEAST 40    /* the histograms with their bars */

typedef struct SitePage {
    SiteBlocks *blocks;
    int top, most; /* first line shown, and the largest it can be */
    uint64_t site; /* that it was drawn for */
    Search search; /* the search in its source */
    int source;    /* line of the page where the source begins */
} SitePage;

static void *create(void) {
    SitePage *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->blocks = site_blocks_new(0);
    search_init(&s->search);
    return s;
}

static void destroy(void *state) {
    SitePage *s = state;
    site_blocks_free(s->blocks);
    free(s);
}

static const LmpSiteRow *find_site(const Model *model, uint64_t id) {
    for (uint32_t i = 0; i < model->ledger.sites; i++)
        if (model->ledger.site[i].id == id) return &model->ledger.site[i];
    return NULL;
}

/* Looks at blocks for a part of this frame; requests more frames until it has seen all of them
 * once, even if the program stands still. */
static void look(SitePage *s, const Model *model, Ui *ui) {
    if (!s->blocks || !model->view || !model->view->tables.text) return;
    site_blocks_step(s->blocks, model->view, &model->ledger, (uint32_t)ui->site, model->clock,
                     ui->now, BUDGET);
    if (!site_blocks_found(s->blocks)->any) ui->restless = true;
}

/* ---- a flow of lines ------------------------------------------------------------------------- */

/* Where the next line goes; lines scrolled out of view are clipped. */
typedef struct Flow {
    Canvas *canvas;
    Rect rect;
    int line, top;
    bool utf8;
} Flow;

static int flow_y(const Flow *f) {
    return f->rect.y + f->line - f->top;
}

static void put_title(Flow *f, const char *title, const char *note) {
    if (f->line > 0) f->line++;
    int used = canvas_text(f->canvas, f->rect.x, flow_y(f), f->rect.w, STYLE(TONE_STRONG), title);
    if (note)
        canvas_printf(f->canvas, f->rect.x + used + 2, flow_y(f), f->rect.w - used - 2,
                      STYLE(TONE_MUTED), "%s", note);
    f->line++;
}

static void put_text(Flow *f, const char *text) {
    canvas_text(f->canvas, f->rect.x + 1, flow_y(f), f->rect.w - 1, STYLE(TONE_MUTED), text);
    f->line++;
}

/* A label, a figure, and its explanation. */
static void put_figure(Flow *f, const char *label, Style style, const char *figure,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

#define LABEL_W 13
#define FIGURE_W 11

static void put_figure(Flow *f, const char *label, Style style, const char *figure,
                       const char *format, ...) {
    char more[160];
    va_list args;
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    int x = f->rect.x + 1, y = flow_y(f);
    canvas_text(f->canvas, x, y, LABEL_W - 1, STYLE(TONE_MUTED), label);
    canvas_text_right(f->canvas, x + LABEL_W + FIGURE_W, y, FIGURE_W, style, figure);
    canvas_text(f->canvas, x + LABEL_W + FIGURE_W + 2, y, f->rect.w - LABEL_W - FIGURE_W - 3,
                STYLE(TONE_TEXT), more);
    f->line++;
}

/* A line of a histogram: label, bar, bytes, blocks. */
static void put_bar(Flow *f, const char *label, Style label_style, Style bar, double share,
                    uint64_t bytes, uint64_t blocks) {
    char text[LMP_NUM], count[LMP_NUM];
    int x = f->rect.x + 1, y = flow_y(f), w = f->rect.w - 1, figures = 11 + 8;
    canvas_text(f->canvas, x, y, LABEL_W, label_style, label);
    int room = w - LABEL_W - 1 - figures - 2;
    if (room > 24) room = 24;
    x += LABEL_W + 1;
    if (room >= 4) {
        spark_bar(f->canvas, x + 1, y, room, share, bar);
        x += room + 1;
    }
    canvas_text_right(f->canvas, x + 11, y, 11, STYLE(bytes ? TONE_TEXT : TONE_FAINT),
                      format_bytes(text, bytes));
    canvas_text_right(f->canvas, x + 19, y, 7, STYLE(bytes ? TONE_TEXT : TONE_FAINT),
                      format_short(count, blocks));
    f->line++;
}

/* Text in as many lines as it needs, indented like the first. */
static void put_wrapped(Flow *f, int indent, Style style, const char *text) {
    int width = f->rect.w - indent;
    char line[256];
    while (*text && width > 0) {
        size_t end = 0, length = 0;
        for (size_t i = 0; i <= strlen(text) && i < sizeof line; i++) {
            if (text[i] && text[i] != ' ') continue;
            memcpy(line, text, i);
            line[i] = 0;
            if (end > 0 && canvas_width(line) > width) break;
            end = length = i;
        }
        if (end == 0) length = end = strlen(text) < sizeof line ? strlen(text) : sizeof line - 1;
        memcpy(line, text, length);
        line[length] = 0;
        canvas_text(f->canvas, f->rect.x + indent, flow_y(f), width, style, line);
        f->line++;
        text += end + strspn(text + end, " ");
    }
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

/* What became of allocations: how many of them, and their share of all. */
static void put_fate(Flow *f, const LmpTally *t, const char *label, uint64_t count,
                     const char *what) {
    char a[LMP_NUM];
    put_figure(f, label, STYLE(count ? TONE_TEXT : TONE_FAINT), format_count(a, count),
               "%5.1f %%, %s", tally_share(count, t->allocs) * 100, what);
}

static void put_figures(Flow *f, const Model *model, const LmpSiteRow *row) {
    const LmpTally *t = &row->tally;
    char a[LMP_NUM], b[LMP_NUM];
    Style strong = STYLE(TONE_STRONG), plain = STYLE(TONE_TEXT);
    put_title(f, "Held", NULL);
    put_figure(f, "live", strong, format_bytes(a, t->live_bytes), "%.1f %% of the heap",
               tally_share(t->live_bytes, model->stats.live_bytes) * 100);
    put_figure(f, "blocks", plain, format_count(a, t->live_blocks), "%s each",
               format_bytes(b, t->live_blocks ? t->live_bytes / t->live_blocks : 0));
    put_figure(f, "at the peak", plain, format_bytes(a, t->peak_bytes), "%.1f %% of %s",
               tally_share(t->peak_bytes, model->stats.peak_bytes) * 100,
               format_bytes(b, model->stats.peak_bytes));
    if (model->ledger_marked) {
        int64_t bytes = (int64_t)(t->live_bytes - t->mark.live);
        Style style = STYLE(bytes > 0 ? TONE_GROWTH : bytes < 0 ? TONE_SHRINK : TONE_FAINT);
        put_figure(f, "since mark", style, format_delta_bytes(a, bytes), "%s made",
                   format_bytes(b, tally_made(t) - t->mark.made));
    }
    if (t->reallocs > 0)
        put_figure(f, "resized", plain, format_delta_bytes(a, t->realloc_bytes),
                   "%s reallocation%s", format_count(b, t->reallocs), t->reallocs == 1 ? "" : "s");
    put_figure(f, "freed", plain, format_bytes(a, t->free_bytes), "%s block%s, churn %.0f %%",
               format_count(b, t->frees), t->frees == 1 ? "" : "s",
               tally_share(t->free_bytes, t->free_bytes + t->live_bytes) * 100);
    put_title(f, "Made", NULL);
    put_figure(f, "all", strong, format_bytes(a, tally_made(t)), "%.1f %% of all bytes",
               tally_share(tally_made(t), tally_made(&model->ledger.all)) * 100);
    put_figure(f, "a second", plain, format_bytes(a, (uint64_t)measure_rate(model, t)), "%s",
               measure_is_now(model) ? "now" : "over the whole run");
    put_figure(f, "allocations", plain, format_count(a, t->allocs), "%s each",
               format_bytes(b, tally_each(t)));
    if (model->gc.cycles > 0)
        put_figure(f, "a cycle", plain, format_bytes(a, tally_made(t) / model->gc.cycles),
                   "between two collections");
    put_fate(f, t, "at once", t->temporary, "before the next made");
    put_fate(f, t, "in a cycle", tally_in_cycle(t), "in the next cycle");
    put_fate(f, t, "later", tally_later(t), "after that");
    put_fate(f, t, "still there", t->live_blocks, "not freed yet");
    if (row->here_frees > 0)
        put_figure(f, "frees here", plain, format_bytes(a, row->here_free_bytes),
                   "%s block%s of any site", format_count(b, row->here_frees),
                   row->here_frees == 1 ? "" : "s");
}

/* The verdicts on this line, and what to change. */
static void put_verdicts(Flow *f, const Model *model, const LmpSiteRow *row) {
    char text[256];
    for (uint32_t i = 0; i < model->verdicts.count; i++) {
        const Verdict *v = &model->verdicts.verdict[i];
        if (v->site != row->id) continue;
        format_text(text, sizeof text, v->text, !f->utf8);
        canvas_put(f->canvas, f->rect.x + 1, flow_y(f), G_DOT, STYLE(TONE_ACCENT));
        put_wrapped(f, 3, STYLE(TONE_STRONG), text);
        if (!*v->advice) continue;
        canvas_text(f->canvas, f->rect.x + 3, flow_y(f), 2, STYLE(TONE_ACCENT),
                    f->utf8 ? "→" : "->");
        put_wrapped(f, 5, STYLE(TONE_TEXT), v->advice);
    }
}

/* What a mode lists by size: its bytes and blocks. */
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
    put_title(f, "Made through", in_words(makes));
    for (uint32_t i = 0; i < row->details; i++) {
        const LmpSiteDetail *detail = &ledger->detail[row->first_detail + i];
        char name[80];
        format_text(name, sizeof name, detail->name[0] ? detail->name : "the line", !f->utf8);
        put_bar(f, name, STYLE(TONE_TEXT), STYLE(TONE_MUTED),
                tally_share(bytes_of(&detail->tally, makes), bytes_of(&row->tally, makes)),
                bytes_of(&detail->tally, makes), blocks_of(&detail->tally, makes));
    }
}

static void put_types(Flow *f, const LmpSiteRow *row, bool makes) {
    put_title(f, "Types", in_words(makes));
    for (int k = 0; k < LMP_KINDS; k++) {
        const LmpTally *t = &row->kind[k].tally;
        if (t->allocs == 0) continue;
        put_bar(f, kind_info[k].name, STYLE(TONE_KIND(k)), STYLE(TONE_KIND(k)),
                tally_share(bytes_of(t, makes), bytes_of(&row->tally, makes)), bytes_of(t, makes),
                blocks_of(t, makes));
    }
}

static void put_history(Flow *f, const Ledger *ledger, const LmpSiteRow *row) {
    char a[LMP_NUM], b[LMP_NUM], note[96];
    if (!row->live_history || ledger->live_history_rows < 2) {
        put_title(f, "History", NULL);
        put_text(f, "bytes held after full cycles: fewer than two yet");
        return;
    }
    uint64_t even[LMP_LIVE_HISTORY];
    uint32_t n = ledger_live_history_even(ledger, row->live_history, even);
    snprintf(note, sizeof note, "held after full cycles: %s to %s", format_bytes(a, even[0]),
             format_bytes(b, even[n - 1]));
    put_title(f, "History", note);
    int w = f->rect.w - 2;
    if (w > (int)n * 2) w = (int)n * 2;
    Rect chart = {f->rect.x + 1, flow_y(f), w, 3};
    int kind = describe_site_kind(row, (1u << LMP_KINDS) - 1);
    spark_draw(f->canvas, chart, even, n, STYLE(kind < 0 ? TONE_TEXT : TONE_KIND(kind)));
    f->line += 3;
}

static void put_blocks(Flow *f, const SitePage *s, const Model *model, const LmpSiteRow *row) {
    const SiteBlocksFound *found = s->blocks ? site_blocks_found(s->blocks) : NULL;
    int kind = describe_site_kind(row, (1u << LMP_KINDS) - 1);
    Style bar = STYLE(kind < 0 ? TONE_TEXT : TONE_KIND(kind));
    char note[64] = "live bytes and blocks", label[LMP_NUM], size[LMP_NUM];
    if (!found || !model->view) {
        return; /* there is no map to look at */
    }
    if (!found->any)
        snprintf(note, sizeof note, "looking, %.0f %%",
                 site_blocks_progress(s->blocks, model->view) * 100);
    put_title(f, "Sizes", note);
    for (int i = 0; i < SITE_SIZES; i++) {
        if (found->size_blocks[i] == 0) continue;
        bool last = i == SITE_SIZES - 1;
        describe_cell_size(size, 16ull << (last ? i - 1 : i));
        snprintf(label, sizeof label, "%s %.20s", last ? "over" : "to", size);
        put_bar(f, label, STYLE(TONE_MUTED), bar, tally_share(found->size_bytes[i], found->bytes),
                found->size_bytes[i], found->size_blocks[i]);
    }
    if (found->blocks == 0) put_text(f, "no live blocks found");
    put_title(f, "Ages", note);
    for (int i = 0; i < SITE_AGES; i++) {
        if (found->age_blocks[i] == 0) continue;
        put_bar(f, site_blocks_ages[i], STYLE(TONE_MUTED), bar,
                tally_share(found->age_bytes[i], found->bytes), found->age_bytes[i],
                found->age_blocks[i]);
    }
    if (found->blocks == 0) put_text(f, "no live blocks found");
}

#define CALLERS 12

static void put_callers(Flow *f, const Ledger *ledger, const LmpSiteRow *row, bool makes) {
    SiteCaller caller[CALLERS];
    if (!ledger->stacks) {
        put_title(f, "Callers", NULL);
        put_text(f, "not recorded: start with stacks = true, or lmp run --stacks");
        return;
    }
    put_title(f, "Callers",
              makes ? "what was made for them here" : "what was made for them here, and is live");
    uint32_t n = site_callers(ledger, row, makes, caller, CALLERS);
    for (uint32_t i = 0; i < n; i++) {
        char where[96], name[96], plain[96], bytes[LMP_NUM];
        uint64_t part = bytes_of(&caller[i].tally, makes);
        double share = tally_share(part, bytes_of(&row->tally, makes));
        int x = f->rect.x + 1, y = flow_y(f), right = f->rect.x + f->rect.w;
        describe_where(where, sizeof where, caller[i].short_src, caller[i].line, !f->utf8);
        describe_function(plain, sizeof plain, NULL, 0, caller[i].name);
        format_text(name, sizeof name, plain, !f->utf8);
        canvas_text_right(f->canvas, x + 10, y, 10, STYLE(TONE_STRONG), format_bytes(bytes, part));
        canvas_printf(f->canvas, x + 11, y, 6, STYLE(table_heat(share)), "%4.0f%%", share * 100);
        x += 18;
        x += canvas_text(f->canvas, x, y, right - x, STYLE(TONE_TEXT), where);
        canvas_text(f->canvas, x + 1, y, right - x - 1, STYLE(TONE_MUTED), name);
        f->line++;
    }
    if (n == 0) put_text(f, "none known yet");
}

static void text_of(void *context, uint64_t line, char *out, size_t size) {
    const Ui *ui = context;
    sources_line(ui->sources, (uint32_t)line + 1, !ui->utf8, out, size);
}

/* The lines of its source, from 0; sources_get was called for it. */
static SearchLines search_lines(Ui *ui, const SourceText *text) {
    return (SearchLines){0, text->problem ? 0 : text->lines, text_of, ui};
}

static void put_source(SitePage *s, Flow *f, Ui *ui, const LmpSiteRow *row, int rows) {
    char name[96];
    const SourceText *text = sources_get(ui->sources, row->raw_source, ui->now);
    format_text(name, sizeof name, row->short_src, !f->utf8);
    put_title(f, "Source",
              text->problem   ? NULL
              : text->changed ? "the file has changed since the program's start"
                              : "e opens it in the editor");
    s->source = f->line;
    if (text->problem) {
        put_text(f, text->problem);
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

/* Both columns get the same width if that is enough for the figures, which are on the left. */
static int left_column(int w) {
    int half = (w - GAP) / 2, most = w - GAP - RIGHT_LEAST;
    int request = half > LEFT_FULL ? half : LEFT_FULL;
    return request < most ? request : most;
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    SitePage *s = state;
    if (!s || rect.w <= 0 || rect.h <= 0) return;
    const LmpSiteRow *row = find_site(model, ui->site);
    if (!row) {
        canvas_text(canvas, rect.x + 1, rect.y, rect.w - 1, STYLE(TONE_MUTED),
                    "this site is not known any more");
        return;
    }
    if (s->site != ui->site) {
        s->top = 0;
        search_init(&s->search); /* the next page may be of another source */
    }
    s->site = ui->site;
    look(s, model, ui);
    Rect in = rect.w > 24 ? (Rect){rect.x + 1, rect.y, rect.w - 3, rect.h} : rect;
    Flow left = {canvas, in, 0, s->top, ui->utf8};
    put_head(&left, row, &model->ledger);
    put_verdicts(&left, model, row);
    bool two = in.w >= TWO_COLUMNS;
    Flow right = left;
    if (two) {
        left.rect.w = left_column(in.w);
        right.rect.x += left.rect.w + GAP;
        right.rect.w = in.w - left.rect.w - GAP;
    }
    put_figures(&left, model, row);
    Flow *other = two ? &right : &left;
    put_source(s, other, ui, row, two ? 9 : 5);
    put_details(&left, &model->ledger, row, ui->makes);
    put_types(&left, row, ui->makes);
    put_history(&left, &model->ledger, row);
    put_callers(other, &model->ledger, row, ui->makes);
    put_blocks(other, s, model, row);
    int height = left.line > right.line ? left.line : right.line;
    s->most = height > rect.h ? height - rect.h : 0;
    if (s->top > s->most) s->top = s->most;
    canvas_scroll(canvas, rect.x + rect.w - 1, rect.y, rect.h, (uint64_t)s->top, (uint64_t)rect.h,
                  (uint64_t)height);
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
    const char *dot = ui->utf8 ? "·" : "-";
    snprintf(out, size, "%s %s enter blocks %s esc back",
             describe_where(where, sizeof where, row->short_src, row->line, !ui->utf8), dot, dot);
}

static bool seeks(const void *state) {
    return search_on(&((const SitePage *)state)->search);
}

const Panel panel_site = {.title = "Site",
                          .seeks = seeks,
                          .ledger = LEDGER_SITES | LEDGER_FUNCTIONS | LEDGER_TREE,
                          .offers = {ACT_MAKES, ACT_EDIT, ACT_FILTER, ACT_NEXT_MATCH, ACT_ENTER},
                          .min_w = 16,
                          .min_h = 2,
                          .create = create,
                          .destroy = destroy,
                          .draw = draw,
                          .act = act,
                          .note = note,
                          .place = place};
