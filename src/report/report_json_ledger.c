/* report_json_ledger.c - sites, functions, tags and leaks for machines, all of them. Keys as in
 * lmp.stats(). Of the types of a site only those are there that it made any of. */
#include <inttypes.h>

#include "read/ledger/tallies.h"
#include "report/report_impl.h"

static void put_text(FILE *out, const char *key, const char *text) {
    fprintf(out, "\"%s\":", key);
    json_string(out, text);
}

static void put_types(FILE *out, const LmpKindTally kind[LMP_KINDS]) {
    const char *comma = "";
    fputs(",\"types\":{", out);
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        if (!kind[k].allocs && !kind[k].tag_allocs && !kind[k].live_bytes) continue;
        fprintf(out, "%s\"%s\":{", comma, kind_info[k].name);
        json_figures(&kind[k], kind_tally_figures, out);
        fputc('}', out);
        comma = ",";
    }
    fputc('}', out);
}

static void put_calls(FILE *out, const Ledger *l, const LmpSiteRow *s) {
    const char *comma = "";
    fputs(",\"calls\":[", out);
    for (uint32_t i = 0; i < s->details; i++) {
        const LmpSiteDetail *d = &l->detail[s->first_detail + i];
        if (!*d->name) continue; /* the line itself */
        fprintf(out, "%s{", comma);
        comma = ",";
        put_text(out, "name", d->name);
        fputc(',', out);
        json_figures(&d->tally, tally_figures, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_place(FILE *out, const LmpSiteRow *s) {
    put_text(out, "source", s->raw_source);
    fputc(',', out);
    put_text(out, "short_src", s->short_src);
    fprintf(out, ",\"line\":%" PRId32 ",", s->line);
    put_text(out, "func", s->func);
}

static void put_sites(FILE *out, const Ledger *l) {
    fputs(",\"sites\":[", out);
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        fputs(i ? ",{" : "{", out);
        put_place(out, s);
        fputc(',', out);
        json_figures(&s->tally, tally_figures, out);
        fputs(",\"here\":{", out);
        json_figures(s, here_figures, out);
        fputc('}', out);
        put_types(out, s->kind);
        put_calls(out, l, s);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_functions(FILE *out, const Ledger *l) {
    fputs(",\"functions\":[", out);
    for (uint32_t i = 0; i < l->functions; i++) {
        const LmpFunctionRow *f = &l->function[i];
        fputs(i ? ",{" : "{", out);
        put_text(out, "source", f->raw_source);
        fputc(',', out);
        put_text(out, "short_src", f->short_src);
        fprintf(out, ",\"linedefined\":%" PRId32 ",", f->linedefined);
        put_text(out, "func", f->name);
        fputs(",\"shallow\":{", out);
        json_figures(&f->shallow, tally_figures, out);
        fputc('}', out);
        if (l->stacks) {
            fputs(",\"retained\":{", out);
            json_figures(&f->retained, tally_figures, out);
            fputc('}', out);
        }
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_tags(FILE *out, const Ledger *l) {
    fputs(",\"tags\":[", out);
    for (uint32_t i = 0; i < l->tags; i++) {
        fputs(i ? ",{" : "{", out);
        put_text(out, "name", l->tag[i].name);
        fputc(',', out);
        json_figures(&l->tag[i].tally, tally_figures, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_leaks(FILE *out, const LmpReport *r) {
    static const char *const growth[] = {
        [LMP_GROWTH_UNKNOWN] = "unknown",
        [LMP_GROWTH_WAIT] = "cannot tell yet",
        [LMP_GROWTH_NONE] = "none",
        [LMP_GROWTH_FOUND] = "found",
    };
    const LmpVerdict *v = &r->verdict;
    fprintf(out,
            ",\"leaks\":{\"growth\":\"%s\",\"full_cycles\":%" PRIu64 ",\"missing\":%" PRIu64
            ",\"growing\":%" PRIu32 ",\"lately\":%" PRIu32 ",",
            growth[v->growth], v->cycles, v->missing, v->steady, v->lately);
    put_text(out, "verdict", r->verdict.words);
    fputs(",\"sites\":[", out);
    for (uint32_t i = 0; i < r->verdict.leaks && i < r->leaks; i++) {
        const LmpLeak *leak = &r->leak[i];
        fputs(i ? ",{" : "{", out);
        put_place(out, &r->ledger.site[leak->site]);
        fputs(",\"bytes_per_cycle\":", out);
        json_number(out, leak->bytes_per_cycle);
        fputs(",\"bytes_per_second\":", out);
        json_number(out, leak->bytes_per_second);
        fprintf(out, ",\"grown\":%" PRIu64 "}", leak->gain);
    }
    fputs("]}", out);
}

void json_ledger(const LmpReport *r, FILE *out) {
    const Ledger *l = &r->ledger;
    put_sites(out, l);
    put_functions(out, l);
    put_tags(out, l);
    put_leaks(out, r);
}
