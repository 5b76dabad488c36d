/* writeout.c - hands the writer a file (save_file: complete or not at all) or standard output, and
 * says once what went wrong. */
#include "command/writeout.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "command/command.h"

static bool said; /* standard output cannot be written, and a line has said so */

static int say(LmpErr err, const char *file, int why) {
    if (err == LMP_E_FILE)
        command_say("%s: cannot be written: %s", file,
                    why ? strerror(why) : "not all of it was taken");
    else
        command_say("%s: not enough memory to make it", file);
    return 1;
}

/* SIGPIPE is ignored, so a reader that has gone shows as an error; that reader got what it
 * wanted. */
static int end_output(LmpErr err) {
    int why = errno;
    if (!err && fflush(stdout) != 0) {
        err = LMP_E_FILE;
        why = errno;
    } else if (!err && ferror(stdout)) {
        err = LMP_E_FILE;
    }
    if (!err) return 0;
    if (said || (err == LMP_E_FILE && why == EPIPE)) return said = true, 1;
    said = true;
    return say(err, "standard output", why);
}

int writeout(const char *file, SaveWriter *writer, const void *of) {
    errno = 0;
    if (!file) return end_output(writer(of, stdout));
    LmpErr err = save_file(file, writer, of);
    return err ? say(err, file, errno) : 0;
}

int writeout_end(int status) {
    errno = 0;
    int failed = end_output(LMP_OK);
    return status ? status : failed;
}
