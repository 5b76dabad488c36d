/* run_options.h - the options of lmp run: what is wanted of a run. */
#ifndef LMP_RUN_OPTIONS_H
#define LMP_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "command/command.h"
#include "gate/limits.h"
#include "report/formats/formats.h"

#define RECORD_LIMIT_MIN (1u << 20) /* bytes of a recording */

typedef struct RunOptions {
    bool live, hold;
    double fps;
    bool lines, stacks;
    uint64_t sample; /* bytes; 0: exact */
    unsigned counts; /* LMP_COUNTS_ bits */
    unsigned top;
    char breaks[4096];    /* conditions, one a line */
    bool pauses;          /* one of the conditions pauses */
    const char *snapshot; /* file for one at the end, NULL: none */
    bool record;
    const char *record_file; /* NULL: a name is chosen */
    uint64_t record_limit;   /* bytes; 0: as the recorder has it */
    LmpLimit *limit;         /* owned by whoever reads them */
    uint32_t limits;
    const char *junit; /* file for what became of them, NULL: none */
    const char *name;
    const char *file[REPORTS]; /* by kind; the summary's NULL: standard error; others add to it */
    bool no_summary;
    bool follow;      /* forked children, too */
    unsigned first;   /* REPORT_*: what takes the summary's place */
    char again[1024]; /* words to repeat this, except what is shown and written where; "": none */
} RunOptions;

extern const Option run_options[];
extern const Example run_examples[];

/* Reads the options up to the program's name, `want` all zeroes. Returns RUN_OPTIONS_READ, or the
 * exit status if the command ends here; a line has said what was wrong. */
enum { RUN_OPTIONS_READ = -1 };
int run_options_read(RunOptions *want, Parse *parse);

/* Reads the value of the option --record-limit just returned. Returns 0, or EXIT_USAGE as
 * option_check. */
int option_record_limit(const Parse *parse, uint64_t *limit);

#endif
