/* program.c - finds the command in PATH, or an interpreter for a script (lua5.4, or a `lua` whose
 * -v says 5.4; else one of 5.5), finds the modules beside this command, or inside, and sets
 * LUA_INIT_5_4 and LUA_INIT_5_5 so that each Lua state loads its own. Opens /dev/null where a
 * standard stream is closed, and sets two signals, whose former handling it notes and restores
 * before exec. */
#include "run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/embedded.h"
#include "shared/launch.h"

#ifndef LMP_MODULE_FROM_COMMAND /* of the folders of installed modules, relative to the command's  \
                                 */
#define LMP_MODULE_FROM_COMMAND "../lib/lua"
#endif
#ifndef LMP_PRELOAD_FROM_COMMAND /* of the installed library, likewise */
#define LMP_PRELOAD_FROM_COMMAND "../lib/lmp"
#endif
#ifndef LMP_LUA /* the version whose module is beside the command in the build tree */
#define LMP_LUA "5.4"
#endif

static const char *const luas[LMP_LUAS] = LMP_LUA_LIST;

/* Returns the name of a variable of the environment of one version. */
static const char *version_variable(const char *name, const char *lua) {
    static char variable[40];
    snprintf(variable, sizeof variable, "%s%s", name, lua);
    *strrchr(variable, '.') = '_';
    return variable;
}

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
        for (int i = 0; i < LMP_LUAS; i++)
            unsetenv(version_variable(LMP_ENV_INIT, luas[i]));
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

/* Finds an interpreter of one version by its name, or by the version that it prints. */
static bool find_interpreter_of(const char *lua, char *out, size_t size) {
    char name[16], says[16], version[64] = "";
    snprintf(name, sizeof name, "lua%s", lua); /* lua5.4, lua-5.4, lua54 */
    if (search_path(name, out, size)) return true;
    snprintf(name, sizeof name, "lua-%s", lua);
    if (search_path(name, out, size)) return true;
    snprintf(name, sizeof name, "lua%.1s%s", lua, lua + 2);
    if (search_path(name, out, size)) return true;
    if (!search_path("lua", out, size)) return false;
    ask_version(out, version, sizeof version);
    int n = snprintf(says, sizeof says, "Lua %s", lua);
    return strncmp(version, says, (size_t)n) == 0;
}

/* Finds one of a version that there is a module for. */
static bool find_interpreter(char *out, size_t size) {
    static ProgramModules modules;
    const char *problem;
    bool any = program_find_modules(LMP_MODULE_FILE, &modules, &problem);
    for (int i = 0; i < LMP_LUAS; i++)
        if ((modules.path[i][0] || !any) && find_interpreter_of(luas[i], out, size)) return true;
    return false;
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
            *problem = "no interpreter of Lua 5.4 or 5.5 was found (install lua5.4, or name one: "
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
    *problem = "no interpreter of Lua 5.4 or 5.5 was found (install lua5.4, or name one)";
    if (!find_interpreter(program->path, sizeof program->path)) return false;
    program->argv[0] = program->path;
    program->name = program->path;
    return true;
}

