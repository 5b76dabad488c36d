/* htmlpage_moments.c - the figures of the page's rows at several moments of a recording, for the
 * range that is chosen on it: of each row that changed since the moment before, by how much. */
#include <stdlib.h>
#include <string.h>

#include "recording/reader/recording.h"
#include "report/page/htmlpage_impl.h"

enum {
    MOMENTS = 60,
    WORK = 1500000,       /* rows that are summed up for all moments, about */
    BYTES_MOST = 10 << 20 /* of the page; then the last moment follows */
};

static const LmpTallyFigure moving[] = {TALLY_LIVE_BYTES, TALLY_LIVE_BLOCKS, TALLY_ALLOCS,
                                        TALLY_FREE_BYTES, TALLY_FREES,       TALLY_TEMPORARY};
enum { MOVING = sizeof moving / sizeof *moving };

/* A table of the page. `place`: of the id of a row of the ledger, where it is counted. */
typedef struct Moving {
    const char *name;
    uint32_t rows, *place;
    uint32_t ids;
    uint64_t (*now)[MOVING], (*was)[MOVING];
    char *text;
    size_t size;
    Json json; /* to `text` */
} Moving;

enum { SITES, OWN, WITH, TAGS, TREE, TABLES };

static void count_in(Moving *m, uint32_t id, const LmpTally *t, bool less) {
    uint32_t place = id < m->ids ? m->place[id] : m->rows - 1;
    for (int k = 0; k < MOVING; k++) {
        uint64_t value = tally_number(t, moving[k]);
        m->now[place][k] += less ? 0 - value : value;
    }
}

/* How far the row is from the last that changed, and the changes. */
static void put_changes(Moving *m) {
    uint32_t last = 0;
    json_begin(&m->json, NULL, '[');
    for (uint32_t i = 0; i < m->rows; i++) {
        if (memcmp(m->now[i], m->was[i], sizeof m->now[i]) == 0) continue;
        json_count(&m->json, NULL, i - last);
        for (int k = 0; k < MOVING; k++)
            json_change(&m->json, NULL, (int64_t)(m->now[i][k] - m->was[i][k]));
        last = i;
    }
    json_end(&m->json, ']');
    memcpy(m->was, m->now, m->rows * sizeof *m->was);
}

