/* diff_show.c - see diff_show.h. */
#include "cmd/diff_show.h"

#include <unistd.h>

#include "base/format.h"
#include "base/fps.h"
#include "cmd/attached.h"
#include "cmd/command.h"
#include "cmd/recopen.h"

static int show(const ViewerOptions *viewer) {
    const ViewerResult *result;
    if (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO)) return attached_show(viewer, "", &result);
    command_say("%s", err_message(LMP_E_NOTTY));
    return 1;
}

int diff_show(const char *old, const char *newer) {
    char name[1024];
    bool moment;
    uint32_t frame;
    int status = 1;
    ViewerOptions viewer = {.tty = STDOUT_FILENO,
                            .fps = command_fps(LMP_FPS_DEFAULT),
                            .hold = true,
                            .spool = -1,
                            .notify = -1,
                            .input = -1,
                            .against_name = format_text(name, sizeof name, old, 0)};
    if (!recopen_at(&viewer.against, old, &viewer.against_frame, NULL)) return 1;
    if (recopen_at(&viewer.recording, newer, &frame, &moment)) {
        viewer.view = recording_view(viewer.recording);
        viewer.grows = !moment && !recording_complete(viewer.recording);
        viewer.at = recording_frame(viewer.recording, frame).clock;
        status = show(&viewer);
        recording_close(viewer.recording);
    }
    recording_close(viewer.against);
    return status;
}
