/* ending.c - chooses the words from the wait status, else from the state's own account (view_seen),
 * else from whether the process is alive. */
#include "reporting/ending.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/os.h"

void ending_words(char *out, size_t size, const LmpView *view, uint32_t ended) {
    int status = ended ? (int)(ended - 1) : 0;
    if (ended && WIFSIGNALED(status)) {
        const char *name = sigabbrev_np(WTERMSIG(status));
        snprintf(out, size, "killed by signal %d (SIG%s)", WTERMSIG(status), name ? name : "RT");
    } else if (ended && WEXITSTATUS(status) != 0) {
        snprintf(out, size, "exited with status %d", WEXITSTATUS(status));
    } else if (view_seen(view, true) == LMP_SEEN_FINISHED) {
        snprintf(out, size, ended ? "finished" : "ended");
    } else if (ended) {
        snprintf(out, size, "ended without stopping the profiler");
    } else {
        snprintf(out, size,
                 view->pid && lmp_os->alive(view->pid) ? "still running"
                 : view->header->forked_from           ? "ended without saying how"
                                                       : "killed, or crashed");
    }
}

LedgerWhen ending_of_frame(char *out, size_t size, LmpRecording *recording, uint32_t frame) {
    snprintf(out, size, "as it was");
    if (!(recording_frame(recording, frame).flags & LMP_FRAME_END)) return LEDGER_THEN;
    ending_words(out, size, recording_view(recording), recording_ended(recording));
    return LEDGER_END;
}
