/* operands.c - opens recordings, moments, snapshots and states by their names, and turns each
 * failure into one line on stderr; a table has the words for each kind of file. */
#include "command/operands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "read/discover.h"

/* ---- files that cannot be read --------------------------------------------------------------- */

static const struct {
    const char *foreign, *damaged;
} words[UNREADABLES] = {
    [UNREADABLE_RECORDING] = {"is not a recording", "is damaged: nothing in it can be read"},
    [UNREADABLE_SNAPSHOT] = {"is not a heap snapshot", "is damaged, or was not written to its end"},
    [UNREADABLE_EITHER] = {"is neither a recording nor a heap snapshot", "is damaged"},
};

int operand_unreadable(Unreadable what, const char *file, LmpErr err, int why) {
    switch (err) {
    case LMP_E_FILE:
        command_say("%s: %s", file, why ? err_of_file(why) : "cannot be read");
        break;
    case LMP_E_FOREIGN:
        command_say("%s %s", file, words[what].foreign);
        break;
    case LMP_E_VERSION:
        command_say("%s was written by another version of lmp", file);
        break;
    case LMP_E_DAMAGED:
        command_say("%s %s", file, words[what].damaged);
        break;
    case LMP_E_NOMEM:
        command_say("%s: not enough memory to read it", file);
        break;
    default:
        command_say("%s: %s", file, err_message(err));
    }
    return 1;
}

/* ---- recordings ------------------------------------------------------------------------------ */

void operand_say_damage(LmpRecording *recording, const char *file) {
    const char *damage = recording_damage(recording);
    if (damage) command_say("%s is damaged: %s", file, damage);
}

bool operand_recording(LmpRecording **recording, const char *file) {
    errno = 0;
    LmpErr err = recording_open(recording, file);
    if (err) {
        operand_unreadable(UNREADABLE_RECORDING, file, err, errno);
        return false;
    }
    operand_say_damage(*recording, file);
    return true;
}

bool operand_is_recording(const char *name) {
    char file[4096];
    LmpRecording *recording;
    moment_split(file, sizeof file, name);
    LmpErr err = recording_open(&recording, file);
    if (!err) recording_close(recording);
    return err != LMP_E_FOREIGN && err != LMP_E_FILE;
}

bool operand_moment(LmpRecording *recording, const char *name, const char *text,
                    LmpMoment *moment) {
    char problem[MOMENT_PROBLEM];
    bool found = moment_find(recording, text, moment, problem);
    if (!found) command_say("%s%s%s: %s", name, *name ? ": " : "", text, problem);
    if (found && moment->far)
        command_say("%s%sthe moment asked for was not recorded: %s", name, *name ? ": " : "",
                    moment->said);
    return found;
}

bool operand_recording_at(LmpRecording **recording, const char *name, LmpMoment *moment) {
    char file[4096];
    const char *named = moment_split(file, sizeof file, name);
    if (!operand_recording(recording, file)) return false;
    if (recording_frames(*recording) == 0)
        operand_unreadable(UNREADABLE_RECORDING, file, LMP_E_DAMAGED, 0);
    else if (operand_moment(*recording, name, named ? named : "end", moment)) {
        if (!named && moment->late == 0) moment->said[0] = 0;
        return true;
    }
    recording_close(*recording);
    return false;
}

/* ---- heap snapshots -------------------------------------------------------------------------- */

bool operand_snapshot(LmpSnapshot *snapshot, const char *file) {
    errno = 0;
    LmpErr err = snapshot_open(snapshot, file);
    if (err) operand_unreadable(UNREADABLE_SNAPSHOT, file, err, errno);
    return !err;
}

/* Returns when the snapshot was taken; 0: not known. The time of day orders snapshots of two runs,
 * too. */
static uint64_t taken(const char *file) {
    LmpObjectInfo info;
    return snapshot_info(&info, file) == LMP_OK ? info.realtime : 0;
}

/* By insertion: there are few. */
void operand_sort_snapshots(const char **file, uint32_t files) {
    for (uint32_t i = 1; i < files; i++) {
        const char *one = file[i];
        uint64_t at = taken(one);
        uint32_t k = i;
        for (; k > 0 && taken(file[k - 1]) > at; k--)
            file[k] = file[k - 1];
        file[k] = one;
    }
}

bool operand_steps(LmpSnapshotSteps *growth, LmpSnapshot *last, const char **file, uint32_t files) {
    const char *failed;
    operand_sort_snapshots(file, files);
    errno = 0;
    LmpErr err = compare_open_steps(growth, last, file, files, NULL, &failed);
    if (err) operand_unreadable(UNREADABLE_SNAPSHOT, failed, err, errno);
    return !err;
}

/* ---- profiled states ------------------------------------------------------------------------- */

bool operand_parse_state(const char *text, uint32_t *pid, uint32_t *serial) {
    unsigned p = 0, s = 0;
    int used = 0;
    *serial = 0;
    if (sscanf(text, "%9u%n:%9u%n", &p, &used, &s, &used) < 1 || text[used] || p == 0) return false;
    if (strchr(text, ':') && s == 0) return false;
    *pid = p;
    *serial = s;
    return true;
}

bool operand_state(uint32_t pid, uint32_t serial, LmpView *view) {
    LmpErr err = discover_open(pid, serial, view);
    if (err) command_say("process %u: %s (see: lmp top --list)", pid, err_message(err));
    return !err;
}

int operands_state_and_file(const Parse *p, uint32_t *pid, uint32_t *serial, const char **file) {
    int operands = p->argc - p->at;
    if (p->over) return p->status;
    if (operands < 1 || operands > 2)
        return command_wrong(p, "of which process? PID or PID:SERIAL, and a file if wanted");
    if (!operand_parse_state(p->argv[p->at], pid, serial))
        return command_wrong(p, "%s is not a process: PID or PID:SERIAL was expected",
                             p->argv[p->at]);
    *file = operands > 1 ? p->argv[p->at + 1] : NULL;
    return OPERANDS_READ;
}
