/* test_fits.c - when a second copy of the heap is taken to fit: by what the system says of itself,
 * of the process and of its memory cgroup, and by what it does not say. */
#include "suite.h"

#include "agent/objects/child.h"
#include "base/forkos.h"

static struct { const char *path, *text; } files[8];
static int used;

static int text(const char *path, char *out, size_t size) {
    for (int i = 0; i < used; i++)
        if (strcmp(path, files[i].path) == 0) return snprintf(out, size, "%s", files[i].text);
    out[0] = 0;
    return -1;
}

static void file(const char *path, const char *content) {
    files[used].path = path;
    files[used++].text = content;
}

/* 300 MiB resident, of which 44 MiB are files: 256 MiB of its own. */
#define STATM "400000 76800 11264 1 0 90000 0\n"
#define ENOUGH "MemTotal: 9000000 kB\nMemFree: 100 kB\nMemAvailable: 262144 kB\nBuffers: 1 kB\n"

static void begin(const char *meminfo) {
    static ForkOs os;
    os = forkos_real;
    os.text = text;
    fork_os = &os;
    used = 0;
    file("/proc/self/statm", STATM);
    if (meminfo) file("/proc/meminfo", meminfo);
}

static void expect(const char *want) {
    char why[96] = "?";
    ck_assert(child_fits_twice(why, sizeof why) == !*want);
    ck_assert_str_eq(why, want);
}

TEST(by_what_is_available) {
    begin(ENOUGH);
    expect("");
    begin("MemTotal: 9000000 kB\nMemAvailable: 262143 kB\n");
    expect("256.0 MiB may be needed twice, 256.0 MiB are available");
    begin("MemTotal: 9000000 kB\nMemAvailable: 1024 kB\n");
    expect("256.0 MiB may be needed twice, 1.0 MiB are available");
    begin("MemTotal: 9000000 kB\n"); /* an old system does not say it */
    expect("");
    begin(NULL);
    expect("");
    begin("MemAvailable: 1 kB\n");
    used = 0;
    expect("");
}

TEST(by_the_cgroup) {
    begin(ENOUGH);
    file("/proc/self/cgroup", "0::/a/b\n");
    expect("");
    file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    expect("");
    file("/sys/fs/cgroup/a/memory.max", "536870912\n"); /* 512 MiB */
    expect("");                                         /* how much is used is not known */
    file("/sys/fs/cgroup/a/memory.current", "268435457\n");
    expect("256.0 MiB may be needed twice, the cgroup allows 256.0 MiB more");
    file("/sys/fs/cgroup/a/memory.stat", "anon 7\ninactive_file 4096\n");
    expect("");
}

TEST(by_a_cgroup_of_its_own) {
    begin(ENOUGH);
    file("/proc/self/cgroup", "0::/\n");
    file("/sys/fs/cgroup/memory.max", "104857600\n");
    file("/sys/fs/cgroup/memory.current", "209715200\n");
    expect("256.0 MiB may be needed twice, the cgroup allows 0 B more");
    begin(ENOUGH);
    file("/proc/self/cgroup", "5:cpu:/x\n4:memory:/x\n0::/y\n");
    file("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "104857600\n");
    file("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "1048576\n");
    expect("256.0 MiB may be needed twice, the cgroup allows 99.0 MiB more");
}

/* Of this process, as it is. */
TEST(here) {
    char why[96];
    fork_os = &forkos_real;
    bool fits = child_fits_twice(why, sizeof why);
    ck_assert(fits == !why[0]);
}
