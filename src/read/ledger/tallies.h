/* tallies.h - the figures of the ledger's rows, as figure.h has them. */
#ifndef LMP_TALLIES_H
#define LMP_TALLIES_H

#include "read/figure.h"

/* Of LmpTally, of LmpKindTally, and of LmpSiteRow what was done while its line ran. Each ends with
 * a row whose name is NULL. */
extern const LmpFigure tally_figures[], kind_tally_figures[], here_figures[];

extern const LmpFigureList figure_lists[]; /* these and those of stats.h; ends with a NULL name */

#endif
