/* control.c - one row for each thing that can be done: the requests of view.h, as the display makes
 * them. */
#include "serve/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"

enum { TOKEN_LEAST = 16, TOKEN_MOST = 256, RANDOM_BYTES = 16 };

static LmpView *program;
static char token[TOKEN_MOST + 1];

static void pause_program(LmpView *view) {
    view_pause(view, true);
}

static void resume_program(LmpView *view) {
    view_pause(view, false);
}

/* Of a program that runs a step means nothing. */
static void step_program(LmpView *view) {
    if (atomic_load(&view->live->state) == LMP_PAUSED) view_step(view, 1);
}

static const struct {
    const char *name;
    void (*serve)(LmpView *view);
} actions[] = {
    {"pause", pause_program},  {"resume", resume_program}, {"step", step_program},
    {"collect", view_collect}, {"mark", view_mark},
};

/* ---- the token ------------------------------------------------------------------------------- */

static const char *make_token(void) {
    unsigned char bytes[RANDOM_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return "no random bytes can be had";
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return NULL;
}

static const char *read_token(int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return "it is no file";
    if (st.st_mode & 077) return "others than its owner may read or write it (chmod 600)";
    ssize_t n = read(fd, token, TOKEN_MOST);
    token[n > 0 ? n : 0] = 0;
    token[strcspn(token, "\r\n")] = 0;
    if (strlen(token) < TOKEN_LEAST) return "its first line has fewer than 16 characters";
    for (const char *c = token; *c; c++)
        if (*c <= ' ' || *c > '~')
            return "its first line has blanks, or other than plain characters";
    return NULL;
}

const char *control_begin(LmpView *view, const char *file) {
    static char problem[600];
    program = view;
    if (!file) return make_token();
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *wrong = fd < 0 ? strerror(errno) : read_token(fd);
    if (fd >= 0) close(fd);
    if (!wrong) return NULL;
    token[0] = 0;
    snprintf(problem, sizeof problem, "%.400s: %s", file, wrong);
    return format_text(problem, sizeof problem, problem, 0);
}

const char *control_token(void) {
    return token;
}

static bool has_token(const char *authorization) {
    static const char scheme[] = "Bearer ";
    if (!authorization || strncmp(authorization, scheme, sizeof scheme - 1) != 0) return false;
    const char *given = authorization + sizeof scheme - 1;
    size_t n = strlen(token), length = strlen(given);
    unsigned differ = length != n;
    for (size_t i = 0; i < length; i++)
        differ |= (unsigned)(given[i] ^ token[i % n]);
    return differ == 0;
}

/* ---- requests -------------------------------------------------------------------------------- */

ControlEnd control_do(const char *name, const char *authorization) {
    if (!*token) return CONTROL_OFF;
    if (!has_token(authorization)) return CONTROL_NO_TOKEN;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, name) != 0) continue;
        actions[i].serve(program);
        return CONTROL_DONE;
    }
    return CONTROL_UNKNOWN;
}
