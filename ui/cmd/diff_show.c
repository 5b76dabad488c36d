/* diff_show.c - opens both recordings at their moments and shows the newer one in the display, with
 * the older one as what its tables are compared with (ViewerOptions.against). */
#include "cmd/diff_show.h"

#include <unistd.h>

#include "base/format.h"
#include "base/fps.h"
#include "command/attached.h"
#include "command/command.h"
#include "command/recopen.h"

static int show(const ViewerOptions *viewer) {
    const ViewerResult *result;
    if (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO)) return attached_show(viewer, "", &result);
    command_say("%s", err_message(LMP_E_NOTTY));
    return 1;
}

int diff_show(const char *old, const char *newer) {
    char name[1024];
    char file[4096];
    bool named = moment_split(file, sizeof file, newer) != NULL;
    LmpMoment before, moment;
    int status = 1;
    ViewerOptions viewer = {.tty = STDOUT_FILENO,
                            .fps = command_fps(LMP_FPS_DEFAULT),
                            .hold = true,
                            .spool = -1,
                            .notify = -1,
                            .input = -1,
                            .against_name = format_text(name, sizeof name, old, 0)};
    if (!recopen_at(&viewer.against, old, &before)) return 1;
    viewer.against_frame = before.tables;
    if (recopen_at(&viewer.recording, newer, &moment)) {
        viewer.view = recording_view(viewer.recording);
        viewer.grows = !named && !recording_complete(viewer.recording);
        viewer.at = recording_frame(viewer.recording, moment.tables).clock;
        status = show(&viewer);
        recording_close(viewer.recording);
    }
    recording_close(viewer.against);
    return status;
}
