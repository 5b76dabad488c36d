/* config.h - a person's lasting choices: one text file, `$XDG_CONFIG_HOME/lmp/config`, or
 * `~/.config/lmp/config`. A line is `name = value`; empty lines and lines that begin with # are
 * ignored. Names are the rows of config_rows; command line and environment take precedence. A line
 * that cannot be read is skipped and reported. */
#ifndef LMP_CONFIG_H
#define LMP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ConfigRow {
    const char *name;   /* one that ends with a point stands for many: "columns.sites" */
    const char *values; /* for people: "dark, light, mono" */
    const char *help;
    bool (*good)(const char *value);
    const char *choices; /* "dark,light": what the display's settings offer; NULL: nothing */
} ConfigRow;
extern const ConfigRow config_rows[]; /* ends with a row whose name is NULL */

enum { CONFIG_LINES = 64, CONFIG_TEXT = 160 };

typedef struct ConfigLine {
    char name[32], value[CONFIG_TEXT];
} ConfigLine;

typedef struct Config {
    ConfigLine line[CONFIG_LINES];
    unsigned count;
    char problem[256]; /* the first unreadable line, for people; "": none */
} Config;

/* Finds the path of the file. Returns false if there is none (neither variable is set). */
bool config_path(char *out, size_t size);

/* Reads the file at `path`, if it exists. config->problem says so if it is not a file, or
 * unreadable. */
void config_read(Config *config, const char *path);

/* Returns the value of a name, NULL: not set. Of two lines the last one counts. Valid as long as
 * the config is. */
const char *config_get(const Config *config, const char *name);

/* Sets the value in memory; NULL: not set any more. */
void config_put(Config *config, const char *name, const char *value);

/* Writes one value (NULL: removes the name) into the file: changes its line, or adds one, and keeps
 * all others; writes to a temporary file and renames it, creates directories. Returns false if the
 * file is as it was: see errno. */
bool config_set(const char *path, const char *name, const char *value);

#endif
