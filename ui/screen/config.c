/* config.c - config_rows lists the names with a check for each value. Reading splits the file into
 * lines and keeps those that pass; setting one value writes the changed file beside the old one and
 * renames it. */
#include "screen/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fps.h"
#include "base/nearest.h"
#include "screen/theme.h"

enum { FILE_MOST = 64 * 1024 }; /* bytes; a larger file is not a config of ours */

#define BLANKS " \t\r"

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_one_of(const char *value, const char *const *words) {
    while (*words && strcmp(*words, value) != 0)
        words++;
    return *words != NULL;
}

static bool good_theme(const char *value) {
    return theme_is_name(value);
}

static bool good_switch(const char *value) {
    return is_one_of(value, (const char *const[]){"on", "off", NULL});
}

static bool good_types(const char *value) {
    return is_one_of(value, (const char *const[]){"owner", "tag", NULL});
}

static bool good_fps(const char *value) {
    char *end;
    double n = strtod(value, &end);
    return *value >= '0' && *value <= '9' && !*end && fps_allowed(n);
}

static bool good_words(const char *value) {
    return *value != 0;
}

const ConfigRow config_rows[] = {
    {"theme", "`dark`, `light`, `mono`, `okabe-ito`, `okabe-ito-light`",
     "the colours; `LMP_THEME` comes before. The last two have no red beside green, for the "
     "colour-blind; `-light` is for a light ground",
     good_theme, "dark,light,mono,okabe-ito,okabe-ito-light"},
    {"fps", LMP_FPS_RANGE, "repaints a second, for `lmp run` and `lmp top`; `--fps` comes before",
     good_fps, "1,5,10,20,30"},
    {"mouse", "`on`, `off`", "whether the display begins with the mouse", good_switch, "on,off"},
    {"types", "`owner`, `tag`", "types by owner, or as they were asked for", good_types,
     "owner,tag"},
    {"collect", "`on`, `off`",
     "whether `S` collects all garbage before it takes a snapshot; unset: it asks, and remembers "
     "the "
     "answer here",
     good_switch, "on,off"},
    {"proof", "`on`, `off`",
     "whether a snapshot is taken by itself, once, when a table seems to leak: it tells the note "
     "who holds that; only of programs of 256 MiB resident at most, which stand for some 15 ms",
     good_switch, "on,off"},
    {"panel", "a panel's title", "the panel that the display begins with, such as `Sites`",
     good_words, "Heap map,Timeline,Output,Sites,Functions,Tree,Leaks"},
    {"columns.", "columns' titles, with commas",
     "`columns.Sites`: the columns of that panel's table, others are not shown", good_words, NULL},
    {0},
};

static const ConfigRow *row_of(const char *name) {
    for (const ConfigRow *r = config_rows; r->name; r++) {
        size_t n = strlen(r->name);
        bool many = r->name[n - 1] == '.';
        bool one_of_many = strncmp(r->name, name, n) == 0 && name[n] && !strpbrk(name, BLANKS);
        if (many ? one_of_many : strcmp(r->name, name) == 0) return r;
    }
    return NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool config_path(char *out, size_t size) {
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int n = -1;
    if (xdg && *xdg == '/') /* the XDG specification says to ignore a relative path */
        n = snprintf(out, size, "%s/lmp/config", xdg);
    else if (home && *home == '/')
        n = snprintf(out, size, "%s/.config/lmp/config", home);
    return n > 0 && (size_t)n < size;
}

/* Returns the whole file, NUL-terminated, for the caller to free; NULL: see errno. */
static char *read_whole(const char *path) {
    struct stat st;
    char *text = NULL;
    FILE *file = fopen(path, "re");
    if (!file) return NULL;
    if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MOST) {
        errno = EINVAL;
    } else if ((text = malloc((size_t)st.st_size + 1))) {
        size_t size = fread(text, 1, (size_t)st.st_size, file);
        text[size] = 0;
        if (strlen(text) < size) { /* writing it anew would lose the rest */
            free(text);
            text = NULL;
            errno = EINVAL;
        }
    }
    int error = errno;
    fclose(file);
    errno = error;
    return text;
}

static char *trim(char *text) {
    text += strspn(text, BLANKS);
    for (size_t n = strlen(text); n > 0 && strchr(BLANKS, text[n - 1]); n--)
        text[n - 1] = 0;
    return text;
}