/* Writes the path of this command. Returns false: it is not known. */
static bool own_path(char self[4096]) {
    ssize_t n = readlink("/proc/self/exe", self, 4095);
    self[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* Writes its folder, with a "/" at its end; likewise. */
static bool own_folder(char self[4096]) {
    bool known = own_path(self);
    char *slash = strrchr(self, '/');
    if (slash) slash[1] = 0;
    return known;
}

/* Looks for the module of one version: inside of this command; in the build tree, or installed.
 * `self`: our own folder. */
static bool find_module(const char *self, const char *lua, const char *file, char out[4096]) {
    bool first = !strcmp(lua, LMP_LUA);
    char name[64];
    snprintf(name, sizeof name, "%s/%s", lua, file);
    const Embedded *inside = embedded_find(name);
    if (inside && embedded_lay_out(inside, out, 4096)) return true;
    out[0] = 0;
    for (int installed = 0; !inside && installed < 2; installed++) {
        char path[4500];
        snprintf(path, sizeof path, "%s%s%s%s%s", self,
                 installed ? LMP_MODULE_FROM_COMMAND "/" : "", first && !installed ? "" : lua,
                 first && !installed ? "" : "/", file);
        char *real = realpath(path, NULL);
        if (!real) continue;
        size_t length = strlen(real);
        bool fits = length < 4096;
        if (fits) memcpy(out, real, length + 1);
        free(real);
        if (fits) return true;
    }
    return false;
}

bool program_find_modules(const char *file, ProgramModules *out, const char **problem) {
    static char missing[100];
    char self[4096];
    bool any = false;
    *out = (ProgramModules){0};
    *problem = "/proc is not there (mount it): lmp cannot tell where its Lua module is";
    if (!own_folder(self)) return false;
    snprintf(missing, sizeof missing, "the Lua module %s was not found beside this command", file);
    *problem = embedded_files[0].file
                   ? "no folder for lmp's Lua module, of this user alone: name one in LMP_CACHE"
                   : missing;
    for (int i = 0; i < LMP_LUAS; i++)
        any |= find_module(self, luas[i], file, out->path[i]);
    return any;
}

const char *program_luas(const ProgramModules *modules) {
    static char text[40];
    size_t used = 0;
    for (int i = 0; i < LMP_LUAS; i++)
        if (modules->path[i][0])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     used ? " or " : "Lua ", luas[i]);
    return text;
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

bool program_set_init(const ProgramModules *modules, const char *entry, const char *otherwise) {
    static char path[16400], init[16800];
    bool set = true;
    for (int i = 0; i < LMP_LUAS; i++) {
        if (!modules->path[i][0]) continue;
        quote(path, sizeof path, modules->path[i]);
        snprintf(init, sizeof init,
                 "local f, e = package.loadlib(%s, \"%s\") "
                 "if f then f() else %s end",
                 path, entry, otherwise);
        set = program_setenv(version_variable(LMP_ENV_INIT, luas[i]), init) && set;
    }
    return set;
}

/* Notes what the user has the states of a version do first. */
static bool keep_user_init(const char *lua) {
    const char *user = getenv(version_variable(LMP_ENV_INIT, lua));
    if (user && strstr(user, LMP_RUN_ENTRY))
        user = getenv(version_variable(LMP_ENV_USER_INIT, lua)); /* lmp run within lmp run */
    else if (!user)
        user = getenv("LUA_INIT");
    return program_setenv(version_variable(LMP_ENV_USER_INIT, lua), user);
}

bool program_set_environment(const ProgramModules *modules, const LmpOwnFd *socket,
                             const char *options) {
    static const char complain[] = "io.stderr:write(\"lmp: \", e, \"\\n\")";
    static char run[1024], self[4096];
    bool set = true;
    for (int i = 0; i < LMP_LUAS; i++)
        set = keep_user_init(luas[i]) && set;
    snprintf(run, sizeof run, "%d:%llu:%llu %s", socket->fd, (unsigned long long)socket->device,
             (unsigned long long)socket->inode, options);
    if (own_path(self) && !getenv(LMP_ENV_COMMAND))
        set = set && program_setenv(LMP_ENV_COMMAND, self);
    return set && program_set_init(modules, LMP_RUN_ENTRY, complain) &&
           program_setenv(LMP_ENV_RUN, run);
}

static bool is_interpreter(const Program *program) {
    const char *base = strrchr(program->name, '/');
    return strncmp(base ? base + 1 : program->name, "lua", 3) == 0;
}

/* Returns true if the file has one of these words (ends with NULL) in it. */
static bool file_has(const char *path, const char *const *word) {
    struct stat st;
    bool any = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *text = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0
                     ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                     : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (text == MAP_FAILED) return false;
    for (; *word && !any; word++)
        any = memmem(text, (size_t)st.st_size, *word, strlen(*word)) != NULL;
    munmap(text, (size_t)st.st_size);
    return any;
}

bool program_set_preload(const Program *program) {
    static const char *const sanitizers[] = {"libasan.so", "libtsan.so", "libclang_rt.", NULL};
    static const char *const places[] = {"", LMP_PRELOAD_FROM_COMMAND "/"};
    const char *before = getenv("LD_PRELOAD"), *file = "liblmp-preload.so";
    char self[4096], path[4500], all[16000];
    bool there = false;
    if (program->script || is_interpreter(program) || (before && strstr(before, file)) ||
        !own_folder(self) || file_has(program->path, sanitizers))
        return true;
    for (size_t i = 0; i < sizeof places / sizeof *places && !there; i++) {
        snprintf(path, sizeof path, "%s%s%s", self, places[i], file);
        there = access(path, R_OK) == 0;
    }
    int n = snprintf(all, sizeof all, "%s%s%s", before ? before : "", before && *before ? ":" : "",
                     path);
    if (!there || strpbrk(path, " :") || n < 0 || (size_t)n >= sizeof all) return true;
    return program_setenv("LD_PRELOAD", all);
}

bool program_ignores_init(const Program *program) {
    if (!is_interpreter(program)) return false;
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

/* ---- what lmp inherits, and passes on -------------------------------------------------------- */

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
