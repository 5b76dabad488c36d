/* Tests of learned.c: what is kept comes back whole or not at all, whatever has become of the file;
 * and a start that reads what an earlier one has learned knows the same of the interpreter. */
#include "agent/interp/learned.h"

#include "suite.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <lauxlib.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/interp/code.h"
#include "agent/interp/owner.h"
#include "agent/interp/saved_regs.h"
#include "agent/interp/unwind.h"
#include "base/keptfile.h"
#include "base/os.h"

static const char *directory;
static char cache[96];

/* The one file there whose name begins with this; "" if there is none. */
static const char *file_of(const char *name) {
    static char path[512];
    DIR *dir = opendir(cache);
    *path = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (!strncmp(e->d_name, name, strlen(name)) && e->d_name[0] != '.')
            snprintf(path, sizeof path, "%s/%s", cache, e->d_name);
    if (dir) closedir(dir);
    return path;
}

static void set_up(void) {
    directory = suite_directory();
    snprintf(cache, sizeof cache, "%s/cache/lmp", directory);
    setenv(LMP_CACHE, cache, 1);
}
BEFORE_TESTS(set_up)

/* ---- the file -------------------------------------------------------------------------------- */

enum { ROWS = 3 };

static LmpLearnedRow rows[ROWS];

static void fill(void) {
    memset(rows, 0, sizeof rows);
    rows[0] = (LmpLearnedRow){{(uintptr_t)&lua_newstate + 40}, {1, -2, 3}};
    rows[1] = (LmpLearnedRow){{(uintptr_t)&learned_read + 50, (uintptr_t)&lua_newstate + 40},
                              {INT32_MIN, INT32_MAX, 0, 4, 5, 6}};
    rows[2] = (LmpLearnedRow){{0}, {7}};
}

static bool comes_back(void) {
    uint32_t n = 0;
    LmpLearnedRow *row = learned_read("some", &n);
    bool same = row && n == ROWS && !memcmp(row, rows, sizeof rows);
    ck_assert_msg(!row || same, "rows came back, but not as they were");
    free(row);
    return same;
}

/* Changes a byte of the file, and puts it back. */
static void change(const char *path, long at) {
    FILE *file = fopen(path, "r+");
    ck_assert_ptr_nonnull(file);
    fseek(file, at, SEEK_SET);
    int c = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(c ^ 0x55, file);
    ck_assert_int_eq(fclose(file), 0);
}

