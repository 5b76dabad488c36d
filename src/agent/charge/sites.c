/* sites.c - rows are found again through a hash index for each table (rowindex.h), private to this
 * process; but a function's only site and a site's only record are found from their owner. A row is
 * filled first, then its table's count is raised, so that a reader never sees half of one.
 *
 * Whatever is refused, by a full table or by the system, ends in a row that is already there: a
 * function or site in "(others)", a record in that of "(others)" for its class, for which room is
 * reserved. */
#include "agent/charge/sites.h"

#include <stdio.h>
#include <string.h>

#include "agent/charge/c_names.h"
#include "agent/charge/sources.h"
#include "agent/interp/stack.h"
#include "agent/state/reserve.h"
#include "base/os.h"
#include "base/rowindex.h"

enum {
    INDEX_SLOTS = 1024,
    SOURCE_MOST = 4096, /* bytes kept of a source; of longer ones the beginning, length and hash */
    SOURCE_SHORT = 160, /* and once half of the text is used up */
    NAME_MOST = 200,
    OTHERS = 1,      /* row of functions, sites and tags */
    NAME_TRIES = 16, /* calls of a function that are asked for its name */
    KINDS_OF_OTHERS = 2 * LMP_CLASSES,
    STRIPPED = 256, /* a power of two */
};

struct LmpIndexes {
    LmpRowIndex text, function, site, record;
    uint32_t unnamed;                       /* the text "?" */
    uint32_t others[LMP_CLASSES][2];        /* records of "(others)" without, with a tag; 0: none */
    uint8_t named[(LMP_FUNCTIONS_MAX) / 8]; /* bits: functions whose name came from a call */
    uint8_t tried[LMP_FUNCTIONS_MAX];       /* calls that were asked for it (count) */
    LmpSources sources;
    struct {
        uint64_t hash;
        uint32_t function; /* 0: none */
    } stripped[STRIPPED];
};

