/* cmd_record_cut.c - `lmp record cut`: copies a piece of a recording, for somebody else to look at.
 * Reads the options, finds the two moments, and has recording_cut
 * (recording/writer/recording_cut.h) write the frames in between to a new file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "command/operands.h"
#include "recording/reader/moment.h"
#include "recording/writer/recording_cut.h"
#include "subcommands/subcommands.h"

enum { O_FROM, O_TO, O_OUTPUT, O_REDACT };
enum { NAME = 4096 };

static const Option options[] = {
    [O_FROM] = {"from", "TIME", "from this moment on (default: from the start)"},
    [O_TO] = {"to", "TIME", "to this moment (default: to the end)"},
    [O_OUTPUT] = {"output", "OUT", "write to OUT (also -o OUT; default: FILE-cut.lmprec)"},
    [O_REDACT] =
        {"redact", "[WHAT]",
         "hide all that the program said and made up: output, code, names of functions, "
         "files, tags, marks and frames, how it was started; =contents: names of functions "
         "and files of code stay"},
    {0},
};

static const Example examples[] = {
    {"lmp record cut night.lmprec --from=12:30 --to=13:00", "half a minute, as a file of its own"},
    {"lmp record cut night.lmprec --redact -o share.lmprec", "all of it, to be shown to others"},
    {0},
};

/* Makes "night-cut.lmprec" of "night.lmprec". */
static bool default_name(char *out, size_t size, const char *file) {
    static const char ending[] = ".lmprec";
    size_t n = strlen(file), m = sizeof ending - 1;
    if (n > m && strcmp(file + n - m, ending) == 0) n -= m;
    int wrote = snprintf(out, size, "%.*s-cut%s", (int)n, file, ending);
    return wrote > 0 && (size_t)wrote < size;
}

/* Finds the moments `from` and `to` in the recording; NULL: its ends. */
static bool find_times(LmpRecording *r, const char *from, const char *to, LmpCut *cut) {
    char problem[MOMENT_PROBLEM];
    LmpMoment moment;
    cut->from = 0;
    cut->to = UINT64_MAX;
    const char *text[2] = {from, to};
    for (int i = 0; i < 2; i++) {
        if (!text[i]) continue;
        if (!moment_find(r, text[i], &moment, problem)) {
            command_say("--%s=%s: %s", i ? "to" : "from", text[i], problem);
            return false;
        }
        *(i ? &cut->to : &cut->from) = recording_frame(r, moment.frame).clock;
    }
    if (cut->from <= cut->to) return true;
    command_say("--from is later than --to");
    return false;
}

static int cut_file(const char *file, const char *out, const char *from, const char *to,
                    LmpRedact redact) {
    char name[NAME];
    LmpRecording *r;
    LmpCut cut = {.redact = redact};
    uint32_t frames;
    int status = 2;
    if (!operand_recording(&r, file)) return 1;
    if (find_times(r, from, to, &cut)) {
        LmpErr err = recording_cut(r, &cut, out, &frames);
        status = err ? operand_unreadable(UNREADABLE_RECORDING, err == LMP_E_FILE ? out : file, err,
                                          errno)
                     : 0;
        if (!err)
            printf("%s: %u frame%s\n", format_text(name, sizeof name, out, 0), frames,
                   frames == 1 ? "" : "s");
    }
    recording_close(r);
    return status;
}

static bool parse_redact(const char *value, LmpRedact *out) {
    *out = value ? LMP_REDACT_CONTENTS : LMP_REDACT_ALL;
    return !value || strcmp(value, "contents") == 0;
}

static int run(Parse *p) {
    const char *file = NULL, *out = NULL, *from = NULL, *to = NULL;
    char name[NAME];
    LmpRedact redact = LMP_REDACT_NOTHING;
    for (const Option *o; options_mixed(p, &o);) {
        if (o == &options[O_FROM]) from = p->value;
        if (o == &options[O_TO]) to = p->value;
        if (o == &options[O_OUTPUT]) out = p->value;
        if (o == &options[O_REDACT] &&
            option_check(p, parse_redact(p->value, &redact), "it is 'contents', or nothing"))
            return EXIT_USAGE;
        if (o) continue;
        if (file) return command_wrong(p, "takes one file at a time");
        file = p->value;
    }
    if (p->over) return p->status;
    if (!file) return command_wrong(p, "of which file?");
    if (!out && !default_name(name, sizeof name, file))
        return command_wrong(p, "the name of the file is too long");
    return cut_file(file, out ? out : name, from, to, redact);
}

const Command cmd_record_cut = {
    .name = "record cut",
    .usage = {"[OPTIONS] FILE"},
    .help = "Makes a recording of a piece of one",
    .details = "The piece begins with the state as it was at --from. A TIME is\n" MOMENT_WORDS ".",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_RECORDING,
};
