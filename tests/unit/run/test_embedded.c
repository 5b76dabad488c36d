/* Tests of files that the command has inside (embedded.h): where they are laid out, and that
 * nothing which others could have put there is taken. The table is this suite's own. */
#include "run/embedded.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/keptfile.h"
#include "suite.h"

static const unsigned char bytes[] = "what the module says";
const Embedded embedded_files[] = {{"one.so", "one-1.so", bytes, bytes + sizeof bytes}, {0}};

static const char *directory;
static char cache[96], kept[128], other[128];

static void set_up(void) {
    directory = suite_directory();
    snprintf(cache, sizeof cache, "%s/cache", directory);
    snprintf(kept, sizeof kept, "%s/one-1.so", cache);
    snprintf(other, sizeof other, "%s/lmp-%u/one-1.so", directory, (unsigned)geteuid());
    setenv(LMP_CACHE, cache, 1);
    setenv("TMPDIR", directory, 1);
}
BEFORE_TESTS(set_up)

/* Lays it out there, whole, for this user alone. */
static void comes_to(const char *place) {
    char path[4096], there[sizeof bytes + 1];
    struct stat st;
    ck_assert(embedded_lay_out(embedded_find("one.so"), path, sizeof path));
    ck_assert_str_eq(path, place);
    ck_assert(lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0777) == 0600);
    ck_assert_int_eq(keptfile_read(path, there, sizeof there), sizeof bytes);
    ck_assert_mem_eq(there, bytes, sizeof bytes);
}

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, sizeof bytes, f), sizeof bytes);
    fclose(f);
}

TEST(is_found_by_its_name) {
    ck_assert_ptr_eq(embedded_find("one.so"), &embedded_files[0]);
    ck_assert_ptr_null(embedded_find("two.so"));
}

TEST(comes_to_the_cache_and_stays) {
    struct stat first, again;
    comes_to(kept);
    ck_assert_int_eq(stat(kept, &first), 0);
    comes_to(kept);
    ck_assert_int_eq(stat(kept, &again), 0);
    ck_assert_uint_eq(first.st_ino, again.st_ino);
    ck_assert_int_ne(access(other, F_OK), 0);
}

TEST(what_was_changed_is_put_in_place_again) {
    comes_to(kept);
    put(kept, "what another one says");
    comes_to(kept);
    ck_assert_int_eq(truncate(kept, 3), 0);
    comes_to(kept);
    ck_assert_int_eq(chmod(kept, 0666), 0); /* the right bytes, for now */
    comes_to(kept);
    char elsewhere[96];
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", directory);
    put(elsewhere, (const char *)bytes);
    ck_assert(unlink(kept) == 0 && symlink(elsewhere, kept) == 0);
    comes_to(kept);
}

TEST(a_folder_that_others_may_write_is_not_taken) {
    comes_to(kept);
    ck_assert_int_eq(chmod(cache, 0770), 0);
    comes_to(other);
    ck_assert_int_eq(chmod(cache, 0700), 0);
    comes_to(kept);
    setenv(LMP_CACHE, "off", 1);
    comes_to(other);
    char path[4096], folder[128];
    snprintf(folder, sizeof folder, "%s/lmp-%u", directory, (unsigned)geteuid());
    ck_assert_int_eq(chmod(folder, 0707), 0);
    ck_assert(!embedded_lay_out(&embedded_files[0], path, sizeof path));
}

TEST(without_any_place_there_is_none) {
    char path[4096];
    setenv(LMP_CACHE, "/proc/nowhere/lmp", 1);
    setenv("TMPDIR", "/proc/nowhere", 1);
    ck_assert(!embedded_lay_out(&embedded_files[0], path, sizeof path));
    ck_assert(!embedded_lay_out(&embedded_files[0], path, 8));
}
