/* program.c - finds the command in PATH, or an interpreter for a script (lua5.4, or a `lua` whose
 * -v says 5.4), finds the module beside this command, and sets LUA_INIT_5_4 so that each Lua state
 * loads it. Opens /dev/null where a standard stream is closed, and sets two signals, whose former
 * handling it notes and restores before exec. */
#include "run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/launch.h"

#ifndef LMP_MODULE_FROM_COMMAND /* directory of the installed module, relative to the command's */
#define LMP_MODULE_FROM_COMMAND "../lib/lua/5.4"
#endif

static bool is_command_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Finds a command as a shell would. Returns false if there is none. */
static bool search_path(const char *name, char *out, size_t size) {
    if (strchr(name, '/')) {
        int n = snprintf(out, size, "%s", name);
        return n > 0 && (size_t)n < size && access(out, F_OK) == 0;
    }
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin"; at;) {
        int length = (int)strcspn(at, ":");
        int n = length ? snprintf(out, size, "%.*s/%s", length, at, name)
                       : snprintf(out, size, "./%s", name);
        if (n > 0 && (size_t)n < size && is_command_file(out)) return true;
        at = at[length] ? at + length + 1 : NULL;
    }
    return false;
}

/* Reads the beginning of what `COMMAND -v` prints. */
static void ask_version(const char *path, char *out, size_t size) {
    int pipes[2];
    size_t used = 0;
    if (pipe2(pipes, O_CLOEXEC) != 0) return;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        unsetenv("LUA_INIT");
        unsetenv("LUA_INIT_5_4");
        execl(path, path, "-v", (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    while (used + 1 < size) {
        ssize_t n = read(pipes[0], out + used, size - 1 - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        used += (size_t)n;
    }
    out[used] = 0;
    close(pipes[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Finds an interpreter of Lua 5.4 by its name, or by the version that it prints. */
static bool find_interpreter(char *out, size_t size) {
    static const char *const sure[] = {"lua5.4", "lua54", "lua-5.4"};
    for (size_t i = 0; i < sizeof sure / sizeof *sure; i++)
        if (search_path(sure[i], out, size)) return true;
    char version[64];
    if (!search_path("lua", out, size)) return false;
    ask_version(out, version, sizeof version);
    return strncmp(version, "Lua 5.4", 7) == 0;
}

static bool is_script(const char *word, bool command) {
    size_t length = strlen(word);
    struct stat st;
    if (strcmp(word, "-") == 0) return true;
    if (length > 4 && strcmp(word + length - 4, ".lua") == 0) return true;
    return !command && stat(word, &st) == 0 && S_ISREG(st.st_mode) && access(word, X_OK) != 0;
}

bool program_find(Program *program, int argc, char **argv, const char **problem) {
    program->argv = calloc((size_t)argc + 2, sizeof *program->argv);
    if (!program->argv) {
        *problem = "no memory";
        return false;
    }
    program->name = argv[0];
    bool command = search_path(argv[0], program->path, sizeof program->path);
    program->script = is_script(argv[0], command && is_command_file(program->path));
    int at = 0;
    if (program->script) {
        if (!find_interpreter(program->path, sizeof program->path)) {
            *problem = "no Lua 5.4 interpreter was found (install lua5.4, or name one: "
                       "lmp run -- LUA SCRIPT.lua)";
            return false;
        }
        program->argv[at++] = program->path;
    } else if (!command) {
        program->path[0] = 0;
    }
    memcpy(program->argv + at, argv, (size_t)argc * sizeof *argv);
    return true;
}

bool program_find_interpreter(Program *program, int argc, char **argv, const char **problem) {
    program->argv = calloc((size_t)argc + 2, sizeof *program->argv);
    *problem = "no memory";
    if (!program->argv) return false;
    if (argc > 0) {
        program->name = argv[0];
        memcpy(program->argv, argv, (size_t)argc * sizeof *argv);
        if (!search_path(argv[0], program->path, sizeof program->path)) program->path[0] = 0;
        return true;
    }
    *problem = "no Lua 5.4 interpreter was found (install lua5.4, or name one)";
    if (!find_interpreter(program->path, sizeof program->path)) return false;
    program->argv[0] = program->path;
    program->name = program->path;
    return true;
}

bool program_find_module(const char *file, char *out, size_t size, const char **problem) {
    static const char *const dirs[] = {"", LMP_MODULE_FROM_COMMAND "/"};
    static char missing[100];
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    *problem = "/proc is not there (mount it): lmp cannot tell where its Lua module is";
    if (n <= 0) return false;
    snprintf(missing, sizeof missing, "the Lua module %s was not found beside this command", file);
    *problem = missing;
    self[n] = 0;
    char *slash = strrchr(self, '/');
    if (slash) slash[1] = 0;
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        char path[4500];
        snprintf(path, sizeof path, "%s%s%s", self, dirs[i], file);
        char *real = realpath(path, NULL);
        if (!real) continue;
        size_t length = strlen(real);
        bool fits = length < size;
        if (fits) memcpy(out, real, length + 1);
        free(real);
        if (fits) return true;
    }
    return false;
}

static void quote(char *out, size_t size, const char *text) {
    size_t used = 0;
    out[used++] = '"';
    for (const unsigned char *c = (const unsigned char *)text; *c && used + 6 < size; c++) {
        if (*c < 32 || *c == '"' || *c == '\\' || *c == 127)
            used += (size_t)snprintf(out + used, size - used, "\\%03u", *c);
        else
            out[used++] = (char)*c;
    }
    out[used++] = '"';
    out[used] = 0;
}

bool program_setenv(const char *name, const char *value) {
    return (value ? setenv(name, value, 1) : unsetenv(name)) == 0;
}

bool program_set_init(const char *module, const char *entry, const char *otherwise) {
    static char path[16400], init[16800];
    quote(path, sizeof path, module);
    snprintf(init, sizeof init,
             "local f, e = package.loadlib(%s, \"%s\") "
             "if f then f() else %s end",
             path, entry, otherwise);
    return program_setenv("LUA_INIT_5_4", init);
}

bool program_set_environment(const char *module, const LmpOwnFd *socket, const char *options) {
    static const char complain[] = "io.stderr:write(\"lmp: \", e, \"\\n\")";
    static char run[1024], self[4096];
    const char *user = getenv("LUA_INIT_5_4");
    if (user && strstr(user, LMP_RUN_ENTRY))
        user = getenv(LMP_ENV_USER_INIT); /* lmp run within lmp run */
    else if (!user)
        user = getenv("LUA_INIT");
    snprintf(run, sizeof run, "%d:%llu:%llu %s", socket->fd, (unsigned long long)socket->device,
             (unsigned long long)socket->inode, options);
    bool set = program_setenv(LMP_ENV_USER_INIT, user);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0 && !getenv(LMP_ENV_COMMAND)) {
        self[n] = 0;
        set = set && program_setenv(LMP_ENV_COMMAND, self);
    }
    return set && program_set_init(module, LMP_RUN_ENTRY, complain) &&
           program_setenv(LMP_ENV_RUN, run);
}

bool program_ignores_init(const Program *program) {
    const char *base = strrchr(program->name, '/');
    if (strncmp(base ? base + 1 : program->name, "lua", 3) != 0) return false;
    for (char **word = program->argv + 1; *word && **word == '-'; word++)
        if (!strcmp(*word, "-E")) return true;
    return false;
}

void program_hint(const Program *program, char *out, size_t size) {
    char first[128] = "";
    int fd = open(program->path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n = read(fd, first, sizeof first - 1);
        first[n > 0 ? n : 0] = 0;
        first[strcspn(first, "\n")] = 0;
        close(fd);
    }
    bool lua = strncmp(first, "#!", 2) == 0 && strstr(first, "lua");
    snprintf(out, size, "lua5.4 %s", lua ? program->path : "SCRIPT.lua");
}

/* ---- what lmp inherits, and passes on ---------------------------------------------------------
 */

/* SIGCHLD: where it is ignored (supervisors do that) we could wait for no child. SIGXFSZ: a file
 * size limit is meant for the program; a report of ours that the limit truncates says so. */
static const struct {
    int number;
    void (*wanted)(int);
} signals[] = {{SIGCHLD, SIG_DFL}, {SIGXFSZ, SIG_IGN}};
#define SIGNALS (sizeof signals / sizeof *signals)

static struct sigaction before[SIGNALS];

void program_take_inherited(void) {
    /* A closed stream's number would go to the next file opened. Writing to the stand-in fails as
     * before, so that the failure is reported; exec closes the stand-ins again. */
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", (fd == STDIN_FILENO ? O_RDWR : O_RDONLY) | O_CLOEXEC) != fd)
            return;
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction act = {.sa_handler = signals[i].wanted};
        sigaction(signals[i].number, &act, &before[i]);
    }
}

void program_give_back_inherited(void) {
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &before[i], NULL);
}
