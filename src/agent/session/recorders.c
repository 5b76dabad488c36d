/* recorders.c - starts `lmp recorder` with a descriptor of the shared state, and of the display's
 * output if there is one, and remembers the folder for the last words. */
#include "agent/session/recorders.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "agent/session/ending.h"
#include "agent/session/spawn.h"
#include "base/outfile.h"

LmpErr recorders_possible(const char *file) {
    return outfile_replaceable(*file ? file : "./") ? LMP_OK : LMP_E_FILE;
}

LmpErr recorders_start(LmpSession *session, const char *file) {
    LmpProfile *p = &session->profile;
    char command[4096], name[4200], pid[32], serial[32];
    int fd[LMP_FD_END], status = 0;
    if (getauxval(AT_SECURE)) return LMP_E_SECURE;
    LmpErr err = ending_find_command(command, sizeof command);
    if (err) return err;
    snprintf(name, sizeof name, "--file=%s", file);
    snprintf(pid, sizeof pid, "--pid=%d", (int)getpid());
    snprintf(serial, sizeof serial, "--serial=%u", p->serial);
    char *argv[] = {
        (char *)(uintptr_t) "lmp", (char *)(uintptr_t) "recorder", name, pid, serial, NULL};
    for (int i = 0; i < LMP_FD_END; i++)
        fd[i] = -1;
    fd[LMP_FD_STATE] = fcntl(p->file.fd, F_DUPFD_CLOEXEC, OWN_FD_LEAST);
    fd[LMP_FD_SPOOL] = own_fd_get(&session->display.kept[0]);
    if (fd[LMP_FD_STATE] < 0) return LMP_E_VIEWER;
    err = spawn_command(command, argv, fd, &status);
    close(fd[LMP_FD_STATE]);
    if (err || status) return err ? err : LMP_E_FILE;
    const char *slash = strrchr(file, '/');
    size_t n = slash ? (size_t)(slash - file) + 1 : 0;
    session->recorded = n < sizeof session->folder;
    if (session->recorded) snprintf(session->folder, sizeof session->folder, "%.*s", (int)n, file);
    return LMP_OK;
}
