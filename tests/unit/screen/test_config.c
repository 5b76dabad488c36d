/* test_config.c - the config file: what is read, what is said of what cannot be, and that writing
 * one value changes nothing else. */
#include "suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "screen/config.h"

static const char *dir;
static char path[64];

static void setup(void) {
    dir = suite_directory();
    snprintf(path, sizeof path, "%s/a/b/config", dir);
}
BEFORE_TESTS(setup)

static void write_file(const char *text) {
    char command[128];
    snprintf(command, sizeof command, "mkdir -p '%s/a/b'", dir);
    ck_assert_int_eq(system(command), 0);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void is_file(const char *wanted) {
    char text[4096];
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    ck_assert_str_eq(text, wanted);
}

static Config config;

TEST(test_read) {
    config_read(&config, path); /* no file, no directory: nothing, and nothing said */
    ck_assert_uint_eq(config.count, 0);
    ck_assert_str_eq(config.problem, "");
    write_file("# mine\n\n theme=light \nfps = 2.5\r\ncolumns.Sites = live,made\nfps = 5");
    config_read(&config, path);
    ck_assert_str_eq(config.problem, "");
    ck_assert_str_eq(config_get(&config, "theme"), "light");
    ck_assert_str_eq(config_get(&config, "fps"), "5");
    ck_assert_str_eq(config_get(&config, "columns.Sites"), "live,made");
    ck_assert_ptr_null(config_get(&config, "columns.Tags"));
    ck_assert_ptr_null(config_get(&config, "mouse"));
}

TEST(test_problems) {
    static const struct {
        const char *text, *problem;
    } wrong[] = {
        {"theme = light\nthme = dark\n",
         "config, line 2: there is no \"thme\"; did you mean \"theme\"?"},
        {"xyzzy = 1", "config, line 1: there is no \"xyzzy\""},
        {"\n\ntheme", "config, line 3: NAME = VALUE was expected"},
        {"theme = pink",
         "config, line 1: theme is `dark`, `light`, `mono`, `okabe-ito`, `okabe-ito-light`"},
        {"fps = 0", "config, line 1: fps is 0.1 to 60"},
        {"fps = 10x", "config, line 1: fps is 0.1 to 60"},
        {"columns.Sites x = live", "config, line 1: there is no \"columns.Sites x\""},
        {"mouse = yes", "config, line 1: mouse is `on`, `off`"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_file(wrong[i].text);
        config_read(&config, path);
        ck_assert_str_eq(config.problem, wrong[i].problem);
    }
    write_file("pink\ntheme = light\nmouse = maybe\nfps = 7\n"); /* the rest holds */
    config_read(&config, path);
    ck_assert_ptr_nonnull(strstr(config.problem, "line 1"));
    ck_assert_str_eq(config_get(&config, "theme"), "light");
    ck_assert_str_eq(config_get(&config, "fps"), "7");
    config_read(&config, dir); /* a directory */
    ck_assert_ptr_nonnull(strstr(config.problem, "not a text file"));
    char *junk = malloc(100000);
    memset(junk, 'x', 99999);
    junk[99999] = 0;
    write_file(junk); /* too large to be ours */
    config_read(&config, path);
    ck_assert_uint_eq(config.count, 0);
    ck_assert_ptr_nonnull(strstr(config.problem, "not a text file"));
    for (int i = 0; i < 65; i++)
        memcpy(junk + i * 6, "fps=1\n", 7);
    write_file(junk);
    config_read(&config, path);
    ck_assert_str_eq(config.problem, "config, line 65: only 64 lines are read");
    free(junk);
}

TEST(test_write) {
    ck_assert(config_set(path, "theme", "dark")); /* directories and file are made */
    is_file("theme = dark\n");
    write_file("# mine\ntheme=light\n\n  fps = 3\n# theme = mono\nodd line");
    ck_assert(config_set(path, "theme", "dark"));
    is_file("# mine\ntheme = dark\n\n  fps = 3\n# theme = mono\nodd line\n");
    ck_assert(config_set(path, "columns.Sites", "live"));
    ck_assert(config_set(path, "fps", NULL));
    is_file("# mine\ntheme = dark\n\n# theme = mono\nodd line\ncolumns.Sites = live\n");
    write_file("fps = 1\n\rfps\r=\r2\r\n"); /* what is read as its line is replaced */
    ck_assert(config_set(path, "fps", "3"));
    is_file("fps = 3\n");
    FILE *f = fopen(path, "w"); /* no text: it stays as it is */
    fwrite("fps = 1\n\0more", 1, 13, f);
    fclose(f);
    ck_assert(!config_set(path, "fps", "3") && errno == EINVAL);
    config_read(&config, path);
    ck_assert_ptr_nonnull(strstr(config.problem, "not a text file"));
    write_file("fps = 1\n");
    char link[80], target[80]; /* a link stays one */
    snprintf(link, sizeof link, "%s/link", dir);
    ck_assert_int_eq(symlink(path, link), 0);
    ck_assert(config_set(link, "mouse", "off"));
    ck_assert_int_gt(readlink(link, target, sizeof target), 0);
    config_read(&config, path);
    ck_assert_str_eq(config_get(&config, "mouse"), "off");
}

/* A disk without room: the file is as it was, and nothing lies beside it. */
TEST(test_full) {
    struct rlimit limit = {8, RLIM_INFINITY}, old;
    write_file("theme=dark\nfps = 3\n");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    limit.rlim_max = old.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    bool written = config_set(path, "mouse", "off");
    int error = errno;
    setrlimit(RLIMIT_FSIZE, &old);
    ck_assert(!written);
    ck_assert_int_eq(error, EFBIG);
    is_file("theme=dark\nfps = 3\n");
    char command[128];
    snprintf(command, sizeof command, "test \"$(ls '%s/a/b')\" = config", dir);
    ck_assert_int_eq(system(command), 0);
    ck_assert(!config_set("/proc/nothing/config", "mouse", "off"));
}

TEST(test_path) {
    char out[64];
    setenv("XDG_CONFIG_HOME", "/x", 1);
    setenv("HOME", "/h", 1);
    ck_assert(config_path(out, sizeof out));
    ck_assert_str_eq(out, "/x/lmp/config");
    setenv("XDG_CONFIG_HOME", "relative", 1);
    ck_assert(config_path(out, sizeof out));
    ck_assert_str_eq(out, "/h/.config/lmp/config");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    ck_assert(!config_path(out, sizeof out));
    setenv("HOME", "/a/very/long/path/that/does/not/fit/into/the/room/that/there/is", 1);
    ck_assert(!config_path(out, sizeof out));
}
