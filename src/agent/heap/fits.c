/* fits.c - compares the program's own resident memory with what the machine has available, and with
 * what its memory cgroup and those above it still allow. */
#include "agent/heap/fits.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/forkos.h"
#include "base/format.h"
#include "base/os.h"

/* Reads the number behind `name` in a file of such lines. Returns false if it is not there. */
static bool number_of(const char *text, const char *name, uint64_t *out) {
    size_t n = strlen(name);
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, name, n) != 0) continue;
        char *end;
        *out = strtoull(line + n, &end, 10);
        return end != line + n;
    }
    return false;
}

/* The memory that a child would have twice: the program's own, without files and shared memory. */
static bool own_memory(uint64_t *bytes) {
    char text[256];
    unsigned long long whole, resident, shared;
    if (fork_os->text("/proc/self/statm", text, sizeof text) <= 0 ||
        sscanf(text, "%llu %llu %llu", &whole, &resident, &shared) != 3 || shared > resident)
        return false;
    *bytes = (resident - shared) * lmp_os->page();
    return true;
}

/* ---- the memory cgroup ----------------------------------------------------------------------- */

static const struct Version {
    const char *list, *root, *most, *now, *files; /* its line in /proc/self/cgroup begins so */
} versions[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "},
};

static int read_in(const struct Version *v, const char *group, const char *name, char *out,
                   size_t size) {
    char path[1024];
    int n = snprintf(path, sizeof path, "%s%s/%s", v->root, group, name);
    return n > 0 && (size_t)n < sizeof path ? fork_os->text(path, out, size) : -1;
}

/* What one group still allows, files that can be given up not counted as used. */
static bool left_in(const struct Version *v, const char *group, uint64_t *left) {
    char text[4096];
    char *end;
    if (read_in(v, group, v->most, text, sizeof text) <= 0) return false;
    uint64_t most = strtoull(text, &end, 10);
    if (end == text) return false; /* "max" */
    if (read_in(v, group, v->now, text, sizeof text) <= 0) return false;
    uint64_t now = strtoull(text, NULL, 10), files = 0;
    if (read_in(v, group, "memory.stat", text, sizeof text) > 0) number_of(text, v->files, &files);
    now -= files < now ? files : now;
    *left = most > now ? most - now : 0;
    return true;
}

/* The least that the program's group and those above it allow. */
static bool left_in_groups(const struct Version *v, const char *list, uint64_t *least) {
    char group[512];
    bool known = false;
    const char *line = strncmp(list, v->list, strlen(v->list)) == 0 ? list : strstr(list, v->list);
    if (!line) return false;
    line += strlen(v->list);
    size_t n = strcspn(line, "\n");
    if (n >= sizeof group) return false;
    memcpy(group, line, n);
    group[n] = 0;
    for (;;) {
        uint64_t left = 0;
        if (strcmp(group, "/") == 0) group[0] = 0;
        if (left_in(v, group, &left) && (!known || left < *least)) {
            *least = left;
            known = true;
        }
        char *slash = strrchr(group, '/');
        if (!slash) return known;
        *slash = 0;
    }
}

bool fits_twice(char *why, size_t size) {
    char text[4096], need[LMP_NUM], have[LMP_NUM];
    uint64_t own, available = 0, left = 0;
    why[0] = 0;
    if (!own_memory(&own)) return true;
    bool known = fork_os->text("/proc/meminfo", text, sizeof text) > 0 &&
                 number_of(text, "MemAvailable:", &available);
    if (known && available * 1024 < own) {
        snprintf(why, size, "%s may be needed twice, %s are available", format_bytes(need, own),
                 format_bytes(have, available * 1024));
        return false;
    }
    if (fork_os->text("/proc/self/cgroup", text, sizeof text) <= 0) return true;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (!left_in_groups(&versions[i], text, &left) || left >= own) continue;
        snprintf(why, size, "%s may be needed twice, the cgroup allows %s more",
                 format_bytes(need, own), format_bytes(have, left));
        return false;
    }
    return true;
}
