/* header.c - the lines at the top: who, in what state, how much, how fast, or what differs from the
 * run that this one is compared with. The verdict below them: verdict_line.c. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "app/app_state.h"
#include "base/format.h"
#include "screen/line.h"
#include "widget/describe.h"

#define LONG_PAUSING 700000000ull /* nanoseconds */
#define BAR_LEAST 10              /* columns of the heap by type */
#define WIDE 100                  /* columns from which on there is room for words */

/* The state in words, with a sign and a colour, one row each. */
typedef struct StateWord {
    const char *word;
    uint32_t glyph;
    Tone tone;
} StateWord;

/* Says how the program ended, if `lmp run` has told; else only that it did. */
static StateWord ended_word(const App *app, char *text, size_t size) {
    int status = (int)(app->model.ended - 1);
    if (app->model.ended == 0) {
        bool killed = app->seen == LMP_SEEN_KILLED;
        return killed ? (StateWord){"KILLED", G_CROSS, TONE_KILLED}
                      : (StateWord){"ENDED", G_DOT, TONE_FINISHED};
    }
    if (status == 0) return (StateWord){"FINISHED", G_CHECK, TONE_FINISHED};
    const char *name = WIFSIGNALED(status) ? format_signal(WTERMSIG(status)) : NULL;
    if (WIFSIGNALED(status))
        snprintf(text, size, "%s", name ? name : "SIGNAL");
    else
        snprintf(text, size, "EXITED %d", WEXITSTATUS(status));
    return (StateWord){text, G_CROSS, TONE_KILLED};
}

/* Names a past moment: of a program or a recording, playing or not. */
static StateWord past_word(const App *app, char *text, size_t size) {
    const UiTime *time = &app->ui.time;
    if (app->model.against.name && !time->playing)
        return (StateWord){"COMPARED", G_PAUSE, TONE_FROZEN};
    if (!time->playing)
        return time->replay ? (StateWord){"REPLAY", G_PAUSE, TONE_FROZEN}
                            : (StateWord){"PAST", G_FROZEN, TONE_FROZEN};
    snprintf(text, size, "%s %u%s", time->replay ? "REPLAY" : "PAST", time->speed,
             app->ui.utf8 ? "×" : "x");
    return (StateWord){text, G_RIGHT, TONE_RUNNING};
}

/* Adds, in place of the clock, which moment, of how long or how long ago, and the range. */
static void add_moment(Line *line, const App *app) {
    const UiTime *time = &app->ui.time;
    const Model *model = &app->model;
    char a[LMP_NUM], b[LMP_NUM], range[2 * LMP_NUM];
    if (time->replay && app->ended)
        line_add(line, 8, STYLE(TONE_MUTED), ", program %s", app_end_words(app));
    else if (model->seen == LMP_SEEN_PAUSED)
        line_add(line, 8, STYLE(TONE_MUTED), ", program paused");
    line_add(line, 2, STYLE(TONE_STRONG), "  %s", format_clock(a, time->clock));
    if (time->replay)
        line_add(line, time->range ? 5 : 3, STYLE(TONE_TEXT), " of %s%s",
                 format_clock(b, time->end), time->grows ? " so far" : "");
    else
        line_add(line, 3, STYLE(TONE_TEXT), " %s%s", app->ui.utf8 ? "−" : "-",
                 format_span(b, time->end > time->clock ? time->end - time->clock : 0));
    if (time->replay && time->unended)
        line_add(line, 8, STYLE(TONE_MUTED), ", ended without its end");
    if (!time->range) return;
    line_add(line, 4, STYLE(TONE_MARK), "  range %s",
             describe_range(range, sizeof range, time->from, time->to, !app->ui.utf8));
}

/* Says that tables show what was made since a moment, or in a piece of the past, and lives. */
static void add_since(Line *line, const App *app) {
    const ModelSince *since = &app->model.since;
    char a[LMP_NUM], range[2 * LMP_NUM];
    if (!since->on) return;
    if (!since->now) {
        line_add(line, 4, STYLE(TONE_MARK), "  survivors of %s",
                 describe_range(range, sizeof range, since->from, since->to, !app->ui.utf8));
    } else {
        line_add(line, 4, STYLE(TONE_MARK), "  since %s", format_clock(a, since->from));
        line_add(line, 5, STYLE(TONE_MARK), ", %s",
                 since->shown ? format_span(a, since->to - since->from) : "y shows what came");
    }
}

