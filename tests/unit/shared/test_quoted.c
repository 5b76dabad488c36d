/* Tests that what the documentation says of the shared state's layout is what layout.h has. */
#include "shared/layout.h"
#include "suite.h"

#define KIB 1024ull
#define MIB (1024 * KIB)

static const struct {
    const char *file, *before;
    uint64_t n, unit;
    const char *after;
} quoted[] = {
    {"design.md", "\n| ", LMP_CONTROL_AT, KIB, " KiB | control:"},
    {"design.md", "\n| ", LMP_LIVE_AT, KIB, " KiB | live:"},
    {"design.md", "\n| ", LMP_BEAT_AT, KIB, " KiB | beat:"},
    {"design.md", "\n| ", LMP_OVERFLOW_AT, MIB, " MiB | overflow table:"},
    {"design.md", "\n| ", LMP_TABLES_AT, MIB, " MiB | tables of who made what:"},
    {"design.md", "\n| ", LMP_LEAVES_AT, MIB, " MiB | leaves of the shadow map,"},
    {"design.md", "leaves of the shadow map, ", 1ull << LMP_LEAF_BITS, MIB,
     " MiB of addresses each"},
    {"design.md", "has 4 bytes for every ", 1ull << LMP_GRAIN_BITS, 1, " bytes of addresses:"},
    {"design.md", "when the heap grows into another ", 1ull << LMP_LEAF_BITS, MIB,
     " MiB of addresses"},
    {"api.md", "(`ulimit -f`) below\n  ", LMP_LEAVES_AT, MIB, " MiB the script runs unprofiled"},
    {"api.md", "the map takes ", sizeof(LmpLeaf) / MIB *MIB, MIB, " MiB more for every "},
    {"api.md", " MiB more for every ", 1ull << LMP_LEAF_BITS, MIB, " MiB of the heap's"},
};

TEST(as_it_is) {
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
        char path[1024], text[256];
        static char doc[1 << 20];
        snprintf(path, sizeof path, "%s/../../docs/%s", TEST_GOLDEN, quoted[i].file);
        FILE *in = fopen(path, "r");
        ck_assert_ptr_nonnull(in);
        doc[fread(doc, 1, sizeof doc - 1, in)] = 0;
        fclose(in);
        ck_assert_uint_eq(quoted[i].n % quoted[i].unit, 0);
        snprintf(text, sizeof text, "%s%llu%s", quoted[i].before,
                 (unsigned long long)(quoted[i].n / quoted[i].unit), quoted[i].after);
        ck_assert_msg(strstr(doc, text) != NULL, "docs/%s does not say: %s", quoted[i].file, text);
    }
}
