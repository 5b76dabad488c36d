/* tablechecks.h - what the tables of a recorded state are worth: whether they are those of one
 * moment, and which of their rows are lost with a damaged part of the file. */
#ifndef LMP_RECORDING_FORMAT_TABLECHECKS_H
#define LMP_RECORDING_FORMAT_TABLECHECKS_H

#include "recording/format/fields.h"
#include "shared/tables.h"

/* ---- one moment ------------------------------------------------------------------------------ */

/* Returns true if the counters from before and after the tables were read are equal, and sums
 * agree, those of the counters and, where every block is accounted for, those of the records. (An
 * operation may have been half done all the while: then its bytes are in some figures and not in
 * others.) Time: that of going through the records. */
bool tablechecks_consistent(const LmpCounters *before, const LmpCounters *after,
                            const LmpTables *tables);

/* ---- lost rows ------------------------------------------------------------------------------- */

/* Rows (functions, sites, records, nodes and their texts) whose part of the file is damaged are all
 * zero, which readers of tables take for "(others)", and functions for "?". */

/* Returns how many of the rows in use are lost. Reads all of them. */
uint64_t tablechecks_lost_rows(const LmpTables *t);

/* Puts "?" where a function names a text that is not there. `have`: rows of each of rec_groups. */
void tablechecks_name_lost(const RecMemory *m, const uint32_t have[REC_GROUPS]);

#endif
