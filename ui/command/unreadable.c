/* unreadable.c - turns an error into one line on stderr; a table has the words for each kind of
 * file. */
#include "command/unreadable.h"

#include "command/command.h"

static const struct {
    const char *foreign, *damaged;
} words[UNREADABLES] = {
    [UNREADABLE_RECORDING] = {"is not a recording", "is damaged: nothing in it can be read"},
    [UNREADABLE_SNAPSHOT] = {"is not a heap snapshot", "is damaged, or was not written to its end"},
    [UNREADABLE_EITHER] = {"is neither a recording nor a heap snapshot", "is damaged"},
};

int unreadable(Unreadable what, const char *file, LmpErr err, int why) {
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
