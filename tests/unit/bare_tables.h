/* bare_tables.h - a profile with tables and nothing else, whose maps are counted (counted_maps.h).
 */
#ifndef LMP_BARE_TABLES_H
#define LMP_BARE_TABLES_H

#include "agent/charge/sites.h"
#include "counted_maps.h"

static LmpProfile p;

/* What the suite has opened is closed before. */
static void bare_tables_end(void) {
    sites_close(&p);
    counted_maps_end();
    os_real.unmap(p.tables.text, LMP_TABLES_SIZE);
    free(p.live);
}

/* Rows come with sites_open. */
static void bare_tables(LmpTableLimits limits) {
    counted_maps_begin(-1);
    memset(&p, 0, sizeof p);
    p.live = calloc(1, sizeof *p.live);
    p.tables = tables_at(os_real.map(LMP_TABLES_SIZE, -1, 0, true), p.live);
    p.limits = limits;
}

#endif
