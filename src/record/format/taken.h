/* taken.h - are the tables of a frame those of one moment? */
#ifndef LMP_RECORD_TAKEN_H
#define LMP_RECORD_TAKEN_H

#include "shared/tables.h"

/* The counters from before and after the tables were read are equal; that is not enough, since an
 * operation may have been half done all the while: then its bytes are in some figures and not in
 * others. So sums must agree, those of the counters and, where every block is accounted for, those
 * of the records. Time: that of going through the records. */
bool taken_still(const LmpCounters *before, const LmpCounters *after, const LmpTables *tables);

#endif