static void count_all(Moving table[TABLES], const Ledger *l) {
    for (uint32_t i = 0; i < l->sites; i++)
        count_in(&table[SITES], l->site[i].id, &l->site[i].tally, false);
    for (uint32_t i = 0; i < l->functions; i++) {
        count_in(&table[OWN], l->function[i].id, &l->function[i].shallow, false);
        if (table[WITH].rows)
            count_in(&table[WITH], l->function[i].id, &l->function[i].retained, false);
    }
    for (uint32_t i = 0; i < l->tags; i++)
        count_in(&table[TAGS], l->tag[i].id, &l->tag[i].tally, false);
    if (!table[TREE].rows || !l->nodes) return;
    count_in(&table[TREE], 0, &l->tree[0].retained, false); /* with what has no path */
    for (uint32_t i = 1; i < l->nodes; i++) {
        if (l->tree[i].parent == 0) count_in(&table[TREE], 0, &l->tree[i].retained, true);
        count_in(&table[TREE], l->tree[i].id, &l->tree[i].shallow, false);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

static bool table_open(Moving *m, const char *name, uint32_t rows, uint32_t ids) {
    m->name = name;
    m->rows = rows;
    m->ids = ids;
    m->place = malloc(((size_t)ids + 1) * sizeof *m->place);
    m->now = calloc((size_t)rows + 1, sizeof *m->now);
    m->was = calloc((size_t)rows + 1, sizeof *m->was);
    m->json.out = open_memstream(&m->text, &m->size);
    for (uint32_t i = 0; m->place && i < ids; i++)
        m->place[i] = rows - 1; /* what has no row is with the others */
    return m->place && m->now && m->was && m->json.out;
}

static void table_close(Moving *m) {
    if (m->json.out) fclose(m->json.out);
    free(m->text);
    free(m->place);
    free(m->now);
    free(m->was);
}

static uint32_t row_of(const HtmlKept *kept, uint32_t i) {
    return kept->place[i] == HTML_NOWHERE ? kept->rows : kept->place[i];
}

static uint32_t node_id(const Ledger *l, uint32_t i) {
    LmpTreeRow row;
    ledger_node(l, i, &row);
    return row.id;
}

static bool open_all(Moving table[TABLES], const Ledger *l, const HtmlAllKept *kept) {
    const HtmlKept *f = &kept->functions;
    bool tree = kept->tree_rows > 0;
    if (!table_open(&table[SITES], "sites", kept->sites.rows + 1, LMP_SITES_MAX) ||
        !table_open(&table[OWN], "own", f->rows + 1, LMP_FUNCTIONS_MAX) ||
        !table_open(&table[TAGS], "tags", kept->tags.rows + 1, l->tags + 1))
        return false;
    if (l->stacks && !table_open(&table[WITH], "withCalls", f->rows + 1, LMP_FUNCTIONS_MAX))
        return false;
    if (tree && !table_open(&table[TREE], "tree", kept->tree_rows, LMP_NODES_MAX)) return false;
    for (uint32_t i = 0; i < l->sites; i++)
        if (l->site[i].id < table[SITES].ids)
            table[SITES].place[l->site[i].id] = row_of(&kept->sites, i);
    for (uint32_t i = 0; i < l->functions; i++)
        for (int k = OWN; k <= WITH; k++)
            if (l->function[i].id < table[k].ids) table[k].place[l->function[i].id] = row_of(f, i);
    for (uint32_t i = 0; i < l->tags; i++)
        if (l->tag[i].id < table[TAGS].ids)
            table[TAGS].place[l->tag[i].id] = row_of(&kept->tags, i);
    for (uint32_t i = 0; tree && i < l->nodes; i++)
        if (node_id(l, i) < LMP_NODES_MAX) table[TREE].place[node_id(l, i)] = kept->tree_place[i];
    return true;
}

/* ---- the moments ----------------------------------------------------------------------------- */

/* Returns the frame with tables that follows `frame` by the time of a moment, or the last one; the
 * ends of the range that the page opens with are among them. */
static uint32_t next_frame(const LmpReport *report, uint32_t frame, uint32_t last, uint64_t step) {
    const LmpRecording *r = report->recording;
    uint64_t clock = recording_frame(r, frame).clock;
    for (uint32_t i = frame + 1; i < last; i++) {
        LmpFrameInfo info = recording_frame(r, i);
        bool end = report->from > 0 && (info.clock == report->from || info.clock == report->until);
        if ((info.flags & LMP_FRAME_TABLES) && (end || info.clock >= clock + step)) return i;
    }
    return last;
}

static size_t bytes_of(Moving table[TABLES]) {
    size_t sum = 0;
    for (int i = 0; i < TABLES; i++)
        sum += table[i].json.out ? (size_t)ftell(table[i].json.out) : 0;
    return sum;
}

/* One moment into all tables; a damaged frame has none. */
static LmpErr take(LmpRecording *r, uint32_t frame, Ledger *l, Moving table[TABLES],
                   uint64_t *clock) {
    LmpView *view = recording_view(r);
    if (recording_seek(r, frame)) return LMP_E_DAMAGED;
    unsigned parts = LEDGER_SITES | LEDGER_FUNCTIONS | LEDGER_TAGS | LEDGER_BRIEF;
    if (table[TREE].rows) parts |= LEDGER_TREE;
    LmpErr err = ledger_refresh(l, &view->tables, parts, view->live->clock);
    if (err) return err;
    *clock = recording_tables_clock(r);
    for (int i = 0; i < TABLES; i++)
        if (table[i].rows) memset(table[i].now, 0, table[i].rows * sizeof *table[i].now);
    count_all(table, l);
    return LMP_OK;
}

static void put_moment(Json *json, Moving table[TABLES], uint64_t clock) {
    json_count(json, NULL, clock);
    for (int i = 0; i < TABLES; i++)
        if (table[i].rows) put_changes(&table[i]);
}

static LmpErr take_all(Json *json, const LmpReport *report, Moving table[TABLES]) {
    LmpRecording *r = report->recording;
    const Ledger *whole = &report->ledger;
    Ledger l = {0};
    LmpErr err = LMP_OK;
    uint64_t rows = 1 + whole->sites + whole->functions + (table[TREE].rows ? whole->nodes : 0);
    uint64_t moments = WORK / rows < 6 ? 6 : WORK / rows > MOMENTS ? MOMENTS : WORK / rows;
    uint32_t last = recording_now(r), frame = 0; /* the report's own is the last */
    uint64_t step = recording_frame(r, last).clock / moments + 1;
    for (;; frame = bytes_of(table) > BYTES_MOST ? last : next_frame(report, frame, last, step)) {
        uint64_t clock = 0;
        err = take(r, frame, &l, table, &clock);
        if (err == LMP_E_NOMEM) break;
        if (!err) put_moment(json, table, clock);
        if (frame == last) break;
    }
    ledger_free(&l);
    return err == LMP_E_NOMEM ? err : LMP_OK;
}

LmpErr htmlpage_moments(Json *json, const LmpReport *report, const HtmlAllKept *kept) {
    Moving table[TABLES] = {0};
    const Ledger *l = &report->ledger;
    if (recording_now(report->recording) == UINT32_MAX) return LMP_OK;
    LmpErr err = open_all(table, l, kept) ? LMP_OK : LMP_E_NOMEM;
    json_begin(json, "moments", '{');
    json_begin(json, "at", '[');
    if (!err) err = take_all(json, report, table);
    json_end(json, ']');
    for (int i = 0; i < TABLES; i++) {
        if (!table[i].rows || err) continue;
        if (fflush(table[i].json.out)) err = LMP_E_NOMEM;
        json_begin(json, table[i].name, '[');
        fwrite(table[i].text, 1, table[i].size, json->out);
        json_end(json, ']');
    }
    json_end(json, '}');
    for (int i = 0; i < TABLES; i++)
        table_close(&table[i]);
    return err;
}
