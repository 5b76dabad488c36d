/* holders.c - which tables hold what a line keeps: the line that must take something out is seldom
 * the one that makes it. A reader cannot follow references, but it sees where tables grow: a table
 * that has about as many entries as there are things kept, and grows while these become more, is
 * where to look. That is said as what it is, a table that grows with them. */
#include <string.h>

#include "read/verdict/verdict_impl.h"

/* Bytes of an entry, in the array part and in the hash part: Lua 5.4, 64 bits. */
#define ARRAY_ENTRY 16
#define HASH_ENTRY 24
#define ENTRIES_LEAST 32u
/* A table has been given more room once for each doubling: with fewer entries for each time the
 * line fills many small ones. */
#define ENTRIES_EACH 5u
/* Things for each entry there is room for. A part is more than half full after it has grown; and an
 * entry may be for two things that the line makes. */
#define FEWEST 0.45
#define MOST 2.1

static bool grew(const LmpSiteRow *row, uint32_t rows) {
    return row->live_history && rows > 1 && row->live_history[rows - 1] > row->live_history[0];
}

/* How many entries the tables that grow on a line have room for: each time that one grew its old
 * part was given back, and these are, one with another, almost as large as the newest. */
static uint64_t entries_of(const LmpMakes *m) {
    return m->regrown_array_bytes / ARRAY_ENTRY + m->regrown_hash_bytes / HASH_ENTRY + 1;
}

void holders_find(const VerdictFacts *f, VerdictHolders *out) {
    const Ledger *l = f->in->ledger;
    LmpMakes makes;
    out->count = 0;
    if (!f->in->tables) return;
    for (uint32_t i = 0; i < l->sites && out->count < VERDICT_HOLDERS; i++) {
        const LmpSiteRow *row = &l->site[i];
        if (row->line < 0 || row->here_frees + row->here_reallocs < ENTRIES_EACH ||
            !grew(row, l->live_history_rows))
            continue;
        ledger_makes(l, f->in->tables, i, &makes);
        uint64_t entries = entries_of(&makes);
        if (!(makes.how & LMP_HOW_GROWTH) || entries < ENTRIES_LEAST ||
            entries < makes.regrown * ENTRIES_EACH ||
            makes.way[LMP_WAY_PART].live_bytes < entries * ARRAY_ENTRY / 2)
            continue;
        out->holder[out->count++] = (VerdictHolder){row, (double)entries};
    }
}

/* Holders are in the order of what they have, so the largest come first. */
uint32_t holders_of(const VerdictHolders *all, double things, const LmpSiteRow *out[2]) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->count && n < 2; i++) {
        double each = things / all->holder[i].entries;
        if (each >= FEWEST && each <= MOST) out[n++] = all->holder[i].row;
    }
    return n;
}