static StateWord state_word(const App *app, char *text, size_t size) {
    static const StateWord of_program[] = {
        [LMP_SEEN_RUNNING] = {"RUNNING", G_DOT, TONE_RUNNING},
        [LMP_SEEN_PAUSED] = {"PAUSED", G_PAUSE, TONE_PAUSED},
    };
    if (app->ui.time.past) return past_word(app, text, size);
    if (app->seen == LMP_SEEN_FINISHED || app->seen == LMP_SEEN_KILLED)
        return ended_word(app, text, size);
    if (app->ui.frozen) return (StateWord){"FROZEN", G_FROZEN, TONE_FROZEN};
    if (app->seen == LMP_SEEN_RUNNING && app->want_pause) {
        return (StateWord){"PAUSING", G_PAUSE, TONE_PAUSED};
    }
    return of_program[app->seen];
}

/* Returns a path in full if there is room, else its last part. */
static const char *short_name(const char *path, int w) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] && canvas_width(path) > w / 3 ? slash + 1 : path;
}

/* Says how lines are known: "exact, by line"; in little room only the first word or two stay, and
 * the rest does not contradict them. */
static void add_line_words(Line *line, const Model *model, const char *dot) {
    const Ledger *ledger = &model->ledger;
    bool approximate = ledger->lines == LMP_LINES_APPROXIMATE;
    const char *paths = ledger->stacks ? " and call path" : "";
    Style muted = STYLE(TONE_MUTED), plain = STYLE(TONE_TEXT);
    char number[LMP_NUM];
    if (ledger->lines == LMP_LINES_OFF) return;
    if (ledger->sample > 0) {
        line_add(line, 7, plain, " %s sampled", dot);
        line_add(line, 8, plain, " every %s", describe_cell_size(number, ledger->sample));
        if (approximate) line_add(line, 8, plain, ", lines: approximate");
    } else if (approximate) {
        line_add(line, 7, plain, " %s lines: approximate", dot);
        if (ledger->stacks) line_add(line, 10, plain, ", with call paths");
    } else if (ledger->unproven > 0) {
        line_add(line, 7, muted, " %s exact but for %s", dot,
                 format_count(number, ledger->unproven));
        line_add(line, 10, muted, ", by line%s", paths);
    } else {
        line_add(line, 7, muted, " %s exact", dot);
        line_add(line, 10, muted, ", by line%s", paths);
    }
}

static void add_wait(Line *line, const Ui *ui) {
    const UiWait *wait = &ui->wait;
    if (!wait->words[0]) return;
    bool here = wait->ours && ui->can_type;
    line_add(line, wait->input ? 3 : 6, STYLE(wait->input ? TONE_PAUSED : TONE_MUTED), ", %s",
             wait->words);
    if (wait->input) line_key(line, here ? 'i' : K_NONE);
    if (!here) return;
    line_add(line, 5, STYLE(TONE_PAUSED), ", ");
    line_add(line, 5, STYLE(TONE_ACCENT), "i");
    line_key(line, 'i');
    line_add(line, 5, STYLE(TONE_PAUSED), " to type");
    line_key(line, 'i');
}

static void add_recording(Line *line, const UiRecording *recording, const char *glyph) {
    char clock[LMP_NUM], bytes[LMP_NUM];
    if (!recording->on) return;
    line_add(line, 3, STYLE(TONE_WRONG), "  %s REC", glyph);
    line_key(line, 'R');
    line_add(line, 5, STYLE(TONE_TEXT), " %s",
             format_clock(clock, recording->seconds * 1000000000u));
    line_key(line, 'R');
    line_add(line, 7, STYLE(TONE_MUTED), " %s", format_bytes(bytes, recording->bytes));
    line_key(line, 'R');
}

void header_add_help(Line *line) {
    line_add(line, 9, STYLE(TONE_ACCENT), "   ?");
    line_key(line, '?');
    line_add(line, 9, STYLE(TONE_TEXT), " help");
    line_key(line, '?');
    line_add(line, 3, STYLE(TONE_TEXT), " ");
}