static void add_line(Config *config, unsigned number, char *text) {
    char why[128] = "";
    char *equals = strchr(text, '=');
    if (equals) *equals = 0;
    char *name = trim(text), *value = equals ? trim(equals + 1) : "";
    const ConfigRow *row = row_of(name);
    if (!equals) {
        snprintf(why, sizeof why, "NAME = VALUE was expected");
    } else if (!row) {
        Nearest near = {.typed = name};
        for (const ConfigRow *r = config_rows; r->name; r++)
            nearest_offer(&near, r->name);
        snprintf(why, sizeof why, "there is no \"%.40s\"%s%s%s", name,
                 near.word ? "; did you mean \"" : "", near.word ? near.word : "",
                 near.word ? "\"?" : "");
    } else if (!row->good(value) || strlen(value) >= CONFIG_TEXT ||
               strlen(name) >= sizeof config->line->name) {
        snprintf(why, sizeof why, "%.30s is %s", name, row->values);
    } else if (config->count < CONFIG_LINES) {
        ConfigLine *line = &config->line[config->count++];
        snprintf(line->name, sizeof line->name, "%s", name);
        snprintf(line->value, sizeof line->value, "%s", value);
    } else {
        snprintf(why, sizeof why, "only %d lines are read", CONFIG_LINES);
    }
    if (*why && !config->problem[0])
        snprintf(config->problem, sizeof config->problem, "config, line %u: %s", number, why);
}

void config_read(Config *config, const char *path) {
    *config = (Config){.count = 0};
    char *text = read_whole(path), *rest = text;
    if (!text && errno != ENOENT && errno != ENOTDIR)
        snprintf(config->problem, sizeof config->problem, "config: %.120s: %s", path,
                 errno == EINVAL ? "not a text file of this kind" : strerror(errno));
    for (unsigned number = 1; rest; number++) {
        char *line = strsep(&rest, "\n");
        line = trim(line);
        if (*line && *line != '#') add_line(config, number, line);
    }
    free(text);
}

const char *config_get(const Config *config, const char *name) {
    for (unsigned i = config->count; i > 0; i--)
        if (strcmp(config->line[i - 1].name, name) == 0) return config->line[i - 1].value;
    return NULL;
}

void config_put(Config *config, const char *name, const char *value) {
    unsigned kept = 0;
    for (unsigned i = 0; i < config->count; i++)
        if (strcmp(config->line[i].name, name) != 0) config->line[kept++] = config->line[i];
    config->count = kept;
    if (!value || kept == CONFIG_LINES) return;
    ConfigLine *line = &config->line[config->count++];
    snprintf(line->name, sizeof line->name, "%s", name);
    snprintf(line->value, sizeof line->value, "%s", value);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool is_line_of(const char *line, size_t length, const char *name) {
    size_t n = strlen(name), at = 0;
    while (at < length && strchr(BLANKS, line[at]))
        at++;
    if (length - at < n || strncmp(line + at, name, n) != 0) return false;
    at += n;
    while (at < length && strchr(BLANKS, line[at]))
        at++;
    return at < length && line[at] == '=';
}

static void put_changed(FILE *out, const char *text, const char *name, const char *value) {
    bool put = false;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        bool ours = is_line_of(line, length, name);
        if (ours && value && !put) fprintf(out, "%s = %s\n", name, value);
        if (ours) put = true;
        if (!ours) fprintf(out, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (!put && value) fprintf(out, "%s = %s\n", name, value);
}

static bool make_directories(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed) return false;
    }
    return true;
}

bool config_set(const char *path, const char *name, const char *value) {
    char beside[4200], real[4096];
    if (snprintf(beside, sizeof beside, "%s", path) >= (int)sizeof beside) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!make_directories(beside)) return false;
    char *found = realpath(path, NULL); /* the target, if it is a link */
    snprintf(real, sizeof real, "%s", found ? found : path);
    free(found);
    snprintf(beside, sizeof beside, "%s.%ld", real, (long)getpid());
    char *text = read_whole(real);
    if (!text && errno != ENOENT) return false; /* never overwrite what we cannot read */
    FILE *out = fopen(beside, "we");
    if (out) {
        put_changed(out, text ? text : "", name, value);
        bool well = !ferror(out) && fflush(out) == 0 && fsync(fileno(out)) == 0;
        int error = errno;
        if (fclose(out) != 0 || !well || rename(beside, real) != 0) {
            if (well) error = errno;
            unlink(beside);
            out = NULL;
            errno = error;
        }
    }
    free(text);
    return out != NULL;
}
