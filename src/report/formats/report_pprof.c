/* report_pprof.c - a profile for Go's pprof: a sample for each call path, or, where none were kept,
 * for each line and type; a location for each line of a function. Values are as corrected for
 * samples as all figures are, since pprof corrects nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/kind.h"
#include "report/formats/formats_impl.h"
#include "report/formats/paths.h"
#include "report/formats/value.h"
#include "report/pack/pprof.h"

/* In the order in which pprof knows them. */
static const ReportValue order[] = {VALUE_ALLOCATIONS, VALUE_ALLOCATED_BYTES, VALUE_LIVE_BLOCKS,
                                    VALUE_LIVE_BYTES,  VALUE_PEAK_BYTES,      VALUE_TEMPORARY};
_Static_assert(sizeof order / sizeof *order == VALUES, "all");

/* What a walk up the paths needs of a row: rows are large, and there are a dozen for each path. */
typedef struct Step {
    uint32_t caller, location;
} Step;

typedef struct Profile {
    const LmpReport *report;
    Paths paths;
    Step *step; /* of each row */
    Pprof pprof;
} Profile;

static void put_label(Profile *p, const char *key, const char *text) {
    pprof_text(&p->pprof, &p->pprof.part, 1, key);
    pprof_text(&p->pprof, &p->pprof.part, 2, text);
    protobuf_message(&p->pprof.message, 3, &p->pprof.part);
}

/* Leaf first. Locations are frames from 1. `below`: what is deeper than this path. Negative numbers
 * (of a range of time) are welcome here: pprof knows them from differences. */
static void put_sample(Profile *p, uint32_t row, const LmpTally *t, bool below, const char *type,
                       const char *tag) {
    const Paths *paths = &p->paths;
    uint64_t any = 0;
    for (int i = 0; i < VALUES; i++)
        any |= (uint64_t)value_change(t, order[i]);
    if (!any) return;
    if (below) protobuf_varint(&p->pprof.part, paths->frames);
    for (uint32_t i = row; i != 0; i = p->step[i].caller)
        protobuf_varint(&p->pprof.part, p->step[i].location);
    protobuf_message(&p->pprof.message, 1, &p->pprof.part);
    for (int i = 0; i < VALUES; i++)
        protobuf_varint(&p->pprof.part, (uint64_t)value_change(t, order[i]));
    protobuf_message(&p->pprof.message, 2, &p->pprof.part);
    if (type) put_label(p, "type", type);
    if (tag) put_label(p, "tag", tag);
    protobuf_message(&p->pprof.out, 2, &p->pprof.message);
    pprof_flush(&p->pprof);
}

/* Returns the type of all that a path made, if it is one. */
static const char *type_of(uint32_t kinds) {
    for (unsigned k = 0; k < LMP_KINDS; k++)
        if (kinds == 1u << k) return kind_info[k].name;
    return kinds ? "several" : NULL;
}

static const char *tag_of(const Profile *p, uint32_t tag) {
    const Ledger *l = &p->report->ledger;
    if (tag == 0) return NULL;
    for (uint32_t i = 0; i < l->tags; i++)
        if (l->tag[i].id == tag) return l->tag[i].name;
    return "several";
}

static void put_paths(Profile *p) {
    for (uint32_t row = 1; row < p->paths.rows; row++) {
        const LmpTreeRow r = paths_row(&p->paths, row);
        LmpTally own, below;
        if (!paths_own(&p->paths, row, &own)) continue;
        put_sample(p, row, &own, false, type_of(r.kinds), tag_of(p, r.tag));
        if (paths_below(&p->paths, row, &below)) put_sample(p, row, &below, true, NULL, NULL);
    }
}

/* What is not in any of the types (their peak and their temporary blocks are not told apart) has a
 * sample without a type. */
static void put_lines(Profile *p) {
    const Ledger *l = &p->report->ledger;
    for (uint32_t i = 0; i < l->sites; i++) {
        LmpTally rest = l->site[i].tally;
        for (unsigned k = 0; l->site[i].kind && k < LMP_KINDS; k++) {
            const LmpTally *t = &ledger_kind(&l->site[i], k)->tally;
            tally_sub(&rest, t);
            put_sample(p, i + 1, t, false, kind_info[k].name, NULL);
        }
        put_sample(p, i + 1, &rest, false, NULL, NULL);
    }
}

