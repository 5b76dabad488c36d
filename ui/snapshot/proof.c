/* proof.c - finds the group of a line by its name, the most frequent shape of the paths to its
 * objects (why_shapes), and one path to the holder of that shape. */
#include "snapshot/proof.h"

#include <string.h>

#include "read/snapshot/why.h"
#include "snapshot/why_rows.h"

static bool same_line(const char *a, const char *b) {
    if (strncmp(a, "./", 2) == 0) a += 2;
    if (strncmp(b, "./", 2) == 0) b += 2;
    return strcmp(a, b) == 0;
}

const LmpObjectGroup *proof_group(OpenedSnapshot *heap, const char *line) {
    const LmpObjectGroups *groups = opened_groups(heap, LMP_BY_LINE);
    for (uint32_t i = 0; groups && i < groups->groups; i++)
        if (same_line(groups->group[i].name, line)) return &groups->group[i];
    return NULL;
}

bool proof_make(OpenedSnapshot *heap, const LmpObjectGroup *group, const UiWish *wish,
                UiProof *out) {
    const LmpSnapshot *s = &heap->now;
    const uint32_t *member = opened_groups(heap, LMP_BY_LINE)->member + group->first;
    LmpWhyShape shape[WHY_SHAPES];
    LmpWhyPaths why;
    uint32_t asked;
    uint32_t n = why_shapes(s, member, group->objects, shape, WHY_SHAPES, &asked);
    if (n == 0 || why_make(&why, s, shape[0].holder, 1, NULL, 0) != LMP_OK) return false;
    UiProof proof = {.site = wish->site,
                     .retained = s->retained[shape[0].holder],
                     .clock = s->info.clock,
                     .of = asked};
    for (uint32_t i = 0; i < n; i++)
        if (shape[i].holder == shape[0].holder) proof.part += shape[i].objects;
    bool held = why.paths > 0 && proof.retained >= wish->held / 2;
    if (held) {
        why_text(s, &why.path[0], proof.path, sizeof proof.path);
        *out = proof;
    }
    why_free(&why);
    return held;
}

void proof_keep(Ui *ui, const UiProof *proof) {
    uint32_t at = 0;
    while (at + 1 < UI_PROOFS && ui->proof[at].site != proof->site)
        at++;
    memmove(&ui->proof[1], &ui->proof[0], at * sizeof *ui->proof);
    ui->proof[0] = *proof;
}
