/* schema.h - the schema of a recording's file: all else in it needs that, so any of its copies that
 * can be read will do. */
#ifndef LMP_RECORD_SCHEMA_H
#define LMP_RECORD_SCHEMA_H

#include "record/format/coding.h"
#include "record/format/recscan.h"

/* The first one that is sound; it stays empty where there is none. `out`: empty. Errors: NOMEM. */
LmpErr schema_find(RecSchema *out, const RecScan *scan);

#endif
