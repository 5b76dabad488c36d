/* report.h - the result of a run, as reports are made from it, and the two that need no library:
 * the summary, which a profiled program may have to write itself, and JSON. All formats, and the
 * table of them: formats/formats.h. Nothing here prints by itself: the caller gives the FILE.
 */
#ifndef LMP_REPORT_H
#define LMP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "read/ledger/ledger.h"
#include "read/mapcell.h"
#include "read/stats.h"
#include "read/verdict/verdict.h"
#include "shared/layout.h"

#define REPORT_TOP_MOST 1000u /* rows of a table of the summary */

/* What a report in one figure is about (formats/value.h). */
typedef enum ReportMetric {
    REPORT_ANY_METRIC, /* what is live, or, where nothing is, what was allocated */
    REPORT_LIVE,
    REPORT_ALLOCATED,
    REPORT_PEAK,
    REPORT_TEMPORARY,
    REPORT_METRICS
} ReportMetric;
typedef enum ReportUnit { REPORT_ANY_UNIT, REPORT_BYTES, REPORT_BLOCKS, REPORT_UNITS } ReportUnit;

/* Beside LEDGER_*, for report_fill_with: LmpReport.history, .mark. */
#define REPORT_PART_HISTORY (1u << 16)

/* Which moment was asked for, and how far off the one is that the report is of. */
typedef struct ReportMoment {
    char said[512]; /* in words; "": none was asked for, it is the run's end */
    double late;    /* seconds */
    int64_t more;   /* live bytes */
    uint64_t apart; /* came or went while the tables were read: sums by call path, and what lines
                       had at the peak, may differ from the totals by as much (bytes) */
} ReportMoment;

typedef struct LmpReport {
    char program[sizeof((LmpHeader *)0)->program]; /* a copy, always terminated */
    char lua[sizeof((LmpHeader *)0)->lua];         /* "Lua 5.4.4" */
    uint32_t pid;
    uint32_t forked_from; /* as in LmpHeader */
    uint64_t before;
    const char *ending; /* "finished", "killed by signal 9 (SIGKILL)", "still running" ... */
    const char *error;  /* the message that it ended with; NULL: none, or not known */
    const char *damage; /* what damage to its recording has cost; NULL: nothing */
    ReportMoment moment;
    bool attached;     /* lmp can look at it again: the "next" line says how */
    bool watched;      /* it has had the display */
    const char *again; /* options, program and arguments of its `lmp run`, for a shell; NULL: not
                          known */
    LmpStats stats;
    LmpStats range;      /* of a range of time: what `stats` has more than before (stats_between) */
    LmpGc gc;            /* copy; ring indices are checked by its readers */
    uint32_t top;        /* rows of the summary's tables, at most REPORT_TOP_MOST */
    Ledger ledger;       /* sites, functions, tags; lines LMP_LINES_OFF: nothing is known of them */
    LmpErr ledger_error; /* why it has no rows */
    LmpLeak *leak;       /* owned: sites that grew, steady ones and largest slope first */
    uint32_t leaks;      /* rows in leak[] */
    LmpJudgement judgement;
    Verdicts verdicts;   /* count 0: nothing is known of lines and growth */
    LmpHistory *history; /* owned, a copy; NULL: it was not asked for, or no memory */
    LmpMark *mark;       /* the same, oldest first; names end */
    uint32_t marks;      /* in mark[] */
    uint64_t peak_clock; /* when the heap was largest, about (ns since start); 0: not known */
    struct LmpRecording *recording;  /* that it is of, by whoever opened it: a report may seek in
                                        it. NULL: it is of one moment */
    const struct KeptTexts *sources; /* of a recording, by whoever opened it: what ran. NULL: files
                                        are read as they are now */
    uint32_t metric, unit;           /* ReportMetric, ReportUnit */
    bool leaks_only;                 /* memprof: only what is held */
    uint64_t from;       /* a range of time begins then (ns since start); 0: there is none */
    uint64_t until;      /* and ends then */
    bool taken;          /* and the ledger has only what happened in it */
    uint64_t from_bytes; /* live when it began */
    uint64_t top_clock, top_bytes; /* REPORT_AT_TOP: the moment of the ledger, what was live then */
    uint64_t clock;                /* the moment that it is of (ns since start) */
    const MapCell *map; /* cells of the whole heap map, by whoever has it; NULL: nobody */
    uint32_t map_cells;
    /* What was made lately, and in how many seconds: set by who saw two moments; 0: not known. */
    uint64_t rate_bytes;
    double rate_seconds;
} LmpReport;

/* Fills a report of a run that is over from a (checked) header, live part and tables (NULL: without
 * them); `ending` must outlive it. Its previous content is ignored; report_close frees what it
 * holds. */
void report_fill(LmpReport *report, const LmpHeader *header, const LmpLive *live,
                 const LmpTables *tables, uint64_t clock, const char *ending);
/* Fills a report of any moment, with what else a kind needs of the tables (LmpReportKind.parts):
 * the call tree may have a million nodes, so only the caller that writes it requests it. With
 * LEDGER_BRIEF there are neither verdicts nor leaks. */
void report_fill_with(LmpReport *report, const LmpHeader *header, const LmpLive *live,
                      const LmpTables *tables, unsigned parts, uint64_t clock, const char *ending,
                      LedgerWhen when);
void report_close(LmpReport *report);

/* Makes a filled report one about the range `from` to `until` (ns since start), when `from_bytes`
 * were live at first; figures and rows stay as they are. */
void report_set_range(LmpReport *report, uint64_t from, uint64_t until, uint64_t from_bytes);
/* Notes how many bytes came or went while its tables were read: LmpReport.moment has it, and says
 * it. */
void report_set_apart(LmpReport *report, uint64_t bytes);
/* Makes its rows those of another moment, `clock` (REPORT_AT_TOP), with these parts. Errors: NOMEM
 * (it has none). */
LmpErr report_at_top(LmpReport *report, const LmpLive *live, const LmpTables *tables,
                     unsigned parts, uint64_t clock);

/* The run as it was when a range of time began. All zeroes: none. */
typedef struct ReportBefore {
    Ledger ledger; /* without nodes */
    LedgerNodes nodes;
    LmpStats stats;
    uint64_t clock; /* ns since start */
} ReportBefore;

/* Copies what a range that begins now needs of a state. Errors: NOMEM (nothing is to be freed). */
LmpErr report_before(ReportBefore *before, const LmpLive *live, const LmpTables *tables,
                     unsigned parts, uint64_t clock);
void report_before_free(ReportBefore *before);
/* Fills a report of what has happened since (NULL: of all). Of `before` it may take parts away;
 * `before` is to be freed all the same. There are no verdicts and leaks, which are those of a whole
 * run. */
void report_fill_since(LmpReport *report, ReportBefore *before, const LmpHeader *header,
                       const LmpLive *live, const LmpTables *tables, unsigned parts, uint64_t clock,
                       const char *ending, LedgerWhen when);

/* Writes for people: at most 80 columns, tables 100. Returns LMP_OK. */
LmpErr report_summary(const LmpReport *report, FILE *out);
/* Writes for machines: one object in one line. Returns LMP_OK. */
LmpErr report_json(const LmpReport *report, FILE *out);

#endif
