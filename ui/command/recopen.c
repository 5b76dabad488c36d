/* recopen.c - opens a recording, finds a moment in it by its name, and prints on stderr what goes
 * wrong. The first bytes of a file decide whether it is a recording, even if nothing behind them
 * can be read. */
#include "command/recopen.h"

#include <errno.h>

#include "command/command.h"
#include "command/unreadable.h"

void recopen_say_damage(LmpRecording *recording, const char *file) {
    const char *damage = recording_damage(recording);
    if (damage) command_say("%s is damaged: %s", file, damage);
}

bool recopen(LmpRecording **recording, const char *file) {
    errno = 0;
    LmpErr err = recording_open(recording, file);
    if (err) {
        unreadable(UNREADABLE_RECORDING, file, err, errno);
        return false;
    }
    recopen_say_damage(*recording, file);
    return true;
}

bool recopen_is(const char *file) {
    LmpRecording *recording;
    LmpErr err = recording_open(&recording, file);
    if (!err) recording_close(recording);
    return err != LMP_E_FOREIGN && err != LMP_E_FILE;
}

bool recopen_moment(LmpRecording *recording, const char *name, const char *text,
                    LmpMoment *moment) {
    char problem[MOMENT_PROBLEM];
    bool found = moment_find(recording, text, moment, problem);
    if (!found) command_say("%s%s%s: %s", name, *name ? ": " : "", text, problem);
    if (found && moment->far)
        command_say("%s%sthe moment asked for was not recorded: %s", name, *name ? ": " : "",
                    moment->said);
    return found;
}

bool recopen_at(LmpRecording **recording, const char *name, LmpMoment *moment) {
    char file[4096];
    const char *named = moment_split(file, sizeof file, name);
    if (!recopen(recording, file)) return false;
    if (recording_frames(*recording) == 0)
        unreadable(UNREADABLE_RECORDING, file, LMP_E_DAMAGED, 0);
    else if (recopen_moment(*recording, name, named ? named : "end", moment)) {
        if (!named && moment->late == 0) moment->said[0] = 0;
        return true;
    }
    recording_close(*recording);
    return false;
}
