/* runreport.h - `lmp report` of a run: of a recording at one of its moments or between two, or of a
 * program that runs; and the words how a run ended. */
#ifndef LMP_RUNREPORT_H
#define LMP_RUNREPORT_H

#include "recording/reader/recording.h"
#include "report/formats/formats.h"

typedef struct RunReport {
    const LmpReportKind *kind;
    const char *file;            /* as it was named, for messages */
    const char *moment;          /* of FILE@MOMENT; NULL: none */
    const char *from, *to, *out; /* NULL: not told; `out`: standard output */
    uint32_t metric, unit, top;  /* as in LmpReport; top 0: not told */
    bool leaks_only;
} RunReport;

/* Writes the report, and closes the recording; one line says what is wrong. Returns the exit
 * status. */
int runreport_of_recording(const RunReport *wish, LmpRecording *recording);
int runreport_of_program(const RunReport *wish, uint32_t pid, uint32_t serial);

/* Writes "finished", "killed by signal 9 (SIGKILL)", "exited with status 1", "still running" ... to
 * `out`, at least 64 bytes. `ended`: 1 + the program's wait status; 0: not known, or not our
 * child. */
void runreport_ending(char *out, size_t size, const LmpView *view, uint32_t ended);

/* Writes the same for a frame that a recording is at: "as it was" if the run went on. */
LedgerWhen runreport_ending_at(char *out, size_t size, LmpRecording *recording, uint32_t frame);

/* Returns how long the run had gone on at that frame (nanoseconds): by the recorder's clock, since
 * the program's stands still while it sleeps; by its own if it has finished. */
uint64_t runreport_clock_at(LmpRecording *recording, uint32_t frame);

#endif
