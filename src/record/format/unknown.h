/* unknown.h - rows of a recording's tables (functions, sites, records, nodes and their texts) that
 * are not there since the part of the file that had them is damaged. They are all zero, which
 * readers of tables take for "(others)", and functions for "?". */
#ifndef LMP_RECORD_UNKNOWN_H
#define LMP_RECORD_UNKNOWN_H

#include "record/format/fields.h"

/* How many of the rows in use are unknown. Reads all of them. */
uint64_t unknown_rows(const LmpTables *t);

/* Puts "?" where a function names a text that is not there. `have`: rows of each of rec_groups. */
void unknown_texts(const RecMemory *m, const uint32_t have[REC_GROUPS]);

#endif