/* Functions by row of the ledger, from 1; after them the frames that are of none. */
static uint64_t function_id(const Profile *p, uint32_t frame) {
    uint32_t f = p->paths.of[frame].function;
    return f != LEDGER_NO_ROW ? f + 1 : (uint64_t)p->report->ledger.functions + 1 + frame;
}

static void put_location(Profile *p, uint32_t frame) {
    const PathFrame *f = &p->paths.of[frame];
    protobuf_number(&p->pprof.message, 1, frame + 1);
    protobuf_number(&p->pprof.message, 2, 1);
    protobuf_number(&p->pprof.part, 1, function_id(p, frame));
    protobuf_number(&p->pprof.part, 2, f->line > 0 ? (uint64_t)f->line : 0);
    protobuf_message(&p->pprof.message, 4, &p->pprof.part);
    protobuf_message(&p->pprof.out, 4, &p->pprof.message);
    if (f->function != LEDGER_NO_ROW) return;
    protobuf_number(&p->pprof.message, 1, function_id(p, frame));
    pprof_text(&p->pprof, &p->pprof.message, 2, f->name);
    pprof_text(&p->pprof, &p->pprof.message, 4, f->where);
    protobuf_message(&p->pprof.out, 5, &p->pprof.message);
}

static void put_functions(Profile *p) {
    const Ledger *l = &p->report->ledger;
    char name[256];
    pprof_mapping(&p->pprof, 9);
    for (uint32_t frame = 0; frame < p->paths.frames; frame++) {
        put_location(p, frame);
        pprof_flush(&p->pprof);
    }
    for (uint32_t i = 0; i < l->functions; i++) {
        const LmpFunctionRow *f = &l->function[i];
        protobuf_number(&p->pprof.message, 1, (uint64_t)i + 1);
        pprof_text(&p->pprof, &p->pprof.message, 2, paths_name(name, sizeof name, f->name));
        pprof_text(&p->pprof, &p->pprof.message, 4,
                   f->source[0] == '@' ? f->source + 1 : f->short_src);
        if (f->linedefined > 0) protobuf_number(&p->pprof.message, 5, (uint64_t)f->linedefined);
        protobuf_message(&p->pprof.out, 5, &p->pprof.message);
        pprof_flush(&p->pprof);
    }
}

static void put_comment(Profile *p, const char *text) {
    if (*text) pprof_text(&p->pprof, &p->pprof.out, 13, text);
}

static void put_profile(Profile *p) {
    const LmpReport *r = p->report;
    char sampled[200];
    for (int i = 0; i < VALUES; i++) {
        const ReportValueInfo *value = &report_values[order[i]];
        pprof_type(&p->pprof, 1, value->type, tally_figures[value->figure].unit);
    }
    if (p->paths.by_site)
        put_lines(p);
    else
        put_paths(p);
    put_functions(p);
    protobuf_number(&p->pprof.out, 10, r->from ? r->until - r->from : r->clock);
    pprof_type(&p->pprof, 11, "space", "bytes");
    protobuf_number(&p->pprof.out, 12, r->ledger.sample > 0 ? r->ledger.sample : 1);
    put_comment(p, r->moment.said);
    put_comment(p, value_sampled(sampled, sizeof sampled, r, value_chosen(r)));
    if (p->paths.by_site) put_comment(p, "call paths were not kept: each line is one of one frame");
    pprof_text(&p->pprof, &p->pprof.out, 14, report_values[value_chosen(r)].type);
}

static bool make_steps(Profile *p) {
    const Paths *paths = &p->paths;
    p->step = malloc(paths->rows * sizeof *p->step);
    for (uint32_t i = 0; p->step && i < paths->rows; i++)
        p->step[i] = (Step){ledger_links(paths->tree, i).parent, paths->frame[i] + 1};
    return p->step != NULL;
}

LmpErr report_pprof(const LmpReport *report, FILE *out) {
    Profile p = {.report = report};
    LmpErr err = paths_open(&p.paths, report);
    if (err) return err;
    bool made = make_steps(&p) && pprof_open(&p.pprof, out);
    if (made) put_profile(&p);
    made = pprof_close(&p.pprof) && made;
    free(p.step);
    paths_close(&p.paths);
    return made ? LMP_OK : LMP_E_NOMEM;
}