TEST(kept_rows_come_back) {
    fill();
    ck_assert(!comes_back());
    learned_write("some", rows, ROWS);
    ck_assert(comes_back());
    struct stat st;
    ck_assert_int_eq(stat(cache, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0700);
    ck_assert_int_eq(stat(file_of("some"), &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
}

TEST(no_changed_byte_is_believed) {
    fill();
    learned_write("some", rows, ROWS);
    const char *path = file_of("some");
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    for (long at = 0; at < st.st_size; at++) {
        change(path, at);
        ck_assert_msg(!comes_back(), "byte %ld is another, and the file was believed", at);
        change(path, at);
    }
    ck_assert(comes_back());
    for (off_t size = st.st_size - 1; size >= 0; size -= 7) {
        ck_assert_int_eq(truncate(path, size), 0);
        ck_assert(!comes_back());
    }
}

/* A file of somebody else, or that others may write, or that is none. */
TEST(only_a_file_of_ones_own_is_believed) {
    char path[512], other[512];
    fill();
    learned_write("some", rows, ROWS);
    snprintf(path, sizeof path, "%s", file_of("some"));
    static const mode_t open_to[] = {0620, 0602, 0666};
    for (size_t i = 0; i < sizeof open_to / sizeof *open_to; i++) {
        chmod(path, open_to[i]);
        ck_assert(!comes_back());
    }
    chmod(path, 0400);
    ck_assert(comes_back());
    snprintf(other, sizeof other, "%s/other", directory);
    ck_assert_int_eq(rename(path, other), 0);
    ck_assert_int_eq(symlink(other, path), 0);
    ck_assert(!comes_back());
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!comes_back()); /* and does not wait */
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rename(other, path), 0);
    if (geteuid() == 0) { /* only root can give a file away */
        ck_assert_int_eq(chown(path, 1, 1), 0);
        ck_assert(!comes_back());
    }
}

/* Not at the places, and nowhere else in the module. */
TEST(other_code_is_not_believed) {
    static const unsigned char patched[] = {0xcc};
    LmpCode code;
    fill();
    learned_write("some", rows, ROWS);
    ck_assert(code_find(&code, rows[0].place[0]));
    long page = sysconf(_SC_PAGESIZE);
    static const int patches[] = {-4000, -64, -17, -16, -1, 0, 1, 15, 16, 64, 4000, 20000};
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        int at = patches[i];
        unsigned char *byte = (unsigned char *)(rows[0].place[0] + (uintptr_t)(intptr_t)at),
                      was = *byte;
        void *from = (void *)((uintptr_t)byte & ~((uintptr_t)page - 1));
        ck_assert_int_eq(mprotect(from, (size_t)page, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
        *byte = *patched;
        bool believed = comes_back();
        *byte = was;
        ck_assert_int_eq(believed, was == *patched);
    }
    ck_assert(comes_back());
}

TEST(what_lies_elsewhere_is_not_kept) {
    fill();
    rows[2].place[0] = (uintptr_t)&fopen;
    learned_write("some", rows, ROWS);
    ck_assert_str_eq(file_of("some"), "");
    rows[2].place[0] = (uintptr_t)rows;
    learned_write("some", rows, ROWS);
    ck_assert_str_eq(file_of("some"), "");
}

/* Owners' rows are no registers' rows, wherever their file has been moved. */
TEST(a_file_of_another_name_is_not_believed) {
    char path[512], other[512];
    fill();
    learned_write("some", rows, ROWS);
    learned_write("else", rows, ROWS);
    snprintf(path, sizeof path, "%s", file_of("some"));
    snprintf(other, sizeof other, "%s", file_of("else"));
    ck_assert(comes_back());
    ck_assert_int_eq(rename(other, path), 0);
    ck_assert(!comes_back());
}

/* AddressSanitizer's choice where locals stand, which changes frames of the same code. Where the
 * tests themselves are compiled so, the variable is its own. */
#if !defined __SANITIZE_ADDRESS__
int __asan_option_detect_stack_use_after_return; /* NOLINT: its name */

TEST(what_holds_for_other_frames_is_not_believed) {
    fill();
    learned_write("some", rows, ROWS);
    ck_assert(comes_back());
    __asan_option_detect_stack_use_after_return = 1;
    ck_assert(!comes_back());
    learned_write("some", rows, ROWS);
    ck_assert(comes_back());
    __asan_option_detect_stack_use_after_return = 0;
    ck_assert(comes_back());
}
#endif

/* ---- modules --------------------------------------------------------------------------------- */

/* A copy of a shared object whose build id stands, so its headers say, where nothing is loaded:
 * tools that rewrite files leave such headers, and the loader does not mind. */
static bool copy_with_lost_notes(const char *from, const char *to) {
    static unsigned char file[8 << 20];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    ck_assert(in && out);
    size_t size = fread(file, 1, sizeof file, in);
    ElfW(Ehdr) elf;
    memcpy(&elf, file, sizeof elf);
    bool lost = false;
    for (int i = 0; i < elf.e_phnum; i++) {
        ElfW(Phdr) h;
        memcpy(&h, file + elf.e_phoff + (size_t)i * sizeof h, sizeof h);
        if (h.p_type != PT_NOTE || h.p_align != 4) continue;
        h.p_vaddr = 0x40000000;
        memcpy(file + elf.e_phoff + (size_t)i * sizeof h, &h, sizeof h);
        lost = true;
    }
    ck_assert_uint_eq(fwrite(file, 1, size, out), size);
    fclose(in);
    return fclose(out) == 0 && lost && size < sizeof file;
}

TEST(notes_that_are_not_loaded_are_not_read) {
    void *whole = dlopen("libm.so.6", RTLD_NOW);
    Dl_info info;
    LmpCode code;
    char path[128];
    if (!whole || !dladdr(dlsym(whole, "cos"), &info)) return;
    ck_assert(code_find(&code, (uintptr_t)dlsym(whole, "cos")));
    snprintf(path, sizeof path, "%s/lost.so", directory);
    if (!code.id_size || !copy_with_lost_notes(info.dli_fname, path)) return;
    void *lost = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_ptr_nonnull(lost);
    ck_assert(code_find(&code, (uintptr_t)dlsym(lost, "cos")));
    ck_assert_uint_eq(code.id_size, 0);
}

/* ---- directories ----------------------------------------------------------------------------- */

static const struct Where {
    const char *own, *xdg, *home; /* %s: the test's directory */
    const char *there;            /* where the file is then; NULL: nowhere */
} wheres[] = {
    {NULL, NULL, "%s", ".cache/lmp"},  {NULL, "%s/xdg", "%s", "xdg/lmp"},
    {"%s/own", "%s/xdg", "%s", "own"}, {"off", "%s/xdg", "%s", NULL},
    {NULL, "xdg", "%s", ".cache/lmp"}, {NULL, NULL, "home", NULL},
    {NULL, NULL, NULL, NULL},
};

static void set(const char *name, const char *value) {
    char text[256];
    if (!value) {
        unsetenv(name);
        return;
    }
    snprintf(text, sizeof text, value, directory); /* NOLINT: a table's */
    setenv(name, text, 1);
}

static void look_in(const struct Where *w) {
    suite_close();
    set_up();
    set(LMP_CACHE, w->own);
    set("XDG_CACHE_HOME", w->xdg);
    set("HOME", w->home);
    fill();
    learned_write("some", rows, ROWS);
    ck_assert_int_eq(comes_back(), w->there != NULL);
    snprintf(cache, sizeof cache, "%s/%s", directory, w->there ? w->there : "lmp");
    ck_assert_int_eq(*file_of("some") != 0, w->there != NULL);
}

TEST(files_are_where_they_should_be) {
    for (size_t i = 0; i < sizeof wheres / sizeof *wheres; i++)
        look_in(&wheres[i]);
}

/* A directory that cannot be made or written, and a system that refuses: nothing is kept, and the
 * error number of the program stays. */
static int64_t read_nothing(const char *path, void *to, size_t size) {
    (void)path, (void)to, (void)size;
    return -1;
}

static bool write_nothing(int fd, uint64_t at, const void *from, size_t size) {
    (void)fd, (void)at, (void)from, (void)size;
    return false;
}

TEST(refusals_do_no_harm) {
    LmpOs os = os_real;
    fill();
    errno = EDOM;
    char path[128];
    snprintf(path, sizeof path, "%s/some", cache);
    ck_assert(!keptfile_write(path, rows, sizeof rows, write_nothing));
    ck_assert_str_eq(file_of("some"), "");
    learned_write("some", rows, ROWS);
    ck_assert(comes_back());
    os.read_kept = read_nothing;
    lmp_os = &os;
    ck_assert(!comes_back());
    lmp_os = &os_real;
    setenv(LMP_CACHE, "/proc/nowhere/lmp", 1);
    learned_write("some", rows, ROWS);
    ck_assert(!comes_back());
    ck_assert_int_eq(errno, EDOM);
}

/* Who is killed while writing leaves a file beside, and in a container the next has the same
 * number. */
TEST(what_a_killed_process_has_left_is_replaced) {
    char path[256], beside[300];
    fill();
    learned_write("some", rows, ROWS);
    snprintf(path, sizeof path, "%s", file_of("some"));
    ck_assert_int_eq(unlink(path), 0);
    snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    FILE *half = fopen(beside, "w");
    ck_assert_ptr_nonnull(half);
    fclose(half);
    learned_write("some", rows, ROWS);
    ck_assert(comes_back());
    ck_assert_int_ne(access(beside, F_OK), 0);
}

#if __GLIBC_PREREQ(2, 33)
/* Large blocks that are freed would change from when on malloc maps what the program requests. */
TEST(the_programs_malloc_stays_as_it_was) {
    enum { LARGE = 160 * 1024 }; /* above glibc's threshold, which only grows */
    fill();
    learned_write("some", rows, ROWS);
    ck_assert(comes_back());
    struct mallinfo2 before = mallinfo2();
    void *volatile large = malloc(LARGE); /* gcc 16 makes none that is only freed */
    ck_assert_ptr_nonnull(large);
    struct mallinfo2 after = mallinfo2();
    free(large);
    if (before.arena) ck_assert_uint_eq(after.hblks, before.hblks + 1);
}
#endif

/* ---- the same is known ----------------------------------------------------------------------- */

typedef struct Known {
    LmpSavedRegsPlan plan;
    LmpReturnAddrs owners;
    bool has_plan, has_owners;
} Known;

/* What a process of its own knows after its start. */
static void start_in_child(Known *known) {
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        const LmpSavedRegsPlan *plan = saved_regs_plan();
        const LmpCallClasses *owners = owner_classes();
        if ((known->has_plan = plan != NULL)) known->plan = *plan;
        if ((known->has_owners = owners != NULL)) known->owners = owners->all;
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

static Known *new_known(void) {
    Known *k = mmap(NULL, sizeof *k, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(k, MAP_FAILED);
    return k;
}

static void same_asker(const LmpAsker *a, const LmpAsker *b) {
    ck_assert_uint_eq(a->ret, b->ret);
    ck_assert_int_eq(a->at_thread, b->at_thread);
    ck_assert_int_eq(a->again, b->again);
}

/* Rows may stand elsewhere in a table whose homes collide: each is looked up. */
static void same_plan(const LmpSavedRegsPlan *a, const LmpSavedRegsPlan *b) {
    ck_assert_uint_eq(a->askers, b->askers);
    ck_assert_uint_eq(a->free_callers, b->free_callers);
    ck_assert_uint_eq(a->newtables, b->newtables);
    ck_assert_uint_eq(a->newtables_met, b->newtables_met);
    ck_assert_uint_eq(a->askers_met, b->askers_met);
    ck_assert_uint_eq(a->checked, b->checked);
    ck_assert_uint_eq(a->differed, b->differed);
    for (size_t i = 0; i < sizeof a->asker / sizeof *a->asker; i++) {
        if (!a->asker[i].ret) continue;
        const LmpAsker *other = saved_regs_asker(b, a->asker[i].ret);
        ck_assert_ptr_nonnull(other);
        same_asker(other, &a->asker[i]);
    }
    same_asker(&a->objects, &b->objects);
    same_asker(&a->resizer, &b->resizer);
    ck_assert(!memcmp(a->object, b->object, sizeof a->object));
    ck_assert(!memcmp(a->part, b->part, sizeof a->part));
    ck_assert_uint_eq(a->free_caller_factor, b->free_caller_factor);
    ck_assert(!memcmp(a->caller, b->caller, sizeof a->caller));
    ck_assert(!memcmp(a->free_site, b->free_site, sizeof a->free_site));
}

TEST(a_second_start_knows_the_same) {
    Known *first = new_known(), *second = new_known();
    start_in_child(first);
    if (!first->has_plan) return; /* nothing is learned on this processor */
    ck_assert_str_ne(file_of("registers"), "");
    ck_assert_str_ne(file_of("owners"), "");
    start_in_child(second);
    ck_assert(second->has_plan && second->has_owners && first->has_owners);
    same_plan(&first->plan, &second->plan);
    ck_assert(!memcmp(&first->owners, &second->owners, sizeof first->owners));
}

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
/* A program that has no memory while the study is made: what is known of a half of it is not kept,
 * or each later start knew no more. */
void *__libc_realloc(void *block, size_t size); /* NOLINT: glibc's name */
static long until_refused = -1;

void *realloc(void *block, size_t size) {
    enum { REFUSED = 2 };
    bool refused = size && until_refused >= 0 && until_refused < REFUSED;
    if (until_refused >= 0 && size) until_refused--;
    return refused ? NULL : __libc_realloc(block, size);
}

TEST(what_is_learned_without_memory_is_not_kept) {
    Known *right = new_known(), *known = new_known();
    start_in_child(right);
    if (!right->has_plan) return;
    for (int i = 0; i < 30; i++) {
        unlink(file_of("owners"));
        unlink(file_of("registers"));
        until_refused = (long)suite_below(i & 1 ? 5000 : 50000);
        start_in_child(known);
        until_refused = -1;
        memset(known, 0, sizeof *known);
        start_in_child(known);
        ck_assert(known->has_plan && known->has_owners);
        ck_assert(!memcmp(&right->owners, &known->owners, sizeof right->owners));
        same_plan(&right->plan, &known->plan);
    }
}
#endif

/* Numbers that no study writes, in a file that holds otherwise: each is refused or can do no harm.
 */
static void keep_wrong(const char *name) {
    uint32_t n = 0;
    LmpLearnedRow *row = learned_read(name, &n);
    ck_assert_ptr_nonnull(row);
    uint32_t at = (uint32_t)suite_below(n), which = (uint32_t)suite_below(LMP_LEARNED_NUMBERS);
    static const int32_t odd[] = {-1, INT32_MIN, INT32_MAX, 100000, 5, 0};
    row[at].number[which] = odd[suite_below(sizeof odd / sizeof *odd)];
    learned_write(name, row, n);
    free(row);
}

TEST(wrong_numbers_do_no_harm) {
    Known *known = new_known();
    start_in_child(known);
    if (!known->has_plan) return;
    for (int i = 0; i < 40; i++) {
        keep_wrong(i & 1 ? "owners" : "registers");
        memset(known, 0, sizeof *known);
        start_in_child(known);
        ck_assert(known->has_plan && known->has_owners); /* kept, or learned anew */
        for (size_t k = 0; k < sizeof known->plan.asker / sizeof *known->plan.asker; k++) {
            ck_assert_int_ge(known->plan.asker[k].at_thread, 0);
            ck_assert_int_lt(known->plan.asker[k].at_thread, LMP_REGS_SEEN);
        }
        for (size_t k = 0; k < LMP_NEWTABLES; k++) {
            ck_assert_int_lt(known->plan.object[k].at_pc, LMP_REGS_SEEN);
            ck_assert_int_ge(known->plan.part[k].at_loop, 0);
        }
        for (size_t k = 0; k < LMP_RETURN_ADDRS; k++) {
            ck_assert_int_ge(known->owners.slot[k].distance, 0);
            ck_assert_int_le(known->owners.slot[k].distance, 16384);
            ck_assert_int_lt(known->owners.slot[k].cls, LMP_CLASSES);
        }
    }
}
