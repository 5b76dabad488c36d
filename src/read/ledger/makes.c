/* makes.c - follows the records of a line, and from string to string the lines that its largest
 * operands come from. Rows taken from the shared state are read once and checked. */
#include "read/ledger/makes.h"

#include "read/ledger/ledger_impl.h"

enum {
    FED_LEAST = 2, /* looks that must agree: one may have seen the first step of something else */
    /* bytes of an array part's slot: Lua 5.4 resizes the part, 5.5 gives it back for another one */
    RESIZED_SLOT = 16,
    GIVEN_BACK_SLOT = 9
};

static bool is_loader(const char *name) {
    static const char *const loaders[] = {"function 'load'", "function 'loadfile'",
                                          "function 'dofile'", "function 'loadstring'"};
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
        if (strcmp(name, loaders[i]) == 0) return true;
    return false;
}

static LmpWay way_of(unsigned cls, bool called, bool loaded, uint32_t how) {
    switch (cls) {
    case LMP_C_STRING:
        return !called && how & LMP_HOW_CONCAT ? LMP_WAY_CONCAT : LMP_WAY_STRING;
    case LMP_C_TABLE:
        return LMP_WAY_TABLE;
    case LMP_C_TABLE_PART:
        return LMP_WAY_PART;
    case LMP_C_FUNCTION:
        return loaded ? LMP_WAY_LOADED : called ? LMP_WAY_OTHER : LMP_WAY_CLOSURE;
    case LMP_C_THREAD:
        return LMP_WAY_COROUTINE;
    case LMP_C_USERDATA:
        return LMP_WAY_USERDATA;
    default:
        return LMP_WAY_OTHER;
    }
}

/* ---- the records of a row of the sites ------------------------------------------------------- */

static void add_row(const LedgerStore *s, const LmpTables *t, uint32_t row, LmpMakes *out) {
    const LmpSite *site = &t->site[row];
    uint32_t how = read_once32(&site->how), called = read_once32(&site->cfunction);
    bool loaded = called < s->functions && /* row 0, the line itself, is none */
                  is_loader(PILE(s->function, const LedgerFunction)[called].name);
    LedgerPeak peak = sum_peak(t->live);
    out->how |= how;
    out->texts += read_once32(&site->texts);
    out->same += read_once32(&site->same);
    /* the newest first, so that rows of a sound state only fall */
    uint32_t at = read_once32(&site->records), last = UINT32_MAX;
    while (at > 0 && at < s->records && at < last) {
        const LmpRecord *r = &t->record[at];
        unsigned cls = *(const volatile uint16_t *)&r->use.cls;
        LmpTally tally = tally_of(&r->use, peak);
        tally_add(&out->way[way_of(cls, called != 0, loaded, how)], &tally);
        if (cls == LMP_C_TABLE_PART) {
            uint64_t arrays = read_once64(&r->here_reallocs), back = read_once64(&r->here_frees);
            out->given_back += back;
            out->regrown += arrays + back;
            out->regrown_arrays += arrays;
            int64_t more = (int64_t)read_once64((const uint64_t *)&r->here_realloc_bytes);
            if (more > 0) out->regrown_array_bytes += (uint64_t)more;
            out->regrown_hash_bytes += read_once64(&r->here_free_bytes);
        }
        if (loaded) out->load_bytes += tally.bytes;
        if (cls == LMP_C_FUNCTION && loaded) out->loads += tally.allocs;
        last = at;
        at = read_once32(&r->next);
    }
    uint64_t arrays = read_once64(&site->arrays_back),
             bytes = read_once64(&site->arrays_back_bytes);
    if (arrays) out->slot_bytes = GIVEN_BACK_SLOT;
    if (bytes > out->regrown_hash_bytes) bytes = out->regrown_hash_bytes;
    out->regrown_hash_bytes -= bytes;
    out->regrown_array_bytes += bytes;
    out->regrown_arrays += arrays;
}

/* ---- strings that are built up --------------------------------------------------------------- */

/* Returns the row of the sites whose strings those of a row are mostly made of; 0: none, or not
 * enough seen to tell. */
static uint32_t fed_by(const LedgerStore *s, const LmpTables *t, uint32_t row) {
    const LmpSite *site = &t->site[row];
    uint32_t joins = read_once32(&site->joins), fed = read_once32(&site->fed);
    uint32_t by = read_once32(&site->fed_by);
    return fed >= FED_LEAST && fed >= joins - joins / 2 && by < s->rows ? by : 0;
}

/* Follows the row's strings to what they are made of; notes the lines on the way if it leads back
 * to the row. */
static void follow(const Ledger *ledger, const LmpTables *t, uint32_t row, LmpMakes *out) {
    const LedgerStore *s = ledger->store;
    uint32_t at = row, n = 0, line[LMP_BUILD_LINES];
    for (uint32_t step = 0; step < LMP_BUILD_LINES; step++) {
        uint32_t shown = ledger_row_of_slot(ledger, PILE(s->row, const LedgerRow)[at].slot);
        if (shown != LEDGER_NO_ROW && (n == 0 || line[n - 1] != shown)) line[n++] = shown;
        at = fed_by(s, t, at);
        if (at == 0) return;
        if (at != row) continue;
        if (n > 1 && line[n - 1] == line[0]) n--;
        memcpy(out->build, line, n * sizeof *line);
        out->builds = n;
        out->build_bytes = read_once64(&t->site[row].fed_bytes);
        return;
    }
}

void ledger_makes(const Ledger *ledger, const LmpTables *t, uint32_t site, LmpMakes *out) {
    const LedgerStore *s = ledger->store;
    memset(out, 0, sizeof *out);
    if (site >= ledger->sites || s->base != t->text) return;
    out->slot_bytes = RESIZED_SLOT;
    uint32_t id = ledger->site[site].id; /* the first of its rows */
    uint32_t slot = PILE(s->row, const LedgerRow)[id].slot;
    uint32_t row = PILE(s->slot, const LedgerSlot)[slot].first_row;
    for (; row; row = PILE(s->row, const LedgerRow)[row].next) {
        add_row(s, t, row, out);
        out->copies |= fed_by(s, t, row) != 0;
        if (out->builds == 0) follow(ledger, t, row, out);
    }
}
