/* doctor.c - plays every program of the corpus in every mode and writes the results to a pipe, a
 * line each, words separated by tabs.
 *
 *   lua RELEASE                  once, at the beginning
 *   code FILE BUILD-ID           where the code of Lua comes from
 *   jobs COUNT
 *   job NUMBER PROGRAM MODE      the next one begins: if nothing follows, it was the end of us
 *   row FIGURES                  of that job, as in Judged
 *   diff TEXT                    its first difference
 *   trouble TEXT                 why it could not be played
 *   end                          all has been said
 *
 * The process exits at the end, whatever it was going to do otherwise. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>

#include "agent/doctor/judge.h"
#include "agent/interp/code.h"
#include "shared/launch.h"

static const Mode modes[] = {
    {.name = "default"},
    {.name = "stacks", .stacks = true},
    {.name = "generational", .generational = true},
    {.name = "sampled", .sample = 48},
    {.name = "refused", .refuse = 7},
};
enum { MODES = sizeof modes / sizeof *modes };

static int out = -1;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    char line[2000];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (n < 0) return;
    if ((size_t)n > sizeof line - 2) n = sizeof line - 2;
    for (int i = 0; i < n; i++)
        if (line[i] == '\n') line[i] = ' ';
    line[n++] = '\n';
    for (const char *at = line; n > 0;) {
        ssize_t done = write(out, at, (size_t)n);
        if (done <= 0) _exit(1); /* no reader is left */
        at += done;
        n -= (int)done;
    }
}

/* ---- the interpreter ------------------------------------------------------------------------- */

/* The file that is mapped at an address. */
static void find_file(uintptr_t address, char *file, size_t size) {
    char line[4500];
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        char *rest;
        uintptr_t from = strtoul(line, &rest, 16), to = strtoul(rest + 1, NULL, 16);
        const char *path = strchr(line, '/');
        if (address < from || address >= to || !path) continue;
        snprintf(file, size, "%.*s", (int)strcspn(path, "\n"), path);
    }
    if (maps) fclose(maps);
}

static void say_interpreter(void) {
    const char *ident = dlsym(RTLD_DEFAULT, "lua_ident"), *at;
    at = ident ? strstr(ident, LUA_VERSION) : NULL;
    say("lua\t%.*s", at ? (int)(strcspn(at + 4, " ") + 4) : (int)strlen(LUA_VERSION),
        at ? at : LUA_VERSION);
    LmpCode code = {0};
    char file[4096] = "", id[2 * LMP_BUILD_ID + 1] = "";
    code_find(&code, (uintptr_t)&lua_newstate);
    find_file((uintptr_t)&lua_newstate, file, sizeof file);
    for (uint32_t i = 0; i < code.id_size; i++)
        snprintf(id + 2 * i, 3, "%02x", code.id[i]);
    say("code\t%s\t%s", file, id);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void judge_job(Stage *s, void *ud) {
    judge(s, ud);
}

static void play(Stage *s, const Program *program, const Mode *mode) {
    Judged v = {0};
    if (!stage_play(s, program, mode, judge_job, &v)) {
        say("trouble\t%s", s->trouble);
        return;
    }
    const uint64_t figure[] = {
        /* in the order of ui/subcommands/cmd_doctor.c */
        v.blocks,        v.lines.agreed,    v.lines.differed, v.paths.agreed,    v.paths.differed,
        v.owners.agreed, v.owners.differed, v.totals.agreed,  v.totals.differed, v.owners_untold,
        v.unproven,      v.owners_unproven, v.unknown,        v.behaved,         v.lines_said,
        v.stacks_said,   v.owners_said,     v.samples_said};
    char row[sizeof figure / sizeof *figure * 21 + 1];
    size_t used = 0;
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++)
        used += (size_t)snprintf(row + used, sizeof row - used, "\t%llu",
                                 (unsigned long long)figure[i]);
    say("row%s", row);
    if (v.first[0]) say("diff\t%s", v.first);
}

/* Returns the value of a word of ours, or `otherwise`. */
static long option(const char *text, const char *name, long otherwise) {
    const char *at = text ? strstr(text, name) : NULL;
    return at ? strtol(at + strlen(name), NULL, 10) : otherwise;
}

static bool wanted(const char *list, const char *name) {
    size_t n = strlen(name);
    if (!list) return true;
    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ',') && (at[n] == '\0' || at[n] == ',')) return true;
    return false;
}

/* Returns a file in place of the corpus; NULL: it cannot be read. */
static const Program *read_program(const char *path) {
    static Program program[2];
    static char name[60];
    FILE *f = fopen(path, "rbe");
    char *text = NULL;
    size_t size = 0, n;
    for (; f; size += n) {
        char *more = realloc(text, size + 4096);
        if (!more) return NULL;
        text = more;
        n = fread(text + size, 1, 4096, f);
        if (n == 0) break;
    }
    if (!f) return NULL;
    fclose(f);
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    program[0] = (Program){name, text, size};
    return program;
}

/* Plays the corpus, reports the results as the environment requests (launch.h), and ends the
 * process. Without that request it returns. */
static void run(lua_State *L) {
    static Stage s;
    const char *text = getenv(LMP_ENV_DOCTOR), *only = getenv(LMP_ENV_DOCTOR_ONLY);
    const char *in_modes = getenv(LMP_ENV_DOCTOR_MODES), *wrong = getenv(LMP_ENV_DOCTOR_PLANT);
    const char *own = getenv(LMP_ENV_DOCTOR_PROGRAM);
    if (!text) return;
    luaL_checkversion(L);
    out = (int)strtol(text, NULL, 10);
    fcntl(out, F_SETFD, FD_CLOEXEC);
    for (int i = 0; wrong && i < PLANTS; i++)
        if (!strcmp(wrong, plant_name[i])) judge_plant = (Plant)i;
    say_interpreter();
    long from = option(text, "from=", 0), number = 0;
    const Program *programs = own ? read_program(own) : corpus;
    if (!programs || !stage_open(&s)) _exit(1);
    for (int m = 0; m < MODES; m++) {
        if (!wanted(in_modes, modes[m].name)) continue;
        for (const Program *p = programs; p->name; p++) {
            if (!wanted(only, p->name)) continue;
            if (number++ < from) continue;
            say("job\t%ld\t%s\t%s", number - 1, p->name, modes[m].name);
            play(&s, p, &modes[m]);
        }
    }
    stage_close(&s);
    say("end");
    _exit(0);
}

__attribute__((visibility("default"))) int luaopen_luamemprofiler_doctor(lua_State *L);

int luaopen_luamemprofiler_doctor(lua_State *L) {
    run(L);
    return 0;
}
