/* cmd_replay.c - `lmp replay`: the display on a recording. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fps.h"
#include "command/attached.h"
#include "command/command.h"
#include "command/operands.h"
#include "subcommands/subcommands.h"

static const Option options[] = {
    {"fps", "N", "repaints a second while it plays (default " LMP_FPS_WORD(LMP_FPS_DEFAULT) ")"},
    {0},
};

static const Example examples[] = {
    {"lmp replay lmp-4711.lmprec", "watch the run again: space plays, : goes to any moment"},
    {0},
};

static int show(LmpRecording *recording, const char *file, int fd, double fps) {
    ViewerOptions viewer = {.view = recording_view(recording),
                            .recording = recording,
                            .grows = !recording_complete(recording),
                            .recording_file = file,
                            .recording_fd = fd,
                            .at = UINT64_MAX, /* the end */
                            .fps = fps};
    const ViewerResult *result;
    if (recording_frames(recording) == 0)
        return operand_unreadable(UNREADABLE_RECORDING, file, LMP_E_DAMAGED, 0);
    operand_say_damage(recording, file);
    return attached_show(&viewer, "", &result);
}

static int run(Parse *p) {
    double fps = command_fps(LMP_FPS_DEFAULT);
    while (options_next(p))
        if (option_fps(p, &fps)) return EXIT_USAGE;
    if (p->over) return p->status;
    if (p->at == p->argc) return command_wrong(p, "needs the file of a recording");
    if (p->argc - p->at > 1) return command_wrong(p, "takes one recording at a time");
    LmpRecording *recording;
    errno = 0;
    int fd = open(p->argv[p->at],
                  O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* another process may still write the file */
    LmpErr err = fd < 0 ? LMP_E_FILE : recording_open_fd(&recording, fd);
    if (err) return operand_unreadable(UNREADABLE_RECORDING, p->argv[p->at], err, errno);
    int status = attached_possible() ? show(recording, p->argv[p->at], fd, fps) : 1;
    recording_close(recording);
    close(fd);
    return status;
}

const Command cmd_replay = {
    .name = "replay",
    .usage = {"[OPTIONS] FILE"},
    .help = "Shows a recording in the display, at any moment of the run",
    .details =
        "FILE was written by lmp run --record, lmp record or the display. Its end comes "
        "first; space\nplays it from the beginning, or stops, P chooses how fast; , and . go "
        "a frame back and on,\n[ and ] to the mark before and after; : takes a moment "
        "(12:30, -5m, 50%, peak, a mark) or\nwords of the output; V begins a range and ends "
        "it: tables then show what was made, freed\nand grew in it.",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_RECORDING,
};
