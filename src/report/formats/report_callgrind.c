/* report_callgrind.c - functions with what their lines made themselves, and calls with what was
 * made in them: for KCachegrind, callgrind_annotate, gprof2dot. The readers are strict: names are
 * defined where they stand first, every cost line has all columns, no line ends in a blank, and
 * calls are at least one. Where no call paths were kept there are no calls. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/formats/formats_impl.h"
#include "report/formats/paths.h"
#include "report/formats/value.h"
#include "report/text.h"
#include "report/texttable.h"

typedef struct Callgrind {
    const LmpReport *report;
    Paths paths;
    Edges edges;
    LmpTally *own; /* of each frame */
    /* Frames and edges by function, the outermost caller the last: a list of each, by line. */
    uint32_t *frame_at, *frame_of, *edge_at, *edge_of;
    TextTable files;
    uint8_t *file_said, *function_said;
    uint32_t *file;     /* of each function */
    uint32_t *incoming; /* of each function: edges that end there */
    KeyMap call; /* of caller, callee and line, where calls were counted: row of the ledger */
    uint32_t *site_at, *site_of; /* lines by function, as frame_at */
    bool instructions;           /* were counted: a column more */
    bool rooted;                 /* there is an outermost caller */
    FILE *out;
} Callgrind;

/* ---- names ----------------------------------------------------------------------------------- */

/* No control characters, no blanks at the ends, no "(1" at the beginning, which is a number. */
static const char *plain(char *out, size_t size, const char *text) {
    while (*text == ' ')
        text++;
    bool number = text[0] == '(' && isdigit((unsigned char)text[1]);
    snprintf(out, size, "%s%s", number ? "_" : "", *text ? text : "???");
    for (size_t n = strlen(out); n > 1 && out[n - 1] == ' '; n--)
        out[n - 1] = 0;
    return out;
}

static uint64_t hash_of(const char *text) {
    uint64_t h = 0xcbf29ce484222325ull;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
    return h;
}

/* A file that can be opened; a chunk that was no file has a name that stays the same. */
static uint32_t file_of(Callgrind *c, uint32_t function) {
    char text[1024], name[1024];
    const LmpFunctionRow *f = &c->report->ledger.function[function];
    if (f->source[0] == '@')
        plain(name, sizeof name, format_text(text, sizeof text, f->raw_source + 1, 0));
    else if (f->source[0] == '=')
        plain(name, sizeof name, format_text(text, sizeof text, f->source + 1, 0));
    else
        snprintf(name, sizeof name, "[string:%08x]", (unsigned)(hash_of(f->raw_source) >> 32));
    return texttable_text(&c->files, name);
}

static const char *function_name(const Callgrind *c, char *out, size_t size, uint32_t function) {
    char name[256], text[300];
    if (function == c->edges.root) return "(all)";
    const LmpFunctionRow *f = &c->report->ledger.function[function];
    plain(text, sizeof text, paths_name(name, sizeof name, f->name));
    bool place = f->linedefined > 0 && !strchr(text, ':');
    return format_where(out, size, text, place ? f->linedefined : -1);
}

static void put_file(Callgrind *c, const char *what, uint32_t file) {
    fprintf(c->out, "%s=(%u)", what, file + 1);
    if (!c->file_said[file])
        fprintf(c->out, " %.*s", (int)(c->files.at[file + 1] - c->files.at[file]),
                c->files.bytes + c->files.at[file]);
    c->file_said[file] = 1;
    fputc('\n', c->out);
}