static void draw_who(App *app, Canvas *canvas, Rect rect) {
    const Model *model = &app->model;
    char word[24];
    StateWord state = state_word(app, word, sizeof word);
    char glyph[5], clock[LMP_NUM], bytes[LMP_NUM];
    canvas_encode(glyph, state.glyph);
    bool one_line = rect.h == 1;

    Line right = {0};
    line_add(&right, 1, STYLE(state.tone), " %s %s", glyph, state.word);
    bool past = app->ui.time.past;
    if (app->seen == LMP_SEEN_RUNNING && !app->ui.frozen && !past) add_wait(&right, &app->ui);
    if (app->ui.frozen && !past) {
        line_add(&right, 8, STYLE(TONE_MUTED), ", program %s",
                 app->seen == LMP_SEEN_PAUSED ? "paused" : "running");
    }
    if (one_line) {
        line_add(&right, 2, STYLE(TONE_STRONG), " %s",
                 format_bytes(bytes, model->stats.live_bytes));
    }
    uint32_t breaks = app->ended || past ? 0 : ui_breaks_on(&app->ui);
    if (breaks > 0) line_add(&right, 4, STYLE(TONE_PAUSED), "  break: %u on", breaks);
    canvas_encode(glyph, G_DOT);
    if (!past) add_recording(&right, &app->ui.recording, glyph);
    if (past)
        add_moment(&right, app);
    else
        line_add(&right, 4, STYLE(TONE_TEXT), "  %s", format_clock(clock, model->clock));
    if (!past) add_since(&right, app);
    header_add_help(&right);

    const char *dot = app->ui.utf8 ? "·" : "-";
    Line left = {0};
    line_add(&left, 6, STYLE(TONE_ACCENT), " lmp ");
    line_add(&left, 5, STYLE_BOLD(TONE_STRONG), " %s", short_name(model->program, rect.w));
    line_add(&left, 8, STYLE(TONE_MUTED), "  pid %u", model->pid);
    line_add(&left, 9, STYLE(TONE_MUTED), " %s %s", dot, model->lua);
    add_line_words(&left, model, dot);
    if (model->serial > 1)
        line_add(&left, 11, STYLE(TONE_MUTED), " %s state %u", dot, model->serial);

    /* the same limit drops pieces of both halves */
    int limit = line_fit(NULL, &left, &right, rect.w), width = line_width(&right, limit);
    if (width > rect.w) width = rect.w;
    line_draw(&left, canvas, rect.x, rect.y, rect.w - width);
    line_draw(&right, canvas, rect.x + rect.w - width, rect.y, width);
    app_spot_line(app, &right, rect.x + rect.w - width, rect.y, width);
    canvas_tint(canvas, (Rect){rect.x, rect.y, rect.w, 1}, TONE_BAR);
}

/* Draws the bar by kind in the room that the figures leave. */
static void draw_bar(const App *app, Canvas *canvas, int x, int y, int w) {
    uint64_t part[LMP_KINDS];
    Style style[LMP_KINDS];
    char letter[LMP_KINDS];
    static const LmpKind order[LMP_KINDS] = {LMP_TABLE,    LMP_STRING, LMP_FUNCTION,
                                             LMP_USERDATA, LMP_OTHER,  LMP_THREAD};
    for (int i = 0; i < LMP_KINDS; i++) {
        part[i] = app->model.stats.kind[order[i]].live_bytes;
        style[i] = STYLE(TONE_KIND(order[i]));
        letter[i] = kind_info[order[i]].letter;
    }
    bool letters = app->ui.colours < 8;
    canvas_stack(canvas, x, y, w, LMP_KINDS, part, app->model.stats.peak_bytes, style,
                 letters ? letter : NULL, G_BAR, STYLE(TONE_FAINT));
}

static void draw_heap(App *app, Canvas *canvas, Rect rect, int y) {
    const Model *model = &app->model;
    char live[LMP_NUM], peak[LMP_NUM], rss[LMP_NUM], outside[LMP_NUM];
    Line left = {0}, right = {0};
    line_add(&left, 5, STYLE(TONE_MUTED), " Heap ");
    line_add(&left, 1, STYLE(TONE_STRONG), " %s", format_bytes(live, model->stats.live_bytes));
    line_add(&left, 2, STYLE(TONE_MUTED), "  peak ");
    line_add(&left, 2, STYLE(TONE_TEXT), "%s", format_bytes(peak, model->stats.peak_bytes));
    line_add(&left, 2, STYLE(TONE_TEXT), "  ");
    if (model->rss > 0) {
        line_add(&right, 3, STYLE(TONE_MUTED), "  RSS ");
        line_add(&right, 3, STYLE(TONE_TEXT), "%s", format_bytes(rss, model->rss));
        line_add(&right, 4, STYLE(TONE_MUTED), "  outside Lua ");
        line_add(&right, 4, STYLE(TONE_TEXT), "%s", format_bytes(outside, model->outside));
        line_add(&right, 3, STYLE(TONE_TEXT), " ");
    }
    int limit = line_fit(&app->heap_fit, &left, &right, rect.w - BAR_LEAST);
    int wl = line_width(&left, limit), wr = line_width(&right, limit);
    line_draw(&left, canvas, rect.x, y, wl);
    line_draw(&right, canvas, rect.x + rect.w - wr, y, wr);
    int w = rect.w - wl - wr;
    if (w >= 4) draw_bar(app, canvas, rect.x + wl, y, wr ? w : w - 1);
}

