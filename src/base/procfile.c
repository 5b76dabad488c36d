/* procfile.c - reads line by line: some lines of /proc/PID/status have no bounds. */
#include "base/procfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"

bool procfile_line(const char *path, const char *key, char *out, size_t size) {
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, key, strlen(key)) == 0;
    if (file) fclose(file);
    const char *value = found ? line + strlen(key) : "";
    value += strspn(value, " \t");
    snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
    return found;
}

uint64_t procfile_resident(uint32_t pid) {
    char path[48] = "/proc/self/statm", text[128];
    if (pid != PROCFILE_SELF) snprintf(path, sizeof path, "/proc/%u/statm", pid);
    int64_t n = lmp_os->read_file(path, 0, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    const char *second = strchr(text, ' '); /* pages of the resident set */
    return second ? strtoull(second, NULL, 10) * lmp_os->page() : 0;
}