static void put_function(Callgrind *c, const char *what, uint32_t function) {
    char name[320];
    fprintf(c->out, "%s=(%u)", what, function + 1);
    if (!c->function_said[function])
        fprintf(c->out, " %s", function_name(c, name, sizeof name, function));
    c->function_said[function] = 1;
    fputc('\n', c->out);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static uint32_t frame_function(const Callgrind *c, uint32_t i) {
    uint32_t f = c->paths.of[i].function;
    return f < c->edges.root ? f : c->edges.root;
}

static uint32_t site_function(const Callgrind *c, uint32_t i) {
    uint32_t f = c->report->ledger.site[i].function;
    return f < c->edges.root ? f : c->edges.root;
}

static uint32_t edge_caller(const Callgrind *c, uint32_t i) {
    return c->edges.edge[i].caller;
}

/* Deals n things out to the functions that they are of: those of f stand from at[f] to at[f + 1] -
 * 1. */
static bool deal(const Callgrind *c, uint32_t n, uint32_t (*of)(const Callgrind *, uint32_t),
                 uint32_t **at, uint32_t **list) {
    uint32_t functions = c->edges.root + 1;
    *at = calloc((size_t)functions + 2, sizeof **at);
    *list = malloc(((size_t)n + 1) * sizeof **list);
    if (!*at || !*list) return false;
    for (uint32_t i = 0; i < n; i++)
        (*at)[of(c, i) + 2]++;
    for (uint32_t f = 2; f < functions + 2; f++)
        (*at)[f] += (*at)[f - 1];
    for (uint32_t i = 0; i < n; i++)
        (*list)[(*at)[of(c, i) + 1]++] = i;
    return true;
}

static bool sum_lines(Callgrind *c) {
    const Paths *p = &c->paths;
    c->own = calloc(p->frames, sizeof *c->own);
    for (uint32_t i = 1; c->own && i < p->rows; i++) {
        const LmpTally own = ledger_shallow(p->tree, i);
        tally_add(&c->own[p->frame[i]], &own);
    }
    return c->own != NULL;
}

static bool name_files(Callgrind *c) {
    uint32_t functions = c->edges.root;
    c->function_said = calloc((size_t)functions + 1, 1);
    c->file = calloc((size_t)functions + 1, sizeof *c->file);
    if (!texttable_open(&c->files, "") || !c->function_said || !c->file) return false;
    for (uint32_t f = 0; f < functions; f++)
        c->file[f] = file_of(c, f);
    c->file[functions] = texttable_text(&c->files, "(all)");
    c->file_said = calloc((size_t)c->files.texts + 1, 1);
    return c->file_said && !c->files.failed;
}

/* ---- body ------------------------------------------------------------------------------------ */

static void put_costs(Callgrind *c, int32_t line, const LmpTally *t) {
    text_digits(c->out, line > 0 ? (uint64_t)line : 0);
    for (ReportValue v = 0; v < VALUES; v++) {
        fputc(' ', c->out);
        text_digits(c->out, value_of(t, v));
    }
    fputs(c->instructions ? " 0\n" : "\n", c->out);
}

/* Lines add up in readers: those of memory and those of instructions need not be the same. */
static void put_instructions(Callgrind *c, uint32_t function) {
    for (uint32_t i = c->site_at[function]; c->instructions && i < c->site_at[function + 1]; i++) {
        const LmpSiteRow *s = &c->report->ledger.site[c->site_of[i]];
        if (s->instructions == 0) continue;
        text_digits(c->out, s->line > 0 ? (uint64_t)s->line : 0);
        for (ReportValue v = 0; v < VALUES; v++)
            fputs(" 0", c->out);
        fputc(' ', c->out);
        text_digits(c->out, s->instructions);
        fputc('\n', c->out);
    }
}

static uint64_t call_key(uint32_t caller, uint32_t callee, int32_t line) {
    return (uint64_t)caller << 48 | (uint64_t)callee << 32 | (uint32_t)line;
}

static bool index_calls(Callgrind *c) {
    const Ledger *l = &c->report->ledger;
    for (uint32_t i = 0; i < l->edges; i++)
        if (!keymap_set(&c->call, call_key(l->edge[i].caller, l->edge[i].callee, l->edge[i].line),
                        i))
            return false;
    return true;
}

/* How often: as counted, from this line, or, where all calls of the function come from here, of it;
 * else as many as there are paths to it. */
static uint64_t calls_of(const Callgrind *c, const Edge *e) {
    uint64_t calls = c->report->ledger.function[e->callee].calls;
    uint32_t row = keymap_get(&c->call, call_key(e->caller, e->callee, e->line), UINT32_MAX);
    if (row != UINT32_MAX && c->report->ledger.edge[row].calls > 0)
        return c->report->ledger.edge[row].calls;
    return calls > 0 && c->incoming[e->callee] == 1 ? calls : e->paths > 0 ? e->paths : 1;
}

static bool count_incoming(Callgrind *c) {
    c->incoming = calloc((size_t)c->edges.root + 1, sizeof *c->incoming);
    for (uint32_t i = 0; i < c->edges.edges && c->incoming; i++)
        c->incoming[c->edges.edge[i].callee]++;
    return c->incoming != NULL;
}

static void put_edge(Callgrind *c, const Edge *e) {
    if (e->callee >= c->edges.root) return; /* damage */
    const LmpFunctionRow *callee = &c->report->ledger.function[e->callee];
    if (c->file[e->callee] != c->file[e->caller]) put_file(c, "cfi", c->file[e->callee]);
    put_function(c, "cfn", e->callee);
    fprintf(c->out, "calls=%llu %d\n", (unsigned long long)calls_of(c, e),
            callee->linedefined > 0 ? callee->linedefined : 0);
    put_costs(c, e->line, &e->made);
}

static void put_body(Callgrind *c, uint32_t function) {
    uint32_t frames = c->frame_at[function + 1] - c->frame_at[function];
    uint32_t edges = c->edge_at[function + 1] - c->edge_at[function];
    uint32_t sites = c->instructions ? c->site_at[function + 1] - c->site_at[function] : 0;
    if (frames + edges + sites == 0 ||
        (function == c->edges.root && !c->rooted && frames + sites == 0))
        return;
    fputc('\n', c->out);
    put_file(c, "fl", c->file[function]);
    put_function(c, "fn", function);
    for (uint32_t i = 0; i < frames; i++) {
        uint32_t f = c->frame_of[c->frame_at[function] + i];
        put_costs(c, c->paths.of[f].line, &c->own[f]);
    }
    put_instructions(c, function);
    for (uint32_t i = 0; i < edges && (function != c->edges.root || c->rooted); i++)
        put_edge(c, &c->edges.edge[c->edge_of[c->edge_at[function] + i]]);
}

static void put_head(const Callgrind *c) {
    const LmpReport *r = c->report;
    char text[1024], name[1024], sampled[200], lost[STATS_LOST];
    fprintf(c->out, "# callgrind format\nversion: 1\ncreator: lmp " LMP_VERSION "\npid: %u\n",
            r->pid);
    fprintf(c->out, "cmd: %s\npart: 1\n",
            plain(name, sizeof name, format_text(text, sizeof text, r->program, 0)));
    fprintf(c->out, "desc: Trigger: %s\n",
            plain(name, sizeof name, format_text(text, sizeof text, r->ending, 0)));
    if (r->damage) fprintf(c->out, "desc: Damaged: %s\n", r->damage);
    if (*r->moment.said) fprintf(c->out, "desc: Moment: %s\n", r->moment.said);
    if (*value_sampled(sampled, sizeof sampled, r, value_chosen(r)))
        fprintf(c->out, "desc: Sampled: %s\n", sampled);
    if (c->paths.by_site) fputs("desc: Calls: not kept (lmp run --stacks keeps them)\n", c->out);
    if (*stats_counts_lost(lost, &r->stats)) fprintf(c->out, "desc: Counted: %s\n", lost);
    fputs("positions: line\n", c->out);
    for (ReportValue v = 0; v < VALUES; v++)
        fprintf(c->out, "event: %s : %s\n", report_values[v].word, report_values[v].name);
    if (c->instructions) fputs("event: Ir : instructions of Lua's machine\n", c->out);
    fputs("events:", c->out);
    for (ReportValue v = 0; v < VALUES; v++)
        fprintf(c->out, " %s", report_values[v].word);
    fputs(c->instructions ? " Ir\nsummary:" : "\nsummary:", c->out);
    uint64_t total[VALUES] = {0};
    for (uint32_t f = 0; f + 1 < c->paths.frames; f++)
        for (ReportValue v = 0; v < VALUES; v++)
            total[v] += value_of(&c->own[f], v);
    for (ReportValue v = 0; v < VALUES; v++)
        fprintf(c->out, " %llu", (unsigned long long)total[v]);
    if (c->instructions) {
        uint64_t all = 0;
        for (uint32_t i = 0; i < r->ledger.sites; i++)
            all += r->ledger.site[i].instructions;
        fprintf(c->out, " %llu", (unsigned long long)all);
    }
    fputc('\n', c->out);
}

static bool prepare(Callgrind *c) {
    return sum_lines(c) && name_files(c) && count_incoming(c) && index_calls(c) &&
           deal(c, c->paths.frames - 1, frame_function, &c->frame_at, &c->frame_of) &&
           deal(c, c->edges.edges, edge_caller, &c->edge_at, &c->edge_of) &&
           deal(c, c->report->ledger.sites, site_function, &c->site_at, &c->site_of);
}

LmpErr report_callgrind(const LmpReport *report, FILE *out) {
    Callgrind c = {.report = report, .out = out};
    c.instructions = report->ledger.counts & LMP_COUNTS_INSTRUCTIONS && report->from == 0;
    LmpErr err = paths_open(&c.paths, report);
    if (err) return err;
    err = edges_make(&c.edges, &c.paths, true);
    if (!err && !prepare(&c)) err = LMP_E_NOMEM;
    if (!err) {
        /* more than one function begins a path, and readers look for one that nobody calls */
        c.rooted = c.edge_at[c.edges.root + 1] - c.edge_at[c.edges.root] > 1;
        put_head(&c);
        put_body(&c, c.edges.root);
        for (uint32_t f = 0; f < c.edges.root; f++)
            put_body(&c, f);
    }
    free(c.own);
    free(c.frame_at);
    free(c.frame_of);
    free(c.edge_at);
    free(c.edge_of);
    free(c.site_at);
    free(c.site_of);
    keymap_free(&c.call);
    free(c.file);
    free(c.incoming);
    free(c.file_said);
    free(c.function_said);
    texttable_close(&c.files);
    edges_free(&c.edges);
    paths_close(&c.paths);
    return err;
}