static uint32_t fold(LmpProfile *p, uint32_t row) {
    p->tables.live->tables.folded++;
    return row;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Two lanes, so that a source of megabytes passes at the speed of memory. */
static uint64_t hash_bytes(const char *s, size_t length) {
    uint64_t a = length, b = ~length, w[2];
    for (; length >= sizeof w; length -= sizeof w, s += sizeof w) {
        memcpy(w, s, sizeof w);
        a = (a ^ w[0]) * 0x9e3779b97f4a7c15ull;
        b = (b ^ w[1]) * 0xc2b2ae3d27d4eb4full;
        a ^= a >> 29;
        b ^= b >> 31;
    }
    w[0] = w[1] = 0;
    memcpy(w, s, length);
    return rowindex_mix(rowindex_mix(a ^ w[0], b), w[1]);
}

/* Returns a text without NUL, 0 when it is not there. */
static uint32_t find_text(const LmpProfile *p, const char *s, size_t length, uint32_t hash) {
    uint32_t at = hash, row;
    while ((row = rowindex_next(&p->indexes->text, hash, &at))) {
        const char *t = p->tables.text + row;
        if (strncmp(t, s, length) == 0 && !t[length]) return row;
    }
    return 0;
}

static uint32_t find_or_add_text(LmpProfile *p, const char *s, size_t length) {
    uint32_t hash = (uint32_t)hash_bytes(s, length);
    uint32_t row = find_text(p, s, length, hash);
    if (row) return row;
    uint32_t *used = &p->tables.live->tables.text;
    reserve_more(p);
    if (length >= p->limits.text - *used || !rowindex_room(&p->indexes->text, 1)) return 0;
    row = *used;
    memcpy(p->tables.text + row, s, length);
    p->tables.text[row + length] = 0;
    rowindex_add(&p->indexes->text, hash, row);
    tables_publish(used, row + (uint32_t)length + 1);
    return row;
}

uint32_t sites_text(LmpProfile *p, const char *text, size_t length) {
    const char *end = memchr(text, 0, length);
    if (end) length = (size_t)(end - text);
    return length ? find_or_add_text(p, text, length) : 0;
}

/* Writes the beginning of a source, then its length and hash, which stand for the rest. `most`:
 * bytes of the beginning, at most SOURCE_MOST. */
static size_t cut_source(const char *s, size_t length, size_t most, char *out, size_t size) {
    size_t n = length < most ? length : most;
    memcpy(out, s, n);
    for (size_t i = 0; i < n; i++)
        if (!out[i]) out[i] = ' ';
    int tail = snprintf(out + n, size - n, " ... [%zu bytes, %016llx]", length,
                        (unsigned long long)hash_bytes(s, length));
    return n + (size_t)tail;
}

/* Returns a source as it is if it is short and without NUL, else cut; 0: no room. */
static uint32_t read_source(LmpProfile *p, const char *s, size_t length) {
    char cut[SOURCE_MOST + 64];
    bool scarce = p->tables.live->tables.text > p->limits.text / 2;
    uint32_t row;
    if (length <= SOURCE_MOST && !memchr(s, 0, length)) {
        if (!scarce || length <= SOURCE_SHORT) return find_or_add_text(p, s, length);
        row = find_text(p, s, length, (uint32_t)hash_bytes(s, length));
    } else {
        size_t n = cut_source(s, length, SOURCE_MOST, cut, sizeof cut);
        if (!scarce) return find_or_add_text(p, cut, n);
        row = find_text(p, cut, n, (uint32_t)hash_bytes(cut, n));
    }
    if (row) return row; /* from before the text was half used up */
    return find_or_add_text(p, cut, cut_source(s, length, SOURCE_SHORT, cut, sizeof cut));
}

static uint32_t source_text(LmpProfile *p, const char *s, size_t length) {
    uint32_t row;
    if (length < LMP_SOURCE_LONG) return read_source(p, s, length);
    if (sources_find(&p->indexes->sources, s, length, &row)) return row;
    row = read_source(p, s, length);
    sources_keep(p, &p->indexes->sources, s, length, row);
    return row;
}

void sites_string_gone(LmpProfile *p, uintptr_t addr) {
    sources_gone(&p->indexes->sources, addr);
}

uint32_t sites_find_source(const LmpProfile *p, const char *s, size_t length) {
    char cut[SOURCE_MOST + 64];
    uint32_t row = 0;
    if (length <= SOURCE_MOST && !memchr(s, 0, length)) {
        row = find_text(p, s, length, (uint32_t)hash_bytes(s, length));
        if (row || length <= SOURCE_SHORT) return row;
    } else {
        size_t n = cut_source(s, length, SOURCE_MOST, cut, sizeof cut);
        row = find_text(p, cut, n, (uint32_t)hash_bytes(cut, n));
        if (row) return row;
    }
    size_t n = cut_source(s, length, SOURCE_SHORT, cut, sizeof cut);
    return find_text(p, cut, n, (uint32_t)hash_bytes(cut, n));
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool is_named(const LmpProfile *p, uint32_t function) {
    return p->indexes->named[function / 8] >> function % 8 & 1;
}

static uint32_t name_text(LmpProfile *p, const lua_Debug *ar, bool *named) {
    char name[NAME_MOST];
    *named = stack_function_name(ar, name, sizeof name);
    uint32_t text = sites_text(p, name, strlen(name));
    return text ? text : p->indexes->unnamed;
}

/* Names a function that is met again, if it had no name before. */
static uint32_t met_again(LmpProfile *p, uint32_t row, const lua_Debug *ar) {
    if (p->indexes->tried[row] < NAME_TRIES) p->indexes->tried[row]++;
    if (is_named(p, row) || !*ar->namewhat) return row;
    bool named;
    uint32_t name = name_text(p, ar, &named);
    if (named && name != p->indexes->unnamed) {
        p->tables.function[row].name = name;
        p->indexes->named[row / 8] |= (uint8_t)(1u << row % 8);
        tables_publish(&p->tables.live->tables.names, p->tables.live->tables.names + 1);
    }
    return row;
}

/* To find the name Lua reads the caller's code from its beginning. */
bool sites_wants_name(const LmpProfile *p, uint32_t function) {
    return !is_named(p, function) && p->indexes->tried[function] < NAME_TRIES;
}

static uint32_t add_function(LmpProfile *p, uint32_t hash, const LmpFunction *f, bool named) {
    uint32_t *used = &p->tables.live->tables.functions, row = *used;
    p->tables.function[row] = *f;
    if (named) p->indexes->named[row / 8] |= (uint8_t)(1u << row % 8);
    rowindex_add(&p->indexes->function, hash, row);
    tables_publish(used, row + 1);
    return row;
}

static uint32_t hash_function(uint32_t source, int linedefined, const void *address) {
    if (address) return (uint32_t)rowindex_mix((uintptr_t)address, 1);
    return (uint32_t)rowindex_mix(source, (uint32_t)linedefined);
}

uint32_t sites_find_function(const LmpProfile *p, uint32_t source, int linedefined,
                             const void *address) {
    uint32_t hash = hash_function(source, linedefined, address), at = hash, row;
    while ((row = rowindex_next(&p->indexes->function, hash, &at))) {
        const LmpFunction *f = &p->tables.function[row];
        if (f->kind != LMP_F_PSEUDO && f->address == (uintptr_t)address &&
            (address || (f->source == source && f->linedefined == linedefined)))
            return row;
    }
    return 0;
}

uint32_t sites_function(LmpProfile *p, const lua_Debug *ar, const void *address) {
    LmpFunction key = {.kind = address            ? LMP_F_C
                               : *ar->what == 'm' ? LMP_F_MAIN
                                                  : LMP_F_LUA,
                       .linedefined = address ? -1 : ar->linedefined,
                       .address = (uintptr_t)address};
    if (!address) {
        key.source = source_text(p, ar->source, ar->srclen);
        if (!key.source && ar->srclen) return fold(p, OTHERS);
    }
    uint32_t hash = hash_function(key.source, key.linedefined, address);
    uint32_t row = sites_find_function(p, key.source, key.linedefined, address);
    if (row) return met_again(p, row, ar);
    reserve_more(p);
    if (p->tables.live->tables.functions >= p->limits.functions ||
        !rowindex_room(&p->indexes->function, 1))
        return fold(p, OTHERS);
    bool named;
    key.name = name_text(p, ar, &named);
    key.short_src = sites_text(p, ar->short_src, strlen(ar->short_src));
    if (address) {
        key.source = sites_text(p, "=[C]", 4);
        key.qualified = c_names_text(p->c_names, address);
    }
    return add_function(p, hash, &key, named);
}

uint32_t sites_stripped(const LmpProfile *p, uint64_t hash) {
    uint64_t at = hash % STRIPPED;
    return p->indexes->stripped[at].hash == hash ? p->indexes->stripped[at].function : 0;
}

void sites_keep_stripped(LmpProfile *p, uint64_t hash, uint32_t function) {
    uint64_t at = hash % STRIPPED;
    p->indexes->stripped[at].hash = hash;
    p->indexes->stripped[at].function = function;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static uint32_t hash_site(const LmpSite *s) {
    return (uint32_t)rowindex_mix((uint64_t)s->function << 32 | (uint32_t)s->line, s->cfunction);
}

static bool is_site(const LmpSite *a, const LmpSite *b) {
    return a->function == b->function && a->line == b->line && a->cfunction == b->cfunction;
}

/* Returns a site that is there; 0: none. Row 0, which is that of no site, has no key. */
static uint32_t look_site(const LmpProfile *p, const LmpSite *key) {
    const LmpSite *site = p->tables.site;
    uint32_t row = p->tables.function[key->function].site, hash, at;
    if (row < p->limits.sites && !site[row].next) return is_site(&site[row], key) ? row : 0;
    at = hash = hash_site(key);
    while ((row = rowindex_next(&p->indexes->site, hash, &at)))
        if (is_site(&site[row], key)) return row;
    return 0;
}

/* There is room for two in the index. */
static uint32_t add_site(LmpProfile *p, uint32_t function, int line, uint32_t cfunction) {
    uint32_t *used = &p->tables.live->tables.sites, row = *used;
    LmpSite *site = p->tables.site, *s = &site[row];
    s->function = function;
    s->line = line;
    s->cfunction = cfunction;
    s->next = p->tables.function[function].site;
    p->tables.function[function].site = row;
    if (s->next && s->next < row) {
        if (!site[s->next].next)
            rowindex_add(&p->indexes->site, hash_site(&site[s->next]), s->next);
        rowindex_add(&p->indexes->site, hash_site(s), row);
    }
    tables_publish(used, row + 1);
    return row;
}

uint32_t sites_site(LmpProfile *p, uint32_t function, int line, uint32_t cfunction) {
    if (function == OTHERS) return OTHERS; /* counted there */
    uint32_t row =
        look_site(p, &(LmpSite){.function = function, .line = line, .cfunction = cfunction});
    if (row) return row;
    reserve_more(p);
    if (p->tables.live->tables.sites >= p->limits.sites || !rowindex_room(&p->indexes->site, 2))
        return fold(p, OTHERS);
    return add_site(p, function, line, cfunction);
}

_Static_assert(OTHERS + LMP_PSEUDO_COLLECTOR == LMP_SITE_COLLECTOR, "readers know its row");

/* ---- records --------------------------------------------------------------------------------- */

static uint32_t hash_record(const LmpRecord *r) {
    return (uint32_t)rowindex_mix((uint64_t)r->site << 32 | r->use.cls, r->use.tag);
}

static bool is_record(const LmpRecord *a, const LmpRecord *b) {
    return a->site == b->site && a->use.cls == b->use.cls && a->use.tag == b->use.tag;
}

static uint32_t newest_record(const LmpProfile *p, uint32_t site) {
    return atomic_load_explicit(&p->tables.site[site].records, memory_order_relaxed);
}

/* Returns a record that is there; 0: none. Row 0, which is that of no record, has no key. */
static ALWAYS_INLINE uint32_t look_record(const LmpProfile *p, const LmpRecord *key) {
    const LmpRecord *record = p->tables.record;
    uint32_t row = newest_record(p, key->site), hash, at;
    if (row < p->limits.records) {
        if (is_record(&record[row], key)) return row;
        if (!record[row].next) return 0;
    }
    at = hash = hash_record(key);
    while ((row = rowindex_next(&p->indexes->record, hash, &at)))
        if (is_record(&record[row], key)) return row;
    return 0;
}

/* Without the index: there may be no room in it. */
static uint32_t add_record(LmpProfile *p, uint32_t site, unsigned cls, unsigned tag) {
    uint32_t *used = &p->tables.live->tables.records, row = *used;
    LmpRecord *r = &p->tables.record[row];
    LmpSite *s = &p->tables.site[site];
    r->use.cls = (uint16_t)cls;
    r->use.tag = (uint16_t)tag;
    r->site = site;
    r->next = newest_record(p, site);
    tables_publish(used, row + 1);
    atomic_store_explicit(&s->records, row, memory_order_release);
    return row;
}

static uint32_t others_record(LmpProfile *p, unsigned cls, unsigned tag) {
    uint32_t *row = &p->indexes->others[cls][tag != 0];
    if (!*row) *row = add_record(p, OTHERS, cls, tag ? OTHERS : 0);
    return *row;
}

/* Enters a record in the index. Those of "(others)" are always entered: their chain grows at any
 * time. */
static void index_record(LmpProfile *p, uint32_t row) {
    const LmpRecord *record = p->tables.record;
    uint32_t next = record[row].next;
    bool others = record[row].site == OTHERS;
    if (!others && (!next || next >= row)) return;
    if (!others && !record[next].next)
        rowindex_add(&p->indexes->record, hash_record(&record[next]), next);
    rowindex_add(&p->indexes->record, hash_record(&record[row]), row);
}

static __attribute__((noinline)) uint32_t new_record(LmpProfile *p, uint32_t site, unsigned cls,
                                                     unsigned tag) {
    if (site == OTHERS && tag <= OTHERS) return others_record(p, cls, tag);
    reserve_more(p);
    if (p->tables.live->tables.records + KINDS_OF_OTHERS >= p->limits.records ||
        !rowindex_room(&p->indexes->record, 2)) {
        fold(p, 0);
        return others_record(p, cls, tag);
    }
    uint32_t row = add_record(p, site, cls, tag);
    index_record(p, row);
    return row;
}

uint32_t sites_record(LmpProfile *p, uint32_t site, unsigned cls, unsigned tag) {
    uint32_t row = 0;
    if (LIKELY(site != OTHERS || tag > OTHERS))
        row = look_record(
            p, &(LmpRecord){.site = site, .use.cls = (uint16_t)cls, .use.tag = (uint16_t)tag});
    return row ? row : new_record(p, site, cls, tag);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void limit(uint32_t *wanted, uint32_t least, uint32_t most) {
    if (*wanted == 0 || *wanted > most) *wanted = most;
    if (*wanted < least) *wanted = least;
}

/* Predefined rows have room even under the smallest limits. */
static void set_limits(LmpTableLimits *l) {
    limit(&l->text, 256, LMP_TEXT_MAX);
    limit(&l->functions, OTHERS + LMP_PSEUDOS, LMP_FUNCTIONS_MAX);
    limit(&l->sites, OTHERS + LMP_PSEUDOS, LMP_SITES_MAX);
    limit(&l->records, 1 + KINDS_OF_OTHERS, LMP_RECORDS_MAX);
    limit(&l->nodes, 2, LMP_NODES_MAX);
    limit(&l->paths, l->records + 1, LMP_PATHS_MAX);
    limit(&l->edges, 2, LMP_EDGES_MAX);
    limit(&l->overrides, 2, LMP_OVERRIDES_MAX);
}

static uint32_t make_pseudo(LmpProfile *p, const char *name) {
    char source[32];
    snprintf(source, sizeof source, "=%s", name);
    LmpFunction f = {
        .kind = LMP_F_PSEUDO, .source = sites_text(p, source, strlen(source)), .linedefined = -1};
    f.name = f.short_src = sites_text(p, name, strlen(name));
    return add_site(p, add_function(p, 0, &f, true), -1, 0);
}

static void make_pseudos(LmpProfile *p) {
    static const char *const names[LMP_PSEUDOS] = {
        [LMP_PSEUDO_OTHERS] = "(others)",   [LMP_PSEUDO_HOST] = "(host)",
        [LMP_PSEUDO_PARSER] = "(parser)",   [LMP_PSEUDO_COLLECTOR] = "(collector)",
        [LMP_PSEUDO_UNKNOWN] = "(unknown)",
    };
    for (int i = 0; i < LMP_PSEUDOS; i++)
        make_pseudo(p, names[i]);
}

uint32_t sites_before(LmpProfile *p) {
    return make_pseudo(p, "(before)");
}

LmpErr sites_open(LmpProfile *p) {
    LmpTablesUsed *used = &p->tables.live->tables;
    set_limits(&p->limits);
    if (!reserve_tables(p)) return LMP_E_NOMEM;
    struct LmpIndexes *x = p->indexes = lmp_os->map(sizeof *x, -1, 0, true);
    if (!x) return LMP_E_NOMEM;
    if (!rowindex_open(&x->text, INDEX_SLOTS) || !rowindex_open(&x->function, INDEX_SLOTS) ||
        !rowindex_open(&x->site, INDEX_SLOTS) || !rowindex_open(&x->record, INDEX_SLOTS)) {
        sites_close(p);
        return LMP_E_NOMEM;
    }
    used->text = used->functions = used->sites = used->records = 1;
    x->unnamed = sites_text(p, "?", 1);
    make_pseudos(p);
    return LMP_OK;
}

void sites_close(LmpProfile *p) {
    struct LmpIndexes *x = p->indexes;
    if (!x) return;
    rowindex_close(&x->text);
    rowindex_close(&x->function);
    rowindex_close(&x->site);
    rowindex_close(&x->record);
    lmp_os->unmap(x, sizeof *x);
    p->indexes = NULL;
}
