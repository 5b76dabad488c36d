/* fuzz_config.c - the config file: any file is read, or refused with a reason; a choice that is
 * written is read again as it was, and everything else in the file stays. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "screen/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[] = "/tmp/lmp-fuzz-XXXXXX";
static char path[64];

static void must(bool holds) {
    if (!holds) abort();
}

static void put_away(void) {
    unlink(path);
    rmdir(directory);
}

static void prepare(void) {
    if (path[0]) return;
    must(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/config", directory);
    atexit(put_away);
}

static void write_file(const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "w");
    must(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static bool ends(const char *text, size_t size) {
    return memchr(text, 0, size) != NULL;
}

static void check(const Config *config) {
    must(config->count <= CONFIG_LINES && ends(config->problem, sizeof config->problem));
    for (unsigned i = 0; i < config->count; i++) {
        const ConfigLine *line = &config->line[i];
        must(ends(line->name, sizeof line->name) && ends(line->value, sizeof line->value));
        must(line->name[0] && !strpbrk(line->name, " \t\r\n=") && config_get(config, line->name));
    }
}

static bool same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* All other choices are as they were. */
static void others_stay(const Config *before, const Config *after, const char *name) {
    if (before->count == CONFIG_LINES || after->count == CONFIG_LINES) return; /* all it can hold */
    for (unsigned i = 0; i < before->count; i++) {
        const char *other = before->line[i].name;
        if (strcmp(other, name) != 0)
            must(same(config_get(before, other), config_get(after, other)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Config before, after;
    static const struct {
        const char *name, *value;
    } choice[] = {{"theme", "light"}, {"columns.Sites", "live, where"}, {"fps", "12"}};
    prepare();
    write_file(data, size);
    config_read(&before, path);
    check(&before);
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
        write_file(data, size);
        bool set = config_set(path, choice[i].name, choice[i].value);
        if (!set) {
            must(errno == EINVAL && before.problem[0] && memchr(data, 0, size));
            continue;
        }
        config_read(&after, path);
        check(&after);
        others_stay(&before, &after, choice[i].name);
        if (after.count < CONFIG_LINES)
            must(same(config_get(&after, choice[i].name), choice[i].value));
        must(config_set(path, choice[i].name, NULL)); /* and taken back */
        config_read(&after, path);
        if (after.count < CONFIG_LINES) must(!config_get(&after, choice[i].name));
    }
    return 0;
}
