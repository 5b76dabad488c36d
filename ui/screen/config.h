/* config.h - what a person has chosen for good: one text file, `$XDG_CONFIG_HOME/lmp/config`, or
 * `~/.config/lmp/config`. A line is `name = value`; empty lines and lines with a # in front say
 * nothing. Names are the rows of config_rows; what a command line or the environment says comes
 * before. A line that cannot be read is skipped, and said. */
#ifndef LMP_CONFIG_H
#define LMP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ConfigRow {
    const char *name;   /* one that ends with a point is of many: "columns.sites" */
    const char *values; /* for people: "dark, light, mono" */
    const char *help;
    bool (*good)(const char *value);
} ConfigRow;
extern const ConfigRow config_rows[]; /* ends with a row whose name is NULL */

enum { CONFIG_LINES = 64, CONFIG_TEXT = 160 };

typedef struct ConfigLine {
    char name[32], value[CONFIG_TEXT];
} ConfigLine;

typedef struct Config {
    ConfigLine line[CONFIG_LINES];
    unsigned count;
    char problem[256]; /* the first line that could not be read, for people; "": none */
} Config;

/* The path of the file; false: there is no place for it (neither variable is set). */
bool config_path(char *out, size_t size);

/* Reads the file at `path`, or nothing where there is none. What is no file, or cannot be read,
 * becomes config->problem. */
void config_read(Config *config, const char *path);

/* The value of a name, NULL: not chosen. Of two lines the last one counts. Good as long as the
 * config is. */
const char *config_get(const Config *config, const char *name);

/* Writes one value (NULL: takes the name away) into the file: its line is changed, or one added,
 * all others stay as they are; it is written beside and renamed, directories are made. False: errno
 * says why not, and the file is as it was. */
bool config_set(const char *path, const char *name, const char *value);

#endif