/* Adds the program's own frames: what one makes now, and what the worst has made. */
static void add_laps(Line *line, const Model *model, const char *dot) {
    const LmpStats *s = &model->stats;
    char text[LMP_NUM];
    if (s->frames == 0) return;
    line_add(line, 2, STYLE(TONE_MUTED), "   Per frame ");
    line_add(line, 2, STYLE(TONE_STRONG), "%s", format_bytes(text, model->lap_bytes));
    if (model->laps_per_s > 0)
        line_add(line, 7, STYLE(TONE_TEXT), " %s %s/s", dot,
                 format_short(text, (uint64_t)(model->laps_per_s + 0.5)));
    if (s->worst_frames.count == 0) return;
    const LmpLapStats *worst = &s->worst_frames.row[0];
    line_add(line, 2, STYLE(TONE_TEXT), " %s worst %s", dot, format_bytes(text, worst->bytes));
    line_add(line, 6, STYLE(TONE_TEXT), " at %s", format_clock(text, (uint64_t)(worst->at * 1e9)));
}

static void add_gc(Line *line, const Model *model, const char *dot) {
    static const char *const mode[] = {
        [LMP_GC_INCREMENTAL] = "incremental", [LMP_GC_GENERATIONAL] = "generational"};
    char text[LMP_NUM], ago[LMP_NUM];
    if (model->gc.mode == LMP_GC_UNKNOWN) {
        line_add(line, 6, STYLE(TONE_FAINT), "   GC cycles cannot be seen here");
        return;
    }
    line_add(line, 4, STYLE(TONE_MUTED), "   GC ");
    line_add(line, 6, STYLE(TONE_TEXT), "%s %s ", mode[model->gc.mode], dot);
    line_add(line, 4, STYLE(TONE_TEXT), "%s cycle%s", format_count(text, model->gc.cycles),
             model->gc.cycles == 1 ? "" : "s");
    const LmpGcCycle *last = model_gc_cycle(model, 0);
    if (last) { /* the clock is read shortly before the cycles are */
        uint64_t since = last->end < model->clock ? model->clock - last->end : 0;
        line_add(line, 7, STYLE(TONE_TEXT), " %s freed %s %s ago", dot,
                 format_bytes(text, last->freed_bytes), format_span(ago, since));
    }
}

/* Adds what was requested but is not available. */
static void add_lacks(Line *line, const LmpStats *s) {
    const struct {
        const char *what;
        uint32_t why;
    } lack[] = {{"no lines", s->lines == LMP_LINES_OFF ? s->why : LMP_WHY_NOT},
                {"no call paths", s->stacks_why},
                {"not sampled", s->sample_why},
                {"not all counted", s->counts_why}};
    for (size_t i = 0; i < sizeof lack / sizeof *lack; i++) {
        if (lack[i].why == LMP_WHY_NOT || lack[i].why >= LMP_WHYS) continue;
        line_add(line, 2, STYLE(TONE_WRONG), "   %s", lack[i].what);
        line_add(line, 5, STYLE(TONE_WRONG), ": %s", stats_why_words[lack[i].why]);
    }
    if (s->hook_lost > 0) {
        line_add(line, 3, STYLE(TONE_WRONG), "   %s incomplete",
                 s->counts & LMP_COUNTS_CALLS ? "calls" : "instructions");
        line_add(line, 5, STYLE(TONE_WRONG), ": another debug hook");
    }
}

