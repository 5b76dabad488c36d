/* unknown.h - rows of a recording's tables (functions, sites, records, nodes and their texts) that
 * are not there since the part of the file that had them is damaged. They are all zero, which
 * readers of tables take for "(others)", and functions for "?". */
#ifndef LMP_RECORD_UNKNOWN_H
#define LMP_RECORD_UNKNOWN_H

#include "shared/tables.h"

/* How many of the rows in use are unknown. Reads all of them. */
uint64_t unknown_rows(const LmpTables *t);

/* Puts "?" where one of the first `functions` names a text that is not there. */
void unknown_texts(const LmpTables *t, uint32_t functions);

#endif
