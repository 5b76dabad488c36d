/* test_partfile.c - a snapshot's file is whole or not there, is nobody else's to read, and takes no
 * other file's place: full disks, links, killed writers, file systems that cannot do all. */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/objects/partfile.h"
#include "base/forkos.h"

static char directory[64], name[128], part[140];
static PartFile file;

static void end(void) {
    unlink(name);
    ck_assert_int_eq(rmdir(directory), 0); /* nothing is left */
}

static void begin(void) {
    suite_closes(end);
    snprintf(directory, sizeof directory, "partfile-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(name, sizeof name, "%s/x.heap", directory);
    snprintf(part, sizeof part, "%s.part", name);
}

static void expect(const char *content) {
    char got[256];
    struct stat st;
    int fd = open(name, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ssize_t n = read(fd, got, sizeof got - 1);
    got[n] = 0;
    ck_assert_str_eq(got, content);
    fstat(fd, &st);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    close(fd);
    if (file.fd < 0 || !file.named) ck_assert_int_ne(access(part, F_OK), 0);
}

static void make(const char *path, const char *content) {
    OWN(close_at) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ck_assert(write(fd, content, strlen(content)) == (ssize_t)strlen(content));
}

/* As where a file system has no nameless files. */
static int none(const char *path) {
    (void)path;
    return -1;
}

static void be_named(void) {
    static ForkOs os;
    os = forkos_real;
    os.nameless = none;
    fork_os = &os;
}

static void whole_or_not_there(void) {
    begin();
    umask(0277);
    ck_assert_int_eq(partfile_open(&file, name), LMP_OK);
    ck_assert(partfile_write(&file, "whole ", 6));
    ck_assert_int_ne(access(name, F_OK), 0);
    ck_assert(partfile_write(&file, "thing", 5));
    ck_assert_uint_eq(file.bytes, 11);
    ck_assert_int_eq(partfile_commit(&file), LMP_OK);
    ck_assert_int_eq(file.fd, -1);
    expect("whole thing");
    /* another in its place */
    ck_assert_int_eq(partfile_open(&file, name), LMP_OK);
    ck_assert(partfile_write(&file, "newer", 5));
    expect("whole thing");
    ck_assert_int_eq(partfile_commit(&file), LMP_OK);
    expect("newer");
    ck_assert_int_eq(partfile_open(&file, name), LMP_OK);
    ck_assert(partfile_write(&file, "dropped", 7));
    partfile_drop(&file);
    expect("newer");
}

TEST(it_is_whole_or_not_there) {
    whole_or_not_there();
    be_named();
    whole_or_not_there();
}

TEST(nothing_else_is_replaced) {
    static const char *const kinds[] = {"link", "directory", "fifo"};
    for (int kind = 0; kind < 3; kind++) {
        char other[128];
        begin();
        snprintf(other, sizeof other, "%s/other", directory);
        make(other, "mine");
        if (kind == 0) ck_assert_int_eq(symlink("other", name), 0);
        if (kind == 1) ck_assert_int_eq(mkdir(name, 0700), 0);
        if (kind == 2) ck_assert_int_eq(mkfifo(name, 0600), 0);
        ck_assert_msg(partfile_open(&file, name) == LMP_E_FILE, "%s", kinds[kind]);
        ck_assert_int_eq(file.os_error, EEXIST);
        ck_assert_int_eq(access(part, F_OK), -1);
        if (kind == 1) rmdir(name);
        unlink(name);
        make(name, "");
        /* nor is a link followed where the file is made */
        ck_assert_int_eq(symlink("other", part), 0);
        if (partfile_open(&file, name) == LMP_OK) {
            ck_assert(partfile_write(&file, "secret", 6));
            ck_assert_int_eq(partfile_commit(&file), LMP_E_FILE);
        }
        unlink(part);
        unlink(name);
        ck_assert_int_eq(rename(other, name), 0);
        chmod(name, 0600);
        expect("mine");
    }
}

static ssize_t room;

static ssize_t full(int fd, const void *bytes, size_t n) {
    if (room == 0) {
        errno = ENOSPC;
        return -1;
    }
    if ((ssize_t)n > room) n = (size_t)room;
    if (n > 3) n = 3; /* in small parts */
    if (room % 4 == 1) {
        room--;
        errno = EINTR;
        return -1;
    }
    ssize_t wrote = write(fd, bytes, n);
    room -= wrote;
    return wrote;
}

TEST(the_disk_is_full) {
    static ForkOs os;
    os = forkos_real;
    os.write = full;
    begin();
    make(name, "old");
    chmod(name, 0600);
    for (room = 0; room < 40; room += 7) {
        ssize_t of = room;
        fork_os = &os;
        ck_assert_int_eq(partfile_open(&file, name), LMP_OK);
        errno = 5;
        ck_assert(!partfile_write(&file, "0123456789012345678901234567890123456789xxx", 43));
        ck_assert_int_eq(errno, 5);
        ck_assert_int_eq(file.os_error, ENOSPC);
        partfile_drop(&file);
        fork_os = &forkos_real;
        room = of;
        expect("old");
    }
}

TEST(where_it_cannot_be) {
    static char longer[PARTFILE_PATH + 10];
    memset(longer, 'x', sizeof longer - 1);
    ck_assert_int_eq(partfile_open(&file, longer), LMP_E_FILE);
    ck_assert_int_eq(file.os_error, ENAMETOOLONG);
    ck_assert_int_eq(partfile_open(&file, ""), LMP_E_FILE);
    ck_assert_int_eq(partfile_open(&file, "no/such/directory"), LMP_E_FILE);
    ck_assert_int_eq(file.os_error, ENOENT);
    begin();
    snprintf(name, sizeof name, "%s/gone", directory);
    snprintf(part, sizeof part, "%s.part", name);
    ck_assert_int_eq(partfile_open(&file, name), LMP_OK);
    ck_assert_int_eq(mkdir(name, 0700), 0); /* somebody makes one meanwhile */
    ck_assert_int_eq(partfile_commit(&file), LMP_E_FILE);
    ck_assert_int_eq(file.os_error, EISDIR);
    ck_assert_int_eq(file.fd, -1);
    rmdir(name);
}

/* Writers that are killed at any moment: there is no half file, and where the file system has
 * nameless ones nothing at all; elsewhere the next writer removes what was left. */
TEST(writers_are_killed) {
    begin();
    make(name, "old");
    chmod(name, 0600);
    for (int round = 0; round < 60; round++) {
        if (round == 30) be_named();
        pid_t pid = fork();
        if (pid == 0) {
            for (;;) {
                if (partfile_open(&file, name)) _exit(1);
                for (int i = 0; i < 20; i++)
                    partfile_write(&file, "half", 4);
                partfile_drop(&file);
            }
        }
        usleep((useconds_t)suite_below(3000));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        if (round < 30) expect("old");
        ck_assert_int_eq(partfile_open(&file, name), LMP_OK);
        partfile_drop(&file);
        expect("old");
    }
}

/* A part that nobody writes is removed; one that somebody does is not. */
TEST(parts_of_others) {
    begin();
    ck_assert_int_eq(partfile_open(&file, name), LMP_OK);
    make(part, "stale");
    ck_assert(partfile_write(&file, "whole", 5));
    ck_assert_int_eq(partfile_commit(&file), LMP_OK);
    expect("whole");
    ck_assert_int_eq(partfile_open(&file, name), LMP_OK);
    make(part, "in use");
    int fd = open(part, O_WRONLY);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    ck_assert_int_eq(partfile_commit(&file), LMP_E_FILE);
    ck_assert_int_eq(access(part, F_OK), 0);
    partfile_drop(&file); /* of a child: not its own */
    ck_assert_int_eq(access(part, F_OK), 0);
    close(fd);
    partfile_drop(&file);
    ck_assert_int_ne(access(part, F_OK), 0);
}