/* Names others that called the program's allocator, or an allocator put in front of it. */
static void add_foreign(Line *line, const LmpStats *s) {
    char text[LMP_NUM];
    if (s->covered) line_add(line, 2, STYLE(TONE_WRONG), "   allocator covered by another");
    if (s->other_states > 0)
        line_add(line, 2, STYLE(TONE_WRONG), "   %s other state%s not counted",
                 format_count(text, s->other_states), s->other_states == 1 ? "" : "s");
    if (s->mixed_states > 0)
        line_add(line, 2, STYLE(TONE_WRONG), "   %s other state%s counted in",
                 format_count(text, s->mixed_states), s->mixed_states == 1 ? "" : "s");
    if (s->passed_requests > 0)
        line_add(line, 2, STYLE(TONE_WRONG), "   %s requests of other threads not counted",
                 format_count(text, s->passed_requests));
    if (s->clashes > 0)
        line_add(line, 2, STYLE(TONE_WRONG), "   two threads at once, which Lua forbids");
    if (s->other_sizes > 0)
        line_add(line, 2, STYLE(TONE_WRONG), "   %s %s given back with another size",
                 format_count(text, s->other_sizes),
                 s->other_sizes == 1 ? "block was" : "blocks were");
}

static void draw_rates(App *app, Canvas *canvas, Rect rect, int y) {
    const Model *model = &app->model;
    char text[LMP_NUM];
    Line line = {0};
    line_add(&line, 5, STYLE(TONE_MUTED), " Rate ");
    line_add(&line, 1, STYLE(TONE_GROWTH), " ▲ %s/s",
             format_bytes(text, (uint64_t)model->alloc_bytes_per_s));
    line_add(&line, 3, STYLE(TONE_TEXT), "  %s allocs/s",
             format_short(text, (uint64_t)model->allocs_per_s));
    line_add(&line, 2, STYLE(TONE_SHRINK), "   ▼ %s/s",
             format_bytes(text, (uint64_t)model->free_bytes_per_s));
    line_add(&line, 3, STYLE(TONE_TEXT), "  %s frees/s",
             format_short(text, (uint64_t)model->frees_per_s));
    add_laps(&line, model, "·");
    add_gc(&line, model, "·");
    if (model->stats.failed > 0) {
        line_add(&line, 4, STYLE(TONE_WRONG), "   %s failed",
                 format_count(text, model->stats.failed));
    }
    if (model->stats.dropped > 0) {
        line_add(&line, 2, STYLE(TONE_WRONG), "   %s not counted (no memory for the map)",
                 format_count(text, model->stats.dropped));
    }
    if (model->stats.hidden_regions > 0)
        line_add(&line, 3, STYLE(TONE_WRONG), "   map incomplete (the program closed its file)");
    if (model->stats.partial_map)
        line_add(&line, 3, STYLE(TONE_WRONG), "   map incomplete (too many blocks for 50 ms)");
    double end = model->stats.lines_end_seconds;
    if (end > 0 && model->stats.seconds - end > 2) /* a snapshot is over sooner, mostly */
        line_add(&line, 3, STYLE(TONE_WRONG), "   figures by line end after %s (snapshot)",
                 format_span(text, (uint64_t)(end * 1e9)));
    add_lacks(&line, &model->stats);
    add_foreign(&line, &model->stats);
    int limit = line_fit(&app->rates_fit, &line, NULL, rect.w - 1);
    line_draw_below(&line, limit, canvas, rect.x, y, rect.w - 1);
}

/* ---- two runs -------------------------------------------------------------------------------- */

static Style change_style(int64_t change) {
    return STYLE(change > 0 ? TONE_GROWTH : change < 0 ? TONE_SHRINK : TONE_FAINT);
}

static void add_bytes(Line *line, int priority, const char *what, int64_t change) {
    char text[LMP_NUM];
    line_add(line, priority, STYLE(TONE_MUTED), "   %s ", what);
    line_add(line, priority, change_style(change), "%s", format_delta_bytes(text, change));
}

/* Adds "+52.0 %" of the former figure; if that was nothing, no share. */
static void add_percent(Line *line, int priority, uint64_t was, int64_t change) {
    if (was == 0 || change == 0) return;
    line_add(line, priority, change_style(change), " %+.1f %%", (double)change / (double)was * 100);
}

static void add_allocs(Line *line, int priority, int64_t change) {
    char text[LMP_NUM];
    uint64_t size = change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
    line_add(line, priority, STYLE(TONE_MUTED), "   allocs ");
    line_add(line, priority, change_style(change), "%s%s",
             change > 0   ? "+"
             : change < 0 ? "-"
                          : "",
             format_short(text, size));
}

