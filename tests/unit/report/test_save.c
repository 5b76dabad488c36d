/* Tests of how a report becomes a file: all of it or nothing. */
#include "report/save.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/forkos.h"
#include "suite.h"

static LmpErr write_word(const void *word, FILE *out) {
    fputs(word, out);
    return LMP_OK;
}

static LmpErr write_nothing(const void *of, FILE *out) {
    (void)of;
    fputs("half", out);
    return LMP_E_NOMEM;
}

static void check_content(const char *file, const char *expected) {
    char text[64] = "";
    FILE *in = fopen(file, "r");
    ck_assert_ptr_nonnull(in);
    size_t n = fread(text, 1, sizeof text - 1, in);
    fclose(in);
    text[n] = 0;
    ck_assert_str_eq(text, expected);
}

TEST(whole_or_not_at_all) {
    char dir[] = "/tmp/lmp-report-XXXXXX", file[64];
    struct stat st;
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/out", dir);
    ck_assert_int_eq(save_file(file, write_word, "one"), LMP_OK);
    check_content(file, "one");
    ck_assert_int_eq(stat(file, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    ck_assert_int_eq(save_file(file, write_nothing, NULL), LMP_E_NOMEM);
    check_content(file, "one"); /* as it was */
    ck_assert_int_eq(save_file("/dev/full", write_word, "three"), LMP_E_FILE);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_int_eq(save_file(dir, write_word, "four"), LMP_E_FILE);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_int_eq(unlink(file), 0);
    ck_assert_int_eq(rmdir(dir), 0); /* nothing else is left */
}

/* From a directory with the files d/full (full of words), d/pipe and the directory d/locked. */
static const struct {
    const char *link, *to; /* NULL: none is made */
    const char *file;      /* that is written then; NULL: none is */
    int error;
} links[] = {
    {"link", "d/full", "d/full", 0},
    {"link", "d/new", "d/new", 0},
    {"d/link", "full", "d/full", 0},
    {"d/link", "../d/new", "d/new", 0},
    {"link", "d/second", "d/full", 0}, /* which is one, too */
    {"link", "link", NULL, ELOOP},
    {"link", "d", NULL, EISDIR},
    {"link", "none/new", NULL, ENOENT},
    {"link", "d/full/new", NULL, ENOTDIR},
    {"link", "d/pipe", "d/pipe", 0},
    {"link", "/dev/full", NULL, ENOSPC},
    {"link", "/proc/self/fd/FD", "d/kept", 0}, /* what was in it stays */
    {"/proc/self/fd/FD", NULL, "d/kept", 0},
};

static void check_link(unsigned i, int kept, int pipe) {
    char to[64], name[64], text[32] = "";
    snprintf(name, sizeof name, "%s", links[i].link);
    if (strstr(name, "FD")) sprintf(strstr(name, "FD"), "%d", kept);
    snprintf(to, sizeof to, "%s", links[i].to ? links[i].to : "");
    if (strstr(to, "FD")) sprintf(strstr(to, "FD"), "%d", kept);
    if (*to) ck_assert_int_eq(symlink(to, name), 0);
    errno = 0;
    bool possible = save_possible(name);
    ck_assert_msg(possible == (!links[i].error || links[i].error == ENOSPC), "link %u", i);
    LmpErr err = save_file(name, write_word, "new");
    ck_assert_msg(links[i].error ? err && errno == links[i].error : !err, "link %u: %d", i, errno);
    if (links[i].file && strcmp(links[i].file, "d/pipe") == 0)
        ck_assert_int_eq(read(pipe, text, sizeof text), 3);
    else if (links[i].file)
        check_content(links[i].file, strcmp(links[i].file, "d/kept") ? "new" : "oldnew");
    struct stat st;
    if (*to) ck_assert(lstat(name, &st) == 0 && S_ISLNK(st.st_mode) && unlink(name) == 0);
}

static int none(const char *directory) {
    (void)directory;
    return -1;
}

/* On file systems that have files without a name, and on others. */
TEST(through_links) {
    char dir[] = "/tmp/lmp-report-XXXXXX";
    ForkOs os = forkos_real;
    os.nameless = none;
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(chdir(dir), 0);
    for (unsigned i = 0; i < 2 * sizeof links / sizeof *links; i++) {
        fork_os = i % 2 ? &os : &forkos_real;
        ck_assert_int_eq(mkdir("d", 0700) | mkfifo("d/pipe", 0600), 0);
        ck_assert_int_eq(symlink("full", "d/second"), 0);
        int full = open("d/full", O_CREAT | O_WRONLY, 0600), pipe = open("d/pipe", O_RDWR);
        int kept = open("d/kept", O_CREAT | O_WRONLY, 0600);
        ck_assert(write(full, "words", 5) == 5 && write(kept, "old", 3) == 3);
        check_link(i / 2, kept, pipe);
        close(full);
        close(kept);
        close(pipe);
        unlink("d/new");
        ck_assert_int_eq(
            unlink("d/full") | unlink("d/kept") | unlink("d/pipe") | unlink("d/second"), 0);
        ck_assert_int_eq(rmdir("d"), 0); /* nothing else is left */
    }
    ck_assert_int_eq(rmdir(dir), 0);
}

static LmpErr end_here(const void *how, FILE *out) {
    fputs("half", out);
    fflush(out);
    raise(*(const int *)how);
    fputs("whole", out);
    return LMP_OK;
}

/* Whatever ends it, nothing is left beside the file, which is as it was or whole. */
TEST(interrupted) {
    static const int how[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
    char dir[] = "/tmp/lmp-report-XXXXXX";
    ForkOs os = forkos_real;
    os.nameless = none;
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(chdir(dir), 0);
    for (int i = 0; i < 7; i++) { /* a kill leaves its file where it must have a name */
        fork_os = i % 2 ? &os : &forkos_real;
        int status;
        ck_assert_int_eq(save_file("out", write_word, "before"), LMP_OK);
        pid_t pid = fork();
        if (pid == 0) {
            signal(how[i / 2], SIG_DFL); /* Check has its own */
            _exit((int)save_file("out", end_here, &how[i / 2]));
        }
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == how[i / 2]);
        check_content("out", i % 2 ? "halfwhole" : "before");
        ck_assert_int_eq(unlink("out"), 0);
        ck_assert_int_eq(rmdir(dir) | mkdir(dir, 0700) | chdir(dir), 0);
    }
    ck_assert_int_eq(rmdir(dir), 0);
}
