/* reserve.c - a table of the tables; each level doubles the part of them that is reserved, and sets
 * their limits to it. */
#include "agent/state/reserve.h"

#include <string.h>

#include "base/os.h"

enum { LEVELS = 5, REFUSED = LEVELS + 1, FIRST_OVERFLOW = 64 << 10 };

/* Each table's place in the file, and its limit in LmpTableLimits. */
static const struct Table {
    size_t limit, used; /* offsets in LmpTableLimits, LmpTablesUsed */
    uint64_t at;
    uint32_t row, rows; /* bytes; the most there can be */
    uint32_t counts;    /* LMP_COUNTS_ bits, one of which has to be asked for; 0: always there */
} tables[] = {
#define TABLE_IF(counts, field, at, row, rows)                                                     \
    { offsetof(LmpTableLimits, field), offsetof(LmpTablesUsed, field), at, row, rows, counts }
#define TABLE(...) TABLE_IF(0, __VA_ARGS__)
    TABLE(text, LMP_TEXT_AT, 1, LMP_TEXT_MAX),
    TABLE(functions, LMP_FUNCTIONS_AT, sizeof(LmpFunction), LMP_FUNCTIONS_MAX),
    TABLE(sites, LMP_SITES_AT, sizeof(LmpSite), LMP_SITES_MAX),
    TABLE(sites, LMP_LIVE_HISTORY_AT, LMP_LIVE_HISTORY * sizeof(uint64_t), LMP_SITES_MAX),
    TABLE(sites, LMP_LIVE_HISTORY_BLOCKS_AT, LMP_LIVE_HISTORY * sizeof(uint32_t), LMP_SITES_MAX),
    TABLE(records, LMP_RECORDS_AT, sizeof(LmpRecord), LMP_RECORDS_MAX),
    TABLE(nodes, LMP_NODES_AT, sizeof(LmpNode), LMP_NODES_MAX),
    TABLE(nodes, LMP_USAGES_AT, LMP_USAGE_WORDS * 8, LMP_NODES_MAX),
    TABLE(records, LMP_MARKED_RECORDS_AT, LMP_MARKED * sizeof(LmpMarked), LMP_RECORDS_MAX),
    TABLE(nodes, LMP_MARKED_NODES_AT, LMP_MARKED * sizeof(LmpMarked), LMP_NODES_MAX),
    TABLE(paths, LMP_PATHS_AT, sizeof(LmpPath), LMP_PATHS_MAX),
    TABLE_IF(LMP_COUNTS_CALLS, edges, LMP_EDGES_AT, sizeof(LmpEdge), LMP_EDGES_MAX),
    TABLE_IF(LMP_COUNTS_OVERRIDES, overrides, LMP_OVERRIDES_AT, sizeof(LmpOverride),
             LMP_OVERRIDES_MAX),
    TABLE_IF(LMP_COUNTS_INSTRUCTIONS, sites, LMP_INSTRUCTIONS_AT, sizeof(uint64_t), LMP_SITES_MAX),
};
enum { TABLES = sizeof tables / sizeof *tables };

static uint32_t *limit_of(LmpTableLimits *limits, const struct Table *t) {
    return (uint32_t *)(void *)((char *)limits + t->limit);
}

/* Returns true if the table is used, with what was asked for. */
static bool is_used(const LmpProfile *p, const struct Table *t) {
    return !t->counts || t->counts & p->live->tables.counts;
}

bool reserve_range(LmpProfile *p, uint64_t at, uint64_t size) {
    if (!p->reserve.strict) return true;
    int fd = own_fd_get(&p->file);
    return fd >= 0 && lmp_os->reserve(fd, at, size);
}

bool reserve_open(LmpProfile *p) {
    p->reserve.strict = lmp_os->strict();
    return reserve_range(p, 0, LMP_OVERFLOW_AT + FIRST_OVERFLOW);
}

static bool reach(LmpProfile *p, unsigned level) {
    for (int i = 0; i < TABLES; i++)
        if (is_used(p, &tables[i]) &&
            !reserve_range(p, tables[i].at,
                           (uint64_t)(tables[i].rows >> (LEVELS - level)) * tables[i].row))
            return false;
    for (int i = 0; i < TABLES; i++) {
        uint32_t rows = tables[i].rows >> (LEVELS - level);
        uint32_t most = *limit_of(&p->reserve.most, &tables[i]);
        *limit_of(&p->limits, &tables[i]) = most < rows ? most : rows;
    }
    p->reserve.level = level;
    return true;
}

bool reserve_tables(LmpProfile *p) {
    if (!p->reserve.strict) return true;
    p->reserve.most = p->limits;
    return reach(p, 0);
}

void reserve_next(LmpProfile *p) {
    if (!p->indexes || p->reserve.level >= LEVELS) return;
    for (int i = 0; i < TABLES; i++) {
        uint32_t used;
        memcpy(&used, (const char *)&p->live->tables + tables[i].used, sizeof used);
        if (!is_used(p, &tables[i]) || used <= *limit_of(&p->limits, &tables[i]) / 2) continue;
        if (!reach(p, p->reserve.level + 1)) p->reserve.level = REFUSED; /* asking costs */
        return;
    }
}
