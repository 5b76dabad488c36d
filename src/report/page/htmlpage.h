/* htmlpage.h - the report for a browser: one page that needs nothing else, with timeline, flame
 * graph, treemap, tables and source lines. docs/api.md says how to read it.
 *
 * The page is run.html, page.css and the scripts beside them, which webpage.h puts together;
 * the data goes into it as JSON. What the program named is escaped, and the page asks nobody for
 * anything. */
#ifndef LMP_HTMLPAGE_H
#define LMP_HTMLPAGE_H

#include "report/report.h"

/* How much of the program a page that is shown while it runs has, as what is sent anew each second.
 * It has no lines of source: who may look at the figures need not be who may read the files. */
enum { HTML_LIVE_ROWS = 500, HTML_LIVE_NODES = 4000 };

/* Writes the page, with the report's tree, timeline and marks, as far as it has them. Of a
 * recording the page has figures of several moments; it is left at any frame. A page has 100,000
 * nodes at most, the largest, and the rest joined. Errors: NOMEM. Whether the bytes were written is
 * known by ferror. */
LmpErr htmlpage_write(const LmpReport *report, FILE *out);

/* Writes the page of a program that runs, which asks `events` beside it for new data (live.js).
 * Errors: NOMEM. */
LmpErr htmlpage_write_live(const LmpReport *report, FILE *out);
/* Writes that data alone: one JSON object, in one line. Errors: NOMEM. */
LmpErr htmlpage_write_data(const LmpReport *report, FILE *out);

#endif