static void add_lines(Line *line, int priority, uint32_t n, const char *what, int64_t bytes) {
    char count[LMP_NUM], text[LMP_NUM];
    if (n == 0) return;
    line_add(line, priority, STYLE(TONE_MUTED), "   %s line%s %s", format_count(count, n),
             n == 1 ? "" : "s", what);
    line_add(line, priority + 2, change_style(bytes), " %s", format_delta_bytes(text, bytes));
}

/* Draws the line that says what this run is compared with: the other run's name, and the
 * differences of the totals. */
static void draw_against(const App *app, Canvas *canvas, Rect rect, int y) {
    const Model *model = &app->model;
    const ModelAgainst *other = &model->against;
    const ModelDelta *change = &model->since_mark;
    Line line = {0};
    char name[LINE_TEXT];
    snprintf(name, sizeof name, "%s", short_name(other->name, rect.w));
    line_add(&line, 1, STYLE(TONE_MUTED), rect.w >= WIDE ? " Compared with " : " vs ");
    line_add(&line, 1, STYLE(TONE_MARK), "%s", name);
    add_bytes(&line, 2, "live", change->total_bytes);
    add_percent(&line, 3, other->live, change->total_bytes);
    int64_t peak = (int64_t)(model->stats.peak_bytes - other->peak);
    add_bytes(&line, 4, "peak", peak);
    add_percent(&line, 8, other->peak, peak);
    add_bytes(&line, 6, "made", change->total_made);
    add_allocs(&line, 10, change->total_allocs);
    if (other->read) {
        add_lines(&line, 5, other->came, "new", (int64_t)other->came_bytes);
        add_lines(&line, 5, other->went, "gone", -(int64_t)other->went_bytes);
    } else {
        line_add(&line, 5, STYLE(TONE_WRONG), "   lines not compared");
    }
    if (other->read && other->pathless)
        line_add(&line, 5, STYLE(TONE_WRONG), "   call paths of one only");
    if (other->read && other->sampled) line_add(&line, 9, STYLE(TONE_MUTED), "   lines estimated");
    line_draw(&line, canvas, rect.x, y, rect.w - 1);
}

/* ---- in place of rates ----------------------------------------------------------------------- */

/* Says in place of rates, which are all zero then, why a requested pause does not happen. */
static bool draw_no_pause(const App *app, Canvas *canvas, Rect rect, int y) {
    const UiWait *wait = &app->ui.wait;
    bool asked = app->seen == LMP_SEEN_RUNNING && app->want_pause && !app->ui.frozen;
    if (!asked || app->ui.now - app->asked < LONG_PAUSING) return false;
    Line line = {0};
    line_add(&line, 1, STYLE(TONE_PAUSED), " Pausing: the program ");
    if (wait->words[0]) {
        line_add(&line, 1, STYLE(TONE_PAUSED), "%s", wait->words);
        line_add(&line, 2, STYLE(TONE_TEXT), " and asks for no memory until then");
    } else {
        line_add(&line, 1, STYLE(TONE_PAUSED), "asks for no memory");
        line_add(&line, 2, STYLE(TONE_TEXT), "%s", wait->busy ? "; it is at work" : "");
    }
    line_add(&line, 3, STYLE(TONE_MUTED), "; it stops in its next memory operation");
    line_draw(&line, canvas, rect.x, y, rect.w - 1);
    return true;
}

/* Draws in place of rates, which are all zero then, the message that the program ended with. */
static void draw_error(const App *app, Canvas *canvas, Rect rect, int y) {
    Line line = {0};
    line_add(&line, 1, STYLE(TONE_KILLED), " %s", app->ui.error);
    line_draw(&line, canvas, rect.x, y, rect.w - 1);
}

void header_draw(App *app, Canvas *canvas, Rect rect) {
    bool error = app->ended && app->model.ended > 1 && app->ui.error[0];
    bool third = error || app->model.against.name;
    if (rect.h >= 1) draw_who(app, canvas, rect);
    if (rect.h >= 2) draw_heap(app, canvas, rect, rect.y + 1);
    if (rect.h >= 3 && error)
        draw_error(app, canvas, rect, rect.y + 2);
    else if (rect.h >= 3 && app->model.against.name)
        draw_against(app, canvas, rect, rect.y + 2);
    else if (rect.h >= 4 && !draw_no_pause(app, canvas, rect, rect.y + 2))
        draw_rates(app, canvas, rect, rect.y + 2);
    if (rect.h >= 4 || (rect.h >= 3 && !third))
        verdict_draw(app, canvas, rect, rect.y + (rect.h < 4 ? rect.h - 1 : 3));
}
